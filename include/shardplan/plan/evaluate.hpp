// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/bytes.hpp>
#include <shardplan/memory/host.hpp>
#include <shardplan/memory/memory.hpp>
#include <shardplan/memory/phase.hpp>
#include <shardplan/memory/report.hpp>
#include <shardplan/plan/best_remedy.hpp>
#include <shardplan/plan/feature_change.hpp>
#include <shardplan/plan/legal_values.hpp>
#include <shardplan/plan/remedy_beside.hpp>
#include <shardplan/plan/remedy_set.hpp>
#include <shardplan/plan/rules/check.hpp>
#include <shardplan/plan/violation.hpp>
#include <shardplan/spec/plan_spec.hpp>
#include <shardplan/timing/timing.hpp>
#include <shardplan/traffic/traffic.hpp>

#include <cstdint>

namespace shardplan {

/// The figures of a plan that are one number. All zero when a rule of the first two tiers is broken: nothing could be computed.
struct plan_figures {
  std::int64_t world_size = 0;               ///< devices
  std::int64_t data_parallel = 0;            ///< replicas of the batch, without cp
  std::int64_t micro_batches = 0;            ///< of one replica in a step
  bytes peak_memory{};                       ///< the largest `total()` of all stages
  std::int64_t peak_stage = 0;               ///< the first stage that reaches it
  phase peak_phase = phase::block_backward;  ///< the phase in which it does

