// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/checked.hpp>
#include <shardplan/doctor/cause.hpp>
#include <shardplan/doctor/evidence.hpp>
#include <shardplan/doctor/observations.hpp>
#include <shardplan/doctor/refusal.hpp>
#include <shardplan/plan/rules/ranges.hpp>
#include <shardplan/plan/violation.hpp>
#include <shardplan/recipe/framework.hpp>
#include <shardplan/schedule/schedule_spec.hpp>
#include <shardplan/spec/derived.hpp>
#include <shardplan/spec/plan_spec.hpp>

#include <cstdint>

namespace shardplan::detail {

// What is left over; 0 where a number is no number of things, which is another rule's matter.
constexpr std::int64_t rest_of(std::int64_t whole, std::int64_t parts) { return whole < 1 || parts < 1 ? 0 : whole % parts; }
constexpr std::int64_t times(std::int64_t left, std::int64_t right) { return left < 1 || right < 1 ? 0 : saturating_multiply(left, right); }

// Of a plan that may not divide: what follows from single fields.
struct bare_facts {
  std::int64_t world = 0;
  std::int64_t dp = 0;  // rounded down
  std::int64_t micro_batches = 0;
};
constexpr bare_facts bare_facts_of(const plan_spec& spec) {
  bare_facts facts{};
  facts.world = times(spec.devices_per_node, spec.nodes);
  const std::int64_t replica = times(times(spec.tp, spec.pp), spec.cp);
  facts.dp = spec.dp != unset ? spec.dp : replica > 0 ? facts.world / replica : 0;
  const std::int64_t together = times(spec.micro_batch, facts.dp);
  facts.micro_batches = together > 0 && spec.global_batch > 0 ? spec.global_batch / together : 0;
  return facts;
}

// What a broken rule about numbers leaves over.
constexpr std::int64_t left_over(const violation& item) {
  const std::int64_t first = item.first.value;
  const std::int64_t second = item.second.value;
  std::int64_t rest = 1;
  if (item.broken == rule::does_not_divide) rest = rest_of(second, first);
  if (item.broken == rule::neither_multiple_nor_divisor) rest = first > second ? rest_of(first, second) : rest_of(second, first);
  if (item.broken == rule::does_not_match || item.broken == rule::exceeds) rest = first > second ? first - second : second - first;
  return rest < 1 ? 1 : rest;
}

// Supported exactly when a rule is broken that the cause stands for. What is legal but too much for some framework, which the plan does not
// say, or for a threshold of public issues that is no rule of ours, is `not_in_plan`.
constexpr evidence configuration_evidence(const plan_spec& spec, const bare_facts& facts, cause which, const refusal& found) {
  const bool any = found.count > 0;
  std::int64_t figure = any ? left_over(found.first) : 0;
  std::int64_t limit = 0;
  switch (which) {
    case cause::cfg_m_lt_p:
      limit = facts.micro_batches < 1 ? 1 : facts.micro_batches;
      figure = any ? found.first.second.value : spec.framework == frameworks::generic && spec.pp > 1 ? spec.pp : 1;
      break;
    case cause::cfg_zero_pp:
      limit = 1;
      figure = any ? sharding_stage(spec) : 0;
      break;
    case cause::cfg_ep:
    case cause::cfg_other: figure = found.count; break;
    default: break;
  }
  return any && found.is_said ? judged(figure, limit) : unsaid_in_plan(figure, limit);
}

constexpr std::int64_t parallel_axes(const plan_spec& spec, const bare_facts& facts) {
  return (spec.tp > 1) + (spec.pp > 1) + (spec.cp > 1) + (spec.ep > 1) + (facts.dp > 1);
}

// Experts whose weights are gathered one by one, in the order in which tokens reach them: ZeRO-3's hooks do; FSDP gathers a block at once.
constexpr std::int64_t experts_gathered_apart(const plan_spec& spec) {
  return spec.zero >= 3 && !spec.sharding.is_fsdp() && spec.ep == 1 ? spec.model.experts.count : 0;
}

constexpr evidence hang_evidence(const plan_spec& spec, const bare_facts& facts, const observations& run, cause which) {
  switch (which) {
    case cause::hang_preproc: {
      const std::int64_t most = run.timeout_minutes < 0 ? default_timeout_minutes : run.timeout_minutes;
      const seen what = run.preparation_minutes < 0 ? seen::unknown : run.preparation_minutes > most ? seen::wrong : seen::fine;
      return observed_in_run(what, facts.world, 1);
    }
    case cause::hang_uneven: {
      const std::int64_t in_a_step = facts.dp > 1 ? spec.global_batch : 0;
      if (run.samples < 0) return unsaid_in_plan(in_a_step);
      return judged(in_a_step > 0 && run.drops_last != toggle::on ? rest_of(run.samples, times(spec.micro_batch, facts.dp)) : 0);
    }
    case cause::hang_zero3_moe: return judged(run.experts_are_units == toggle::on ? 0 : experts_gathered_apart(spec));
    case cause::hang_fabric: return observed_in_run(seen_at_least(run.tested_nodes, spec.nodes), spec.nodes, 1);
    default: return unsaid_in_plan(facts.world, 1);
  }
}

constexpr evidence loss_evidence(const plan_spec& spec, const bare_facts& facts, const observations& run, cause which) {
  switch (which) {
    case cause::num_vocab: {
      const auto in_range = [](std::int64_t number, std::int64_t most) { return number >= 1 && number <= most; };
      const bool usual = in_range(spec.tp, limits::degree) && in_range(spec.model.vocab, limits::rows) &&
                         in_range(vocabulary_multiple_of(spec), limits::rows);
      return judged(rest_of(usual ? padded_vocabulary(spec.model.vocab, vocabulary_multiple_of(spec)) : spec.model.vocab, spec.tp));
    }
    case cause::num_cp_mask: return observed_in_run(seen_at_least(run.least_unmasked_tokens, 1), spec.cp, 1);
    case cause::num_sp_grad: return observed_in_run(seen_as(run.sums_norm_gradients), is_sequence_parallel(spec) ? spec.tp : 1, 1);
    case cause::num_clip: return observed_in_run(seen_as(run.clips_by_global_norm), (spec.tp > 1) + (spec.pp > 1) + (spec.ep > 1), 0);
    case cause::num_tied: {
      const bool copies = spec.pp > 1 && (spec.model.tied_embeddings || spec.model.next_token_layers > 0);
      return observed_in_run(seen_as(run.sums_tied_embedding), copies ? 2 : 1, 1);
    }
    case cause::num_ga: return observed_in_run(seen_as(run.averages_by_token), facts.micro_batches, 1);
    case cause::num_bf16_reduce: {
      const bool narrow = spec.precision.gradient == 2 && spec.precision.accumulator == 0;
      return judged(narrow ? facts.dp : 0, 127);
    }
    default: return observed_in_run(seen_as(run.agrees_in_parity_test), parallel_axes(spec, facts) + (sharding_stage(spec) > 0), 1);
  }
}

// Axes that cut states: a checkpoint in shards has them in its files.
constexpr evidence layout_evidence(const plan_spec& spec) {
  return judged((spec.tp > 1) + (spec.pp > 1) + (spec.schedule.chunks > 1) + (spec.ep > 1) + (spec.etp > 1) + (sharding_stage(spec) > 0));
}

}  // namespace shardplan::detail
