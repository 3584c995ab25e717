// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/bytes.hpp>
#include <shardplan/core/checked.hpp>
#include <shardplan/core/part.hpp>
#include <shardplan/core/static_vector.hpp>
#include <shardplan/plan/quantity.hpp>
#include <shardplan/plan/violation.hpp>
#include <shardplan/recipe/recompute.hpp>
#include <shardplan/schedule/schedule_spec.hpp>
#include <shardplan/search/best_first_rule.hpp>
#include <shardplan/search/candidate.hpp>
#include <shardplan/search/space.hpp>
#include <shardplan/spec/derived.hpp>
#include <shardplan/spec/plan_spec.hpp>

#include <cstddef>
#include <cstdint>

namespace shardplan {

/// What a search ranks legal plans that fit by. Ties are broken by the figures that follow, then by the smaller candidate: fewer cp, ep,
/// etp, tp, pp ranks, less sharding, a smaller micro-batch, less recomputation, the simpler schedule (`in_order`).
enum class objective {
  step_time,  ///< estimated step time in whole nanoseconds, then devices, then memory
  memory,     ///< memory of the fullest rank, then devices, then step time
  devices,    ///< devices, then step time, then memory
};

/// The name of an objective.
constexpr const char* name_of(objective by) {
  constexpr const char* names[] = {"step_time", "memory", "devices"};
  return detail::nth_of(names, static_cast<int>(by));
}

/// Plans in the list of a search: the best ones.
inline constexpr std::size_t most_listed = 32;
/// Length of arrays by `rule`.
inline constexpr std::size_t rule_slots = 24;

/// Rules that a search counts apart.
inline constexpr std::size_t most_refusals = 64;

/// How many candidates one rule refused: the violation, and what it is about (`does_not_divide`, tp, heads).
struct refused_rule {
  rule broken{};           ///< the violation
  quantity first{};        ///< of a rule about a number, or two: the first
  quantity second{};       ///< of a rule about two numbers: the second
  feature unsupported{};   ///< not_supported: what
  part_kind part{};        ///< missing_part, repeated_part: which
  std::int64_t count = 0;  ///< candidates
};

/// One of the best plans, with its figures.
struct listed_plan {
  std::int64_t devices_per_node = 0;  ///< devices of one host that are used
  std::int64_t nodes = 0;             ///< hosts that are used
  std::int64_t tp = 1;                ///< tensor parallel degree
  std::int64_t pp = 1;                ///< pipeline parallel degree
  std::int64_t dp = 1;                ///< replicas of the batch
  std::int64_t cp = 1;                ///< context parallel degree
  std::int64_t ep = 1;                ///< expert parallel degree
  std::int64_t etp = 1;               ///< tensor parallel degree of routed experts
  std::int64_t micro_batch = 1;       ///< sequences
  std::int64_t micro_batches = 1;     ///< of one replica in a step
  sharding_choice sharding{};         ///< ZeRO stage or FSDP
  recomputes recompute{};             ///< what backward computes again
  schedule_spec schedule{};           ///< the order in the pipeline
  bytes memory{};                     ///< of the fullest rank
  double step = 0;                    ///< estimate: seconds of a step, by the closed form of the schedule; 0 for a device without a rate
  double simulated_step = 0;          ///< estimate: the same with the schedule played; 0 where it was not
  std::int64_t index = 0;             ///< of `candidate_of` in the space in order

