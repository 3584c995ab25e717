// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/checked.hpp>
#include <shardplan/core/unset.hpp>
#include <shardplan/plan/quantity.hpp>
#include <shardplan/plan/remedy.hpp>
#include <shardplan/plan/rules/check.hpp>
#include <shardplan/plan/rules/combinations.hpp>
#include <shardplan/plan/rules/order.hpp>
#include <shardplan/plan/rules/sequence.hpp>
#include <shardplan/plan/violation.hpp>
#include <shardplan/spec/derived.hpp>
#include <shardplan/spec/plan_spec.hpp>

#include <cstdint>

namespace shardplan::detail {

// The quantity of a part's own number.
constexpr quantity quantity_of(remedy_kind axis) {
  switch (axis) {
    case remedy_kind::tp: return quantity::tp;
    case remedy_kind::pp: return quantity::pp;
    case remedy_kind::cp: return quantity::cp;
    case remedy_kind::dp: return quantity::dp;
    case remedy_kind::ep: return quantity::ep;
    case remedy_kind::etp: return quantity::etp;
    case remedy_kind::sequence: return quantity::sequence;
    case remedy_kind::global_batch: return quantity::global_batch;
    case remedy_kind::accumulation: return quantity::accumulation;
    default: return quantity::vocabulary_multiple;
  }
}

// The parts whose product a quantity is, the first to change first.
constexpr remedy_kind factor_of(quantity what, int choice) {
  const auto nth = [choice](remedy_kind first, remedy_kind second = remedy_kind::nothing_small_helps,
                            remedy_kind third = remedy_kind::nothing_small_helps) {
    return choice == 0 ? first : choice == 1 ? second : choice == 2 ? third : remedy_kind::nothing_small_helps;
  };
  switch (what) {
    case quantity::tp: return nth(remedy_kind::tp);
    case quantity::cp: return nth(remedy_kind::cp);
    case quantity::pp:
    case quantity::pp_x_chunks: return nth(remedy_kind::pp);
    case quantity::ep: return nth(remedy_kind::ep);
    case quantity::etp: return nth(remedy_kind::etp);
    case quantity::cp_x_tp: return nth(remedy_kind::cp, remedy_kind::tp);
    case quantity::tp_x_pp_x_cp: return nth(remedy_kind::tp, remedy_kind::pp, remedy_kind::cp);
    case quantity::tp_x_pp_x_cp_x_dp: return nth(remedy_kind::dp, remedy_kind::tp, remedy_kind::pp);
    case quantity::etp_x_ep_x_pp: return nth(remedy_kind::ep, remedy_kind::etp, remedy_kind::pp);
    case quantity::micro_batch_x_dp: return nth(remedy_kind::global_batch);
    case quantity::micro_batch_x_accumulation_x_dp: return nth(remedy_kind::accumulation, remedy_kind::global_batch);
    default: return remedy_kind::nothing_small_helps;
  }
}

// The part whose number a violation about a pair should change: its `choice`-th one, `nothing_small_helps` when there is none left.
template <class Item>
constexpr remedy_kind axis_of(const Item& item, int choice) {
  if (item.broken < rule::does_not_divide || item.broken > rule::exceeds) return remedy_kind::nothing_small_helps;
  if (item.second.what == quantity::sequence || item.first.what == quantity::sequence)
    return choice == 0 ? remedy_kind::sequence : remedy_kind::nothing_small_helps;
  if (item.second.what == quantity::micro_batches || item.first.what == quantity::micro_batches)
    return choice == 0 ? remedy_kind::global_batch : choice == 1 ? remedy_kind::pp : remedy_kind::nothing_small_helps;
  if (item.first.what == quantity::ranks_multiple || item.second.what == quantity::interleave_group) return factor_of(quantity::pp, choice);
  if (item.second.what == quantity::vocabulary) {
    if (choice == 0) return remedy_kind::vocabulary_multiple;
    return factor_of(item.first.what, choice - 1);
  }
  return factor_of(item.broken == rule::neither_multiple_nor_divisor ? item.second.what : item.first.what, choice);
}

// How much a value must put right.
enum class legality {
  of_the_number,  // the rule at hand, all others about the changed number and all that were kept
  of_the_rule     // the rule at hand
};

// Pairs that are compared when all divisions are right.
template <class Item>
constexpr bool is_of_tier_three(const Item& item) {
  return item.broken == rule::exceeds &&
         (item.second.what == quantity::expert_count || item.second.what == quantity::positions || item.second.what == quantity::ep);
}
template <class Item>
constexpr bool asks_for_micro_batches(const Item& item) {
  return item.first.what == quantity::micro_batches || item.second.what == quantity::micro_batches;
}
template <class Item>
constexpr bool asks_for_replicas(const Item& item) {
  return asks_for_micro_batches(item) || item.second.what == quantity::global_batch || item.second.what == quantity::dp_x_cp ||
         item.second.what == quantity::expert_shards;
}

// Asks of a changed spec whether the violation at hand is gone, and nothing is broken that was not, or that is about the changed number.
template <class List, class Item>
struct legality_sink {
  const List* known = nullptr;
  const Item* gone = nullptr;
  quantity axis{};
  legality asked = legality::of_the_number;
  int count = 0;
  bool legal = true;

