// SPDX-License-Identifier: BSL-1.0
// The best plans by closed form, ranked again by what their schedules take.
#include "../catch.hpp"
#include "brute_force.hpp"

#include <shardplan/plan/simulated_timing_of.hpp>
#include <shardplan/search/best_options.hpp>

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
  // What needs a larger table than allowed keeps its closed form: 4 chunks on 4 ranks and 12 micro-batches are 192 forward passes.
  sp::search_options few;
  few.simulated_passes = 100;
  const sp::search_result some = sp::best_of(fixed, few);
  CHECK(some.simulated > 0);
  CHECK(some.simulated < played.simulated);
  for (const sp::listed_plan& one : some.top) {
    const std::int64_t fewer = sp::detail::shortened(one.schedule, one.pp, one.micro_batches);
    if (one.pp * one.schedule.chunks * fewer > 100) CHECK(one.simulated_step == 0);
    if (one.pp > 1 && one.pp * one.schedule.chunks * one.micro_batches <= 100) CHECK(one.simulated_step > 0);
  }
}

TEST_CASE("best: a deep pipeline is played as well") {
  // 405B with what counts as a layer at both ends, 64 micro-batches and more through 16 ranks.
  sp::plan_spec fixed = training_run(sp::models::llama3_1_405b::shape, sp::devices::h100_sxm_80gb::spec, 128, 8192, 2048);
  fixed.framework = sp::frameworks::megatron;
  fixed.layer_split.embedding_slot = fixed.layer_split.loss_slot = 1;
  sp::search_space space = sp::default_space_of(fixed);
  space.sharding.length = 2;  // ZeRO 0 and 1
  sp::search_options as_compiled;
  as_compiled.simulated_passes = sp::detail::search_setup{}.simulated_passes;
  const sp::search_result some = sp::best_of(fixed, space, as_compiled);
  const sp::search_result all = sp::best_of(fixed, space);
  REQUIRE(some.found);
  CHECK(all.simulated == static_cast<std::int64_t>(all.top.size()));
  std::int64_t deepest = 0;
  for (const sp::listed_plan& one : some.top)
    if (one.simulated_step > 0 && one.pp > deepest) deepest = one.pp;
  CHECK(deepest >= 16);
  // Exact: the whole schedule takes as long.
  for (const sp::listed_plan& one : some.top)
    if (one.simulated_step > 0)
      CHECK(static_cast<std::int64_t>(one.simulated_step * 1e12) ==
            static_cast<std::int64_t>(sp::simulated_timing_of(sp::spec_of_listed(fixed, one)).step * 1e12));
}
