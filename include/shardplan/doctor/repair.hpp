// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/static_vector.hpp>
#include <shardplan/doctor/change.hpp>
#include <shardplan/doctor/treatment.hpp>
#include <shardplan/plan/evaluate.hpp>
#include <shardplan/plan/feature_change.hpp>
#include <shardplan/plan/remedy.hpp>
#include <shardplan/plan/rules/check.hpp>
#include <shardplan/plan/violation.hpp>
#include <shardplan/spec/plan_spec.hpp>

#include <cstdint>

// What makes a plan that breaks rules keep them all: the ground on which a change against a cause can be judged at all.
namespace shardplan::detail {

// Most changes of a repair: one place is left for a change against a cause.
inline constexpr std::size_t most_repair_steps = most_treatment_steps - 1;

// The legal value near a number at fault that leaves the fewest rules broken, of the first violation that has any; the first of equals.
template <class Spec, class List>
constexpr remedy legal_step(const Spec& spec, const List& broken) {
  for (const auto& item : broken.items) {
    remedy best{};
    int least = 0;
    for (const remedy& value : item.legal) {
      if (value.kind == remedy_kind::nothing_small_helps) continue;
      const Spec with = changed(spec, value);
      counting_sink sink{};
      check_computable(with, sink);
      if (best.kind != remedy_kind::nothing_small_helps && sink.count >= least) continue;
      best = value;
      least = sink.count;
    }
    if (best.kind != remedy_kind::nothing_small_helps) return best;
  }
  return {};
}

// Changes of which one is made where no small remedy is enough: the strongest of each kind, and more hosts.
inline constexpr int repair_choices = strong_kinds + 3;
template <class Spec>
constexpr remedy repair_choice(const Spec& spec, int index) {
  return index < strong_kinds ? strong_remedy(spec, index) : more_nodes(spec, 1 << (index - strong_kinds));
}
// The most that any rank needs; what is too large for its host counts as too large for a device.
template <class Spec>
constexpr std::int64_t need_of(const Spec& spec) {
  if (!is_computable(spec)) return INT64_MAX;
  return peak_of(spec, memory_layout_of(spec)).total.count;
}

// Of a plan whose numbers are legal and which does not fit: the strongest change that leaves the least to be found.
template <class Spec>
constexpr remedy strong_step(const Spec& spec) {
  remedy best{};
  std::int64_t least = need_of(spec);
  for (int index = 0; index < repair_choices; ++index) {
    const remedy what = repair_choice(spec, index);
    if (what.kind == remedy_kind::nothing_small_helps) continue;
    const std::int64_t needs = need_of(changed(spec, what));
    if (needs >= least) continue;
    least = needs;
    best = what;
  }
  return best;
}

// Two rules may each undo what the other asks for: pp 2 for an order, pp 1 for the layers.
inline constexpr int most_repair_rounds = 2 * static_cast<int>(most_repair_steps);

// Changes after which a plan keeps all rules; `done` only then.
struct repair {
  treatment steps{};
  bool done = false;
};

// Adds what was found. Whether there was room for it.
constexpr bool add_repair(treatment& steps, remedy_set found) {
  return found.first.kind != remedy_kind::nothing_small_helps && add_to(steps, found.first) && add_to(steps, found.second) &&
         add_to(steps, found.third) && steps.length <= most_repair_steps;
}

// What is done next to a plan that breaks rules: a legal number near the one at fault, or what makes it supported; else the smallest
// change, or two or three, that make it keep all; else of what does not fit the strongest.
template <class Spec>
constexpr remedy_set next_repair(const Spec& spec, violation_list broken) {
  find_all_legal(spec, broken);
  find_all_supported(spec, broken);
  const remedy legal = legal_step(spec, broken);
  if (legal.kind != remedy_kind::nothing_small_helps || !is_computable(spec)) return {legal, {}};
  if (memory_fits(spec)) return {smallest_remedy(spec), {}};
  const remedy_set fits = best_remedy(spec);
  return fits.first.kind != remedy_kind::nothing_small_helps ? fits : remedy_set{strong_step(spec), {}};
}

template <class Spec>
constexpr repair repair_of(const Spec& spec) {
  repair result{};
  Spec with = spec;
  for (int round = 0; round <= most_repair_rounds; ++round) {
    const violation_list broken = broken_rules(with);
    result.done = broken.items.length == 0;
    if (result.done || !add_repair(result.steps, next_repair(with, broken))) return result;
    with = with_treatment(spec, result.steps);
  }
  return result;
}

}  // namespace shardplan::detail
