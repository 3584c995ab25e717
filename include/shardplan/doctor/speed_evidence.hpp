// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/checked.hpp>
#include <shardplan/doctor/cause.hpp>
#include <shardplan/doctor/evidence.hpp>
#include <shardplan/doctor/parallel_evidence.hpp>
#include <shardplan/memory/held.hpp>
#include <shardplan/memory/host.hpp>
#include <shardplan/model/parameters.hpp>
#include <shardplan/parallel/axis.hpp>
#include <shardplan/parallel/topology.hpp>
#include <shardplan/spec/mesh_of.hpp>
#include <shardplan/spec/plan_spec.hpp>

#include <cstdint>

namespace shardplan {

/// Of the nominal BF16 rate, per mille, that computing is taken to reach where transfers are held against it: published dense runs reach
/// 350 to 550 (truth file of published runs). Estimate.
inline constexpr std::int64_t assumed_compute_per_mille = 500;
/// Bytes a second of a host's memory, for the optimizer on the host: eight channels of DDR4-3200. Estimate.
inline constexpr std::int64_t assumed_host_memory_rate = 204'800'000'000;
/// Bytes a host's AdamW moves for a parameter: reads parameter, both moments and gradient, writes all but the gradient, in fp32.
inline constexpr std::int64_t host_step_bytes = 28;
/// Nanoseconds of one step of a ring: 3.4 us over NVLink (H100, measured), 10 us and more over a network (NVIDIA/nccl issue 2409).
inline constexpr std::int64_t fabric_latency_ns = 3'400;
/// The same over a network.
inline constexpr std::int64_t network_latency_ns = 10'000;

namespace detail {

constexpr std::int64_t nanoseconds(std::int64_t amount, std::int64_t per_second) {
  if (amount <= 0) return 0;
  if (amount > INT64_MAX / 1000) return per_second < 1'000'000'000 ? INT64_MAX : amount / (per_second / 1'000'000'000);
  return per_second < 1'000'000 ? INT64_MAX : amount * 1000 / (per_second / 1'000'000);
}

// Forward and backward of one micro-batch on one rank, at the assumed rate: 6 FLOPs a parameter and token, 8 with full recomputation.
constexpr std::int64_t compute_ns(const patient& who) {
  const std::int64_t passes = who.spec.recompute == recomputes::full ? 8 : 6;
  const std::int64_t share = active_parameter_count_of(who.spec.model) / (who.spec.tp * who.spec.pp);
  const std::int64_t flops = saturating_multiply(saturating_multiply(passes, share), who.layout.facts.tokens);
  return nanoseconds(flops, who.spec.device.bf16_flops / 1000 * assumed_compute_per_mille);
}

// Of the time of both, when neither hides the other.
constexpr std::int64_t lost_per_mille(std::int64_t waits, std::int64_t works) {
  return waits == INT64_MAX ? 1000 : per_mille(waits, saturating_add(waits, works));
}

template <class Spec = plan_spec>
constexpr axis_link link_between(const Spec& spec, axis along) {
  const mesh ranks = mesh_of(spec);
  if (ranks.world == 0) return {};
  return link_of(ranks, topology_of(spec), along);
}

constexpr evidence tensor_node_evidence(const patient& who) {
  const axis_link link = link_between(who.spec, axis::tp);
  const std::int64_t astride = link.kind == link_kind::none ? 0 : link.over_fabric.astride();
  // Without sequence parallelism 8 (t - 1)/t, with it 10 (t - 1)/t hidden states a layer (handbook/communication.hpp).
  const std::int64_t hidden = who.layout.facts.tokens * who.spec.model.hidden * who.spec.precision.compute;
  const std::int64_t sent = saturating_multiply(hidden / who.spec.tp * (who.spec.tp - 1), is_sequence_parallel(who.spec) ? 10 : 8);
  const std::int64_t waits = nanoseconds(saturating_multiply(sent, who.spec.model.layers / who.spec.pp), link.bytes_per_second);
  return judged(astride, 0, astride > 0 ? lost_per_mille(waits, compute_ns(who)) : 0);
}

constexpr evidence bubble_evidence(const patient& who) {
  if (who.spec.pp == 1 || !who.spec.schedule.drains) return judged(0, 100, 0);
  const std::int64_t parts = saturating_multiply(who.layout.facts.micro_batches, who.spec.schedule.chunks * who.spec.schedule.slices);
  const std::int64_t idle = per_mille(who.spec.pp - 1, saturating_add(parts, who.spec.pp - 1));
  return judged(idle, 100, idle);
}

// One pass of a ring over the weights of the peak stage, among the ranks that share them.
constexpr std::int64_t shard_ring_ns(const patient& who) {
  const std::int64_t shards = who.layout.facts.dense_shards;
  if (shards <= 1) return 0;
  const parameter_sum held = held_by(who.layout, extent_of_stage(who.spec, who.layout.facts, who.peak.stage));
  const std::int64_t whole = (held.dense + held.routed) * who.spec.precision.compute;
  const std::int64_t replicas = who.spec.sharding.ranks == unset ? 1 : who.layout.facts.grid.dense_shards() / shards;
  const mesh ranks = mesh_of(who.spec, replicas);
  const axis_link link = ranks.world == 0 ? axis_link{} : link_of(ranks, topology_of(who.spec), axis::fsdp);
  return nanoseconds(whole / shards * (shards - 1), link.bytes_per_second);
}

constexpr evidence sharded_network_evidence(const patient& who) {
  if (!shards_weights(who.spec)) return judged(0, 500, 0);
  const std::int64_t ring = shard_ring_ns(who);
  const std::int64_t waits = saturating_multiply(ring, who.spec.sharding.reshard_after_forward ? 3 : 2);
  const std::int64_t works = compute_ns(who);
  return judged(per_mille(waits, works), 500, lost_per_mille(waits, works));
}

constexpr evidence accumulation_evidence(const patient& who) {
  const std::int64_t micro_batches = who.layout.facts.micro_batches;
  if (!shards_gradients(who.spec) || micro_batches <= 1) return judged(0, 200, 0);
  const std::int64_t again = saturating_multiply(shard_ring_ns(who), shards_weights(who.spec) ? 3 : 1);
  const std::int64_t works = compute_ns(who);
  return judged(per_mille(again, works), 200, lost_per_mille(again, works));
}

constexpr evidence latency_evidence(const patient& who) {
  const std::int64_t replicas = who.layout.facts.grid.dense_shards();
  const axis_link link = link_between(who.spec, axis::dp_cp);
  if (replicas <= 1 || link.kind == link_kind::none) return judged(0, 0, 0);
  const std::int64_t latency = link.kind == link_kind::network ? network_latency_ns : fabric_latency_ns;
  const std::int64_t worth = saturating_multiply(link.bytes_per_second / 1'000'000, latency) / 1000;
  const parameter_sum held = held_by(who.layout, extent_of_stage(who.spec, who.layout.facts, who.peak.stage));
  const std::int64_t message = held.dense * who.spec.precision.gradient / replicas;
  return judged(worth, message, per_mille(worth, saturating_add(worth, message)));
}

constexpr evidence tile_evidence(const patient& who) {
  const transformer& shape = who.spec.model;
  const std::int64_t ffn = shape.experts.count > 0 ? shape.expert_width() / who.spec.etp : shape.ffn / who.spec.tp;
  const std::int64_t odd = (shape.hidden / who.spec.tp % 128 != 0) + (ffn % 128 != 0) + (shape.head_width() % 64 != 0);
  return judged(odd, 0, odd * 50);
}

constexpr evidence uneven_evidence(const patient& who) {
  if (who.spec.pp == 1) return judged(0, 50, 0);
  std::int64_t most = 0;
  for (std::int64_t stage = 0; stage < who.spec.pp; ++stage) {
    const std::int64_t layers = extent_of_stage(who.spec, who.layout.facts, stage).layers;
    if (layers > most) most = layers;
  }
  const layer_counts& split = who.spec.layer_split;
  // Slots work as long as a layer: that is what they are for.
  const std::int64_t all = who.spec.model.layers + who.spec.model.next_token_layers + split.embedding_slot + split.loss_slot;
  const std::int64_t over = per_mille(most * who.spec.pp - all, all);
  return judged(over, 50, over);
}

constexpr evidence expert_node_evidence(const patient& who) {
  const transformer& shape = who.spec.model;
  if (shape.experts.count == 0 || who.spec.ep <= 1) return judged(0, 1000, 0);
  const axis_link link = link_between(who.spec, axis::ep);
  const std::int64_t routed = saturating_multiply(who.layout.facts.tokens, shape.experts.top_k);
  // Out and back, forward and backward.
  const std::int64_t sent = saturating_multiply(routed, 4 * shape.hidden * who.spec.precision.compute) / who.spec.ep * (who.spec.ep - 1);
  const std::int64_t matrices = shape.mlp == mlp::gated ? 3 : 2;
  const std::int64_t flops = saturating_multiply(routed, 6 * matrices * shape.hidden * shape.expert_width());
  const std::int64_t works = nanoseconds(flops, who.spec.device.bf16_flops / 1000 * assumed_compute_per_mille);
  const std::int64_t waits = nanoseconds(sent, link.bytes_per_second);
  return judged(link.over_fabric.astride() > 0 ? per_mille(waits, works) : 0, 1000, lost_per_mille(waits, works));
}

constexpr evidence recompute_evidence(const patient& who) {
  if (who.spec.recompute != recomputes::full) return judged(0, 50, 0);
  plan_spec less = who.spec;
  less.recompute = recomputes::core_attn;
  less.recompute_layers = {};
  const std::int64_t capacity = who.spec.device.memory.count;
  const std::int64_t peak = is_computable(less) ? peak_of(less, memory_layout_of(less)).total.count : capacity;
  return judged(per_mille(capacity - peak, capacity), 50, 250);  // one pass of four
}

constexpr evidence offload_evidence(const patient& who) {
  const host_report host = host_account(who.spec, who.layout);
  const std::int64_t devices = who.spec.devices_per_node;
  const std::int64_t lane = (host.to_device.count > host.to_host.count ? host.to_device.count : host.to_host.count) / devices;
  // Master weights and moments of a parameter are so many bytes on the host.
  const std::int64_t each = who.spec.precision.master + who.spec.optimizer.moments * who.spec.precision.moment;
  const std::int64_t there = host.states.count > host.nvme.count ? host.states.count : host.nvme.count;
  const bool steps_there = who.spec.offload.states != storage::device && each > 0;
  const std::int64_t step = steps_there ? nanoseconds(saturating_multiply(there / each, host_step_bytes), assumed_host_memory_rate) : 0;
  const std::int64_t waits = saturating_add(step, nanoseconds(lane, who.spec.device.host.bytes_per_second));
  const std::int64_t works = saturating_multiply(compute_ns(who), who.layout.facts.micro_batches);
  return judged(per_mille(waits, works), 200, lost_per_mille(waits, works));
}

constexpr evidence speed_evidence(const patient& who, const bare_facts& facts, cause which) {
  switch (which) {
    case cause::perf_tp_node: return tensor_node_evidence(who);
    case cause::perf_bubble: return bubble_evidence(who);
    case cause::perf_zero3_net: return sharded_network_evidence(who);
    case cause::perf_zero23_ga: return accumulation_evidence(who);
    case cause::perf_fabric_cfg: return unsaid_in_plan(facts.world > 1 ? link_between(who.spec, axis::dp_cp).bytes_per_second : 0);
    case cause::perf_latency: return latency_evidence(who);
    case cause::perf_tile: return tile_evidence(who);
    case cause::perf_uneven: return uneven_evidence(who);
    case cause::perf_ep_node: return expert_node_evidence(who);
    case cause::perf_overlap: return unsaid_in_plan(parallel_axes(who.spec, facts));
    case cause::perf_recompute: return recompute_evidence(who);
    case cause::perf_jitter: return judged(facts.world, 63, facts.world > 63 ? 15 : 0);  // 1.5 % at 512 (pytorch/torchtitan issue 148)
    case cause::perf_slow_gpu: return unsaid_in_plan(facts.world, 1);
    case cause::perf_data: return unsaid_in_plan(saturating_multiply(who.spec.global_batch, who.spec.sequence));
    default: return offload_evidence(who);
  }
}

}  // namespace detail

}  // namespace shardplan
