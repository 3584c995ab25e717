// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/bytes.hpp>
#include <shardplan/core/unset.hpp>
#include <shardplan/memory/host.hpp>
#include <shardplan/memory/memory.hpp>
#include <shardplan/memory/phase.hpp>
#include <shardplan/plan/rules/combinations.hpp>
#include <shardplan/plan/rules/divisibility.hpp>
#include <shardplan/plan/rules/listed_rule.hpp>
#include <shardplan/plan/rules/ranges.hpp>
#include <shardplan/plan/rules/sink.hpp>
#include <shardplan/spec/plan_spec.hpp>
#include <shardplan/spec/stage_layers.hpp>

#include <cstdint>

namespace shardplan::detail {

struct peak_account {
  bytes total{};
  std::int64_t stage = 0;
  phase when = phase::block_backward;
};

template <class Spec>
constexpr void compare_stage(const Spec& spec, const memory_layout& layout, std::int64_t stage, peak_account& peak) {
  const stage_account account = account_of_extent(spec, layout, extent_of_stage(spec, layout.facts, stage));
  const std::int64_t total = unchecked_total(account.device);
  if (total > peak.total.count) {
    peak.total.count = total;
    peak.stage = stage;
    peak.when = account.peak;
  }
}

// Whether stages differ in nothing but what the first and the last have beside their blocks, and the micro-batches that are alive. (Without
// a drain they differ in versions of the weights as well.)
template <class Spec>
constexpr bool stages_are_alike(const Spec& spec) {
  return has_even_stages(spec) && spec.layer_split.next_token_stage == unset &&
         (spec.sharding.layout == shard_layout::flat || spec.sharding.layout == shard_layout::tensors) &&
         spec.model.experts.leading_dense == 0 && spec.model.experts.layer_step <= 1 && spec.schedule.chunks == 1 && spec.schedule.drains;
}

// The inner stage with the most micro-batches alive, the first of equals; `most` is their number over all stages.
template <class Spec>
constexpr std::int64_t fullest_inner_stage(const Spec& spec, const derived& facts, std::int64_t& most) {
  std::int64_t fullest = 1;
  std::int64_t most_inside = 0;
  for (std::int64_t stage = 0; stage < spec.pp; ++stage) {
    const std::int64_t alive = spec.schedule.in_flight(spec.pp, facts.micro_batches, 1, stage);
    if (alive > most) most = alive;
    if (alive > most_inside && stage > 0 && stage < spec.pp - 1) {
      most_inside = alive;
      fullest = stage;
    }
  }
  return fullest;
}

// The worst stage, the first of equals. None is left out: the last one is the worst as often as the first. Inner stages that are alike are
// all represented by the fullest.
template <class Spec>
constexpr peak_account peak_of(const Spec& spec, const memory_layout& layout) {
  peak_account peak{};
  if (spec.pp <= 3 || !stages_are_alike(spec)) {
    for (std::int64_t stage = 0; stage < spec.pp; ++stage) compare_stage(spec, layout, stage, peak);
    return peak;
  }
  std::int64_t most = 0;
  const std::int64_t fullest = fullest_inner_stage(spec, layout.facts, most);
  compare_stage(spec, layout, 0, peak);
  compare_stage(spec, layout, fullest, peak);
  compare_stage(spec, layout, spec.pp - 1, peak);
  return peak;
}

// Whether one rank that had everything any stage has would fit: then all do, and a plan with room to spare is judged by one account.
template <class Spec>
constexpr bool surely_fits(const Spec& spec, const memory_layout& layout) {
  // A quantised state is smaller just above `least_elements` than just below: no bound by a larger share.
  if (spec.pp == 1 || spec.optimizer.bits != 0 || !stages_are_alike(spec)) return false;
  stage_extent all = extent_of_stage(spec, layout.facts, 0);
  fullest_inner_stage(spec, layout.facts, all.in_flight);
  all.is_first = true;
  all.is_last = true;
  add_next_token_layers(spec.model, all);
  all.copies_head = true;
  return unchecked_total(account_of_extent(spec, layout, all).device) <= spec.device.memory.count;
}

}  // namespace shardplan::detail

