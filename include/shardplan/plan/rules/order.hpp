// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/checked.hpp>
#include <shardplan/plan/quantity.hpp>
#include <shardplan/plan/rules/listed_rule.hpp>
#include <shardplan/plan/violation.hpp>
#include <shardplan/schedule/schedule_spec.hpp>
#include <shardplan/spec/derived.hpp>
#include <shardplan/spec/plan_spec.hpp>

#include <cstdint>

namespace shardplan {

namespace detail {

// More versions of the weights than any rank keeps; their bytes stay exact.
inline constexpr std::int64_t most_weight_versions = 64;

// A schedule may say any number.
constexpr std::int64_t least_of_ranks(std::int64_t ranks, std::int64_t of_one) {
  return of_one > 0 ? saturating_multiply(ranks, of_one) : 0;
}

// Micro-batches that the order of a schedule, or the framework's, cannot begin with fewer than.
template <class Spec>
constexpr std::int64_t least_micro_batches_of(const Spec& spec) {
  const schedule_spec& order = spec.schedule;
  const std::int64_t of_torch =
      spec.framework == frameworks::torchtitan ? least_of_ranks(spec.pp * order.chunks, order.torch_least_micro_batches_a_stage) : 0;
  const std::int64_t of_order = least_of_ranks(spec.pp, order.least_micro_batches_a_rank);
  return of_torch > of_order ? of_torch : of_order;
}

// Whether a plan has an order to ask about.
template <class Spec>
constexpr bool has_order(const Spec& spec) {
  return spec.pp > 1 || spec.schedule.chunks > 1 || spec.schedule.slices > 1;
}

// Adds what the rules about an order in groups ask: whether it runs to its end.
template <class Spec>
constexpr void add_group(const Spec& spec, rule_facts& facts) {
  const auto& order = spec.schedule;
  facts.group = spec.pp > 1 ? order.group(spec.pp, facts.micro_batches) : 0;
  if (1 > facts.group) return;
  const std::int64_t count = facts.micro_batches;
  const std::int64_t rest = facts.group < count ? count % facts.group : 0;
  facts.waits = !order.ends(spec.pp, count, order.chunks);
  // Full groups wait for each other whatever their number, from three on at the latest.
  facts.full_groups_wait = facts.waits && !order.ends(spec.pp, facts.group < count / 3 ? 3 * facts.group : count - rest, order.chunks);
}

}  // namespace detail

namespace rules {

/// What the functions of a schedule return is within its range on every rank: a user's are held to their contract before anything is
/// multiplied with them.
struct schedule_stays_in_range {
  template <class Listed = listed_rule>
  static constexpr Listed about() {
    return detail::number_rule<Listed>(2, rule::out_of_range, {quantity::in_flight, quantity::weight_versions},
                                       "what a schedule says of itself is within its range on every rank: `in_flight` 1 to micro-batches x "
                                       "chunks, versions of the weights 1 to 64",
                                       "it is multiplied with activations and weights; arXiv 1806.03377");
  }
  template <class Spec, class Sink>
  static constexpr void check(const Spec& spec, const rule_facts& facts, Sink& sink) {
    const auto& order = spec.schedule;
    const std::int64_t most = facts.micro_batches * order.chunks * order.slices;
    if (!__builtin_is_constant_evaluated() && order.in_flight == nullptr) return sink.add_range({quantity::in_flight, 0}, 1, most);
    for (std::int64_t rank = 0; rank < spec.pp; ++rank) {
      const std::int64_t alive = order.in_flight(spec.pp, facts.micro_batches, order.chunks, rank);
      if (alive < 1 || alive > most) return sink.add_range({quantity::in_flight, alive}, 1, most);
      const std::int64_t versions = order.drains ? 1 : order.weight_versions(spec.pp, rank);
      if (versions < 1 || versions > detail::most_weight_versions)
        return sink.add_range({quantity::weight_versions, versions}, 1, detail::most_weight_versions);
    }
  }
};

/// The slices of a sequence divide it.
struct slices_divide_sequence {
  template <class Listed = listed_rule>
  static constexpr Listed about() {
    return detail::pair_rule<Listed>(2, rule::does_not_divide, {quantity::slices}, {quantity::sequence}, "slices of a sequence divide it",
                                     "zero-bubble `seq1f1b.py`");
  }
  template <class Spec, class Sink>
  static constexpr void check(const Spec& spec, Sink& sink) {
    detail::must_divide(sink, quantity::slices, spec.schedule.slices, quantity::sequence, spec.sequence);
  }
};

/// The ranks that a schedule is made for divide pp.
struct schedule_ranks_divide_pp {
  template <class Listed = listed_rule>
  static constexpr Listed about() {
    return detail::pair_rule<Listed>(2, rule::does_not_divide, {quantity::ranks_multiple}, {quantity::pp},
                                     "the ranks that a schedule is made for divide pp",
                                     "deepseek-ai/DualPipe `dualpipe.py`, Shigangli/Chimera");
  }
  template <class Spec, class Sink>
  static constexpr void check(const Spec& spec, Sink& sink) {
    if (detail::has_order(spec)) detail::must_divide(sink, quantity::ranks_multiple, spec.schedule.ranks_multiple, quantity::pp, spec.pp);
  }
};

/// The micro-batches that a schedule is made for, and pp for chimera, divide those of the plan.
struct schedule_divides_micro_batches {
  template <class Listed = listed_rule>
  static constexpr Listed about() {
    return detail::pair_rule<Listed>(2, rule::does_not_divide, {quantity::micro_batches_multiple, quantity::pp}, {quantity::micro_batches},
                                     "the micro-batches that a schedule is made for (and pp, for chimera) divide the micro-batches",
                                     "the same");
  }
  template <class Spec, class Sink>
  static constexpr void check(const Spec& spec, const rule_facts& facts, Sink& sink) {
    if (!detail::has_order(spec)) return;
    const auto& order = spec.schedule;
    detail::must_divide(sink, quantity::micro_batches_multiple, order.micro_batches_multiple, quantity::micro_batches, facts.micro_batches);
    if (order.micro_batches_fill_ranks) detail::must_divide(sink, quantity::pp, spec.pp, quantity::micro_batches, facts.micro_batches);
  }
};

/// There are as many micro-batches as the schedule, or that of the framework, begins with.
struct enough_micro_batches {
  template <class Listed = listed_rule>
  static constexpr Listed about() {
    return detail::pair_rule<Listed>(
        2, rule::micro_batches_fewer_than_stages, {quantity::micro_batches}, {quantity::pp, quantity::pp_x_chunks},
        "at least as many micro-batches as the schedule starts with: 2 pp for dual_pipe and dual_pipe_v; under torchtitan 1F1B one a stage",
        "the same; torch `distributed/pipelining/schedules.py`");
  }
  template <class Spec, class Sink>
  static constexpr void check(const Spec& spec, const rule_facts& facts, Sink& sink) {
    const std::int64_t least = detail::least_micro_batches_of(spec);
    if (facts.micro_batches < least && detail::has_order(spec))
      sink.add_pair(rule::micro_batches_fewer_than_stages, {quantity::micro_batches, facts.micro_batches},
                    {least == spec.pp ? quantity::pp : quantity::pp_x_chunks, least});
  }
};

/// Full groups of an interleaved order end; under Megatron-LM they are no smaller than pp.
struct interleaved_groups_end {
  template <class Listed = listed_rule>
  static constexpr Listed about() {
    return detail::pair_rule<Listed>(
        2, rule::exceeds, {quantity::pp}, {quantity::interleave_group},
        "interleaved groups: full ones end (`schedule_spec::ends`); under Megatron-LM they are no smaller than pp",
        "the same; Megatron-LM `training/arguments.py`");
  }
  template <class Spec, class Sink>
  static constexpr void check(const Spec& spec, const rule_facts& facts, Sink& sink) {
    if (facts.full_groups_wait || (spec.framework == frameworks::megatron && facts.group > 0 && spec.pp > facts.group))
      sink.add_pair(rule::exceeds, {quantity::pp, spec.pp}, {quantity::interleave_group, facts.group});
  }
};

/// An interleaved group is no larger than the micro-batches.
struct interleaved_group_is_filled {
  static constexpr unsigned frameworks_asked = detail::under_megatron;
  template <class Listed = listed_rule>
  static constexpr Listed about() {
    return detail::pair_rule<Listed>(2, rule::exceeds, {quantity::interleave_group}, {quantity::micro_batches},
                                     "an interleaved group is no larger than the micro-batches", "Megatron-LM `training/arguments.py`",
                                     frameworks_asked);
  }
  template <class Spec, class Sink>
  static constexpr void check(const Spec& spec, const rule_facts& facts, Sink& sink) {
    if (facts.group > facts.micro_batches && detail::is_asked(frameworks_asked, spec.framework))
      sink.add_pair(rule::exceeds, {quantity::interleave_group, facts.group}, {quantity::micro_batches, facts.micro_batches});
  }
};

/// The last, smaller group of an interleaved order ends; under Megatron-LM it has at least pp micro-batches.
struct interleaved_rest_ends {
  template <class Listed = listed_rule>
  static constexpr Listed about() {
    return detail::pair_rule<Listed>(
        2, rule::does_not_divide, {quantity::interleave_group}, {quantity::micro_batches},
        "interleaved groups: the last, smaller one ends (`schedule_spec::ends`); under Megatron-LM it has at least pp",
        "Megatron-LM `core/pipeline_parallel/schedules.py`; other orders never end");
  }
  template <class Spec, class Sink>
  static constexpr void check(const Spec& spec, const rule_facts& facts, Sink& sink) {
    if (1 > facts.group) return;
    // p <= group <= m, and m mod group is 0 or at least p.
    const std::int64_t rest = facts.group < facts.micro_batches ? facts.micro_batches % facts.group : 0;
    if ((facts.waits && !facts.full_groups_wait) || (spec.framework == frameworks::megatron && rest != 0 && rest < spec.pp))
      sink.add_pair(rule::does_not_divide, {quantity::interleave_group, facts.group}, {quantity::micro_batches, facts.micro_batches});
  }
};

/// PyTorch's interleaved schedule has rounds of as many micro-batches as there are ranks, or more: they divide the micro-batches.
struct interleaved_rounds_divide {
  static constexpr unsigned frameworks_asked = detail::under_torch;
  template <class Listed = listed_rule>
  static constexpr Listed about() {
    return detail::pair_rule<Listed>(2, rule::does_not_divide, {quantity::interleave_rounds}, {quantity::micro_batches},
                                     "interleaved: max(1, m / pp) rounds divide the micro-batches",
                                     "torch `distributed/pipelining/schedules.py`", frameworks_asked);
  }
  template <class Spec, class Sink>
  static constexpr void check(const Spec& spec, const rule_facts& facts, Sink& sink) {
    if (1 > facts.group || !detail::is_asked(frameworks_asked, spec.framework)) return;
    const std::int64_t rounds = facts.micro_batches < spec.pp ? 1 : facts.micro_batches / spec.pp;
    detail::must_divide(sink, quantity::interleave_rounds, rounds, quantity::micro_batches, facts.micro_batches);
  }
};

}  // namespace rules

namespace detail {

// The rules about the sizes that the order of a schedule is made for. Without a pipeline there is none.
template <class Sink, class Spec>
constexpr void check_order(const Spec& spec, rule_facts& facts, Sink& sink) {
  const auto& order = spec.schedule;
  // What the default schedule does not ask for.
  if (((order.slices ^ 1) | (order.ranks_multiple ^ 1) | (order.micro_batches_multiple ^ 1)) != 0 || order.micro_batches_fill_ranks) {
    rules::slices_divide_sequence::check(spec, sink);
    rules::schedule_ranks_divide_pp::check(spec, sink);
    rules::schedule_divides_micro_batches::check(spec, facts, sink);
  }
  if ((order.least_micro_batches_a_rank | order.torch_least_micro_batches_a_stage) != 0)
    rules::enough_micro_batches::check(spec, facts, sink);
  add_group(spec, facts);
  if (1 > facts.group) return;
  rules::interleaved_groups_end::check(spec, facts, sink);
  rules::interleaved_group_is_filled::check(spec, facts, sink);
  rules::interleaved_rest_ends::check(spec, facts, sink);
  rules::interleaved_rounds_divide::check(spec, facts, sink);
}

// The rules about the schedule.
template <class Sink, class Spec>
constexpr void check_schedule(const Spec& spec, std::int64_t micro_batches, Sink& sink) {
  if (micro_batches == 0) return;
  rule_facts facts{.micro_batches = micro_batches};
  const int before = sink.count;
  rules::schedule_stays_in_range::check(spec, facts, sink);
  if (sink.count == before && has_order(spec)) check_order(spec, facts, sink);
}

}  // namespace detail

}  // namespace shardplan
