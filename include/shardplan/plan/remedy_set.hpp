// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/checked.hpp>
#include <shardplan/core/size.hpp>
#include <shardplan/core/static_vector.hpp>
#include <shardplan/core/unset.hpp>
#include <shardplan/plan/framework_has.hpp>
#include <shardplan/plan/least_states.hpp>
#include <shardplan/plan/remedy.hpp>
#include <shardplan/plan/rules/check.hpp>
#include <shardplan/plan/violation.hpp>
#include <shardplan/recipe/framework.hpp>
#include <shardplan/recipe/offload.hpp>
#include <shardplan/recipe/recompute.hpp>
#include <shardplan/spec/plan_spec.hpp>

#include <cstdint>

namespace shardplan {

/// One change, or two or three that help together only.
struct remedy_set {
  remedy first{};   ///< `nothing_small_helps`: none was found
  remedy second{};  ///< `nothing_small_helps`: the first alone is enough
  remedy third{};   ///< `nothing_small_helps`: the first two are enough

  friend constexpr bool operator==(const remedy_set&, const remedy_set&) = default;
};

/// `spec` with all changes of the set made.
template <class Spec = plan_spec>
constexpr Spec changed_by_set(const Spec& spec, const remedy_set& changes) {
  Spec result = spec;
  detail::make_change(result, changes.first);
  detail::make_change(result, changes.second);
  detail::make_change(result, changes.third);
  return result;
}

namespace detail {

// What changes say the same part: sets have one of each. `strong_kinds` of them; elsewhere `no_axis`.
inline constexpr int strong_kinds = 10;
inline constexpr int no_axis = -1;
constexpr int axis_of(remedy_kind kind) {
  switch (kind) {
    case remedy_kind::recompute_attention:
    case remedy_kind::recompute_pointwise:
    case remedy_kind::recompute_experts:
    case remedy_kind::recompute_full: return 0;
    case remedy_kind::micro_batch: return 1;
    case remedy_kind::zero:
    case remedy_kind::fsdp: return 2;
    case remedy_kind::tp: return 3;
    case remedy_kind::pp:
    case remedy_kind::pp_slots:
    case remedy_kind::pp_split: return 4;
    case remedy_kind::cp: return 5;
    case remedy_kind::optimizer_adamw_8bit: return 6;
    case remedy_kind::offload_states_to_host: return 7;
    case remedy_kind::ep: return 8;
    case remedy_kind::chunks: return 9;
    default: return no_axis;
  }
}
constexpr bool is_change(remedy what) { return what.kind != remedy_kind::nothing_small_helps; }

// The largest doubling of a degree that keeps the first two tiers of rules; none when none does.
template <class Spec>
constexpr remedy largest_degree(const Spec& spec, int axis, std::int64_t degree, std::int64_t most) {
  remedy largest{};
  if (degree * 2 > most) return largest;
  Spec with = spec;
  for (std::int64_t value = degree * 2; value <= most; value *= 2) {
    const remedy_kind kind = axis == 3   ? remedy_kind::tp
                             : axis == 4 ? pipeline_kind(spec, value)
                             : axis == 5 ? remedy_kind::cp
                                         : remedy_kind::ep;
    if (axis == 4) with.layer_split = spec.layer_split;
    make_change(with, {kind, value});
    if (is_computable(with)) largest = {kind, value};
  }
  return largest;
}

// The highest stage that the framework takes beside the rest of the plan.
template <class Spec>
constexpr remedy highest_stage(const Spec& spec) {
  if (spec.sharding.is_fsdp()) return {};
  if (!has_zero_stages(spec.framework)) return {remedy_kind::fsdp, 0};
  if (spec.zero >= 3) return {};
  if (spec.framework != frameworks::deepspeed) return {remedy_kind::zero, 3};
  Spec with = spec;
  for (std::int64_t stage = 3; stage > spec.zero; --stage) {
    with.zero = stage;
    counting_sink sink{};
    check_framework(with, sink);
    if (sink.count == 0) return {remedy_kind::zero, stage};
  }
  return {};
}

// The strongest change of each axis, in the order of `first_remedy` but for ep and the schedule, which are last; `nothing_small_helps`
// where there is none.
template <class Spec = plan_spec>
constexpr remedy strong_remedy(const Spec& spec, int axis) {
  switch (axis) {
    case 0: return spec.recompute != recomputes::full ? remedy{remedy_kind::recompute_full, 0} : remedy{};
    case 1: return spec.micro_batch > 1 ? remedy{remedy_kind::micro_batch, 1} : remedy{};
    case 2: return highest_stage(spec);
    case 3: return largest_degree(spec, axis, spec.tp, spec.devices_per_node);
    case 4: return largest_degree(spec, axis, spec.pp, limits::stages > spec.model.layers ? spec.model.layers : limits::stages);
    case 5: return largest_degree(spec, axis, spec.cp, most_context_ranks(spec));
    case 6: return spec.optimizer.bits == 0 && has_8bit_optimizer(spec.framework) ? remedy{remedy_kind::optimizer_adamw_8bit, 0} : remedy{};
    case 7:
      if (!moves_states(spec)) return {};
      return {remedy_kind::offload_states_to_host, offload_value(spec.framework, spec.offload)};
    case 8: return largest_degree(spec, axis, spec.ep, spec.model.experts.count);
    default: return outlives_one_f_one_b(spec.schedule) ? remedy{remedy_kind::chunks, 1} : remedy{};
  }
}

// The strongest changes of all axes in `axes` (a bit each), one after the other, as far as they keep the first two tiers. The stage of ZeRO
// is behind them: what a framework takes depends on pp and ep, and what it moves to the host on the stage. `made[axis]` says what was
// changed.
struct strong_set {
  remedy made[strong_kinds]{};
};
template <class Spec = plan_spec>
constexpr strong_set strong_changes(const Spec& spec, unsigned axes) {
  strong_set result{};
  Spec with = spec;
  constexpr int in_order[strong_kinds] = {9, 0, 1, 3, 4, 5, 6, 8, 2, 7};
  for (const int axis : in_order) {
    if ((axes >> axis & 1u) == 0) continue;
    const remedy change = strong_remedy(with, axis);
    if (!is_change(change)) continue;
    const Spec before = with;
    make_change(with, change);
    if (is_computable(with)) {
      result.made[axis] = change;
    } else {
      with = before;
    }
  }
  return result;
}
template <class Spec = plan_spec>
constexpr Spec changed_by_all(const Spec& spec, const strong_set& changes) {
  Spec result = spec;
  for (const remedy& change : changes.made) make_change(result, change);
  return result;
}
inline constexpr unsigned all_axes = (1u << strong_kinds) - 1;
// What is looked at as "everything": all axes; and without those that may take the ranks that others would share, or that keep more
// micro-batches alive.
inline constexpr int most_everythings = 4;
constexpr unsigned axes_of_everything(int index) {
  constexpr unsigned pp_axis = 1u << 4;
  constexpr unsigned cp_axis = 1u << 5;
  constexpr unsigned choices[most_everythings] = {all_axes, all_axes & ~pp_axis, all_axes & ~cp_axis, all_axes & ~pp_axis & ~cp_axis};
  return choices[index];
}

// The kinds of a pair: each with all before it.
struct pair_of_kinds {
  int first = 0;
  int second = 1;
};
constexpr pair_of_kinds kinds_of_pair(int index) {
  pair_of_kinds kinds{};
  while (index >= kinds.second) index -= kinds.second++;
  kinds.first = index;
  return kinds;
}
inline constexpr int strong_pairs = strong_kinds * (strong_kinds - 1) / 2;

// The pair with that index, of the strongest changes of its two axes. Of two degrees the second is the largest that is left after the
// first, and a stage of ZeRO the highest that the framework takes beside the other change.
template <class Spec = plan_spec, class Change = remedy>
constexpr remedy_set strong_pair(const Spec& spec, Change one, Change other, int index) {
  if (!is_change(one)) return {};
  // What a framework moves to the host may have to be sharded.
  if (axis_of(one.kind) == 2 && kinds_of_pair(index).second == 7) other = strong_remedy(changed(spec, one), 7);
  if (!is_change(other)) return {};
  const auto is_degree = [](const Change& what) { return (axis_of(what.kind) >= 3 && axis_of(what.kind) <= 5) || axis_of(what.kind) == 8; };
  if (is_degree(one) && is_degree(other)) other = strong_remedy(changed(spec, one), kinds_of_pair(index).second);
  if (axis_of(one.kind) == 2 && is_degree(other)) one = strong_remedy(changed(spec, other), 2);
  if (!is_change(one) || !is_change(other)) return {};
  return {one, other, {}};
}

// The set of a few strong changes; none where they are more than three, or fewer than two.
constexpr remedy_set set_of(const strong_set& changes) {
  remedy_set result{};
  int count = 0;
  for (const remedy& change : changes.made) {
    if (!is_change(change)) continue;
    ++count;
    (count == 1 ? result.first : count == 2 ? result.second : result.third) = change;
  }
  return count == 2 || count == 3 ? result : remedy_set{};
}

// Whether a set may fit by the number of its parameters alone.
template <class Spec>
constexpr bool may_fit(const Spec& spec, const parameter_totals& totals, const remedy_set& changes) {
  const std::int64_t has = spec.device.memory.count;
  if (!is_change(changes.third)) return least_memory(spec, totals, changes.first, changes.second) <= has;
  return least_memory(changed(spec, changes.third), totals, changes.first, changes.second) <= has;
}
template <bool JudgesHost = true, class Spec = plan_spec>
constexpr bool set_helps(const Spec& spec, const parameter_totals& totals, const remedy_set& changes) {
  return may_fit(spec, totals, changes) && count_violations<JudgesHost>(changed_by_set(spec, changes)) == 0;
}

// More hosts: doubled that many times. 0 nodes beyond the limit.
inline constexpr int most_doublings = 6;
template <class Spec>
constexpr remedy more_nodes(const Spec& spec, int doublings) {
  const std::int64_t nodes = saturating_multiply(spec.nodes, std::int64_t{1} << doublings);
  if (spec.dp != unset || nodes > limits::nodes) return {};
  return {remedy_kind::nodes, nodes};
}

}  // namespace detail

}  // namespace shardplan
