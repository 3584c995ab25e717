// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/checked.hpp>
#include <shardplan/core/size.hpp>
#include <shardplan/core/unset.hpp>
#include <shardplan/parallel/vocabulary.hpp>
#include <shardplan/plan/quantity.hpp>
#include <shardplan/plan/rules/order.hpp>
#include <shardplan/plan/rules/sequence.hpp>
#include <shardplan/plan/violation.hpp>
#include <shardplan/spec/derived.hpp>
#include <shardplan/spec/plan_spec.hpp>
#include <shardplan/spec/stage_layers.hpp>

#include <cstdint>

namespace shardplan::detail {

// Tier two: what must divide divides. Only for a spec that passed tier one. Sources of the rules: docs/reference/rules.md.

template <class Sink>
constexpr void check_divides(Sink& sink, quantity divisor, std::int64_t by, quantity dividend, std::int64_t of) {
  if (of % by != 0) sink.add_pair(rule::does_not_divide, {divisor, by}, {dividend, of});
}

// Replicas, or 0 when the cluster does not hold a whole number of them.
template <class Sink, class Spec>
constexpr std::int64_t check_world(const Spec& spec, Sink& sink) {
  const std::int64_t devices = spec.devices_per_node * spec.nodes;
  const std::int64_t model_ranks = spec.tp * spec.pp * spec.cp;
  if (spec.model.experts.count > 0)
    check_divides(sink, quantity::etp_x_ep_x_pp, spec.etp * spec.ep * spec.pp, quantity::device_count, devices);
  if (spec.dp != unset) {
    if (model_ranks * spec.dp != devices)
      sink.add_pair(rule::does_not_match, {quantity::tp_x_pp_x_cp_x_dp, model_ranks * spec.dp}, {quantity::device_count, devices});
    return spec.dp;
  }
  if (devices % model_ranks == 0) return devices / model_ranks;
  const bool tp_alone = spec.tp == model_ranks;
  const bool pp_alone = spec.pp == model_ranks;
  const quantity what = tp_alone ? quantity::tp : pp_alone ? quantity::pp : quantity::tp_x_pp_x_cp;
  sink.add_pair(rule::does_not_divide, {what, model_ranks}, {quantity::device_count, devices});
  return 0;
}

// DeepSpeed's sequence parallelism (Ulysses, arXiv 2309.14509) deals heads out to the cp ranks inside attention; key/value heads that are
// fewer are replicated.
template <class Sink, class Spec>
constexpr void check_ulysses(const Spec& spec, std::int64_t kv_heads, Sink& sink) {
  const std::int64_t ranks = spec.cp * spec.tp;
  const quantity what = spec.tp == 1 ? quantity::cp : quantity::cp_x_tp;
  check_divides(sink, what, ranks, quantity::heads, spec.model.heads);
  if (kv_heads != spec.model.heads && kv_heads % ranks != 0 && ranks % kv_heads != 0)
    sink.add_pair(rule::neither_multiple_nor_divisor, {quantity::kv_heads, kv_heads}, {what, ranks});
}

template <class Sink, class Spec>
constexpr void check_widths(const Spec& spec, Sink& sink) {
  const auto& shape = spec.model;
  const std::int64_t kv_heads = shape.key_value_heads();
  if (shape.head_dim == 0 && shape.latent.key_value_rank == 0)
    check_divides(sink, quantity::heads, shape.heads, quantity::hidden, shape.hidden);
  check_divides(sink, quantity::kv_heads, kv_heads, quantity::heads, shape.heads);
  check_divides(sink, quantity::tp, spec.tp, quantity::heads, shape.heads);
  if (kv_heads != shape.heads && kv_heads % spec.tp != 0) {
    // torch's tensor parallelism cuts the key/value projections by heads (pytorch/torchtitan issue 2574); Megatron-LM replicates a head.
    if (spec.framework >= frameworks::torchtitan)
      sink.add_pair(rule::does_not_divide, {quantity::tp, spec.tp}, {quantity::kv_heads, kv_heads});
    else if (spec.tp % kv_heads != 0)
      sink.add_pair(rule::neither_multiple_nor_divisor, {quantity::kv_heads, kv_heads}, {quantity::tp, spec.tp});
  }
  if (spec.cp > 1 && spec.framework == frameworks::deepspeed) check_ulysses(spec, kv_heads, sink);
  check_divides(sink, quantity::tp, spec.tp, quantity::hidden, shape.hidden);
  if (shape.experts.count == 0 || shape.dense_layers() > 0) check_divides(sink, quantity::tp, spec.tp, quantity::ffn, shape.ffn);
  check_divides(sink, quantity::tp, spec.tp, quantity::vocabulary, padded_vocabulary(shape.vocab, vocabulary_multiple_of(spec)));
  if (shape.experts.count > 0) {
    check_divides(sink, quantity::ep, spec.ep, quantity::expert_count, shape.experts.count);
    check_divides(sink, quantity::etp, spec.etp, quantity::expert_ffn, shape.expert_width());
    check_divides(sink, quantity::tp, spec.tp, quantity::shared_ffn, shape.experts.shared_ffn);
  }
}

// Whether a stage has something else in the place of a block.
template <class Spec>
constexpr bool may_be_empty(const Spec& spec, std::int64_t stage, std::int64_t stages) {
  return (stage == 0 && first_stage_less_of(spec) > 0) || (stage == stages - 1 && last_stage_less_of(spec) > 0) ||
         (spec.model.next_token_layers > 0 && stage == next_token_stage_of(spec.layer_split, stages));
}

// Layers that are dealt out. What pytorch/torchtitan distributed/pipeline_parallel.py at 02ef790 (pipeline_llm,
// generate_llm_fqn_per_model_part) raises a ValueError for holds of every deal: a stage without a place, or short of more than its share.
// More than two chunks a rank its layers_per_stage must be able to make.
template <class Sink, class Spec>
constexpr void check_deal(const Spec& spec, measured stages, Sink& sink) {
  const std::int64_t first_less = first_stage_less_of(spec);
  const std::int64_t last_less = last_stage_less_of(spec);
  const measured places{first_less + last_less == 0 ? quantity::layers : quantity::layers_and_slots, layer_places_of(spec)};
  if (stages.value == 1) return;
  if (!balances_layers(spec)) {
    check_divides(sink, stages.what, stages.value, places.what, places.value);
    if (first_less <= 1 && last_less <= 1) return;
  } else if (stages.value > places.value) {
    sink.add_pair(rule::exceeds, stages, places);
  }
  const measured share{quantity::layers_a_stage, places.value / stages.value};
  if (share.value == 0) return;
  if (first_less > share.value) sink.add_pair(rule::exceeds, {quantity::first_stage_less, first_less}, share);
  if (last_less > share.value) sink.add_pair(rule::exceeds, {quantity::last_stage_less, last_less}, share);
  if (!balances_layers(spec) || spec.pp == 1 || stages.value <= 2 * spec.pp) return;
  const std::int64_t made = stages_of_equal_layers(places.value, stages.value);
  if (made != stages.value) sink.add_pair(rule::does_not_match, stages, {quantity::virtual_stages, made});
}

template <class Sink, class Spec>
constexpr void check_stages(const Spec& spec, Sink& sink) {
  const std::int64_t stages = spec.schedule.stages(spec.pp);
  const quantity what = stages == spec.pp ? quantity::pp : quantity::pp_x_chunks;
  const auto& split = spec.layer_split;
  if (split.next_token_stage != unset && (0 > split.next_token_stage || split.next_token_stage >= stages))
    sink.add_range({quantity::next_token_stage, split.next_token_stage}, 0, stages - 1);
  if (split.counts.length == 0) return check_deal(spec, {what, stages}, sink);
  std::int64_t sum = 0;
  for (std::size_t at = 0; at < spec.layer_split.counts.length; ++at) {
    const std::int64_t count = spec.layer_split.counts.values[at];
    sum += count;
    if (count == 0 && !may_be_empty(spec, static_cast<std::int64_t>(at), stages)) sink.add_stage(static_cast<std::int64_t>(at));
  }
  if (spec.layer_split.entries() != stages)
    sink.add_pair(rule::does_not_match, {quantity::layer_split_entries, spec.layer_split.entries()}, {what, stages});
  if (sum != spec.model.layers)
    sink.add_pair(rule::does_not_match, {quantity::layer_split_sum, sum}, {quantity::layers, spec.model.layers});
}

// Shard groups smaller than all replicas: they must tile them, for routed experts too. Quantised gradients are reduced among the ranks of a
// node first: where more ranks share them, nodes must tile these.
template <class Sink, class Spec>
constexpr void check_shard_groups(const Spec& spec, std::int64_t replicas, Sink& sink) {
  const auto& sharding = spec.sharding;
  const bool by_nodes = spec.communication.gradient_bits != 0 && shards_optimizer(spec);
  if (replicas == 0 || (sharding.ranks == unset && sharding.secondary == unset && !by_nodes)) return;
  const std::int64_t ranks = replicas * spec.cp;
  const std::int64_t experts = spec.model.experts.count > 0 ? spec.devices_per_node * spec.nodes / (spec.etp * spec.ep * spec.pp) : 0;
  if (sharding.ranks != unset) {
    check_divides(sink, quantity::shard_ranks, sharding.ranks, quantity::dp_x_cp, ranks);
    if (ranks % sharding.ranks == 0) check_divides(sink, quantity::shard_groups, ranks / sharding.ranks, quantity::expert_shards, experts);
  }
  if (sharding.secondary != unset) {
    check_divides(sink, quantity::hpz, sharding.secondary, quantity::dp_x_cp, ranks);
    check_divides(sink, quantity::hpz, sharding.secondary, quantity::expert_shards, experts);
  }
  if (!by_nodes) return;
  const std::int64_t inside = spec.communication.node_ranks;
  const std::int64_t sharers = sharding.ranks == unset ? ranks : sharding.ranks;
  const quantity what = sharding.ranks == unset ? quantity::dp_x_cp : quantity::shard_ranks;
  if (sharers > inside) check_divides(sink, quantity::node_ranks, inside, what, sharers);
  // Experts are replicated as often as dense parameters.
  const std::int64_t expert_sharers = ranks % sharers == 0 ? experts / (ranks / sharers) : 0;
  if (expert_sharers > inside) check_divides(sink, quantity::node_ranks, inside, quantity::expert_shards, expert_sharers);
}

// Micro-batches of a replica, or 0 when the batch does not divide.
template <class Sink, class Spec>
constexpr std::int64_t check_batch(const Spec& spec, std::int64_t replicas, Sink& sink) {
  const std::int64_t at_once = spec.micro_batch * replicas;
  if (at_once == 0) return 0;  // the world rule has spoken
  if (spec.accumulation != unset) {
    const std::int64_t in_a_step = saturating_multiply(at_once, spec.accumulation);
    if (in_a_step == spec.global_batch) return spec.accumulation;
    sink.add_pair(rule::does_not_match, {quantity::micro_batch_x_accumulation_x_dp, in_a_step},
                  {quantity::global_batch, spec.global_batch});
    return 0;
  }
  if (spec.global_batch % at_once == 0) return spec.global_batch / at_once;
  sink.add_pair(rule::does_not_divide, {quantity::micro_batch_x_dp, at_once}, {quantity::global_batch, spec.global_batch});
  return 0;
}

// More versions of the weights than any rank keeps; their bytes stay exact.
inline constexpr std::int64_t most_weight_versions = 64;

// A user's schedule is a function of his: what it returns is held to its contract before anything is multiplied with it.
template <class Sink, class Spec>
constexpr void check_schedule(const Spec& spec, std::int64_t micro_batches, Sink& sink) {
  const auto& schedule = spec.schedule;
  if (micro_batches == 0) return;
  if (!__builtin_is_constant_evaluated() && schedule.in_flight == nullptr) {
    sink.add_range({quantity::in_flight, 0}, 1, micro_batches * schedule.chunks * schedule.slices);
    return;
  }
  const std::int64_t most = micro_batches * schedule.chunks * schedule.slices;
  for (std::int64_t rank = 0; rank < spec.pp; ++rank) {
    const std::int64_t alive = schedule.in_flight(spec.pp, micro_batches, schedule.chunks, rank);
    if (alive < 1 || alive > most) {
      sink.add_range({quantity::in_flight, alive}, 1, most);
      return;
    }
    const std::int64_t versions = schedule.drains ? 1 : schedule.weight_versions(spec.pp, rank);
    if (versions < 1 || versions > most_weight_versions) {
      sink.add_range({quantity::weight_versions, versions}, 1, most_weight_versions);
      return;
    }
  }
  if (spec.pp > 1 || schedule.chunks > 1 || schedule.slices > 1) check_order(spec, micro_batches, sink);
}

/// Reports everything of tier two that `spec` breaks.
template <class Sink, class Spec>
constexpr void check_divisibility(const Spec& spec, Sink& sink) {
  const std::int64_t replicas = check_world(spec, sink);
  check_widths(spec, sink);
  check_stages(spec, sink);
  check_sequence(spec, sink);
  check_shard_groups(spec, replicas, sink);
  check_schedule(spec, check_batch(spec, replicas, sink), sink);
}

}  // namespace shardplan::detail
