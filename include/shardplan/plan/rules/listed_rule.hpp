// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/plan/quantity.hpp>
#include <shardplan/plan/violation.hpp>
#include <shardplan/recipe/framework.hpp>

#include <cstdint>

namespace shardplan {

/// One rule as pages list it: which violations are its own, in words, and where it comes from. Each type of `shardplan::rules` says it with
/// its function `about`, which nothing calls in a plan.
struct listed_rule {
  int tier = 0;                   ///< 1: ranges, 2: divisions, 3: all the rest
  rule broken{};                  ///< the violation that reports it
  quantity first[6]{};            ///< what its first number can be, `first_count` of them; none: anything
  int first_count = 0;            ///< how many
  quantity second[4]{};           ///< what its second number can be
  int second_count = 0;           ///< how many; none: anything
  feature unsupported{};          ///< of `not_supported`: what
  unsigned frameworks_asked = 0;  ///< bit `frameworks` of those that ask it; 0: all
  const char* words = "";         ///< what must hold
  const char* source = "";        ///< where it comes from
};

/// What rules of the second tier ask beside the spec: numbers that an earlier rule made sure of, each 0 where that one is broken.
struct rule_facts {
  std::int64_t replicas = 0;       ///< data parallel degree
  std::int64_t micro_batches = 0;  ///< of a replica in a step
  std::int64_t group = 0;          ///< micro-batches of an interleaved group; 0: the order has none
  bool waits = false;              ///< ranks of an interleaved order wait for each other for ever
  bool full_groups_wait = false;   ///< so do full groups, without the smaller last one
};

namespace detail {

inline constexpr unsigned under_megatron = 1u << static_cast<int>(frameworks::megatron);
inline constexpr unsigned under_deepspeed = 1u << static_cast<int>(frameworks::deepspeed);
inline constexpr unsigned under_torchtitan = 1u << static_cast<int>(frameworks::torchtitan);
inline constexpr unsigned under_fsdp2 = 1u << static_cast<int>(frameworks::fsdp2);
inline constexpr unsigned under_torch = under_torchtitan | under_fsdp2;
inline constexpr unsigned under_others = 1u << static_cast<int>(frameworks::generic) | under_megatron | under_deepspeed;
inline constexpr unsigned all_but_torchtitan = under_others | under_fsdp2;

// Ranges that are asked with the divisions.
constexpr bool is_range_of_tier_two(quantity number) {
  return number == quantity::in_flight || number == quantity::weight_versions || number == quantity::next_token_stage;
}

// Whether a framework is one of those that ask a rule. No template: a plan pays nothing for it.
constexpr bool is_asked(unsigned asking, frameworks whose) { return (asking >> (static_cast<unsigned>(whose) & 31u) & 1u) != 0; }

// What a rule says of itself. Over `Listed`, so that a file which includes the rules only parses it.
template <class Listed>
constexpr Listed plain_rule(int tier, rule broken, const char* words, const char* source) {
  Listed item{};
  item.tier = tier;
  item.broken = broken;
  item.words = words;
  item.source = source;
  return item;
}
template <class Listed, int Firsts>
constexpr Listed number_rule(int tier, rule broken, const quantity (&first)[Firsts], const char* words, const char* source) {
  auto item = plain_rule<Listed>(tier, broken, words, source);
  for (int at = 0; at < Firsts; ++at) item.first[at] = first[at];
  item.first_count = Firsts;
  return item;
}
template <class Listed, int Firsts, int Seconds>
constexpr Listed pair_rule(int tier, rule broken, const quantity (&first)[Firsts], const quantity (&second)[Seconds], const char* words,
                           const char* source, unsigned whose = 0) {
  auto item = number_rule<Listed>(tier, broken, first, words, source);
  for (int at = 0; at < Seconds; ++at) item.second[at] = second[at];
  item.second_count = Seconds;
  item.frameworks_asked = whose;
  return item;
}
template <class Listed>
constexpr Listed feature_rule(feature what, const char* words, const char* source, unsigned whose = 0) {
  auto item = plain_rule<Listed>(3, rule::not_supported, words, source);
  item.unsupported = what;
  item.frameworks_asked = whose;
  return item;
}

template <class Sink>
constexpr void must_divide(Sink& sink, quantity divisor, std::int64_t by, quantity dividend, std::int64_t of) {
  if (of % by != 0) sink.add_pair(rule::does_not_divide, {divisor, by}, {dividend, of});
}

}  // namespace detail

}  // namespace shardplan
