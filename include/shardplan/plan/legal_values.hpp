// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/static_vector.hpp>
#include <shardplan/core/unset.hpp>
#include <shardplan/parallel/stages.hpp>
#include <shardplan/plan/framework_has.hpp>
#include <shardplan/plan/legal.hpp>
#include <shardplan/plan/legality.hpp>
#include <shardplan/plan/quantity.hpp>
#include <shardplan/plan/remedy.hpp>
#include <shardplan/plan/rules/check.hpp>
#include <shardplan/plan/rules/combinations.hpp>
#include <shardplan/plan/violation.hpp>
#include <shardplan/spec/plan_spec.hpp>

#include <cstddef>
#include <cstdint>

namespace shardplan::detail {

// Legal values of all numbers at fault that also work together. Violations are answered in their order, each on the plan in which the parts
// before it have their first value and the degrees that later violations are about are 1, which divides everything: a degree breaks no rule
// that does not name a later one, and the last of them breaks none at all. So once each has its first value, all rules about degrees are
// kept, and what comes behind them (sequence, vocabulary, shard groups, batch) is answered on that very plan.

// What is asked of many plans: which numbers are at fault, and no more of a violation than that.
struct broken_number {
  rule broken{};
  measured first{};
  measured second{};
};
struct broken_numbers {
  static_vector<broken_number, most_violations> items{};
};
struct number_sink {
  int count = 0;
  broken_numbers list{};

