// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/size.hpp>
#include <shardplan/core/static_vector.hpp>
#include <shardplan/doctor/cause.hpp>
#include <shardplan/doctor/change.hpp>
#include <shardplan/doctor/finding.hpp>
#include <shardplan/plan/least_states.hpp>
#include <shardplan/plan/remedy.hpp>
#include <shardplan/plan/rules/check.hpp>
#include <shardplan/plan/violation.hpp>
#include <shardplan/spec/plan_spec.hpp>

#include <cstdint>

// Which changes are tried together, where no single one ends a cause.
namespace shardplan::detail {

// Changes that are made one after the other; a later one takes the place of an earlier one of the same part.
using treatment = static_vector<remedy, most_treatment_steps>;

// Whether the second change leaves nothing of the first.
constexpr bool replaces(remedy_kind first, remedy_kind second) {
  const auto part_of = [](remedy_kind kind) {
    switch (kind) {
      case remedy_kind::chunks: return remedy_kind::schedule;
      case remedy_kind::recompute_attention:
      case remedy_kind::recompute_pointwise: return remedy_kind::recompute_full;
      case remedy_kind::states_to_nvme:
      case remedy_kind::states_to_device: return remedy_kind::offload_states_to_host;
      default: return kind;
    }
  };
  return part_of(first) == part_of(second);
}

// `before` with one change more. Whether there was room for it.
constexpr bool add_to(treatment& steps, remedy what) {
  if (what.kind == remedy_kind::nothing_small_helps) return true;
  treatment kept{};
  for (const remedy& step : steps)
    if (!replaces(step.kind, what.kind)) kept.push_back(step);
  if (kept.length == most_treatment_steps) return false;
  kept.push_back(what);
  steps = kept;
  return true;
}

template <class Spec>
constexpr Spec with_treatment(const Spec& spec, const treatment& steps) {
  Spec result = spec;
  for (const remedy& step : steps) make_proposed(result, step);
  return result;
}

template <class List>
constexpr bool has_step(const List& list, remedy what, std::size_t before) {
  for (std::size_t at = 0; at < before; ++at)
    if (list.values[at] == what) return true;
  return false;
}
// A list that is full takes no more.
template <class List>
constexpr void add_step(List& list, remedy what) {
  if (what.kind != remedy_kind::nothing_small_helps && list.length < list.capacity() && !has_step(list, what, list.length))
    list.push_back(what);
}

// What can make room in a plan: the strongest change of each kind, and more nodes.
template <class Spec>
constexpr change_list room_makers(const Spec& spec) {
  change_list list{};
  for (int kind = 0; kind < strong_kinds; ++kind) add_step(list, strong_remedy(spec, kind));
  for (int doublings = 1; doublings <= most_doublings; ++doublings) add_step(list, more_nodes(spec, doublings));
  return list;
}

// Whether a plan with that change may fit, by the number of its parameters alone.
template <class Spec>
constexpr bool may_fit_with(const Spec& spec, const parameter_totals& totals, remedy what) {
  return what.kind == remedy_kind::nodes || least_memory(spec, totals, what) <= spec.device.memory.count;
}

// The second of two changes: what is tried against the cause in the plan with the first, then, where that breaks rules, what makes room;
// but for pairs that were tried in the other order and what cannot fit by its states alone.
using second_list = static_vector<remedy, most_changes + 16>;
template <class Spec>
constexpr second_list second_steps(const Spec& spec, cause which, const change_list& firsts, const change_list& makers,
                                   const parameter_totals& totals, std::size_t at) {
  const remedy first = firsts.values[at];
  const Spec with = with_proposed(spec, first);
  second_list list{};
  const int broken = is_computable(with) ? count_violations(with) : -1;
  if (broken < 0) return list;
  second_list tried{};
  for (const remedy& what : changes_for(with, which)) add_step(tried, what);
  if (broken > 0)
    for (const remedy& what : makers) add_step(tried, what);
  for (const remedy& what : tried)
    if (!replaces(first.kind, what.kind) && !has_step(firsts, what, at) && may_fit_with(with, totals, what)) add_step(list, what);
  return list;
}

}  // namespace shardplan::detail
