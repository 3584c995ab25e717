// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/checked.hpp>
#include <shardplan/core/static_vector.hpp>
#include <shardplan/core/text.hpp>
#include <shardplan/doctor/cause.hpp>
#include <shardplan/doctor/parallel_evidence.hpp>
#include <shardplan/plan/rules/ranges.hpp>
#include <shardplan/recipe/cross_entropy.hpp>
#include <shardplan/recipe/precision.hpp>
#include <shardplan/schedule/interleaved.hpp>
#include <shardplan/schedule/one_f_one_b.hpp>
#include <shardplan/spec/derived.hpp>
#include <shardplan/spec/plan_spec.hpp>

#include <cstdint>

namespace shardplan {

/// One change of a plan that a diagnosis tries.
enum class change_kind {
  nothing,              ///< no change of the plan helps, or none that is tried
  zero,                 ///< `zero<value>`
  micro_batch,          ///< `micro_batch<value>`
  global_batch,         ///< `global_batch<value>`
  sequence,             ///< `sequence<value>`
  tp,                   ///< `tp<value>`
  pp,                   ///< `pp<value>`
  cp,                   ///< `cp<value>`
  dp,                   ///< no `dp<>`: what the cluster leaves
  ep,                   ///< `ep<value>`
  nodes,                ///< that many nodes in `cluster<>`
  chunks,               ///< `schedule<schedules::interleaved<value>>`; 1: `schedules::one_f_one_b`
  recompute_full,       ///< `recompute<recomputes::full>`
  recompute_attention,  ///< `recompute<recomputes::core_attn>`
  recompute_experts,    ///< `recompute<recomputes::moe>`
  loss_chunks,          ///< `cross_entropy<losses::chunked<value>>`
  capacity,             ///< `expert_load<..., value>`: a capacity factor in percent
  slots,                ///< `pipeline_slots<embedding_slot, loss_slot>`
  sequence_parallel,    ///< `sequence_parallel<true>`
  vocabulary_multiple,  ///< `vocabulary_multiple<value>`
  fp32_gradients,       ///< `precision<precisions::bf16_fp32_accumulator>`
  headroom,             ///< `headroom<value>`, MiB
  shard_ranks,          ///< `hsdp<value>` under FSDP, `zero<3, mics<value>>` under ZeRO
  prefetch_nothing,     ///< `prefetch<0>`
  states_to_nvme,       ///< `offload<states_to<storage::nvme>>`
  states_to_device,     ///< no `offload<>` of states and gradients
};

/// The change as one writes it, without its value.
constexpr const char* name_of(change_kind kind) {
  constexpr const char* names[] = {"nothing",
                                   "zero",
                                   "micro_batch",
                                   "global_batch",
                                   "sequence",
                                   "tp",
                                   "pp",
                                   "cp",
                                   "dp",
                                   "ep",
                                   "nodes",
                                   "interleaved",
                                   "recompute full",
                                   "recompute core_attn",
                                   "recompute moe",
                                   "chunked loss",
                                   "capacity",
                                   "pipeline_slots",
                                   "sequence_parallel",
                                   "vocabulary_multiple",
                                   "fp32 gradients",
                                   "headroom",
                                   "shard groups of",
                                   "prefetch",
                                   "states to NVMe",
                                   "states to the device"};
  static_assert(sizeof names / sizeof names[0] == static_cast<unsigned>(change_kind::states_to_device) + 1);
  return names[static_cast<int>(kind)];
}

/// A change with its value; 0 where it has none.
struct change {
  change_kind kind = change_kind::nothing;  ///< what to change
  std::int64_t value = 0;                   ///< its new value

