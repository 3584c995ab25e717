// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/checked.hpp>
#include <shardplan/doctor/cause.hpp>
#include <shardplan/doctor/evidence.hpp>
#include <shardplan/doctor/observations.hpp>
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

constexpr std::int64_t layers_left_out(const plan_spec& spec) {
  const layer_counts& split = spec.layer_split;
  if (split.counts.length != 0) {
    std::int64_t sum = 0;
    for (const std::int64_t count : split.counts) sum = saturating_add(sum, count);
    return sum > spec.model.layers ? sum - spec.model.layers : spec.model.layers - sum;
  }
  const std::int64_t stages = spec.pp < 1 || spec.schedule.chunks < 1 ? 0 : times(spec.pp, spec.schedule.stages(1));
  return rest_of(spec.model.layers + split.embedding_slot + split.loss_slot, stages);
}

// Where accumulation is said, what it misses of the batch.
constexpr std::int64_t sequences_left_over(const plan_spec& spec, const bare_facts& facts) {
  const std::int64_t together = times(spec.micro_batch, facts.dp);
  if (spec.accumulation == unset || together == 0) return rest_of(spec.global_batch, together);
  const std::int64_t in_a_step = times(together, spec.accumulation);
  if (spec.global_batch < 1 || in_a_step == 0) return 0;
  return in_a_step > spec.global_batch ? in_a_step - spec.global_batch : spec.global_batch - in_a_step;
}

constexpr std::int64_t sequence_left_over(const plan_spec& spec) {
  const std::int64_t shared = is_sequence_parallel(spec) ? spec.tp : 1;
  if (spec.cp <= 1) return rest_of(spec.sequence, shared);
  return rest_of(spec.sequence, times(spec.cp, shared % 2 == 0 ? shared : 2 * shared));
}

// DeepSpeed's sequence parallelism (Ulysses) deals heads out to the cp ranks too.
constexpr std::int64_t heads_left_over(const plan_spec& spec) {
  const std::int64_t ranks = spec.cp > 1 && spec.framework == frameworks::deepspeed ? times(spec.tp, spec.cp) : spec.tp;
  const std::int64_t shared = spec.model.key_value_heads();
  const std::int64_t apart = rest_of(shared, ranks) == 0 ? 0 : rest_of(ranks, shared);
  return rest_of(spec.model.heads, ranks) + apart;
}

constexpr std::int64_t broken_expert_rules(const plan_spec& spec, const bare_facts& facts) {
  const std::int64_t experts = spec.model.experts.count;
  if (experts == 0) return spec.ep > 1 || spec.etp > 1;
  return (rest_of(experts, spec.ep) != 0) + (rest_of(facts.world, times(times(spec.etp, spec.ep), spec.pp)) != 0) +
         (spec.tp > 1 && spec.ep > 1 && !is_sequence_parallel(spec));
}

constexpr evidence configuration_evidence(const plan_spec& spec, const bare_facts& facts, cause which) {
  switch (which) {
    case cause::cfg_m_lt_p: return judged(spec.pp > 1 ? spec.pp : 1, facts.micro_batches < 1 ? 1 : facts.micro_batches);
    case cause::cfg_vpp: {
      // The classic interleaving; chunks in a V, both directions and groups of another size have rules of their own.
      if (spec.schedule.chunks <= 1 || spec.schedule.layout != placement::loop) return judged(0);
      return judged(spec.pp <= 1 ? 1 : rest_of(facts.micro_batches, spec.pp));
    }
    case cause::cfg_layers: return judged(layers_left_out(spec));
    case cause::cfg_batch: return judged(sequences_left_over(spec, facts));
    case cause::cfg_seq: return judged(sequence_left_over(spec));
    case cause::cfg_heads: return judged(heads_left_over(spec));
    case cause::cfg_zero_pp: {
      const std::int64_t stage = spec.pp > 1 ? sharding_stage(spec) : 0;
      // Only DeepSpeed's engine refuses it for certain, and only of no framework it is not known.
      if (spec.framework == frameworks::generic) return unsaid_in_plan(stage, 1);
      return judged(spec.framework == frameworks::deepspeed ? stage : 0, 1);
    }
    default: return judged(broken_expert_rules(spec, facts));
  }
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
      const std::int64_t multiple = vocabulary_multiple_of(spec);
      const bool usual = multiple >= 1 && multiple <= spec.model.vocab + (std::int64_t{1} << 31);
      return judged(rest_of(usual ? padded_vocabulary(spec.model.vocab, multiple) : spec.model.vocab, spec.tp));
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
