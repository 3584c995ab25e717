// SPDX-License-Identifier: BSL-1.0
// The search against the five steps and the guidances.
#include "../catch.hpp"
#include "brute_force.hpp"
#include "grid.hpp"

#include <shardplan/plan/simulated_timing_of.hpp>
#include <shardplan/search/decide.hpp>
#include <shardplan/search/practice.hpp>

#include <cstdint>

namespace sp = shardplan;
using namespace brute_force;

namespace {
// What of a path `best` could have chosen itself: a legal plan that fits, nothing on the host.
bool is_in_space(const sp::plan_spec& plan, const sp::evaluation& verdict) {
  return verdict.violations.empty() && plan.offload.states == sp::storage::device && plan.tp <= plan.devices_per_node;
}
}  // namespace

TEST_CASE("best: never worse than the five steps or a guidance") {
  int compared = 0;
  int by_guidance[sp::guidance_count]{};
  for (const sp::transformer& model : grid::models)
    for (const sp::device_spec& device : grid::devices)
      for (const std::int64_t hosts : grid::hosts)
        for (const bool recompute : {false, true}) {
          sp::plan_spec asked = training_run(model, device, hosts, model.positions == 1024 ? 1024 : 2048, 1536);
          if (recompute) asked.recompute = sp::recomputes::full;
          const sp::search_result best[] = {sp::best_of(asked, by_formula(sp::objective::step_time)),
                                            sp::best_of(asked, by_formula(sp::objective::memory))};
          const auto compare = [&](const sp::plan_spec& plan) {
            const sp::evaluation verdict = sp::evaluate(plan, sp::remedy_search::off);
            if (!is_in_space(plan, verdict)) return false;
            ++compared;
            INFO(model.layers << " layers of " << model.hidden << ", " << device.name.c_str() << ", hosts " << hosts << ", recompute "
                              << recompute);
            REQUIRE(best[0].found);
            CHECK(sp::step_timing(best[0].plan).step <= sp::step_timing(plan).step);
            CHECK(sp::figures_of(best[1].plan).peak_memory <= verdict.peak_memory);
            return true;
          };
          compare(sp::decision_of(asked).plan);
          for (int whose = 0; whose < sp::guidance_count; ++whose)
            by_guidance[whose] += compare(sp::practice_of(asked, static_cast<sp::guidance>(whose)).plan);
        }
  CHECK(compared > 1000);
  for (const int of_this : by_guidance) CHECK(of_this > 100);
}

TEST_CASE("best: what is played is never worse than the five steps or a guidance, played") {
  int compared = 0;
  for (const sp::transformer& model : {sp::models::llama2_7b::shape, sp::models::llama2_70b::shape, sp::models::mixtral_8x7b::shape})
    for (const std::int64_t nodes : {1, 8, 64}) {
      sp::plan_spec asked = training_run(model, sp::devices::a100_sxm_80gb::spec, nodes, 4096, 1024);
      const sp::search_result best = sp::best_of(asked);
      const double step = best.found ? sp::simulated_timing_of(best.plan).step : 0;
      const auto compare = [&](const sp::plan_spec& plan) {
        if (!is_in_space(plan, sp::evaluate(plan, sp::remedy_search::off))) return;
        ++compared;
        INFO("hidden " << model.hidden << ", nodes " << nodes);
        REQUIRE(best.found);
        CHECK(step <= sp::simulated_timing_of(plan).step * (1 + 1e-12));
      };
      compare(sp::decision_of(asked).plan);
      for (int whose = 0; whose < sp::guidance_count; ++whose) compare(sp::practice_of(asked, static_cast<sp::guidance>(whose)).plan);
    }
  CHECK(compared > 20);
}