  friend constexpr bool operator==(change left, change right) { return left.kind == right.kind && left.value == right.value; }
};

/// `spec` with that one change made.
constexpr plan_spec changed(const plan_spec& spec, change what) {
  plan_spec result = spec;
  switch (what.kind) {
    case change_kind::nothing: break;
    case change_kind::zero: result.zero = what.value; break;
    case change_kind::micro_batch: result.micro_batch = what.value; break;
    case change_kind::global_batch: result.global_batch = what.value; break;
    case change_kind::sequence: result.sequence = what.value; break;
    case change_kind::tp: result.tp = what.value; break;
    case change_kind::pp: result.pp = what.value; break;
    case change_kind::cp: result.cp = what.value; break;
    case change_kind::dp: result.dp = unset; break;
    case change_kind::ep: result.ep = what.value; break;
    case change_kind::nodes: result.nodes = what.value; break;
    case change_kind::chunks:
      result.schedule = what.value == 1 ? schedules::one_f_one_b::spec : schedules::interleaved<2>::spec;
      result.schedule.chunks = what.value;
      break;
    case change_kind::recompute_full: result.recompute = recomputes::full; break;
    case change_kind::recompute_attention:
      result.recompute = recomputes::core_attn;
      result.recompute_layers = {};
      break;
    case change_kind::recompute_experts: result.recompute = result.recompute | recomputes::moe; break;
    case change_kind::loss_chunks: result.loss.chunks = what.value; break;
    case change_kind::capacity: result.expert_load.capacity = what.value; break;
    case change_kind::slots: result.layer_split.embedding_slot = result.layer_split.loss_slot = true; break;
    case change_kind::sequence_parallel: result.sequence_parallel = toggle::on; break;
    case change_kind::vocabulary_multiple: result.vocabulary_multiple = what.value; break;
    case change_kind::fp32_gradients: result.precision = precisions::bf16_fp32_accumulator::spec; break;
    case change_kind::headroom: result.headroom_mebibytes = what.value; break;
    case change_kind::shard_ranks: result.sharding.ranks = what.value; break;
    case change_kind::prefetch_nothing: result.sharding.prefetch = 0; break;
    case change_kind::states_to_nvme: result.offload.states = storage::nvme; break;
    case change_kind::states_to_device:
      result.offload.states = storage::device;
      result.offload.gradients = storage::device;
      break;
  }
  return result;
}

/// Most changes that are tried for one cause.
inline constexpr std::size_t most_changes = 12;
/// The changes that are tried for one cause, the least first.
using change_list = static_vector<change, most_changes>;

namespace detail {

// Only what can be meant: a list that is full takes no more.
template <class List>
constexpr void offer(List& list, change_kind kind, std::int64_t value = 0) {
  if (list.length < most_changes) list.push_back({kind, value});
}
template <class List>
constexpr void offer_zero(List& list, const plan_spec& spec) {
  if (spec.sharding.is_fsdp()) return;
  for (std::int64_t stage = 1 + (spec.zero > 0 ? spec.zero : 0); stage <= 3; ++stage) offer(list, change_kind::zero, stage);
}
template <class List>
constexpr void offer_smaller_micro_batch(List& list, const plan_spec& spec) {
  if (spec.micro_batch >= 2) offer(list, change_kind::micro_batch, spec.micro_batch / 2);
  if (spec.micro_batch >= 4) offer(list, change_kind::micro_batch, 1);
}
template <class List>
constexpr void offer_double(List& list, change_kind kind, std::int64_t degree, std::int64_t most) {
  for (int twice = 0; twice < 2 && degree >= 1 && degree <= most / 2; ++twice) offer(list, kind, degree *= 2);
}
template <class List>
constexpr void offer_half(List& list, change_kind kind, std::int64_t degree) {
  for (; degree > 1 && degree % 2 == 0; degree /= 2) offer(list, kind, degree / 2);
}
template <class List>
constexpr void offer_memory(List& list, const plan_spec& spec) {
  offer_zero(list, spec);
  if (spec.recompute != recomputes::full) offer(list, change_kind::recompute_full);
  offer_smaller_micro_batch(list, spec);
  offer_double(list, change_kind::tp, spec.tp, spec.devices_per_node);
  offer_double(list, change_kind::pp, spec.pp, spec.model.layers);
}
template <class List>
constexpr void offer_recompute_first(List& list, const plan_spec& spec) {
  if (spec.recompute == recomputes::none) offer(list, change_kind::recompute_attention);
  if (spec.recompute != recomputes::full) offer(list, change_kind::recompute_full);
  offer_smaller_micro_batch(list, spec);
  offer_double(list, change_kind::tp, spec.tp, spec.devices_per_node);
  offer_double(list, change_kind::cp, spec.cp, spec.devices_per_node);
}
// More micro-batches: a larger batch, or smaller micro-batches.
template <class List>
constexpr void offer_more_micro_batches(List& list, const plan_spec& spec) {
  offer_smaller_micro_batch(list, spec);
  for (std::int64_t more = 2; more <= 8; more *= 2)
    if (spec.global_batch >= 1 && spec.global_batch <= (std::int64_t{1} << 28))
      offer(list, change_kind::global_batch, spec.global_batch * more);
}
constexpr std::int64_t next_multiple(std::int64_t value, std::int64_t of) {
  return value < 1 || of < 1 || value > (std::int64_t{1} << 40) || of > (std::int64_t{1} << 40) ? value : (value + of - 1) / of * of;
}

template <class List>
constexpr void offer_configuration(List& list, const plan_spec& spec, const bare_facts& facts, cause which) {
  const std::int64_t together = times(spec.micro_batch, facts.dp);
  switch (which) {
    case cause::cfg_m_lt_p:
      offer_smaller_micro_batch(list, spec);
      offer(list, change_kind::global_batch, times(together, spec.pp));
      break;
    case cause::cfg_vpp:
      offer(list, change_kind::global_batch, times(together, next_multiple(facts.micro_batches, spec.pp)));
      offer(list, change_kind::chunks, 1);
      break;
    case cause::cfg_layers:
      offer(list, change_kind::slots);
      offer_half(list, change_kind::chunks, spec.schedule.chunks);
      for (std::int64_t pp = spec.pp > limits::stages ? limits::stages : spec.pp - 1; pp >= 1 && list.length < most_changes; --pp)
        if (rest_of(spec.model.layers, times(pp, spec.schedule.chunks)) == 0) offer(list, change_kind::pp, pp);
      break;
    case cause::cfg_batch:
      if (spec.dp != unset) offer(list, change_kind::dp);
      for (std::int64_t micro = spec.micro_batch > 64 ? 64 : spec.micro_batch - 1; micro >= 1 && list.length < most_changes - 2; --micro)
        if (rest_of(spec.global_batch, times(micro, facts.dp)) == 0) offer(list, change_kind::micro_batch, micro);
      if (spec.global_batch > together && together > 0) offer(list, change_kind::global_batch, spec.global_batch / together * together);
      offer(list, change_kind::global_batch, next_multiple(spec.global_batch, together));
      break;
    case cause::cfg_seq: {
      const std::int64_t shared = is_sequence_parallel(spec) ? spec.tp : 1;
      offer(list, change_kind::sequence, next_multiple(spec.sequence, spec.cp > 1 ? times(spec.cp, 2 * shared) : shared));
      break;
    }
    case cause::cfg_heads:
      for (std::int64_t tp = spec.tp > 64 ? 64 : spec.tp - 1; tp >= 1 && list.length < most_changes; --tp)
        if (rest_of(spec.model.heads, tp) == 0) offer(list, change_kind::tp, tp);
      break;
    case cause::cfg_zero_pp: offer(list, change_kind::zero, 1); break;
    case cause::cfg_ep:
      if (spec.tp > 1 && !is_sequence_parallel(spec)) offer(list, change_kind::sequence_parallel);
      for (std::int64_t ep = spec.ep > 256 ? 256 : spec.ep - 1; ep >= 1 && list.length < most_changes; --ep)
        if (ep == 1 || rest_of(spec.model.experts.count, ep) == 0) offer(list, change_kind::ep, ep);
      break;
    default: break;
  }
}

template <class List>
constexpr void offer_speed(List& list, const plan_spec& spec, cause which) {
  switch (which) {
    case cause::perf_tp_node: offer_half(list, change_kind::tp, spec.tp); break;
    case cause::perf_bubble:
      if (spec.schedule.chunks == 1) {
        offer(list, change_kind::chunks, 2);
        offer(list, change_kind::chunks, 4);
      }
      offer_more_micro_batches(list, spec);
      offer_half(list, change_kind::pp, spec.pp);
      break;
    case cause::perf_zero3_net:
    case cause::perf_zero23_ga:
      if (spec.sharding.ranks == unset && shards_weights(spec)) offer(list, change_kind::shard_ranks, spec.devices_per_node);
      for (std::int64_t micro = 2; micro <= 8; micro *= 2)
        if (spec.micro_batch <= (std::int64_t{1} << 20)) offer(list, change_kind::micro_batch, spec.micro_batch * micro);
      if (!spec.sharding.is_fsdp()) offer(list, change_kind::zero, 1);
      break;
    case cause::perf_uneven:
      offer(list, change_kind::slots);
      offer_half(list, change_kind::pp, spec.pp);
      break;
    case cause::perf_ep_node: offer_half(list, change_kind::ep, spec.ep); break;
    case cause::perf_recompute: offer(list, change_kind::recompute_attention); break;
    case cause::perf_offload:
      offer(list, change_kind::states_to_device);
      offer_more_micro_batches(list, spec);
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
    case cause::mem_resume:
    case cause::mem_first_step: offer_memory(list, spec); break;
    case cause::mem_fragment:
    case cause::mem_activations: offer_recompute_first(list, spec); break;
    case cause::mem_logits:
      if (spec.loss.chunks < 8) offer(list, change_kind::loss_chunks, 8);
      offer_smaller_micro_batch(list, spec);
      offer_double(list, change_kind::tp, spec.tp, spec.devices_per_node);
      offer_double(list, change_kind::cp, spec.cp, spec.devices_per_node);
      break;
    case cause::mem_first_stage:
      offer(list, change_kind::slots);
      offer_recompute_first(list, spec);
      break;
    case cause::mem_unit:
      offer(list, change_kind::prefetch_nothing);
      if (spec.sharding.is_fsdp()) offer_double(list, change_kind::tp, spec.tp, spec.devices_per_node);
      break;
    case cause::mem_nosync: offer(list, change_kind::zero, 1); break;
    case cause::mem_comms: offer(list, change_kind::headroom, 2 * spec.headroom_mebibytes); break;
    case cause::mem_moe_skew:
      offer(list, change_kind::capacity, 125);
      offer(list, change_kind::recompute_experts);
      offer_double(list, change_kind::ep, spec.ep, spec.model.experts.count);
      break;
    case cause::mem_host:
      offer(list, change_kind::states_to_nvme);
      offer_double(list, change_kind::nodes, spec.nodes, std::int64_t{1} << 20);
      break;
    case cause::hang_zero3_moe: offer_double(list, change_kind::ep, spec.ep, spec.devices_per_node); break;
    case cause::num_vocab: offer(list, change_kind::vocabulary_multiple, times(128, spec.tp)); break;
    case cause::num_bf16_reduce: offer(list, change_kind::fp32_gradients); break;
    default:
      offer_configuration(list, spec, facts, which);
      offer_speed(list, spec, which);
      break;
  }
  return list;
}

}  // namespace detail

}  // namespace shardplan
