// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/plan/quantity.hpp>
#include <shardplan/plan/rules/check.hpp>
#include <shardplan/plan/rules/combinations.hpp>
#include <shardplan/plan/violation.hpp>

#include <cstddef>
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
    case remedy_kind::shard_ranks: return quantity::shard_ranks;
    case remedy_kind::hpz: return quantity::hpz;
    case remedy_kind::inner_all_to_all: return quantity::inner_all_to_all;
    case remedy_kind::node_ranks: return quantity::node_ranks;
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
    case quantity::shard_ranks:
    case quantity::shard_groups: return nth(remedy_kind::shard_ranks);
    case quantity::hpz: return nth(remedy_kind::hpz);
    case quantity::inner_all_to_all: return nth(remedy_kind::inner_all_to_all);
    case quantity::node_ranks: return nth(remedy_kind::node_ranks);
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

// Whether the part is one of those whose product the quantity is.
constexpr bool is_factor_of(quantity what, remedy_kind axis) {
  return factor_of(what, 0) == axis || factor_of(what, 1) == axis || factor_of(what, 2) == axis;
}

// One name for products that are named after their only factor above 1.
constexpr quantity whole_name(quantity factor, quantity other) {
  const bool is_tp = factor == quantity::tp;
  const bool is_cp = factor == quantity::cp;
  if (other == quantity::device_count && (is_tp || factor == quantity::pp)) return quantity::tp_x_pp_x_cp;
  if (other == quantity::sequence && (is_tp || is_cp)) return quantity::cp_x_tp;
  if ((other == quantity::heads || other == quantity::kv_heads) && is_cp) return quantity::cp_x_tp;
  return factor;
}
constexpr bool is_same_pair(quantity first, quantity second, quantity other_first, quantity other_second) {
  return whole_name(first, second) == whole_name(other_first, other_second) &&
         whole_name(second, first) == whole_name(other_second, other_first);
}

// How much a value must put right.
enum class legality {
  of_the_number,     // the rule at hand, all others about the number or a product with it, and all that were kept
  of_what_is_asked,  // the same but for rules that are asked only once the world, or the batch, is right, and are not about the number
  of_its_own,        // the same but for these too, and for the sequence and the vocabulary, which have numbers of their own
  of_the_rule        // the rule at hand
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

// A set of parts whose numbers are still to be put right: a bit each.
using part_set = std::uint64_t;
constexpr part_set set_of(remedy_kind part) { return part_set{1} << static_cast<int>(part); }
// The degrees: of 1 they divide everything.
inline constexpr remedy_kind degree_parts[] = {remedy_kind::tp, remedy_kind::pp, remedy_kind::cp, remedy_kind::ep, remedy_kind::etp};

// Asks of a changed spec whether the violation at hand is gone, and nothing is broken that was not, or that is about the changed number or
// a product with it. Parts of `later` are at 1: what is about their own numbers, or about what they leave of the devices, is asked when
// they have theirs.
template <class List, class Item>
struct legality_sink {
  const List* known = nullptr;
  const List* hopeless = nullptr;  // broken even where the part is 1: nothing that it could put right
  const Item* gone = nullptr;
  remedy_kind part{};
  legality asked = legality::of_the_number;
  part_set later = 0;
  int count = 0;
  bool legal = true;

