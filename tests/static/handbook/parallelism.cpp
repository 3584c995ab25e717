// SPDX-License-Identifier: BSL-1.0
// The worked example and the typical configurations of section 2 of the handbook.
#include <shardplan/handbook/parallelism.hpp>

#include "refused.hpp"

#include <cstdint>

namespace book = shardplan::handbook;
using book::axis_order;

// 8 nodes x 8 GPUs = 64 = TP 4 x PP 4 x DP 4
static_assert(book::total_devices(4, 4, 4) == 64 && book::worked_example.devices() == 64);
static_assert(book::worked_example.nodes == 8 && book::worked_example.devices_per_node == 8);

constexpr book::node_list nodes(std::int64_t first, std::int64_t step, std::int64_t count) {
  book::node_list list{};
  for (std::int64_t i = 0; i < count; ++i) list.push_back(first + i * step);
  return list;
}

// tp-dp-pp: stage s = ranks 16s to 16s+15 = nodes 2s and 2s+1
static_assert(book::first_rank(book::worked_example, axis_order::tp_dp_pp, 0, 0) == 0);
static_assert(book::first_rank(book::worked_example, axis_order::tp_dp_pp, 1, 0) == 16);
static_assert(book::first_rank(book::worked_example, axis_order::tp_dp_pp, 3, 3) == 60);
static_assert(book::nodes_of_stage(book::worked_example, axis_order::tp_dp_pp, 0) == nodes(0, 1, 2));
static_assert(book::nodes_of_stage(book::worked_example, axis_order::tp_dp_pp, 1) == nodes(2, 1, 2));
static_assert(book::nodes_of_stage(book::worked_example, axis_order::tp_dp_pp, 2) == nodes(4, 1, 2));
static_assert(book::nodes_of_stage(book::worked_example, axis_order::tp_dp_pp, 3) == nodes(6, 1, 2));

// tp-pp-dp: a replica is two neighbouring nodes, stages 0 and 1 on the even ones, 2 and 3 on the odd ones
static_assert(book::first_rank(book::worked_example, axis_order::tp_pp_dp, 1, 0) == 4);
static_assert(book::first_rank(book::worked_example, axis_order::tp_pp_dp, 0, 1) == 16);
static_assert(book::nodes_of_stage(book::worked_example, axis_order::tp_pp_dp, 0) == nodes(0, 2, 4));
static_assert(book::nodes_of_stage(book::worked_example, axis_order::tp_pp_dp, 1) == nodes(0, 2, 4));
static_assert(book::nodes_of_stage(book::worked_example, axis_order::tp_pp_dp, 2) == nodes(1, 2, 4));
static_assert(book::nodes_of_stage(book::worked_example, axis_order::tp_pp_dp, 3) == nodes(1, 2, 4));

// a tensor-parallel group across nodes touches all of them
static_assert(book::nodes_of_stage({.nodes = 4, .devices_per_node = 4, .tp = 8, .pp = 2, .dp = 1}, axis_order::tp_dp_pp, 1) ==
              nodes(2, 1, 2));

// typical configurations: 70B on 64 devices as TP 8 PP 2 DP 4 and TP 4 PP 4 DP 4, 175B on 1024 as TP 8 PP 8 DP 16
constexpr bool has(shardplan::literal model, std::int64_t devices, std::int64_t tp, std::int64_t pp, std::int64_t dp) {
  for (const book::typical_configuration& row : book::typical_configurations)
    if (row.model == model && row.tp == tp && row.pp == pp && row.devices_least <= devices && devices <= row.devices_most &&
        row.dp(devices) == dp)
      return true;
  return false;
}
static_assert(has("7B", 8, 1, 1, 8));
static_assert(has("13B", 8, 1, 1, 8) && has("13B", 16, 1, 1, 16) && has("13B", 8, 2, 1, 4) && has("13B", 16, 2, 1, 8));
static_assert(has("70B", 64, 8, 2, 4) && has("70B", 64, 4, 4, 4));
static_assert(has("175B", 1024, 8, 8, 16) && has("405B", 128, 8, 16, 1));
static_assert(!has("70B", 64, 8, 4, 2));
static_assert([] {
  for (const book::typical_configuration& row : book::typical_configurations)
    if (book::total_devices(row.dp(row.devices_least), row.tp, row.pp) != row.devices_least) return false;
  return true;
}());

// refused: nothing, less than nothing, degrees that do not multiply, stages that do not exist, and what leaves 63 bits
static_assert(!refused([] { return book::total_devices(1, 1, 1); }));
static_assert(refused([] { return book::total_devices(0, 1, 1); }) && refused([] { return book::total_devices(1, -1, 1); }));
static_assert(refused([] { return book::total_devices(1, 1, 0); }) && refused([] { return book::total_devices(INT64_MAX, 2, 1); }));
static_assert(refused([] {
                return book::layout{8, 8, 4, 4, 2}.devices();
              }) &&
              refused([] {
                return book::layout{0, 8, 4, 4, 4}.devices();
              }));
static_assert(refused([] { return book::first_rank(book::worked_example, axis_order::tp_dp_pp, 4, 0); }));
static_assert(refused([] { return book::first_rank(book::worked_example, axis_order::tp_dp_pp, 0, -1); }));
static_assert(refused([] { return book::nodes_of_stage(book::worked_example, axis_order::tp_pp_dp, -1); }));
static_assert(refused([] { return book::nodes_of_stage({8, 8, 8, 8, 0}, axis_order::tp_pp_dp, 0); }));
static_assert(refused([] { return book::nodes_of_stage({257, 1, 1, 1, 257}, axis_order::tp_pp_dp, 0); }));
static_assert(!refused([] { return book::nodes_of_stage({256, 1, 1, 1, 256}, axis_order::tp_pp_dp, 0); }));
static_assert(refused([] { return book::typical_configurations[0].dp(0); }) &&
              refused([] { return book::typical_configurations[3].dp(24); }));