namespace shardplan::rules {

/// What is offloaded by all devices of a node fits in the memory of its host.
struct host_fits {
  template <class Listed = listed_rule>
  static constexpr Listed about() {
    return detail::plain_rule<Listed>(
        3, rule::host_does_not_fit,
        "with `host_memory<>`: what is offloaded by all devices of a node, its page-locked buffers and processes are at most the host's "
        "memory",
        "[host.hpp](memory.md)");
  }
  template <class Spec, class Sink>
  static constexpr void check(const Spec& spec, const memory_layout& layout, Sink& sink) {
    if (spec.host_memory_gibibytes == unset) return;
    const bytes needs = host_account(spec, layout).total();
    const bytes has = {spec.host_memory_gibibytes << 30};
    if (needs > has) sink.add_host_misfit(needs, has);
  }
};

/// The worst stage fits in the memory of its device.
struct stages_fit {
  template <class Listed = listed_rule>
  static constexpr Listed about() {
    return detail::plain_rule<Listed>(3, rule::does_not_fit, "`total()` of the worst stage is at most the device's memory",
                                      "[exact_and_estimates.md](../exact_and_estimates.md)");
  }
  template <class Spec, class Sink>
  static constexpr void check(const Spec& spec, const memory_layout& layout, Sink& sink) {
    check_peak(spec, layout, detail::peak_of(spec, layout), sink);
  }
  template <class Spec, class Sink>
  static constexpr void check_peak(const Spec& spec, const memory_layout& layout, const detail::peak_account& peak, Sink& sink) {
    if (peak.total > spec.device.memory) sink.add_misfit(spec, layout, peak.stage);
  }
};

}  // namespace shardplan::rules

namespace shardplan::detail {

// Here and elsewhere `Spec` is `plan_spec`: a template parameter only so that a file which includes the umbrella pays for nothing that it
// does not ask.
// The first two tiers: the second is asked when the first is kept.
template <class Spec, class Sink>
constexpr void check_computable(const Spec& spec, Sink& sink) {
  check_ranges(spec, sink);
  if (sink.count == 0) check_divisibility(spec, sink);
}

template <class Spec = plan_spec>
constexpr bool is_computable(const Spec& spec) {
  counting_sink sink{};
  check_computable(spec, sink);
  return sink.count == 0;
}

// The third tier but for the memory of devices.
template <bool JudgesHost, class Spec, class Sink>
constexpr void check_before_memory(const Spec& spec, const memory_layout& layout, Sink& sink) {
  check_combinations(spec, sink);
  if constexpr (JudgesHost)
    if (spec.host_memory_gibibytes != unset) rules::host_fits::check(spec, layout, sink);
}

// The third tier, where the peak is known.
template <class Spec, class Sink>
constexpr void check_rest(const Spec& spec, const memory_layout& layout, const peak_account& peak, Sink& sink) {
  check_before_memory<true>(spec, layout, sink);
  rules::stages_fit::check_peak(spec, layout, peak, sink);
}

// All rules, tier by tier: a broken tier is reported whole and ends the matter. A plan type that does not say its host's memory passes
// `JudgesHost` false, and its compiler never sees the account of hosts.
template <bool JudgesHost, class Spec, class Sink>
constexpr void check_all(const Spec& spec, Sink& sink) {
  check_computable(spec, sink);
  if (sink.count != 0) return;
  const memory_layout layout = memory_layout_of(spec);
  check_before_memory<JudgesHost>(spec, layout, sink);
  if (!surely_fits(spec, layout)) rules::stages_fit::check(spec, layout, sink);
}

template <bool JudgesHost = true, class Spec = plan_spec>
constexpr int count_violations(const Spec& spec) {
  counting_sink sink{};
  check_all<JudgesHost>(spec, sink);
  return sink.count;
}

// Whether the memory rule, and it alone, is kept: what `fits` asks.
template <class Spec = plan_spec>
constexpr bool memory_fits(const Spec& spec) {
  if (!is_computable(spec)) return false;
  return peak_of(spec, memory_layout_of(spec)).total <= spec.device.memory;
}

}  // namespace shardplan::detail
