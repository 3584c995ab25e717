// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/bytes.hpp>
#include <shardplan/core/size.hpp>
#include <shardplan/core/static_vector.hpp>
#include <shardplan/doctor/cause.hpp>
#include <shardplan/doctor/change.hpp>
#include <shardplan/doctor/evidence.hpp>
#include <shardplan/plan/least_states.hpp>
#include <shardplan/plan/remedy.hpp>
#include <shardplan/plan/rules/check.hpp>
#include <shardplan/plan/violation.hpp>
#include <shardplan/spec/plan_spec.hpp>

#include <cstdint>

// Which changes are tried together, where no single one ends a cause.
namespace shardplan::detail {

inline constexpr std::size_t most_steps = 48;
using step_list = static_vector<remedy, most_steps>;

constexpr bool has_step(const step_list& list, remedy what, std::size_t before) {
  for (std::size_t at = 0; at < before; ++at)
    if (list.values[at] == what) return true;
  return false;
}
constexpr void add_step(step_list& list, remedy what) {
  if (what.kind != remedy_kind::nothing_small_helps && list.length < most_steps && !has_step(list, what, list.length)) list.push_back(what);
}

// Whether a change of the plan is tried at all: not against what is no matter of one.
constexpr bool changes_with_plan(cause which) { return which != cause::perf_jitter && which != cause::ckpt_layout; }

// Whether something that a plan does not say helps. Where memory is short of what a plan needs anyway, it does not, but for communicators,
// which are no part of that.
template <class Spec>
constexpr bool has_action(const Spec& spec, bytes peak, cause which, standing says) {
  if (says == standing::excluded) return false;
  if (says == standing::not_in_plan) return true;
  return entry_of(which).action != literal{} && (which > cause::mem_host || which == cause::mem_comms || peak <= spec.device.memory);
}

// The legal values near the numbers at fault.
template <class List>
constexpr step_list legal_steps(const List& broken) {
  step_list list{};
  for (const auto& item : broken.items)
    for (const remedy& value : item.legal) add_step(list, value);
  return list;
}

template <class Spec>
constexpr void add_more_nodes(step_list& list, const Spec& spec) {
  for (int doublings = 1; doublings <= most_doublings; ++doublings) add_step(list, more_nodes(spec, doublings));
}

// What makes a plan fit that does not: the strongest change of each kind, and more nodes.
template <class Spec>
constexpr void add_what_fits(step_list& list, const Spec& spec) {
  if (!is_computable(spec) || count_violations(spec) == 0) return;
  for (int kind = 0; kind < strong_kinds; ++kind) add_step(list, strong_remedy(spec, kind));
  add_more_nodes(list, spec);
}

// The first of two: what is tried against the cause, then what makes the plan fit, then what makes its numbers legal.
template <class Spec>
constexpr step_list first_steps(const Spec& spec, cause which, const step_list& legal) {
  step_list list{};
  for (const remedy what : changes_for(spec, which)) add_step(list, what);
  add_what_fits(list, spec);
  for (const remedy what : legal) add_step(list, what);
  if (!legal.empty()) add_more_nodes(list, spec);  // a grid that the ranks are too few for
  return list;
}

// The second of two: the same of the plan with the first, but for pairs that were tried in the other order and what cannot fit by its
// states alone.
template <class Spec>
constexpr step_list second_steps(const Spec& spec, cause which, const step_list& firsts, std::size_t at) {
  const remedy first = firsts.values[at];
  const Spec with = with_proposed(spec, first);
  step_list list{};
  const bool computes = is_computable(with);
  if (!computes && is_computable(spec)) return list;
  step_list tried{};
  tried.push_back({});
  for (const remedy what : changes_for(with, which)) add_step(tried, what);
  add_what_fits(tried, with);
  const parameter_totals totals = totals_of(spec);
  for (const remedy what : tried) {
    if (what.kind == first.kind || has_step(firsts, what, at)) continue;
    const Spec both = with_proposed(with, what);
    if (is_computable(both) && least_memory(both, totals, remedy{}) <= spec.device.memory.count) add_step(list, what);
  }
  return list;
}

}  // namespace shardplan::detail
