// SPDX-License-Identifier: BSL-1.0
// The search against nested loops, to the last candidate and figure.
#include "../catch.hpp"
#include "brute_force.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace sp = shardplan;
using namespace brute_force;

TEST_CASE("best: the same as nested loops") {
  std::int64_t fitting = 0;
  for (const question& asked : questions()) {
    INFO(asked.name);
    const brute all = all_plans(asked.fixed, asked.said);
    const sp::search_space space = space_from(asked.said);
    fitting += static_cast<std::int64_t>(all.plans.size());
    CHECK(space.count() == all.considered);
    for (const sp::objective by : objectives) {
      INFO(sp::name_of(by));
      const sp::search_result found = sp::best_of(asked.fixed, space, by_formula(by));
      CHECK(found.considered == all.considered);
      CHECK(found.fitting == static_cast<std::int64_t>(all.plans.size()));
      for (std::size_t at = 0; at < sp::rule_slots; ++at) {
        INFO("rule " << at);
        CHECK(found.rejected_by_rule[at] == all.refused[at]);
      }
      CHECK(found.refusals.size() == all.refusals.size());
      for (std::size_t at = 0; at < found.refusals.size(); ++at) {
        const sp::refused_rule& one = found.refusals[at];
        INFO("refusal " << at);
        const auto counted = all.refusals.find({int(one.broken), int(one.first), int(one.second), int(one.unsupported), int(one.part)});
        REQUIRE(counted != all.refusals.end());
        CHECK(counted->second == one.count);
        if (at > 0) CHECK(found.refusals[at - 1].count >= one.count);
      }
      const std::vector<fitting_plan> best = ranked(all, by);
      REQUIRE(found.top.size() == std::min(best.size(), sp::most_listed));
      CHECK(found.found == !best.empty());
      if (found.found) CHECK(found.plan == best[0].spec);
      for (std::size_t at = 0; at < found.top.size(); ++at) {
        INFO("place " << at);
        const sp::listed_plan& one = found.top[at];
        CHECK(sp::spec_of_listed(asked.fixed, one) == best[at].spec);
        CHECK(one.memory.count == best[at].memory);
        CHECK(one.devices() == best[at].devices);
        CHECK(static_cast<std::int64_t>(one.step * 1e9) == best[at].nanoseconds);
        CHECK(one.micro_batches == sp::figures_of(best[at].spec).micro_batches);
        CHECK(one.dp == sp::figures_of(best[at].spec).data_parallel);
      }
    }
  }
  CHECK(fitting > 5000);
}

TEST_CASE("best: what one rank alone shards is one plan") {
  // 70B on 16 devices: tp 8, pp 2 leaves one replica, on which ZeRO 1 to 3 shard nothing.
  const sp::plan_spec fixed = training_run(sp::models::llama2_70b::shape, sp::devices::h100_sxm_80gb::spec, 2, 4096, 256);
  const sp::search_result found = sp::best_of(fixed);
  int alone = 0;
  for (std::size_t at = 0; at < found.top.size(); ++at) {
    const sp::listed_plan& one = found.top[at];
    if (one.dp * one.cp != 1) continue;
    ++alone;
    CHECK(one.sharding.zero == 0);
  }
  CHECK(alone > 1);
}

TEST_CASE("best: refusals are told apart by what they are about") {
  const sp::plan_spec fixed = training_run(sp::models::llama2_70b::shape, sp::devices::h100_sxm_80gb::spec, 8, 4096, 256);
  sp::search_space space = sp::default_space_of(fixed);
  space.tp.length = 0;
  for (const std::int64_t degree : {1, 3, 8}) space.tp.push_back(degree);  // 64 heads and 64 devices: 3 divides neither
  const sp::search_result found = sp::best_of(fixed, space, by_formula(sp::objective::step_time));
  CHECK(found.rejected_by(sp::rule::does_not_divide, sp::quantity::tp, sp::quantity::heads) == 0);  // the devices are asked first
  CHECK(found.rejected_by(sp::rule::does_not_divide, sp::quantity::tp_x_pp_x_cp, sp::quantity::device_count) +
            found.rejected_by(sp::rule::does_not_divide, sp::quantity::tp, sp::quantity::device_count) >=
        found.considered / 3);
  std::int64_t refused = 0;
  for (const sp::refused_rule& one : found.refusals) refused += one.count;
  CHECK(refused == found.rejected());
}
