// SPDX-License-Identifier: BSL-1.0
// What a plan does not say and a run shows: each observation decides its cause, both ways, and no number is an error.
#include "../catch.hpp"
#include "plans.hpp"

#include <shardplan/doctor/diagnose.hpp>

#include <cstdint>

namespace sp = shardplan;
using doctor::plain;
using sp::cause;
using sp::standing;

namespace {

struct sample {
  cause which;
  standing says;
  std::int64_t figure;
  std::int64_t limit;
  sp::plan_spec spec;
  sp::observations run;
};

template <class Change>
sample seen(cause which, standing says, std::int64_t figure, std::int64_t limit, Change change) {
  sample result{which, says, figure, limit, plain(), {}};
  result.spec.tp = 2;
  result.spec.pp = 2;
  change(result.run);
  return result;
}

}  // namespace

TEST_CASE("doctor: what was observed decides") {
  constexpr auto yes = standing::supported;
  constexpr auto no = standing::excluded;
  using run_of = sp::observations;
  constexpr auto on = sp::toggle::on;
  constexpr auto off = sp::toggle::off;
  const sp::evidence rate = [] {
    sp::plan_spec spec = plain();
    spec.tp = spec.pp = 2;
    return sp::evidence_of(spec, cause::perf_fabric_cfg);
  }();
  REQUIRE(rate.says == standing::not_in_plan);
  const sample samples[] = {
      // 8 ranks; 30 minutes unless another timeout is said
      seen(cause::hang_preproc, yes, 8, 1, [](run_of& run) { run.preparation_minutes = 31; }),
      seen(cause::hang_preproc, no, 8, 8, [](run_of& run) { run.preparation_minutes = 30; }),
      seen(cause::hang_preproc, yes, 8, 1, [](run_of& run) { run.preparation_minutes = 11, run.timeout_minutes = 10; }),
      // 2 replicas
      seen(cause::hang_uneven, yes, 1, 0, [](run_of& run) { run.samples = 100'003; }),
      seen(cause::hang_uneven, no, 0, 0, [](run_of& run) { run.samples = 100'002; }),
      seen(cause::hang_uneven, no, 0, 0, [](run_of& run) { run.samples = 100'003, run.drops_last = on; }),
      seen(cause::num_sp_grad, yes, 2, 1, [](run_of& run) { run.sums_norm_gradients = off; }),
      seen(cause::num_sp_grad, no, 2, 2, [](run_of& run) { run.sums_norm_gradients = on; }),
      seen(cause::num_clip, yes, 2, 0, [](run_of& run) { run.clips_by_global_norm = off; }),
      seen(cause::num_clip, no, 2, 2, [](run_of& run) { run.clips_by_global_norm = on; }),
      seen(cause::num_ga, yes, 32, 1, [](run_of& run) { run.averages_by_token = off; }),
      seen(cause::num_ga, no, 32, 32, [](run_of& run) { run.averages_by_token = on; }),
      seen(cause::num_compose, yes, 3, 1, [](run_of& run) { run.agrees_in_parity_test = off; }),
      seen(cause::num_compose, no, 3, 3, [](run_of& run) { run.agrees_in_parity_test = on; }),
      // Six tenths of what is promised are enough.
      seen(cause::perf_fabric_cfg, yes, rate.figure, rate.figure / 2 * 1000 / 600,
           [&](run_of& run) { run.bus_bytes_per_second = rate.figure / 2; }),
      seen(cause::perf_fabric_cfg, no, rate.figure, rate.figure * 1000 / 600, [&](run_of& run) { run.bus_bytes_per_second = rate.figure; }),
      seen(cause::perf_slow_gpu, yes, 8, 1, [](run_of& run) { run.slowest_per_mille = 950; }),
      seen(cause::perf_slow_gpu, no, 8, 8, [](run_of& run) { run.slowest_per_mille = 970; }),
      seen(cause::perf_data, yes, -1, 1000, [](run_of& run) { run.loader_tokens_per_second = 1000; }),
      seen(cause::perf_data, no, -1, 100'000'000, [](run_of& run) { run.loader_tokens_per_second = 100'000'000; }),
      seen(cause::perf_overlap, yes, -1, 0, [](run_of& run) { run.device_connections = 8; }),
      seen(cause::perf_overlap, no, -1, -1, [](run_of& run) { run.device_connections = 1; }),
  };
  for (const sample& item : samples) {
    const sp::evidence found = sp::evidence_of(item.spec, item.which, item.run);
    INFO(sp::name_of(item.which) << " figure " << found.figure << " limit " << found.limit);
    CHECK(found.says == item.says);
    if (item.figure >= 0) CHECK(found.figure == item.figure);
    if (item.limit >= 0) CHECK(found.limit == item.limit);
    CHECK((found.figure > found.limit) == (found.says == standing::supported));
    // Without the observation the plan does not say it.
    CHECK(sp::evidence_of(item.spec, item.which).says == standing::not_in_plan);
    for (int at = 0; at < sp::symptom_count; ++at)
      if (sp::explains(item.which, static_cast<sp::symptom>(at)))
        for (const sp::finding& one : sp::diagnosis_of(item.spec, static_cast<sp::symptom>(at), item.run)) {
          if (one.which != item.which) continue;
          CHECK(one.now == found);
          if (found.says == standing::supported) CHECK(one.why == sp::no_change::of_no_plan);
        }
  }
}

TEST_CASE("doctor: no observation is an error") {
  std::int64_t sp::observations::*const numbers[] = {
      &sp::observations::preparation_minutes, &sp::observations::timeout_minutes,          &sp::observations::samples,
      &sp::observations::tested_nodes,        &sp::observations::least_unmasked_tokens,    &sp::observations::bus_bytes_per_second,
      &sp::observations::slowest_per_mille,   &sp::observations::loader_tokens_per_second, &sp::observations::device_connections};
  sp::plan_spec broken = plain();
  broken.tp = 3;
  for (const auto number : numbers)
    for (const std::int64_t value :
         {INT64_MIN, INT64_MIN + 1, std::int64_t{-1}, std::int64_t{0}, std::int64_t{1}, INT64_MAX - 1, INT64_MAX}) {
      sp::observations run{};
      run.*number = value;
      for (const sp::plan_spec& spec : {plain(), broken, sp::plan_spec{}})
        for (int at = 0; at < sp::symptom_count; ++at) {
          const auto asked = static_cast<sp::symptom>(at);
          CHECK(sp::diagnosis_of(spec, asked, run).size() == sp::diagnosis_of(spec, asked).size());
        }
      // A negative number is none.
      if (value < 0)
        for (int at = 0; at < sp::cause_count; ++at)
          CHECK(sp::evidence_of(plain(), static_cast<cause>(at), run) == sp::evidence_of(plain(), static_cast<cause>(at)));
    }
}
