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
