// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/checked.hpp>
#include <shardplan/core/divisor.hpp>
#include <shardplan/plan/legality.hpp>
#include <shardplan/plan/quantity.hpp>
#include <shardplan/plan/remedy.hpp>
#include <shardplan/plan/rules/order.hpp>
#include <shardplan/plan/rules/ranges.hpp>
#include <shardplan/plan/rules/sequence.hpp>
#include <shardplan/plan/violation.hpp>
#include <shardplan/spec/derived.hpp>
#include <shardplan/spec/plan_spec.hpp>
#include <shardplan/spec/stage_layers.hpp>

#include <cstdint>

namespace shardplan::detail {

/// Candidates that are evaluated on each side of an illegal number.
inline constexpr int most_neighbours = 40;

// The degree of a spec, or the ranks of a group; 0 for what is neither.
template <class Spec>
constexpr std::int64_t degree_of(const Spec& spec, remedy_kind axis) {
  switch (axis) {
    case remedy_kind::tp: return spec.tp;
    case remedy_kind::pp: return spec.pp;
    case remedy_kind::cp: return spec.cp;
    case remedy_kind::ep: return spec.ep;
    case remedy_kind::etp: return spec.etp;
    case remedy_kind::shard_ranks: return spec.sharding.ranks;
    case remedy_kind::hpz: return spec.sharding.secondary;
    case remedy_kind::inner_all_to_all: return spec.communication.context_inner;
    case remedy_kind::node_ranks: return spec.communication.node_ranks;
    default: return 0;
  }
}

// A number that a degree must divide: the dividend by the other factors of the divisor at hand, when the degree is one of its factors and
// the dividend does not change with it; 1 where no other degree helps (some rules are not asked of a degree of 1). 0: there is no such
// number.
template <class Spec, class Item>
constexpr std::int64_t number_to_divide(const Spec& spec, const Item& item, remedy_kind axis) {
  const std::int64_t degree = degree_of(spec, axis);
  if (degree == 0 || item.broken != rule::does_not_divide || item.second.what == quantity::micro_batches) return 0;
  if (!is_factor_of(item.first.what, axis)) return 0;
  if (item.first.what == quantity::shard_groups)
    return item.first.value * degree;  // the groups are of dp x cp ranks, which they must divide
  const std::int64_t others = item.first.value / degree;
  return item.second.value % others == 0 ? item.second.value / others : 1;
}

// The largest divisor of `whole` up to `most`, both at least 1, in steps of the root of `whole`: groups may be of 2^32 ranks.
constexpr std::int64_t largest_divisor(std::int64_t whole, std::int64_t most) {
  std::int64_t times = whole / most + (whole % most != 0);  // above the root it is `whole` by a small number
  for (; times <= whole / times; ++times)
    if (whole % times == 0) return whole / times;
  std::int64_t divisor = times < most ? times : most;
  while (whole % divisor != 0) --divisor;
  return divisor;
}
// The nearest divisor of `whole` at `value` or beyond it, upwards or downwards; 0 when there is none.
constexpr std::int64_t divisor_from(std::int64_t whole, std::int64_t value, bool upwards) {
  if (!upwards) return largest_divisor(whole, value < whole ? value : whole);
  return value > whole ? 0 : whole / largest_divisor(whole, whole / value);
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
constexpr remedy nearest_legal(const Spec& spec, const List& known, const List& hopeless, const Item& item, remedy_kind axis,
                               legality asked, part_set later, std::int64_t from, std::int64_t step, std::int64_t most) {
  const std::int64_t whole = step == 0 ? 0 : number_to_divide(spec, item, axis);
  const bool shares = item.broken == rule::neither_multiple_nor_divisor && step != 0;
  Spec with = spec;
  std::int64_t value = step < 0 && from > most ? most : from;
  for (int evaluated = 0; evaluated < most_neighbours; ++evaluated) {
    // Nodes of more ranks than share gradients are not asked about.
    if (whole > 0 && value >= 1 && (axis != remedy_kind::node_ranks || value <= whole)) value = divisor_from(whole, value, step > 0);
    if (shares) value = sharer_from(spec, item, axis, value, step, most);
    if (value < 1 || value > most) return {};
    make_change(with, {axis, value});
    if (is_legal(with, known, hopeless, item, axis, asked, later)) return {axis, value};
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
  const std::int64_t places = layer_places_of(spec);
  return limits::stages > places ? places : limits::stages;
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
  const bool of_the_number = asked != legality::of_the_rule;
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
    case remedy_kind::shard_ranks:
    case remedy_kind::hpz: return around(degree_of(spec, axis), 1, limits::devices);
    case remedy_kind::inner_all_to_all: return around(degree_of(spec, axis), 1, limits::degree);
    case remedy_kind::node_ranks: return around(degree_of(spec, axis), 1, limits::devices_per_node);
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

}  // namespace shardplan::detail
