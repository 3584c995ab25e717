// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/checked.hpp>
#include <shardplan/core/unset.hpp>
#include <shardplan/plan/quantity.hpp>
#include <shardplan/plan/remedy.hpp>
#include <shardplan/plan/rules/check.hpp>
#include <shardplan/plan/rules/combinations.hpp>
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

// Asks of a changed spec whether the violation at hand is gone, and nothing is broken that was not, or that is about the changed number.
template <class List, class Item>
struct legality_sink {
  const List* known = nullptr;
  const Item* gone = nullptr;
  quantity axis{};
  int count = 0;
  bool legal = true;

  template <class Same>
  constexpr void note(quantity first, quantity second, Same same) {
    ++count;
    bool found = false;
    for (std::size_t at = 0; at < known->items.length; ++at)
      if (same(known->items.values[at])) found = true;
    if (!found || first == axis || second == axis || same(*gone)) legal = false;
  }
  constexpr void add_part(rule, part_kind) { ++count; }
  constexpr void add_range(measured number, std::int64_t, std::int64_t) {
    note(number.what, number.what,
         [&](const Item& item) { return item.broken == rule::out_of_range && item.first.what == number.what; });
  }
  constexpr void add_large(measured bound, std::int64_t) {
    note(bound.what, bound.what, [&](const Item& item) { return item.broken == rule::too_large && item.first.what == bound.what; });
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
constexpr bool is_legal(const Spec& with, const List& known, const Item& item, remedy_kind axis) {
  legality_sink<List, Item> sink{&known, &item, quantity_of(axis)};
  check_computable(with, sink);
  // Tier three has spoken of this plan only when the first two were kept.
  if (sink.legal && (sink.count == 0 || item.broken >= rule::exceeds)) check_combinations(with, sink);
  return sink.legal;
}

/// Candidates that are looked at on each side of an illegal number.
inline constexpr int most_neighbours = 16;

// The nearest legal value on one side; candidates are `step` apart, 0: there is one. For a degree only values that divide what they must
// are evaluated.
template <class Spec, class List, class Item>
constexpr remedy nearest_legal(const Spec& spec, const List& known, const Item& item, remedy_kind axis, std::int64_t from,
                               std::int64_t step, std::int64_t most) {
  const bool own_number = item.broken == rule::does_not_divide && item.first.what == quantity_of(axis);
  int evaluated = 0;
  if (from < 1 || from > most) return {};
  Spec with = spec;
  for (std::int64_t value = from; value >= 1 && value <= most && evaluated < most_neighbours; value += step) {
    if (own_number && item.second.value % value != 0) continue;
    ++evaluated;
    make_change(with, {axis, value});
    if (is_legal(with, known, item, axis)) return {axis, value};
    if (step == 0) break;
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

constexpr neighbourhood around(std::int64_t value, std::int64_t multiple, std::int64_t most) {
  const std::int64_t below = value / multiple * multiple;
  return {below == value ? value - multiple : below, below + multiple, multiple, most};
}

template <class Spec, class Item>
constexpr neighbourhood neighbourhood_of(const Spec& spec, const Item& item, remedy_kind axis) {
  switch (axis) {
    case remedy_kind::tp: return around(spec.tp, 1, limits::degree);
    case remedy_kind::pp: return around(spec.pp, 1, limits::stages > spec.model.layers ? spec.model.layers : limits::stages);
    case remedy_kind::cp: return around(spec.cp, 1, limits::degree);
    case remedy_kind::ep: return around(spec.ep, 1, spec.model.experts.count > 0 ? spec.model.experts.count : 1);
    case remedy_kind::etp: return around(spec.etp, 1, limits::degree);
    case remedy_kind::dp: {
      const std::int64_t model_ranks = item.first.value / spec.dp;  // a stated dp: the product has it
      const std::int64_t exact = item.second.value / model_ranks;
      return {exact, 0, 0, exact};
    }
    case remedy_kind::sequence:
      if (item.broken == rule::exceeds)
        return {item.second.value / sequence_multiple_of(spec) * sequence_multiple_of(spec), 0, 0, limits::rows};
      return around(spec.sequence, sequence_multiple_of(spec), limits::rows);
    case remedy_kind::global_batch:
      if (item.broken == rule::does_not_match) return {0, item.first.value, 0, limits::batch};
      if (item.first.what == quantity::micro_batches) return around(spec.global_batch, spec.global_batch / item.first.value, limits::batch);
      if (item.second.what == quantity::micro_batches)
        return around(spec.global_batch, spec.global_batch / item.second.value, limits::batch);
      return around(spec.global_batch, item.first.value, limits::batch);
    case remedy_kind::accumulation: {
      const std::int64_t at_once = item.first.value / spec.accumulation;
      const std::int64_t exact = item.second.value / at_once;
      return {exact, 0, 0, exact};
    }
    default: {  // vocabulary_multiple: the least that tp divides
      const std::int64_t said = vocabulary_multiple_of(spec);
      return {0, said / greatest_divisor(said, spec.tp) * spec.tp, 0, limits::rows};
    }
  }
}

// One violation of `known` with its legal values.
template <class Spec, class List>
constexpr auto with_legal(const Spec& spec, const List& known, std::size_t index) {
  auto item = known.items.values[index];
  // Where the number was spoken of already the same values hold.
  for (std::size_t at = 0; at < index; ++at) {
    const remedy_kind spoken = axis_of(known.items.values[at], 0);
    if (spoken == axis_of(item, 0) || spoken == factor_of(item.first.what, 0)) return item;
  }
  for (int choice = 0; choice < 3; ++choice) {
    const remedy_kind axis = axis_of(item, choice);
    if (axis == remedy_kind::nothing_small_helps) return item;
    const auto place = neighbourhood_of(spec, item, axis);
    item.legal[0] = nearest_legal(spec, known, item, axis, place.below, -place.step, place.most);
    item.legal[1] = nearest_legal(spec, known, item, axis, place.above, place.step, place.most);
    if (item.legal[0].kind != remedy_kind::nothing_small_helps || item.legal[1].kind != remedy_kind::nothing_small_helps) return item;
  }
  return item;
}

// Whether numbers can be divided and multiplied at all: the first tier is kept.
template <class List>
constexpr bool has_legal_values(const List& list) {
  for (std::size_t at = 0; at < list.items.length; ++at)
    if (list.items.values[at].broken < rule::does_not_divide) return false;
  return true;
}

template <class Spec, class List>
constexpr void find_all_legal(const Spec& spec, List& list) {
  if (!has_legal_values(list)) return;
  // From the last to the first: each looks at those before it only.
  for (std::size_t at = list.items.length; at > 0; --at) list.items.values[at - 1] = with_legal(spec, list, at - 1);
}

}  // namespace shardplan::detail