  constexpr void record(rule broken, measured first, measured second) {
    ++count;
    if (list.items.length < most_violations) list.items.values[list.items.length++] = {broken, first, second};
  }
  constexpr void add_part(rule, part_kind) { ++count; }
  constexpr void add_range(measured number, std::int64_t, std::int64_t) { record(rule::out_of_range, number, {}); }
  constexpr void add_large(measured bound, std::int64_t) { record(rule::too_large, bound, {}); }
  constexpr void add_pair(rule broken, measured first, measured second) { record(broken, first, second); }
  constexpr void add_stage(std::int64_t) { ++count; }
  constexpr void add_feature(feature) { ++count; }
};

// Of all rules but memory's.
template <class Spec>
constexpr broken_numbers numbers_at_fault(const Spec& spec) {
  number_sink sink{};
  check_computable(spec, sink);
  if (sink.count == 0) check_combinations(spec, sink);
  return sink.list;
}

template <class Left, class Right>
constexpr bool is_same_rule(const Left& left, const Right& right) {
  return left.broken == right.broken && is_same_pair(left.first.what, left.second.what, right.first.what, right.second.what);
}

// Where the list has that rule; its length when it is kept.
template <class List, class Item>
constexpr std::size_t place_in(const List& list, const Item& item) {
  std::size_t at = 0;
  while (at < list.items.length && !is_same_rule(list.items.values[at], item)) ++at;
  return at;
}

// The degree that a violation is about by its own number, not by a product.
template <class Item>
constexpr part_set degree_at_fault(const Item& item) {
  for (const remedy_kind degree : degree_parts)
    if (axis_of(item, 0) == degree && (item.first.what == quantity_of(degree) || item.second.what == quantity_of(degree)))
      return set_of(degree);
  return 0;
}
constexpr bool is_degree(remedy_kind part) {
  for (const remedy_kind degree : degree_parts)
    if (part == degree) return true;
  return false;
}
template <class List>
constexpr part_set degrees_at_fault(const List& list) {
  part_set found = 0;
  for (std::size_t at = 0; at < list.items.length; ++at) found |= degree_at_fault(list.items.values[at]);
  return found;
}

// Whether one of the parts that a violation is about is in the set.
template <class Item>
constexpr bool has_factor_in(const Item& item, part_set parts) {
  for (int choice = 0; choice < 3; ++choice) {
    const remedy_kind axis = axis_of(item, choice);
    if (axis != remedy_kind::nothing_small_helps && (parts & set_of(axis)) != 0) return true;
  }
  return false;
}

// Writes the nearest values of one part into `item`. Whether there is one.
template <class Spec, class List, class Item>
constexpr bool find_legal_of(const Spec& spec, const List& known, const List& hopeless, Item& item, remedy_kind axis, legality asked,
                             part_set later) {
  const auto place = neighbourhood_of(spec, item, axis, asked);
  item.legal[0] = nearest_legal(spec, known, hopeless, item, axis, asked, later, place.below, -place.step, place.most);
  item.legal[1] = nearest_legal(spec, known, hopeless, item, axis, asked, later, place.above, place.step, place.most);
  return item.legal[0].kind != remedy_kind::nothing_small_helps || item.legal[1].kind != remedy_kind::nothing_small_helps;
}

// A violation with its values, and the plan in which its part has the first of them.
template <class Spec, class Item>
struct answered_violation {
  Spec after{};
  Item item{};
  part_set answered = 0;  // parts that have a value
};

// The value that is taken together with the first ones of other parts: the one below, where there is one.
template <class Item>
constexpr remedy first_value(const Item& item) {
  return item.legal[0].kind != remedy_kind::nothing_small_helps ? item.legal[0] : item.legal[1];
}

inline constexpr legality answers_in_order[] = {legality::of_the_number, legality::of_what_is_asked, legality::of_its_own};

// Whether the list says that a stated dp is not what the degrees leave.
template <class List>
constexpr bool has_match(const List& all) {
  for (std::size_t at = 0; at < all.items.length; ++at)
    if (all.items.values[at].first.what == quantity::tp_x_pp_x_cp_x_dp) return true;
  return false;
}
// Degrees are answered first, then a stated dp, which is what they leave, then the others.
template <class Item>
constexpr int group_of(const Item& item) {
  if (item.first.what == quantity::tp_x_pp_x_cp_x_dp) return 1;
  return is_degree(axis_of(item, 0)) ? 0 : 2;
}
// Which violation is answered at that turn.
template <class List>
constexpr std::size_t index_at(const List& all, std::size_t turn) {
  for (int group = 0; group < 3; ++group)
    for (std::size_t at = 0; at < all.items.length; ++at)
      if (group_of(all.items.values[at]) == group && turn-- == 0) return at;
  return 0;
}

// Answers violation `index` of the list of a plan, when those before it were answered in `spec`.
template <class Spec, class List>
constexpr auto answer(const Spec& spec, part_set answered, const List& all, std::size_t turn) {
  const std::size_t index = index_at(all, turn);
  answered_violation<Spec, violation> result{spec, all.items.values[index], answered};
  auto& item = result.item;
  if (axis_of(item, 0) == remedy_kind::nothing_small_helps) return result;
  const broken_numbers now = numbers_at_fault(spec);
  if (place_in(now, item) == now.items.length) return result;  // a value before it put it right
  const part_set at_fault = degrees_at_fault(now);
  const bool waits_for_dp = is_degree(axis_of(item, 0)) && has_match(now);
  part_set behind = 0;
  for (std::size_t next = turn + 1; next < all.items.length; ++next) behind |= degree_at_fault(all.items.values[index_at(all, next)]);
  behind &= at_fault;
  for (const legality asked : answers_in_order)
    for (int pass = 0; pass < 2; ++pass)  // degrees that are at fault by themselves, then others
      for (int choice = 0; choice < 3; ++choice) {
        const remedy_kind axis = axis_of(item, choice);
        if (axis == remedy_kind::nothing_small_helps) break;
        if (((at_fault & set_of(axis)) == 0) != (pass == 1) || (answered & set_of(axis)) != 0) continue;
        const part_set later = behind & ~set_of(axis);
        Spec base = spec;
        if (waits_for_dp && axis != remedy_kind::dp) base.dp = unset;
        for (const remedy_kind degree : degree_parts)
          if ((later & set_of(degree)) != 0) make_change(base, {degree, 1});
        const bool is_changed = later != 0 || (waits_for_dp && axis != remedy_kind::dp);
        const broken_numbers known = is_changed ? numbers_at_fault(base) : now;
        const std::size_t place = place_in(known, item);
        if (place == known.items.length) {
          // Those behind it will; but what is at fault here too may put both right, if rules that are asked only then may wait.
          if (pass == 0 || !has_factor_in(item, at_fault)) return result;
          break;
        }
        Spec least = base;
        if (is_degree(axis)) make_change(least, {axis, 1});
        const broken_numbers hopeless = is_degree(axis) ? numbers_at_fault(least) : broken_numbers{};
        auto open = item;
        open.first = known.items.values[place].first;
        open.second = known.items.values[place].second;
        if (!find_legal_of(base, known, hopeless, open, axis, asked, later)) continue;
        item.legal[0] = open.legal[0];
        item.legal[1] = open.legal[1];
        make_change(result.after, first_value(item));
        result.answered |= set_of(axis);
        return result;
      }
  return result;
}

// One violation with values that keep its own rule, whatever else is broken.
template <class Spec, class List>
constexpr auto answer_alone(const Spec& spec, const List& all, std::size_t index) {
  auto item = all.items.values[index];
  for (int choice = 0; choice < 3; ++choice) {
    const remedy_kind axis = axis_of(item, choice);
    if (axis == remedy_kind::nothing_small_helps || find_legal_of(spec, all, List{}, item, axis, legality::of_the_rule, 0)) break;
  }
  return item;
}

// Whether some number is at fault, and numbers can be divided and multiplied at all: the first tier is kept.
template <class List>
constexpr bool has_legal_values(const List& list) {
  bool has_number = false;
  for (std::size_t at = 0; at < list.items.length; ++at) {
    const auto& item = list.items.values[at];
    if (item.broken < rule::does_not_divide && !is_range_of_tier_two(item.first.what)) return false;
    has_number = has_number || axis_of(item, 0) != remedy_kind::nothing_small_helps;
  }
  return has_number;
}

// Whether some violation has values, and all that have are put right in `repaired`, where each part has its first one. (A part behind may
// have found none, where it was taken for 1.)
template <class Spec, class List>
constexpr bool work_together(const List& list, const Spec& repaired) {
  const broken_numbers left = numbers_at_fault(repaired);
  bool has_values = false;
  for (std::size_t at = 0; at < list.items.length; ++at) {
    if (first_value(list.items.values[at]).kind == remedy_kind::nothing_small_helps) continue;
    has_values = true;
    if (place_in(left, list.items.values[at]) != left.items.length) return false;
  }
  return has_values;
}

// Whether it is said of layers that stages do not divide.
template <class Item>
constexpr bool is_about_layers(const Item& item) {
  return item.broken == rule::does_not_divide && (item.second.what == quantity::layers || item.second.what == quantity::layers_and_slots);
}
// What deals those layers out to the same stages: embedding and loss in the place of a layer each, where that divides and the framework has
// it (126 and 2 on 16 stages: Llama 3, arXiv 2407.21783), else counts that differ by one.
template <class Spec>
constexpr remedy change_of_stages(const Spec& spec) {
  const std::int64_t stages = spec.schedule.stages(spec.pp);
  if (has_pipeline_slots(spec.framework) && (spec.model.layers + 2) % stages == 0) return {remedy_kind::pipeline_slots, 0};
  if (stages > spec.model.layers || stages > static_cast<std::int64_t>(most_layer_split_entries)) return {};
  return {remedy_kind::layer_split, stages};
}
// Writes it beside the legal values of pp, where it works together with those of other parts: `with` has them. Nothing else may be broken
// by it, and nothing stay broken that a value puts right, or that is about those very stages.
template <class Spec, class List>
constexpr void keep_stages(const Spec& spec, Spec with, List& list) {
  for (std::size_t at = 0; at < list.items.length; ++at) {
    auto& item = list.items.values[at];
    if (!is_about_layers(item)) continue;
    const remedy change = change_of_stages(spec);
    if (change.kind == remedy_kind::nothing_small_helps) return;
    with.pp = spec.pp;
    make_change(with, change);
    const broken_numbers left = numbers_at_fault(with);
    for (std::size_t other = 0; other < left.items.length; ++other) {
      const std::size_t place = place_in(list, left.items.values[other]);
      if (place == list.items.length || place == at || is_factor_of(left.items.values[other].first.what, remedy_kind::pp)) return;
      if (first_value(list.items.values[place]).kind != remedy_kind::nothing_small_helps) return;
    }
    item.try_this = change;
    return;
  }
}

template <class Spec, class List>
constexpr void find_all_legal(const Spec& spec, List& list) {
  if (!has_legal_values(list)) return;
  const List all = list;
  answered_violation<Spec, violation> step{spec};
  for (std::size_t turn = 0; turn < list.items.length; ++turn) {
    step = answer(step.after, step.answered, all, turn);
    list.items.values[index_at(all, turn)] = step.item;
  }
  if (!work_together(list, step.after)) {
    step.after = spec;
    for (std::size_t at = 0; at < list.items.length; ++at) list.items.values[at] = answer_alone(spec, all, at);
  }
  keep_stages(spec, step.after, list);
}

}  // namespace shardplan::detail
