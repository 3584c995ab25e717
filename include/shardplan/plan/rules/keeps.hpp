// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/memory/memory.hpp>
#include <shardplan/plan/rules/check.hpp>
#include <shardplan/plan/rules/listed_rule.hpp>
#include <shardplan/plan/rules/sink.hpp>
#include <shardplan/plan/violation.hpp>
#include <shardplan/spec/plan_spec.hpp>

#include <cstdint>

namespace shardplan {

/// A type of `shardplan::rules`: it describes itself as a `listed_rule`.
template <class Type>
concept plan_rule = requires {
  requires detail::same<decltype(Type::about()), listed_rule>;
};

namespace detail {

// Counts the violations of one kind: rules of the first tier are asked together and differ in that.
struct kind_sink {
  rule asked{};
  int count = 0;   // of all kinds
  int broken = 0;  // of the kind

  constexpr void note(rule kind) {
    ++count;
    broken += kind == asked;
  }
  constexpr void add_part(rule kind, part_kind) { note(kind); }
  constexpr void add_range(measured, std::int64_t, std::int64_t) { note(rule::out_of_range); }
  constexpr void add_large(measured, std::int64_t) { note(rule::too_large); }
};

// What the rules of the second tier ask beside the spec.
template <class Spec>
constexpr rule_facts facts_of_rules(const Spec& spec) {
  rule_facts facts{.replicas = replicas_of(spec)};
  facts.micro_batches = micro_batches_of(spec, facts.replicas);
  counting_sink sink{};
  if (facts.micro_batches != 0) rules::schedule_stays_in_range::check(spec, facts, sink);
  if (facts.micro_batches != 0 && sink.count == 0 && has_order(spec)) add_group(spec, facts);
  return facts;
}

}  // namespace detail

/// Whether a plan keeps one rule: `keeps<rules::tp_divides_heads>(spec)`, as `evaluate` asks it. False also while a rule of an earlier tier
/// is broken, and, of a rule about replicas, while there is no whole number of them: then it cannot be asked.
template <plan_rule Rule, class Spec = plan_spec>
constexpr bool keeps(const Spec& spec) {
  detail::kind_sink ranges{Rule::about().broken};
  detail::check_ranges(spec, ranges);
  if (Rule::about().tier == 1) return ranges.broken == 0;
  if (ranges.count != 0) return false;
  detail::counting_sink sink{};
  if (Rule::about().tier == 3) detail::check_divisibility(spec, sink);
  if (sink.count != 0) return false;
  if constexpr (requires { Rule::check(spec, memory_layout{}, sink); }) {
    Rule::check(spec, memory_layout_of(spec), sink);
  } else if constexpr (requires { Rule::check(spec, rule_facts{}, sink); }) {
    const rule_facts facts = detail::facts_of_rules(spec);
    if (facts.replicas == 0) return false;
    Rule::check(spec, facts, sink);
  } else if constexpr (requires { Rule::check(spec, sink); }) {
    Rule::check(spec, sink);
  }
  return sink.count == 0;
}

}  // namespace shardplan