  template <class Same>
  constexpr void note(quantity first, quantity second, Same same) {
    ++count;
    bool found = false;
    for (std::size_t at = 0; at < known->items.length; ++at)
      if (same(known->items.values[at])) found = true;
    if (same(*gone)) legal = false;
    if (asked == legality::of_the_number && (!found || first == axis || second == axis)) legal = false;
    // A rule about the batch or its micro-batches may not be asked once the world, or the batch, is broken.
    if (!found && second == quantity::device_count && asks_for_replicas(*gone)) legal = false;
    if (!found && second == quantity::global_batch && asks_for_micro_batches(*gone)) legal = false;
  }
  constexpr void add_part(rule, part_kind) { ++count; }
  // The first tier was kept; where a change breaks it, the second is not asked.
  constexpr void add_range(measured number, std::int64_t, std::int64_t) {
    if (!is_range_of_tier_two(number.what)) legal = false;
    note(number.what, number.what, [&](const Item& item) { return item.broken == rule::out_of_range && item.first.what == number.what; });
  }
  constexpr void add_large(measured, std::int64_t) {
    ++count;
    legal = false;
  }
  constexpr void add_pair(rule broken, measured first, measured second) {
    note(first.what, second.what,
         [&](const Item& item) { return item.broken == broken && item.first.what == first.what && item.second.what == second.what; });
  }
  constexpr void add_stage(std::int64_t) { ++count; }
  constexpr void add_feature(feature) { ++count; }
};

// Of a spec with the number of `axis` changed.
template <class Spec, class List, class Item>
constexpr bool is_legal(const Spec& with, const List& known, const Item& item, remedy_kind axis, legality asked) {
  legality_sink<List, Item> sink{&known, &item, quantity_of(axis), asked};
  check_computable(with, sink);
  // Tier three has spoken of this plan only when the first two were kept.
  if (sink.legal && (sink.count == 0 || (item.broken >= rule::exceeds && asked == legality::of_the_number))) check_combinations(with, sink);
  return sink.legal && (asked == legality::of_the_number || sink.count == 0 || !is_of_tier_three(item));
}

/// Candidates that are evaluated on each side of an illegal number.
inline constexpr int most_neighbours = 40;

// The degree of a spec; 0 for what is no degree.
template <class Spec>
constexpr std::int64_t degree_of(const Spec& spec, remedy_kind axis) {
  switch (axis) {
    case remedy_kind::tp: return spec.tp;
    case remedy_kind::pp: return spec.pp;
    case remedy_kind::cp: return spec.cp;
    case remedy_kind::ep: return spec.ep;
    case remedy_kind::etp: return spec.etp;
    default: return 0;
  }
}

// Whether the part is one of those whose product the quantity is.
constexpr bool is_factor_of(quantity what, remedy_kind axis) {
  return factor_of(what, 0) == axis || factor_of(what, 1) == axis || factor_of(what, 2) == axis;
}

// A number that a degree must divide: the dividend by the other factors of the divisor at hand, when the degree is one of its factors and
// the dividend does not change with it; 1 where no other degree helps (some rules are not asked of a degree of 1). 0: there is no such
// number.
template <class Spec, class Item>
constexpr std::int64_t number_to_divide(const Spec& spec, const Item& item, remedy_kind axis) {
  const std::int64_t degree = degree_of(spec, axis);
  if (degree == 0 || item.broken != rule::does_not_divide || item.second.what == quantity::micro_batches) return 0;
  if (!is_factor_of(item.first.what, axis)) return 0;
  const std::int64_t others = item.first.value / degree;
  return item.second.value % others == 0 ? item.second.value / others : 1;
}

// The nearest divisor of `whole` at `value` or beyond it, upwards or downwards; 0 when there is none.
constexpr std::int64_t divisor_from(std::int64_t whole, std::int64_t value, bool upwards) {
  if (!upwards) {
    while (value >= 1 && whole % value != 0) --value;
    return value;
  }
  for (std::int64_t times = whole / value; times >= 1; --times)
    if (whole % times == 0) return whole / times;
  return 0;
}

// The nearest value at this one or beyond it, `step` apart, with which key/value heads (the first number) are a multiple or a divisor of
// the degree times what it is multiplied with in the second; 0 when there is none.
template <class Spec, class Item>
constexpr std::int64_t sharer_from(const Spec& spec, const Item& item, remedy_kind axis, std::int64_t value, std::int64_t step,
                                   std::int64_t most) {
  const std::int64_t others = item.second.value / degree_of(spec, axis);
  for (; value >= 1 && value <= most; value += step) {
    const std::int64_t ranks = value * others;
    if (value == 1) return 1;  // some rules are not asked of a degree of 1
    if (item.first.value % ranks == 0 || ranks % item.first.value == 0) return value;
  }
  return 0;
}

// The nearest legal value on one side of what is broken; candidates are `step` apart, 0: there is one. Of a degree only values that divide
// what they must are evaluated.
template <class Spec, class List, class Item>
constexpr remedy nearest_legal(const Spec& spec, const List& known, const Item& item, remedy_kind axis, legality asked, std::int64_t from,
                               std::int64_t step, std::int64_t most) {
  const std::int64_t whole = step == 0 ? 0 : number_to_divide(spec, item, axis);
  const bool shares = item.broken == rule::neither_multiple_nor_divisor && step != 0;
  Spec with = spec;
  std::int64_t value = step < 0 && from > most ? most : from;
  for (int evaluated = 0; evaluated < most_neighbours; ++evaluated) {
    if (whole > 0 && value >= 1) value = divisor_from(whole, value, step > 0);
    if (shares) value = sharer_from(spec, item, axis, value, step, most);
    if (value < 1 || value > most) return {};
    make_change(with, {axis, value});
    if (is_legal(with, known, item, axis, asked)) return {axis, value};
    if (step == 0) return {};
    value += step;
  }
  return {};
}

// Where the search begins, below and above, and how far apart candidates are.
struct neighbourhood {
  std::int64_t below = 0;
  std::int64_t above = 0;
  std::int64_t step = 1;
  std::int64_t most = 0;
};

template <class Spec>
constexpr std::int64_t most_stages_of(const Spec& spec) {
  return limits::stages > spec.model.layers ? spec.model.layers : limits::stages;
}

constexpr neighbourhood around(std::int64_t value, std::int64_t multiple, std::int64_t most) {
  const std::int64_t below = value / multiple * multiple;
  return {below == value ? value - multiple : below, below + multiple, multiple, most};
}
// Of one candidate: on the side where it lies.
constexpr neighbourhood only(std::int64_t exact, std::int64_t value, std::int64_t most) {
  return exact < value ? neighbourhood{exact, 0, 0, most} : neighbourhood{0, exact, 0, most};
}

constexpr std::int64_t least_multiple(std::int64_t left, std::int64_t right) { return left / greatest_divisor(left, right) * right; }

// Sequences of a step that give each replica a number of micro-batches which its schedule takes, `at_once` a micro-batch of all replicas.
template <class Spec>
constexpr std::int64_t batch_multiple(const Spec& spec, std::int64_t at_once) {
  const schedule_spec& order = spec.schedule;
  std::int64_t count = order.micro_batches_multiple > 1 ? order.micro_batches_multiple : 1;
  if (order.micro_batches_fill_ranks) count = least_multiple(count, spec.pp);
  return saturating_multiply(at_once, count);
}

template <class Spec, class Item>
constexpr neighbourhood neighbourhood_of(const Spec& spec, const Item& item, remedy_kind axis, legality asked) {
  const bool of_the_number = asked == legality::of_the_number;
  // With dp said as well there is one degree that makes the product right.
  if (item.first.what == quantity::tp_x_pp_x_cp_x_dp && degree_of(spec, axis) != 0) {
    const std::int64_t degree = degree_of(spec, axis);
    return only(item.second.value / (item.first.value / degree), degree, axis == remedy_kind::pp ? most_stages_of(spec) : limits::degree);
  }
  switch (axis) {
    case remedy_kind::tp: return around(spec.tp, 1, limits::degree);
    case remedy_kind::pp: return around(spec.pp, 1, most_stages_of(spec));
    case remedy_kind::cp: return around(spec.cp, 1, limits::degree);
    case remedy_kind::ep: return around(spec.ep, 1, spec.model.experts.count > 0 ? spec.model.experts.count : 1);
    case remedy_kind::etp: return around(spec.etp, 1, limits::degree);
    case remedy_kind::dp: {
      const std::int64_t model_ranks = item.first.value / spec.dp;  // a stated dp: the product has it
      return only(item.second.value / model_ranks, spec.dp, limits::batch);
    }
    case remedy_kind::sequence: {
      const std::int64_t multiple = least_multiple(sequence_multiple_of(spec), spec.schedule.slices > 1 ? spec.schedule.slices : 1);
      // With learned positions there is no row for a later token, whichever rule is at hand.
      const std::int64_t most = spec.model.positions != 0 ? spec.model.positions - spec.model.position_offset : limits::rows;
      neighbourhood place = around(spec.sequence, multiple, most);
      if (place.below > most) place.below = most / multiple * multiple;
      return place;
    }
    case remedy_kind::global_batch: {
      if (item.broken == rule::does_not_match) return only(item.first.value, spec.global_batch, limits::batch);
      const bool counts_first = item.first.what == quantity::micro_batches;
      const bool counts = counts_first || item.second.what == quantity::micro_batches;
      const std::int64_t at_once = counts ? spec.global_batch / (counts_first ? item.first.value : item.second.value) : item.first.value;
      if (!of_the_number && !counts) return around(spec.global_batch, at_once, limits::batch);
      neighbourhood place = around(spec.global_batch, batch_multiple(spec, at_once), limits::batch);
      const std::int64_t least = saturating_multiply(at_once, least_micro_batches_of(spec));
      if (place.above < least) place.above = saturating_multiply(ceil_divide(least, place.step), place.step);
      return place;
    }
    case remedy_kind::accumulation: {
      const std::int64_t at_once = item.first.value / spec.accumulation;
      return only(item.second.value / at_once, spec.accumulation, limits::batch);
    }
    default: {  // vocabulary_multiple: the least that tp divides
      const std::int64_t said = vocabulary_multiple_of(spec);
      return {0, said / greatest_divisor(said, spec.tp) * spec.tp, 0, limits::rows};
    }
  }
}

// Writes the nearest values of one part. Whether there is one.
template <class Spec, class List, class Item>
constexpr bool find_legal_of(const Spec& spec, const List& known, Item& item, remedy_kind axis, legality asked) {
  const auto place = neighbourhood_of(spec, item, axis, asked);
  item.legal[0] = nearest_legal(spec, known, item, axis, asked, place.below, -place.step, place.most);
  item.legal[1] = nearest_legal(spec, known, item, axis, asked, place.above, place.step, place.most);
  return item.legal[0].kind != remedy_kind::nothing_small_helps || item.legal[1].kind != remedy_kind::nothing_small_helps;
}

// Those of the first part that helps.
template <class Spec, class List, class Item>
constexpr bool find_legal(const Spec& spec, const List& known, Item& item, legality asked) {
  for (int choice = 0; choice < 3; ++choice) {
    const remedy_kind axis = axis_of(item, choice);
    if (axis == remedy_kind::nothing_small_helps) return false;
    if (find_legal_of(spec, known, item, axis, asked)) return true;
  }
  return false;
}

// Whether the first of the violations before this one that is about the same number has values that put the number right.
template <class Spec, class List>
constexpr bool is_answered_before(const Spec& spec, const List& known, std::size_t index) {
  const auto& item = known.items.values[index];
  for (std::size_t at = 0; at < index; ++at) {
    const remedy_kind spoken = axis_of(known.items.values[at], 0);
    if (spoken == remedy_kind::nothing_small_helps || (spoken != axis_of(item, 0) && spoken != factor_of(item.first.what, 0))) continue;
    auto before = known.items.values[at];
    return find_legal_of(spec, known, before, spoken, legality::of_the_number);
  }
  return false;
}

// One violation of `known` with its legal values. Values that put all rules about a number right stand at the first violation about it.
// Where there are none, because something else is wrong as well, each has those that keep its own rule.
template <class Spec, class List>
constexpr auto with_legal(const Spec& spec, const List& known, std::size_t index) {
  auto item = known.items.values[index];
  if (axis_of(item, 0) == remedy_kind::nothing_small_helps || is_answered_before(spec, known, index)) return item;
  if (!find_legal(spec, known, item, legality::of_the_number)) find_legal(spec, known, item, legality::of_the_rule);
  return item;
}

// Whether numbers can be divided and multiplied at all: the first tier is kept.
template <class List>
constexpr bool has_legal_values(const List& list) {
  for (std::size_t at = 0; at < list.items.length; ++at)
    if (list.items.values[at].broken < rule::does_not_divide && !is_range_of_tier_two(list.items.values[at].first.what)) return false;
  return true;
}

template <class Spec, class List>
constexpr void find_all_legal(const Spec& spec, List& list) {
  if (!has_legal_values(list)) return;
  // From the last to the first: each looks at those before it only.
  for (std::size_t at = list.items.length; at > 0; --at) list.items.values[at - 1] = with_legal(spec, list, at - 1);
}

}  // namespace shardplan::detail
