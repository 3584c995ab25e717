// SPDX-License-Identifier: BSL-1.0
// States of a rank of a network at run time: the same figures, and what is refused.
#include "catch.hpp"

#include <shardplan/memory/network_states.hpp>
#include <shardplan/spec/plan_spec.hpp>

#include <cstdint>
#include <string>

namespace sp = shardplan;
using sp::role;
using sp::split;

namespace {

struct layer {
  static constexpr std::int64_t repeats = 2;
  static constexpr std::int64_t head_width = 8;
  static constexpr sp::tensor tensors[] = {
      {.name = "in", .rows = 48, .columns = 20, .how = split::column, .purpose = role::attention},
      {.name = "key", .rows = 24, .columns = 20, .how = split::key_value, .purpose = role::attention},
      {.name = "expert", .rows = 12, .columns = 20, .how = split::column, .purpose = role::routed_expert, .copies = 6},
  };
};
using model = sp::network<layer>;

sp::plan_spec run_on(std::int64_t devices) {
  sp::plan_spec spec{};
  spec.devices_per_node = devices;
  spec.nodes = 1;
  return spec;
}

std::string refused(const sp::plan_spec& spec) {
  try {
    static_cast<void>(sp::network_states_of<model>(spec));
  } catch (const sp::arithmetic_error& error) {
    return error.what();
  }
  return "nothing";
}

}  // namespace

TEST_CASE("a network has states at run time") {
  sp::plan_spec spec = run_on(12);
  spec.tp = 3;
  spec.ep = 2;
  spec.etp = 3;
  spec.zero = 1;
  // 16 x 20 and one of three heads, 8 x 20, shared by 4; three experts of 4 x 20, shared by 2; twice each.
  const std::int64_t dense = 2 * (320 + 160);
  const std::int64_t routed = 2 * 3 * 80;
  const sp::rank_states states = sp::network_states_of<model>(spec);
  CHECK(states.weights == 2 * (dense + routed));
  CHECK(states.gradients == 2 * (dense + routed));
  CHECK(states.owned == dense / 4 + routed / 2);
  CHECK(states.master == 4 * states.owned);
  CHECK(states.optimizer == 8 * states.owned);
  CHECK(states.total() == states.weights + states.gradients + 12 * states.owned);
}

TEST_CASE("what a network cannot be laid out on is refused") {
  CHECK(refused(run_on(12)) == "nothing");
  CHECK(refused(sp::plan_spec{}) == "argument_out_of_range");
  sp::plan_spec spec = run_on(12);
  spec.pp = 2;
  CHECK(refused(spec) == "argument_out_of_range");
  spec = run_on(12);
  spec.tp = 5;  // the world
  CHECK(refused(spec) == "division_leaves_a_rest");
  spec = run_on(12);
  spec.tp = 4;  // three heads are neither a multiple nor a divisor
  CHECK(refused(spec) == "division_leaves_a_rest");
  spec = run_on(4);
  spec.ep = 4;  // six experts
  CHECK(refused(spec) == "division_leaves_a_rest");
  spec = run_on(5);
  spec.etp = 5;
  CHECK(refused(spec) == "division_leaves_a_rest");
  spec = run_on(12);
  spec.ep = 5;
  CHECK(refused(spec) == "division_leaves_a_rest");
  spec = run_on(12);
  spec.dp = 6;
  CHECK(refused(spec) == "argument_out_of_range");
  spec = run_on(12);
  spec.zero = 4;
  CHECK(refused(spec) == "argument_out_of_range");
  spec = run_on(12);
  spec.zero = 3;
  spec.sharding.ranks = 5;
  CHECK(refused(spec) == "division_leaves_a_rest");
  spec = run_on(12);
  spec.sharding.layout = sp::shard_layout::flat_units;
  CHECK(refused(spec) == "argument_out_of_range");
  spec = run_on(std::int64_t{1} << 40);
  spec.nodes = std::int64_t{1} << 40;
  CHECK(refused(spec) == "result_leaves_63_bits");
}
