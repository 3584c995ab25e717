// SPDX-License-Identifier: BSL-1.0
// The best plans by closed form, ranked again by what their schedules take.
#include "../catch.hpp"
#include "brute_force.hpp"

#include <shardplan/plan/simulated_timing_of.hpp>

#include <cstddef>
#include <cstdint>

namespace sp = shardplan;
using namespace brute_force;

TEST_CASE("best: the first plans are ranked again by what their schedules take") {
  const sp::plan_spec fixed = training_run(sp::models::llama2_70b::shape, sp::devices::h100_sxm_80gb::spec, 8, 4096, 256);
  const sp::search_result formula = sp::best_of(fixed, by_formula(sp::objective::step_time));
  const sp::search_result played = sp::best_of(fixed);
  CHECK(formula.simulated == 0);
  CHECK(played.simulated == static_cast<std::int64_t>(sp::most_listed));
  int moved = 0;
  for (std::size_t at = 0; at < played.top.size(); ++at) {
    const sp::listed_plan& one = played.top[at];
    const sp::plan_spec spec = sp::spec_of_listed(fixed, one);
    const sp::played_timing timing = sp::simulated_timing_of(spec);
    CHECK(static_cast<std::int64_t>(one.seconds() * 1e12) == static_cast<std::int64_t>(timing.step * 1e12));
    CHECK(static_cast<std::int64_t>(one.step * 1e12) == static_cast<std::int64_t>(sp::step_timing(spec).step * 1e12));
    CHECK((one.simulated_step > 0) == (one.pp > 1));
    if (at > 0) CHECK(played.top[at - 1].seconds() < one.seconds() + 1e-9);
    moved += !(spec == sp::spec_of_listed(fixed, formula.top[at]));
  }
  CHECK(moved > 0);
  CHECK(played.plan == sp::spec_of_listed(fixed, played.top[0]));
  // A bound on what is played ends the list at the first plan that would leave it.
  sp::search_options few;
  few.simulated_passes = 3000;
  const sp::search_result some = sp::best_of(fixed, few);
  CHECK(some.simulated > 0);
  CHECK(some.simulated < played.simulated);
  std::int64_t passes = 0;
  for (std::int64_t at = 0; at < some.simulated; ++at) {
    const sp::listed_plan& one = formula.top[static_cast<std::size_t>(at)];
    if (one.pp > 1) passes += one.pp * one.micro_batches * one.schedule.chunks;
  }
  CHECK(passes <= 3000);
  for (auto at = static_cast<std::size_t>(some.simulated); at < some.top.size(); ++at)
    CHECK(sp::spec_of_listed(fixed, some.top[at]) == sp::spec_of_listed(fixed, formula.top[at]));
}