  /// Devices that are used.
  constexpr std::int64_t devices() const { return devices_per_node * nodes; }
  /// The estimate that it is ranked by.
  constexpr double seconds() const { return simulated_step > 0 ? simulated_step : step; }
};

/// `fixed`, the spec that was searched from, as that plan.
template <class Spec = plan_spec>
constexpr Spec spec_of_listed(const Spec& fixed, const listed_plan& found) {
  Spec spec = fixed;
  spec.devices_per_node = found.devices_per_node;
  spec.nodes = found.nodes;
  spec.tp = found.tp;
  spec.pp = found.pp;
  spec.cp = found.cp;
  spec.ep = found.ep;
  spec.etp = found.etp;
  spec.micro_batch = found.micro_batch;
  spec.zero = found.sharding.zero;
  spec.sharding = found.sharding.sharding;
  spec.recompute = found.recompute;
  spec.schedule = found.schedule;
  return spec;
}

/// What a search found. Every candidate is counted once: `considered` is `fitting` and all that was refused, each under the first rule
/// that `evaluate` would list.
struct search_result {
  objective by = objective::step_time;            ///< what it was ranked by
  bool found = false;                             ///< whether any legal plan fits
  plan_spec plan{};                               ///< the best one; what was asked where none fits
  static_vector<listed_plan, most_listed> top{};  ///< the best ones, in order
  std::int64_t considered = 0;                    ///< candidates
  std::int64_t fitting = 0;                       ///< of these legal and within memory
  std::int64_t timed = 0;                         ///< of these timed: those that could enter the list of the best
  std::int64_t simulated = 0;  ///< plans of the list that were ranked again by their schedules played, or have none to play
  std::int64_t rejected_by_rule[rule_slots]{};  ///< refused candidates, by `rule`
  /// The same apart by what the rule is about, most first. Behind 64 different ones further ones are in `rejected_by_rule` alone.
  static_vector<refused_rule, most_refusals> refusals{};

