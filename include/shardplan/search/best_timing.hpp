// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/memory/memory.hpp>
#include <shardplan/schedule/schedule_spec.hpp>
#include <shardplan/search/best_memory.hpp>
#include <shardplan/spec/plan_spec.hpp>
#include <shardplan/timing/compute.hpp>
#include <shardplan/timing/constants.hpp>
#include <shardplan/timing/flops.hpp>
#include <shardplan/timing/timing.hpp>
#include <shardplan/traffic/held.hpp>
#include <shardplan/traffic/traffic.hpp>

#include <cstdint>

namespace shardplan::detail {

// The last step that was timed, for the next candidate that differs from its plan in the order alone.
struct known_step {
  bool has_compute = false;
  bool has_step = false;
  schedule_spec schedule{};
  timing_constants constants{};
  stage_extent extent{};  // of the stage that computes longest
  compute_seconds one{};  // that it computes for a micro-batch
  unordered_step step{};

  constexpr void forget() { has_compute = false; }

  // `timing_of(spec, layout).step` without what is sent and without the optimizer: what it is not below, but for the last bits. Of `layout`
  // only the facts are read.
  template <class Spec>
  constexpr double least_seconds(const Spec& spec, const traffic_layout& layout) {
    const derived& facts = layout.facts;
    if (!has_compute || !has_same_stages(schedule, spec.schedule)) {
      constants = default_timing_constants;
      if (spec.link_efficiency.says_any()) constants = constants_with(spec.link_efficiency, constants);
      extent = busiest_extent(spec, layout, forward_flops_of(spec.model, spec.sequence, facts.vocabulary), constants, one);
      schedule = spec.schedule;
      has_compute = true;
      has_step = false;
    }
    if (one.total() == 0) return 0;
    const double work = one.total() * static_cast<double>(micro_batches_of_chunk(spec, facts.micro_batches));
    constexpr double less_rounding = 1 - 1e-12;
    return less_rounding * (work + bubble_seconds(spec, facts.micro_batches, one, work));
  }

  // `timing_of(spec, layout).step`, after `least_seconds`.
  template <class Spec>
  constexpr double seconds(const Spec& spec, const traffic_layout& layout) {
    if (one.total() == 0) return 0;
    if (!has_step) step = unordered_step_of(spec, layout, extent, one, constants, spec.communication);
    has_step = true;
    return step.seconds(bubble_seconds(spec, layout.facts.micro_batches, one, step.busy));
  }
};

}  // namespace shardplan::detail