  constexpr bool is_left_for_later(quantity first, quantity second) const {
    for (const remedy_kind degree : degree_parts)
      if ((later & set_of(degree)) != 0 && (first == quantity_of(degree) || second == quantity_of(degree))) return true;
    return first == quantity::micro_batches || second == quantity::micro_batches || second == quantity::global_batch ||
           second == quantity::dp_x_cp || second == quantity::expert_shards;
  }
  // Whether a rule was not asked before, because the replicas or the micro-batches were not whole.
  constexpr bool is_asked_only_now(quantity first, quantity second) const {
    const bool of_micro_batches = first == quantity::micro_batches || second == quantity::micro_batches || first == quantity::slices ||
                                  first == quantity::ranks_multiple || first == quantity::in_flight || first == quantity::weight_versions ||
                                  second == quantity::interleave_group;
    const bool of_replicas = of_micro_batches || second == quantity::global_batch || second == quantity::dp_x_cp ||
                             second == quantity::expert_shards || first == quantity::node_ranks;
    for (std::size_t at = 0; at < known->items.length; ++at) {
      const quantity broken = known->items.values[at].second.what;
      if (of_replicas && broken == quantity::device_count) return true;
      if (of_micro_batches && broken == quantity::global_batch) return true;
    }
    return false;
  }
  constexpr bool is_about(quantity what) const {
    return what == quantity_of(part) || is_factor_of(what, part) || (part == remedy_kind::global_batch && what == quantity::micro_batches);
  }
  constexpr bool is_allowed(quantity first, quantity second, bool found) const {
    if (asked == legality::of_the_rule) return true;
    const bool is_its_own = is_about(first) || is_about(second);
    const bool may_wait = !is_its_own || (asked == legality::of_its_own && part != remedy_kind::global_batch);
    if (!found) return asked != legality::of_the_number && may_wait && is_asked_only_now(first, second);
    if (asked == legality::of_its_own && (second == quantity::sequence || second == quantity::vocabulary) &&
        part != remedy_kind::sequence && part != remedy_kind::vocabulary_multiple)
      return true;
    return !is_its_own;
  }
  template <class Same>
  constexpr void note(quantity first, quantity second, Same same) {
    ++count;
    if (same(*gone)) legal = false;
    if (later != 0 && is_left_for_later(first, second)) return;
    const auto has = [&](const List& list) {
      for (std::size_t at = 0; at < list.items.length; ++at)
        if (same(list.items.values[at])) return true;
      return false;
    };
    const bool found = has(*known);
    if (found && has(*hopeless)) return;
    if (!is_allowed(first, second, found)) legal = false;
    // A rule about the batch or its micro-batches may not be asked once the world, or the batch, is broken.
    if (!found && second == quantity::device_count && asks_for_replicas(*gone)) legal = false;
    if (!found && second == quantity::global_batch && asks_for_micro_batches(*gone)) legal = false;
  }
  constexpr void add_part(rule, part_kind) { ++count; }
  // The first tier was kept; where a change breaks it, the second is not asked.
  constexpr void add_range(measured number, std::int64_t, std::int64_t) {
    if (!is_range_of_tier_two(number.what)) legal = false;
    note(number.what, number.what, [&](const auto& item) { return item.broken == rule::out_of_range && item.first.what == number.what; });
  }
  constexpr void add_large(measured, std::int64_t) {
    ++count;
    legal = false;
  }
  constexpr void add_pair(rule broken, measured first, measured second) {
    note(first.what, second.what, [&](const auto& item) {
      return item.broken == broken && is_same_pair(item.first.what, item.second.what, first.what, second.what);
    });
  }
  constexpr void add_stage(std::int64_t) { ++count; }
  constexpr void add_feature(feature) { ++count; }
};

// Of a spec with the number of `axis` changed.
template <class Spec, class List, class Item>
constexpr bool is_legal(const Spec& with, const List& known, const List& hopeless, const Item& item, remedy_kind axis, legality asked,
                        part_set later) {
  legality_sink<List, Item> sink{&known, &hopeless, &item, axis, asked, later};
  check_computable(with, sink);
  // Tier three has spoken of this plan only when the first two were kept.
  const bool asks_tier_three = asked == legality::of_the_number || is_of_tier_three(item);
  if (sink.legal && asks_tier_three && (sink.count == 0 || asked != legality::of_the_rule)) {
    if (sink.count == 0 || is_of_tier_three(item)) check_combinations(with, sink);
  }
  return sink.legal && (asked != legality::of_the_rule || sink.count == 0 || !is_of_tier_three(item));
}

}  // namespace shardplan::detail