  /// Candidates whose first broken rule is that one.
  constexpr std::int64_t rejected_by(rule broken) const { return rejected_by_rule[static_cast<int>(broken)]; }
  /// Candidates whose first broken rule is that one about these two numbers: `(rule::does_not_divide, quantity::tp, quantity::heads)`.
  constexpr std::int64_t rejected_by(rule broken, quantity first, quantity second) const {
    for (const refused_rule& one : refusals)
      if (int(one.broken) == int(broken) && int(one.first) == int(first) && int(one.second) == int(second)) return one.count;
    return 0;
  }
  /// Candidates that were refused.
  constexpr std::int64_t rejected() const { return considered - fitting; }
};

namespace detail {

// A plan in the list while the search runs.
struct ranked_candidate {
  std::int64_t index = 0;
  std::int64_t devices = 0;
  std::int64_t memory = 0;
  double step = 0;
  std::int64_t nanoseconds = 0;
};

// Whole nanoseconds, so that the last bit of a formula decides nothing.
constexpr std::int64_t nanoseconds_of(double seconds) {
  constexpr double most = 9e9;
  return static_cast<std::int64_t>((seconds < most ? seconds > -most ? seconds : -most : most) * 1e9);
}

constexpr bool is_better(objective by, const ranked_candidate& left, const ranked_candidate& right) {
  const bool by_memory = by == objective::memory;
  if (by == objective::step_time && left.nanoseconds != right.nanoseconds) return left.nanoseconds < right.nanoseconds;
  if (by_memory && left.memory != right.memory) return left.memory < right.memory;
  if (left.devices != right.devices) return left.devices < right.devices;
  if (left.nanoseconds != right.nanoseconds) return left.nanoseconds < right.nanoseconds;
  if (left.memory != right.memory) return left.memory < right.memory;
  return left.index < right.index;
}

using ranked_list = static_vector<ranked_candidate, most_listed>;

constexpr void insert_ranked(ranked_list& list, objective by, const ranked_candidate& candidate) {
  std::size_t at = list.length;
  while (at > 0 && is_better(by, candidate, list.values[at - 1])) --at;
  if (at == most_listed) return;
  if (list.length < most_listed) ++list.length;
  for (std::size_t behind = list.length - 1; behind > at; --behind) list.values[behind] = list.values[behind - 1];
  list.values[at] = candidate;
}

// Refused candidates by `key_of`.
struct counted_key {
  std::int64_t key = 0;
  std::int64_t count = 0;
};

// What a search knows after some candidates.
struct search_progress {
  std::int64_t next = 0;
  std::int64_t fitting = 0;
  std::int64_t timed = 0;
  std::int64_t refused[rule_slots]{};
  static_vector<counted_key, most_refusals> refusals{};  // as they came
  ranked_list top{};
};

template <class Spec>
constexpr listed_plan listed_from(const Spec& fixed, const search_space& space, const ranked_candidate& candidate) {
  const Spec spec = candidate_of(fixed, space, candidate.index);
  const derived facts = derive(spec);
  listed_plan found{};
  found.devices_per_node = spec.devices_per_node;
  found.nodes = spec.nodes;
  found.tp = spec.tp;
  found.pp = spec.pp;
  found.dp = facts.grid.dp;
  found.cp = spec.cp;
  found.ep = spec.ep;
  found.etp = spec.etp;
  found.micro_batch = spec.micro_batch;
  found.micro_batches = facts.micro_batches;
  found.sharding = {spec.zero, spec.sharding};
  found.recompute = spec.recompute;
  found.schedule = spec.schedule;
  found.memory.count = candidate.memory;
  found.step = candidate.step;
  found.index = candidate.index;
  return found;
}

// How many of the best plans are played: the first `most` of the list; none with a bound on tables below zero.
template <class List>
constexpr std::int64_t played_of(const List& top, objective by, std::int64_t most, std::int64_t passes) {
  const auto all = static_cast<std::int64_t>(top.length);
  return by != objective::step_time || most <= 0 || passes < 0 ? 0 : most < all ? most : all;
}
// Of the first `count` plans those that are as if played: without a pipeline there is nothing to play.
template <class List>
constexpr std::int64_t count_played(const List& top, std::int64_t count) {
  std::int64_t played = 0;
  for (std::int64_t at = 0; at < count; ++at) played += top.values[at].pp == 1 || top.values[at].simulated_step > 0 ? 1 : 0;
  return played;
}

// Puts the first `count` plans in the order of what was played; of equals the one that was in front stays there.
template <class List>
constexpr void rank_again(List& top, std::int64_t count) {
  for (std::int64_t at = 1; at < count; ++at) {
    const listed_plan moved = top.values[at];
    std::int64_t to = at;
    for (; to > 0 && nanoseconds_of(moved.seconds()) < nanoseconds_of(top.values[to - 1].seconds()); --to)
      top.values[to] = top.values[to - 1];
    top.values[to] = moved;
  }
}

// Most refused first; of equals the rule that is asked first.
template <class List>
constexpr void add_refusal(List& list, const counted_key& one) {
  std::size_t at = list.length++;
  for (; at > 0; --at) {
    const refused_rule& before = list.values[at - 1];
    const std::int64_t key = key_of(before.broken, static_cast<int>(before.first), static_cast<int>(before.second),
                                    static_cast<int>(before.unsupported) + static_cast<int>(before.part));
    if (before.count > one.count || (before.count == one.count && key < one.key)) break;
    list.values[at] = before;
  }
  refused_rule& found = list.values[at];
  found = {};
  found.broken = static_cast<rule>(part_of_key(one.key, 0));
  found.first = static_cast<quantity>(part_of_key(one.key, 1));
  found.second = static_cast<quantity>(part_of_key(one.key, 2));
  const int about = part_of_key(one.key, 3);
  if (int(found.broken) == int(rule::not_supported))
    found.unsupported = static_cast<feature>(about);
  else
    found.part = static_cast<part_kind>(about);
  found.count = one.count;
}

template <class Spec>
constexpr search_result result_from(const Spec& fixed, const search_space& space, objective by, const search_progress& progress) {
  search_result result{};
  result.by = by;
  result.considered = progress.next;
  result.fitting = progress.fitting;
  result.timed = progress.timed;
  for (std::size_t at = 0; at < rule_slots; ++at) result.rejected_by_rule[at] = progress.refused[at];
  for (const counted_key& one : progress.refusals) add_refusal(result.refusals, one);
  for (const ranked_candidate& one : progress.top) result.top.push_back(listed_from(fixed, space, one));
  result.found = result.fitting > 0;
  result.plan = fixed;
  return result;
}

}  // namespace detail

}  // namespace shardplan
