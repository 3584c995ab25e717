// SPDX-License-Identifier: BSL-1.0
// What causes of slowness read is what `timing` counts.
#include "../catch.hpp"
#include "plans.hpp"

#include <shardplan/doctor/diagnose.hpp>
#include <shardplan/presets/presets.hpp>

#include <cstdint>

namespace sp = shardplan;
using doctor::plain;
using sp::cause;

TEST_CASE("doctor: transfers before anything hides them are those of the timing") {
  const auto close = [](double left, double right) { return left > right * (1 - 1e-9) && left < right * (1 + 1e-9); };
  sp::plan_spec dense = plain();
  dense.nodes = 16;
  dense.global_batch = 1024;
  dense.zero = 3;
  sp::plan_spec routed = sp::presets::mixtral_8x7b_ep_8::spec;
  sp::plan_spec limited = sp::presets::deepseek_v3_pp_16_ep_64::spec;
  limited.routed_nodes = 4;
  sp::plan_spec levels = dense;
  levels.zero = 1;
  levels.collectives.dp = sp::algorithm::hierarchical;
  sp::plan_spec slow = dense;
  slow.link_efficiency.network = 10;
  int compared = 0;
  for (sp::plan_spec spec : {dense, routed, limited, levels, slow}) {
    spec.overlap = {0, 0, 0, 0, 0};
    const sp::detail::timed_step found = sp::detail::timed_step_of(spec);
    REQUIRE(found.known);
    INFO("case " << compared);
    for (const sp::channel between : {sp::channel::tp, sp::channel::cp, sp::channel::ep, sp::channel::etp, sp::channel::pp})
      if (found.over(between) > 0) CHECK(close(found.over(between), found.report.exposed_over(between)));
    const double replicated = found.data_parallel() - found.over(sp::channel::replicas);
    CHECK(close(replicated, found.report.exposed_over(sp::channel::dp)));
    CHECK(replicated > 0);
    ++compared;
  }
  // Gradients that are reduced once a step are not sent again.
  sp::plan_spec late = dense;
  late.communication.late_sync = true;
  const auto again = [](const sp::plan_spec& spec) {
    for (const sp::finding& found : sp::diagnosis_of(spec, sp::symptom::low_utilisation))
      if (found.which == cause::perf_zero23_ga) return found.now.figure;
    return std::int64_t{-1};
  };
  CHECK(again(late) > 0);
  CHECK(again(late) < again(dense));
  CHECK(sp::detail::timed_step_of(slow).dp_rate < sp::detail::timed_step_of(dense).dp_rate / 2);
}
