// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/schedule/schedule_spec.hpp>
#include <shardplan/search/best_memory.hpp>
#include <shardplan/spec/plan_spec.hpp>
#include <shardplan/timing/compute.hpp>
#include <shardplan/timing/constants.hpp>
#include <shardplan/timing/flops.hpp>
#include <shardplan/timing/timing.hpp>
#include <shardplan/traffic/held.hpp>

namespace shardplan::detail {

// The last step that was timed, for the next candidate that differs from its plan in the order alone.
struct known_step {
  bool known = false;
  schedule_spec schedule{};
  unordered_step step{};

  // `timing_of(spec, layout).step`.
  template <class Spec>
  constexpr double seconds(const Spec& spec, const traffic_layout& layout) {
    if (!known || !has_same_stages(schedule, spec.schedule)) {
      const forward_flops count = forward_flops_of(spec.model, spec.sequence, layout.facts.vocabulary);
      step =
          spec.link_efficiency.says_any()
              ? unordered_step_of(spec, layout, constants_with(spec.link_efficiency, default_timing_constants), spec.communication, count)
              : unordered_step_of(spec, layout, default_timing_constants, spec.communication, count);
      schedule = spec.schedule;
      known = true;
    }
    if (step.one.total() == 0) return 0;
    return step.seconds(bubble_seconds(spec, layout.facts.micro_batches, step.one, step.busy));
  }
};

}  // namespace shardplan::detail
