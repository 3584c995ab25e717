// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/checked.hpp>
#include <shardplan/core/unset.hpp>
#include <shardplan/plan/quantity.hpp>
#include <shardplan/plan/rules/listed_rule.hpp>
#include <shardplan/plan/violation.hpp>
#include <shardplan/spec/derived.hpp>
#include <shardplan/spec/plan_spec.hpp>

#include <cstdint>

namespace shardplan {

namespace rules {

/// A micro-batch of each replica divides `global_batch`.
struct micro_batches_divide_batch {
  template <class Listed = listed_rule>
  static constexpr Listed about() {
    return detail::pair_rule<Listed>(2, rule::does_not_divide, {quantity::micro_batch_x_dp}, {quantity::global_batch},
                                     "micro-batch x dp divides `global_batch`", "every framework");
  }
  template <class Spec, class Sink>
  static constexpr void check(const Spec& spec, const rule_facts& facts, Sink& sink) {
    const std::int64_t at_once = spec.micro_batch * facts.replicas;
    if (spec.accumulation == unset && at_once != 0 && spec.global_batch % at_once != 0)
      sink.add_pair(rule::does_not_divide, {quantity::micro_batch_x_dp, at_once}, {quantity::global_batch, spec.global_batch});
  }
};

/// With `accumulation<>` micro-batch x accumulation x dp is `global_batch`.
struct accumulation_makes_the_batch {
  template <class Listed = listed_rule>
  static constexpr Listed about() {
    return detail::pair_rule<Listed>(2, rule::does_not_match, {quantity::micro_batch_x_accumulation_x_dp}, {quantity::global_batch},
                                     "with `accumulation<>`: micro-batch x accumulation x dp is `global_batch`",
                                     "DeepSpeed `runtime/config.py`, which asserts it");
  }
  template <class Spec, class Sink>
  static constexpr void check(const Spec& spec, const rule_facts& facts, Sink& sink) {
    if (spec.accumulation == unset || facts.replicas == 0) return;
    const std::int64_t in_a_step = saturating_multiply(spec.micro_batch * facts.replicas, spec.accumulation);
    if (in_a_step != spec.global_batch)
      sink.add_pair(rule::does_not_match, {quantity::micro_batch_x_accumulation_x_dp, in_a_step},
                    {quantity::global_batch, spec.global_batch});
  }
};

}  // namespace rules

namespace detail {

// Micro-batches of a replica, or 0 when the batch does not divide.
template <class Spec>
constexpr std::int64_t micro_batches_of(const Spec& spec, std::int64_t replicas) {
  const std::int64_t at_once = spec.micro_batch * replicas;
  if (at_once == 0) return 0;  // the rule about devices has spoken
  if (spec.accumulation != unset) return saturating_multiply(at_once, spec.accumulation) == spec.global_batch ? spec.accumulation : 0;
  return spec.global_batch % at_once == 0 ? spec.global_batch / at_once : 0;
}

// The rules about the batch; returns the micro-batches.
template <class Sink, class Spec>
constexpr std::int64_t check_batch(const Spec& spec, std::int64_t replicas, Sink& sink) {
  const std::int64_t micro_batches = micro_batches_of(spec, replicas);
  if (micro_batches == 0) {
    const rule_facts facts{.replicas = replicas};
    rules::micro_batches_divide_batch::check(spec, facts, sink);
    rules::accumulation_makes_the_batch::check(spec, facts, sink);
  }
  return micro_batches;
}

}  // namespace detail

}  // namespace shardplan
