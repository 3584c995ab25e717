// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/size.hpp>
#include <shardplan/core/static_vector.hpp>
#include <shardplan/plan/legal_values.hpp>
#include <shardplan/plan/remedy.hpp>
#include <shardplan/plan/remedy_set.hpp>
#include <shardplan/plan/rules/check.hpp>
#include <shardplan/plan/rules/combinations.hpp>
#include <shardplan/plan/violation.hpp>
#include <shardplan/spec/plan_spec.hpp>

namespace shardplan {

/// Most changes that other rules ask for and that are made before what makes a plan fit.
inline constexpr std::size_t most_repairs = 8;
/// Changes that other rules ask for: the first legal value of each number at fault, and what makes a feature supported.
using repair_list = static_vector<remedy, most_repairs>;

}  // namespace shardplan

// What makes a plan fit that breaks other rules as well: what is said to a user is tried together, or is not said.
namespace shardplan::detail {

constexpr bool is_about_memory(rule broken) { return broken == rule::does_not_fit || broken == rule::host_does_not_fit; }
template <class List>
constexpr bool wants_remedy(const List& list) {
  for (std::size_t at = 0; at < list.items.length; ++at)
    if (is_about_memory(list.items.values[at].broken)) return true;
  return false;
}
// Whether rules are broken that are not about memory.
template <class List>
constexpr bool has_other_rules(const List& list) {
  for (std::size_t at = 0; at < list.items.length; ++at)
    if (!is_about_memory(list.items.values[at].broken)) return true;
  return false;
}

template <class List>
constexpr repair_list repairs_in(const List& list) {
  repair_list repairs{};
  for (std::size_t at = 0; at < list.items.length; ++at) {
    const remedy change = first_value(list.items.values[at]);
    if (is_change(change) && repairs.length < repairs.capacity()) repairs.push_back(change);
  }
  return repairs;
}
template <class Spec>
constexpr Spec changed_by_repairs(const Spec& spec, const repair_list& repairs) {
  Spec result = spec;
  for (const remedy& change : repairs) make_change(result, change);
  return result;
}
// The first of the repairs: where they make the plan fit, they are what to try.
template <class List>
constexpr remedy_set set_of_repairs(const List& repairs) {
  remedy_set result{};
  for (std::size_t at = 0; at < repairs.length && at < 3; ++at)
    (at == 0 ? result.first : at == 1 ? result.second : result.third) = repairs.values[at];
  return result;
}
// Whether nothing but memory is wrong with a plan.
template <class Spec>
constexpr bool keeps_other_rules(const Spec& spec) {
  counting_sink sink{};
  check_computable(spec, sink);
  if (sink.count == 0) check_combinations(spec, sink);
  return sink.count == 0;
}

// The same for the device and the host: what makes the whole plan valid; no change where none was found.
template <class List>
constexpr void set_remedy(List& list, const remedy_set& changes) {
  for (std::size_t at = 0; at < list.items.length; ++at) {
    auto& item = list.items.values[at];
    if (!is_about_memory(item.broken)) continue;
    item.try_this = changes.first;
    item.and_this = changes.second;
    item.further = changes.third;
    item.searched = true;
  }
}
// Of each number the value that was tried together with the others.
template <class List>
constexpr void keep_first_values(List& list) {
  for (std::size_t at = 0; at < list.items.length; ++at) {
    auto& item = list.items.values[at];
    item.legal[0] = first_value(item);
    item.legal[1] = {};
    if (!is_about_memory(item.broken)) item.try_this = {};
  }
}
// No value: the remedy puts right all by itself, and was not tried with any.
template <class List>
constexpr void forget_values(List& list) {
  for (std::size_t at = 0; at < list.items.length; ++at) {
    auto& item = list.items.values[at];
    item.legal[0] = item.legal[1] = {};
    if (!is_about_memory(item.broken)) item.try_this = {};
  }
}
template <class List>
constexpr void note_that_it_waits(List& list) {
  for (std::size_t at = 0; at < list.items.length; ++at)
    if (is_about_memory(list.items.values[at].broken)) list.items.values[at].waits = true;
}

}  // namespace shardplan::detail
