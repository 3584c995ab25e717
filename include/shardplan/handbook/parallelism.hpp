// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/checked.hpp>
#include <shardplan/core/static_vector.hpp>
#include <shardplan/core/text.hpp>
#include <shardplan/handbook/arithmetic.hpp>

#include <cstdint>

/// Section 2 of the handbook: 3D parallelism, its worked example of 64 GPUs and its typical configurations.
namespace shardplan::handbook {

/// Total = DP x TP x PP: the devices that a layout needs.
constexpr std::int64_t total_devices(std::int64_t data_parallel, std::int64_t tensor_parallel, std::int64_t pipeline_parallel) {
  const std::int64_t of_one_stage = checked_multiply(detail::positive(data_parallel), detail::positive(tensor_parallel));
  return checked_multiply(of_one_stage, detail::positive(pipeline_parallel));
}

/// Devices and how they are divided.
struct layout {
  std::int64_t nodes = 0;             ///< hosts
  std::int64_t devices_per_node = 0;  ///< devices of one host
  std::int64_t tp = 0;                ///< tensor parallel degree
  std::int64_t pp = 0;                ///< pipeline stages
  std::int64_t dp = 0;                ///< replicas

  /// Devices in all. Error (`argument_out_of_range`) when the degrees do not multiply to them.
  constexpr std::int64_t devices() const {
    const std::int64_t count = checked_multiply(detail::positive(nodes), detail::positive(devices_per_node));
    if (total_devices(dp, tp, pp) != count) argument_out_of_range();
    return count;
  }
};

/// The handbook's example: 8 nodes of 8 GPUs, TP 4 inside a node, PP 4, DP 4.
inline constexpr layout worked_example{.nodes = 8, .devices_per_node = 8, .tp = 4, .pp = 4, .dp = 4};

/// How ranks are numbered: the axis named first runs fastest. The handbook's text and its drawing disagree.
enum class axis_order {
  tp_pp_dp,  ///< its text: data parallelism outermost
  tp_dp_pp,  ///< its drawing, and Megatron's default: a stage in neighbouring nodes
};

/// The rank of the first device of a tensor-parallel group; the group is this rank and the `tp - 1` after it.
/// Error (`argument_out_of_range`) when there is no such stage or replica.
constexpr std::int64_t first_rank(const layout& where, axis_order order, std::int64_t stage, std::int64_t replica) {
  where.devices();
  if (stage < 0 || stage >= where.pp || replica < 0 || replica >= where.dp) argument_out_of_range();
  const std::int64_t group = order == axis_order::tp_pp_dp ? stage + where.pp * replica : replica + where.dp * stage;
  return where.tp * group;
}

/// The nodes of a stage, ascending.
using node_list = static_vector<std::int64_t, 256>;

/// The nodes that hold some device of a pipeline stage. In the worked example stage s is on nodes 2s and 2s+1 with tp-dp-pp; with tp-pp-dp
/// stages 0 and 1 are both on the even nodes, stages 2 and 3 both on the odd ones.
/// Errors: as `first_rank`; a stage on more than 256 nodes is `capacity_exceeded`.
template <class List = node_list>
constexpr List nodes_of_stage(const layout& where, axis_order order, std::int64_t stage) {
  where.devices();  // no replica is no loop below, and yet an error
  List nodes{};
  for (std::int64_t replica = 0; replica < where.dp; ++replica) {
    const std::int64_t first = first_rank(where, order, stage, replica);
    for (std::int64_t node = first / where.devices_per_node; node <= (first + where.tp - 1) / where.devices_per_node; ++node)
      if (nodes.empty() || nodes[nodes.size() - 1] != node) nodes.push_back(node);
  }
  return nodes;
}

/// One row of the handbook's table of typical configurations (the table is lost; these rows follow from its rules, see its section 2).
struct typical_configuration {
  literal model;                   ///< size of the model, "7B"
  std::int64_t devices_least = 0;  ///< devices, the fewest that are named
  std::int64_t devices_most = 0;   ///< more than the least where a range is given
  std::int64_t tp = 1;             ///< tensor parallel degree
  std::int64_t pp = 1;             ///< pipeline stages
  literal sharding;                ///< how states are divided over data parallelism; empty where nothing is said

  /// Replicas on `devices` devices. Error (`division_leaves_a_rest`) when the degrees do not divide them.
  constexpr std::int64_t dp(std::int64_t devices) const { return exact_divide(detail::positive(devices), checked_multiply(tp, pp)); }
};

/// The rows, by size of the model. 405B is said without a number of devices: its row starts at one replica.
inline constexpr typical_configuration typical_configurations[] = {
    {.model = "7B", .devices_least = 8, .devices_most = 8, .tp = 1, .pp = 1, .sharding = "ZeRO-1, ZeRO-2 or FSDP"},
    {.model = "13B", .devices_least = 8, .devices_most = 16, .tp = 1, .pp = 1, .sharding = "FSDP"},
    {.model = "13B", .devices_least = 8, .devices_most = 16, .tp = 2, .pp = 1, .sharding = ""},
    {.model = "70B", .devices_least = 64, .devices_most = 64, .tp = 8, .pp = 2, .sharding = ""},
    {.model = "70B", .devices_least = 64, .devices_most = 64, .tp = 4, .pp = 4, .sharding = ""},
    {.model = "175B", .devices_least = 1024, .devices_most = 1024, .tp = 8, .pp = 8, .sharding = ""},
    {.model = "405B", .devices_least = 128, .devices_most = 128, .tp = 8, .pp = 16, .sharding = ""},
};

}  // namespace shardplan::handbook