  // By hand: a defaulted one costs a compiler ten times as much.
  friend constexpr bool operator==(const plan_figures& left, const plan_figures& right) {
    return left.world_size == right.world_size && left.data_parallel == right.data_parallel && left.micro_batches == right.micro_batches &&
           left.peak_memory == right.peak_memory && left.peak_stage == right.peak_stage && int(left.peak_phase) == int(right.peak_phase);
  }
};

/// Whether `evaluate` looks for the smallest change that makes a plan fit and for legal values: many plans are then judged in place of one.
enum class remedy_search {
  on,  ///< a violation says what to try
  off  ///< it says `nothing_small_helps`: nothing was tried
};

/// What `evaluate` returns.
struct evaluation : plan_figures {
  violation_list violations{};  ///< the broken rules, empty when the plan is valid
};

namespace detail {
constexpr plan_figures figures_from(const memory_layout& layout, const peak_account& peak) {
  return {layout.facts.grid.world, layout.facts.grid.dp, layout.facts.micro_batches, peak.total, peak.stage, peak.when};
}
// For a spec that broke no rule of the first two tiers.
template <class Spec = plan_spec>
constexpr plan_figures computed_figures(const Spec& spec) {
  const memory_layout layout = memory_layout_of(spec);
  return figures_from(layout, peak_of(spec, layout));
}
}  // namespace detail

/// The figures of `spec`, without the rules' verdict.
template <class Spec = plan_spec>
constexpr plan_figures figures_of(const Spec& spec) {
  return detail::is_computable(spec) ? detail::computed_figures(spec) : plan_figures{};
}

/// The account of one pipeline rank of `spec`: all zero when a rule of the first two tiers is broken or there is no such rank.
template <class Spec = plan_spec>
constexpr stage_account stage_memory(const Spec& spec, std::int64_t stage) {
  if (stage < 0 || stage >= spec.pp || !detail::is_computable(spec)) return {};
  return account_of_stage(spec, memory_layout_of(spec), stage);
}

/// The phases of one pipeline rank of `spec`: all zero when a rule of the first two tiers is broken or there is no such rank.
template <class Spec = plan_spec>
constexpr phase_reports stage_phases(const Spec& spec, std::int64_t stage) {
  if (stage < 0 || stage >= spec.pp || !detail::is_computable(spec)) return {};
  return phases_of_stage(spec, memory_layout_of(spec), stage);
}

/// The memory of the fullest host of `spec`: all zero when a rule of the first two tiers is broken.
template <class Spec = plan_spec>
constexpr host_report host_memory_of(const Spec& spec) {
  return detail::is_computable(spec) ? host_account(spec, memory_layout_of(spec)) : host_report{};
}

/// What a rank of one pipeline rank of `spec` sends and receives in a step: all zero when a rule of the first two tiers is broken or there
/// is no such rank. Error: `result_leaves_63_bits`.
template <class Spec = plan_spec>
constexpr traffic_report stage_traffic(const Spec& spec, std::int64_t stage, const traffic_options& options) {
  if (stage < 0 || stage >= spec.pp || !detail::is_computable(spec)) return {};
  return traffic_of_stage(spec, traffic_layout_of(spec), stage, options);
}
/// The same with what the plan says of bytes (`communication<>`).
template <class Spec = plan_spec>
constexpr traffic_report stage_traffic(const Spec& spec, std::int64_t stage) {
  return stage_traffic(spec, stage, spec.communication);
}

/// The messages that `stage_traffic` is the sum of: none when a rule of the first two tiers is broken or there is no such rank.
template <class Spec = plan_spec>
constexpr message_list stage_messages(const Spec& spec, std::int64_t stage, const traffic_options& options) {
  if (stage < 0 || stage >= spec.pp || !detail::is_computable(spec)) return {};
  return messages_of_stage(spec, traffic_layout_of(spec), stage, options);
}
/// The same with what the plan says of bytes.
template <class Spec = plan_spec>
constexpr message_list stage_messages(const Spec& spec, std::int64_t stage) {
  return stage_messages(spec, stage, spec.communication);
}

/// Estimate: how long a step of `spec` takes; all zero when a rule of the first two tiers is broken.
template <class Spec = plan_spec>
constexpr timing_report step_timing(const Spec& spec, const timing_constants& constants, const traffic_options& options) {
  if (!detail::is_computable(spec)) return {};
  return timing_of(spec, traffic_layout_of(spec), constants, options);
}
/// The same with what the plan says of bytes.
template <class Spec = plan_spec>
constexpr timing_report step_timing(const Spec& spec, const timing_constants& constants = default_timing_constants) {
  return step_timing(spec, constants, spec.communication);
}

namespace detail {
// All but the remedies.
template <bool JudgesHost = true, class Spec = plan_spec>
constexpr violation_list broken_rules(const Spec& spec) {
  recording_sink<> sink{};
  check_all<JudgesHost>(spec, sink);
  return sink.list;
}
// Of a plan that breaks other rules as well: what makes it fit once they are put right; else what puts all right.
template <class Spec, class List>
constexpr void find_remedy_beside(const Spec& spec, List& list) {
  const repair_list repairs = repairs_in(list);
  const Spec other = changed_by_repairs(spec, repairs);
  const bool others_kept = keeps_other_rules(other);
  if (others_kept) {
    const remedy_set changes = lacks_memory(other) ? best_remedy(other) : set_of_repairs(repairs);
    set_remedy(list, changes);
    if (is_change(changes.first)) return keep_first_values(list);
  }
  const remedy_set alone = best_remedy(spec);
  set_remedy(list, alone);
  if (is_change(alone.first)) return forget_values(list);
  if (!others_kept) note_that_it_waits(list);
}
template <class Spec, class List>
constexpr void find_remedies(const Spec& spec, List& list) {
  find_all_legal(spec, list);
  find_all_supported(spec, list);
  if (!wants_remedy(list)) return;
  if (has_other_rules(list)) return find_remedy_beside(spec, list);
  set_remedy(list, best_remedy(spec));
}
}  // namespace detail

/// Every broken rule of `spec`, tier by tier (plan/violation.hpp); empty when the plan is valid. A plan that does not fit comes with the
/// smallest change that was checked to make it valid (`best_remedy`), an illegal number with the nearest legal ones, what is not supported
/// with a change after which it is. What one plan's violations name was tried together.
template <class Spec = plan_spec>
constexpr violation_list violations_in(const Spec& spec) {
  violation_list list = detail::broken_rules(spec);
  detail::find_remedies(spec, list);
  return list;
}

/// The run-time twin of a plan type (it is constexpr too): the same figures and the same violations as values. No error is possible:
/// whatever is in `spec`, the answer is a value. (A user's own schedule function must not throw.)
template <class Spec = plan_spec>
constexpr evaluation evaluate(const Spec& spec, remedy_search search = remedy_search::on) {
  evaluation result{};
  const bool searches = search == remedy_search::on;
  detail::recording_sink<violation_list&> sink{0, result.violations, {}};
  detail::check_computable(spec, sink);
  if (sink.count != 0) {
    if (searches) detail::find_remedies(spec, result.violations);
    return result;
  }
  // The layout and the peak serve the figures and the rules alike.
  const memory_layout layout = memory_layout_of(spec);
  const detail::peak_account peak = detail::peak_of(spec, layout);
  static_cast<plan_figures&>(result) = detail::figures_from(layout, peak);
  detail::check_rest(spec, layout, peak, sink);
  if (searches) detail::find_remedies(spec, result.violations);
  return result;
}

}  // namespace shardplan
