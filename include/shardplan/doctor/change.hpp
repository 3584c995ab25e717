// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/checked.hpp>
#include <shardplan/core/unset.hpp>
#include <shardplan/doctor/cause.hpp>
#include <shardplan/doctor/parallel_evidence.hpp>
#include <shardplan/doctor/proposal.hpp>
#include <shardplan/parallel/locality.hpp>
#include <shardplan/plan/framework_has.hpp>
#include <shardplan/plan/idle.hpp>
#include <shardplan/plan/remedy.hpp>
#include <shardplan/plan/rules/ranges.hpp>
#include <shardplan/plan/violation.hpp>
#include <shardplan/recipe/collectives.hpp>
#include <shardplan/schedule/catalog.hpp>
#include <shardplan/spec/derived.hpp>
#include <shardplan/spec/plan_spec.hpp>
#include <shardplan/spec/stage_layers.hpp>

#include <cstdint>

namespace shardplan {

namespace detail {

template <class List>
constexpr void propose_configuration(List& list, const plan_spec& spec, const bare_facts& facts, cause which) {
  const std::int64_t together = times(spec.micro_batch, facts.dp);
  switch (which) {
    case cause::cfg_m_lt_p:
      propose_smaller_micro_batch(list, spec);
      propose(list, remedy_kind::global_batch, times(together, spec.pp));
      break;
    case cause::cfg_vpp:
      propose(list, remedy_kind::global_batch, times(together, next_multiple(facts.micro_batches, spec.pp)));
      propose(list, remedy_kind::chunks, 1);
      break;
    case cause::cfg_layers:
      propose(list, remedy_kind::pipeline_slots);
      propose_half(list, remedy_kind::chunks, spec.schedule.chunks);
      if (spec.pp >= 1 && spec.pp <= limits::stages) propose_even_split(list, spec);
      for (std::int64_t pp = spec.pp > limits::stages ? limits::stages : spec.pp - 1; pp >= 1 && list.length < most_changes; --pp)
        if (rest_of(spec.model.layers, times(pp, spec.schedule.chunks)) == 0 || deals_out(spec, times(pp, spec.schedule.chunks)))
          propose(list, remedy_kind::pp, pp);
      break;
    case cause::cfg_batch:
      if (spec.dp != unset) propose(list, remedy_kind::dp, unset);
      if (spec.accumulation != unset && together > 0) {
        if (rest_of(spec.global_batch, together) == 0) propose(list, remedy_kind::accumulation, spec.global_batch / together);
        propose(list, remedy_kind::global_batch, times(together, spec.accumulation));
      }
      for (std::int64_t micro = spec.micro_batch > 64 ? 64 : spec.micro_batch - 1; micro >= 1 && list.length < most_changes - 2; --micro)
        if (rest_of(spec.global_batch, times(micro, facts.dp)) == 0) propose(list, remedy_kind::micro_batch, micro);
      if (spec.global_batch > together && together > 0) propose(list, remedy_kind::global_batch, spec.global_batch / together * together);
      propose(list, remedy_kind::global_batch, next_multiple(spec.global_batch, together));
      break;
    case cause::cfg_seq: {
      const std::int64_t shared = is_sequence_parallel(spec) ? spec.tp : 1;
      propose(list, remedy_kind::sequence, next_multiple(spec.sequence, spec.cp > 1 ? times(spec.cp, 2 * shared) : shared));
      break;
    }
    case cause::cfg_heads:
      for (std::int64_t tp = spec.tp > 64 ? 64 : spec.tp - 1; tp >= 1 && list.length < most_changes; --tp)
        if (rest_of(spec.model.heads, tp) == 0) propose(list, remedy_kind::tp, tp);
      break;
    case cause::cfg_zero_pp: propose(list, remedy_kind::zero, 1); break;
    case cause::cfg_ep:
      if (spec.tp > 1 && !is_sequence_parallel(spec)) propose(list, remedy_kind::sequence_parallel);
      if (shards_weights(spec) && !spec.sharding.is_fsdp()) propose(list, remedy_kind::zero, 2);
      propose_half(list, remedy_kind::tp, spec.tp);
      for (std::int64_t ep = spec.ep > 256 ? 256 : spec.ep - 1; ep >= 1 && list.length < most_changes; --ep)
        if (ep == 1 || rest_of(spec.model.experts.count, ep) == 0) propose(list, remedy_kind::ep, ep);
      break;
    case cause::cfg_grid: {
      if (spec.dp != unset) propose(list, remedy_kind::dp, unset);
      const std::int64_t ranks = times(facts.dp, spec.cp);
      if (spec.sharding.ranks != unset)
        for (std::int64_t group = spec.sharding.ranks < ranks ? spec.sharding.ranks : ranks; group >= 2; group /= 2) {
          const std::int64_t smaller = greatest_divisor(group, ranks);
          if (smaller >= 2) propose(list, remedy_kind::shard_ranks, smaller);
        }
      if (spec.sharding.ranks != unset && ranks >= 1) propose(list, remedy_kind::shard_ranks, ranks);
      break;
    }
    case cause::cfg_other:
      if (spec.zero != 0 && spec.sharding.is_fsdp()) propose(list, remedy_kind::zero, 0);
      if (!spec.sharding.is_fsdp())
        for (std::int64_t stage = 3; stage >= 1; stage -= 2)
          if (stage != spec.zero) propose(list, remedy_kind::zero, stage);
      break;
    default: break;
  }
}

// Schedules that idle less than 1F1B and its interleaved form, beside which `propose_speed` has the numbers of chunks. A proposal has the
// number of one as the value of `remedy_kind::schedule`.
using bubble_schedules =
    tried_schedules<schedules::zb_h1, schedules::interleaved_zb<2>, schedules::interleaved_zb<4>, schedules::zb_v, schedules::zb_h2>;
// Makes a proposed change.
template <class Spec>
constexpr void make_proposed(Spec& result, remedy what) {
  if (what.kind == remedy_kind::schedule) {
    result.schedule = bubble_schedules::at(static_cast<int>(what.value));
  } else {
    make_change(result, what);
  }
}
template <class Spec>
constexpr Spec with_proposed(const Spec& spec, remedy first, remedy second = {}, remedy third = {}) {
  Spec result = spec;
  make_proposed(result, first);
  make_proposed(result, second);
  make_proposed(result, third);
  return result;
}

template <class List>
constexpr void propose_speed(List& list, const plan_spec& spec, cause which) {
  switch (which) {
    case cause::perf_tp_node: propose_half(list, remedy_kind::tp, spec.tp); break;
    case cause::perf_bubble:
      for (std::int64_t chunks = 2; chunks <= 8; ++chunks)
        if (spec.schedule.chunks == 1 && has_schedule(spec.framework, schedules::interleaved<2>::spec))
          propose(list, remedy_kind::chunks, chunks);
      propose_smaller_micro_batch(list, spec);
      for (int index = 0; index < bubble_schedules::count; ++index)
        if (spec.pp > 1 && has_schedule(spec.framework, bubble_schedules::at(index))) propose(list, remedy_kind::schedule, index);
      propose_larger_batch(list, spec);  // another recipe, so later
      propose_half(list, remedy_kind::pp, spec.pp);
      break;
    case cause::perf_zero3_net:
    case cause::perf_zero23_ga:
      if (spec.sharding.ranks == unset && shards_weights(spec)) propose(list, remedy_kind::shard_ranks, spec.devices_per_node);
      for (std::int64_t micro = 2; micro <= 8; micro *= 2)
        if (spec.micro_batch <= (std::int64_t{1} << 20)) propose(list, remedy_kind::micro_batch, spec.micro_batch * micro);
      if (shards_weights(spec) && spec.sharding.reshard_after_forward) propose(list, remedy_kind::reshard, 0);
      if (!spec.sharding.is_fsdp() && has_zero_stages(spec.framework)) propose(list, remedy_kind::zero, 1);
      propose_double(list, remedy_kind::tp, spec.tp, spec.devices_per_node);
      propose_double(list, remedy_kind::pp, spec.pp, spec.model.layers);
      propose_double(list, remedy_kind::ep, spec.ep, spec.model.experts.count);
      break;
    case cause::perf_tile: propose_half(list, remedy_kind::tp, spec.tp); break;
    case cause::perf_uneven:
      propose(list, remedy_kind::pipeline_slots);
      propose_even_split(list, spec);
      propose_half(list, remedy_kind::pp, spec.pp);
      break;
    case cause::perf_ep_node:
      propose_half(list, remedy_kind::ep, spec.ep);
      // A token goes to so many nodes at most: to fewer than its experts and than there are.
      for (std::int64_t limit = 8; limit >= 1; limit /= 2)
        if (limit < spec.model.experts.top_k && limit < spec.nodes && (spec.routed_nodes <= 0 || limit < spec.routed_nodes))
          propose(list, remedy_kind::routed_nodes, limit);
      propose_half(list, remedy_kind::tp, spec.tp);
      propose_double(list, remedy_kind::tp, spec.tp, spec.devices_per_node);
      break;
    case cause::perf_latency:
      if (spec.collectives.dp == algorithm::ring) propose(list, remedy_kind::dp_tree);
      if (spec.sharding.ranks == unset && sharding_stage(spec) > 0) propose(list, remedy_kind::shard_ranks, spec.devices_per_node);
      propose_double(list, remedy_kind::tp, spec.tp, spec.devices_per_node);
      propose_double(list, remedy_kind::cp, spec.cp, spec.devices_per_node);
      propose_half(list, remedy_kind::nodes, spec.nodes);
      break;
    case cause::perf_recompute:
      propose(list, remedy_kind::recompute_attention);
      propose(list, remedy_kind::recompute_pointwise, spec.model.experts.count > 0 ? 1 : 0);
      break;
    case cause::perf_offload:
      propose(list, remedy_kind::states_to_device);
      propose_smaller_micro_batch(list, spec);
      propose_larger_batch(list, spec);
      break;
    default: break;
  }
}

// What is tried against a cause, the least first.
constexpr change_list changes_for(const plan_spec& spec, cause which) {
  change_list list{};
  const bare_facts facts = bare_facts_of(spec);
  switch (which) {
    case cause::mem_states:
    case cause::mem_resume: propose_remedies(list, spec, shrinks_states); break;
    case cause::mem_fragment:
    case cause::mem_comms:
    case cause::mem_first_step:
      propose_remedies(list, spec, [](remedy_kind kind) { return shrinks_states(kind) || shrinks_activations(kind); });
      break;
    case cause::mem_activations: propose_remedies(list, spec, shrinks_activations); break;
    case cause::mem_logits:
      if (spec.loss.chunks < 8) propose(list, remedy_kind::loss_chunks, 8);
      propose_smaller_micro_batch(list, spec);
      propose_double(list, remedy_kind::tp, spec.tp, spec.devices_per_node);
      propose_double(list, remedy_kind::cp, spec.cp, spec.devices_per_node);
      break;
    case cause::mem_first_stage:
      propose(list, remedy_kind::pipeline_slots);
      propose_remedies(list, spec, shrinks_activations);
      propose_half(list, remedy_kind::pp, spec.pp);
      break;
    case cause::mem_last_stage:
      if (spec.loss.chunks < 8) propose(list, remedy_kind::loss_chunks, 8);
      propose(list, remedy_kind::pipeline_slots);
      propose_smaller_micro_batch(list, spec);
      propose_double(list, remedy_kind::tp, spec.tp, spec.devices_per_node);
      propose_even_split(list, spec);
      propose_remedies(list, spec, [](remedy_kind kind) { return shrinks_states(kind) || shrinks_activations(kind); });
      propose_half(list, remedy_kind::pp, spec.pp);
      break;
    case cause::mem_in_flight:
      propose_remedies(list, spec, shrinks_activations);
      propose(list, remedy_kind::pipeline_slots);
      propose_even_split(list, spec);
      for (int index = 0; index < bubble_schedules::count; ++index) propose(list, remedy_kind::schedule, index);
      propose_half(list, remedy_kind::pp, spec.pp);
      break;
    case cause::mem_embedding:
    case cause::mem_head:
      propose_remedies(list, spec, shrinks_states);
      propose_double(list, remedy_kind::tp, spec.tp, spec.devices_per_node);
      break;
    case cause::mem_unit:
      propose(list, remedy_kind::prefetch, 0);
      propose_double(list, remedy_kind::tp, spec.tp, spec.devices_per_node);
      propose_double(list, remedy_kind::ep, spec.ep, spec.model.experts.count);
      if (!spec.sharding.is_fsdp() && has_zero_stages(spec.framework)) propose(list, remedy_kind::zero, 2);  // gathers nothing
      break;
    case cause::mem_nosync:
      if (spec.communication.late_sync) propose(list, remedy_kind::late_sync, 0);
      if (!spec.sharding.is_fsdp() && has_zero_stages(spec.framework)) propose(list, remedy_kind::zero, 1);
      propose_double(list, remedy_kind::ep, spec.ep, spec.model.experts.count);
      propose_double(list, remedy_kind::tp, spec.tp, spec.devices_per_node);
      propose_double(list, remedy_kind::pp, spec.pp, spec.model.layers);
      break;
    case cause::mem_moe_skew:
      propose(list, remedy_kind::capacity, 125);
      propose(list, remedy_kind::recompute_experts);
      propose_double(list, remedy_kind::ep, spec.ep, spec.model.experts.count);
      propose_remedies(list, spec, shrinks_activations);
      break;
    case cause::mem_host:
      if (has_nvme(spec.framework)) propose(list, remedy_kind::states_to_nvme);
      propose_double(list, remedy_kind::nodes, spec.nodes, std::int64_t{1} << 20);
      break;
    case cause::hang_zero3_moe: propose_double(list, remedy_kind::ep, spec.ep, spec.devices_per_node); break;
    case cause::num_vocab: propose(list, remedy_kind::vocabulary_multiple, times(128, spec.tp)); break;
    case cause::num_bf16_reduce: propose(list, remedy_kind::fp32_gradients); break;
    default:
      propose_configuration(list, spec, facts, which);
      propose_speed(list, spec, which);
      break;
  }
  return list;
}

}  // namespace detail

}  // namespace shardplan
