// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/hardware/device.hpp>
#include <shardplan/memory/memory.hpp>
#include <shardplan/parallel/activation_shard.hpp>
#include <shardplan/spec/derived.hpp>
#include <shardplan/spec/plan_spec.hpp>
#include <shardplan/timing/constants.hpp>
#include <shardplan/timing/flops.hpp>
#include <shardplan/traffic/held.hpp>
#include <shardplan/traffic/recomputed.hpp>

#include <cstdint>

namespace shardplan {

/// Estimate: seconds that one rank computes for one micro-batch.
struct compute_seconds {
  double forward = 0;    ///< all its layers
  double backward = 0;   ///< the same, without recomputation
  double recompute = 0;  ///< what of forward runs again in backward (`recompute<>`)
  double attention = 0;  ///< of forward and backward: products of queries, keys and values, which the ring of context parallelism hides
                         ///< behind

  /// All.
  constexpr double total() const { return forward + backward + recompute; }
};

/// Estimate: BF16 operations a second that matrix products hold in training.
constexpr double matmul_rate(const device_spec& device, const timing_constants& constants) {
  if (device.sustained_flops != 0) return static_cast<double>(device.sustained_flops);
  const double measured = static_cast<double>(device.matmul_flops);
  return constants.sustained * (measured != 0 ? measured : constants.matmul * static_cast<double>(device.bf16_flops));
}

/// Estimate: how much faster the linears of blocks run in 8 bits; 1 where the precision or the device has none.
constexpr double eight_bit_gain(const precision_spec& precision, const device_spec& device, const timing_constants& constants) {
  const bool eight_bits = precision.linear_bits == 8 || precision.linear_copy_bits != 0;
  if (!eight_bits || device.bf16_flops == 0 || device.fp8_flops <= device.bf16_flops) return 1;
  const double gain = constants.fp8 * static_cast<double>(device.fp8_flops) / static_cast<double>(device.bf16_flops);
  return gain > 1 ? gain : 1;
}

/// Estimate: what a rank with that extent computes for one micro-batch. Matrix products at `matmul_rate`; flash attention, half of the
/// square, slower by `attention`, its backward 2.5 times forward; what is bound by memory moves, in elements a token forward: 10 h for two
/// norms and two residual sums, 3 f or 2 f for the activation function, 2 (q + k) for rotation, on the last stage six passes over fp32
/// logits and three backward, as without a fused loss; else twice that backward. What is recomputed takes what it took in forward. Experts
/// compute what `expert_load<>` says. 0 for a device without a rate.
template <class Spec = plan_spec>
constexpr compute_seconds compute_of(const Spec& spec, const traffic_layout& layout, const stage_extent& extent, const forward_flops& count,
                                     const timing_constants& constants) {
  const derived& facts = layout.facts;
  const auto& shape = spec.model;
  const double rate = matmul_rate(spec.device, constants);
  const double memory = constants.memory * static_cast<double>(spec.device.memory_bandwidth);
  if (rate == 0 || memory == 0) return {};
  const double tokens = static_cast<double>(facts.tokens) / static_cast<double>(facts.grid.tp);  // that a rank has to itself
  const double layers = static_cast<double>(extent.layers);
  const double dense = static_cast<double>(extent.dense_layers);
  const double routing = layers - dense;
  const bool has_experts = extent.layers > extent.dense_layers;
  const double load = has_experts ? static_cast<double>(spec.expert_load.computed()) / 100 : 1;
  const double per_flop = tokens / (rate * eight_bit_gain(spec.precision, spec.device, constants));
  const double per_score = tokens / 2 / (rate * constants.attention);
  const double per_element = static_cast<double>(spec.precision.compute) * tokens / memory;

  // Seconds of one block's parts.
  const double attention = per_flop * static_cast<double>(count.attention);
  const double feed_forward = per_flop * static_cast<double>(count.dense);
  const double experts = has_experts ? per_flop * load * static_cast<double>(count.routed) : 0;
  const double scores = per_score * static_cast<double>(count.scores);
  const double branches = shape.mlp == mlp::gated ? 3 : 2;
  const double outside = per_element * 10 * static_cast<double>(shape.hidden * facts.grid.tp / facts.grid.sequence_shards);
  const double rotated = per_element * 2 * static_cast<double>(shape.query_width() + shape.key_value_width());
  const double dense_function = per_element * branches * static_cast<double>(shape.ffn);
  const double expert_function =
      has_experts
          ? per_element * branches * load * static_cast<double>(shape.experts.top_k * shape.expert_width() + shape.experts.shared_ffn)
          : 0;
  const double gaps = constants.kernels * constants.kernel_gap;

  const double products = layers * attention + dense * feed_forward + routing * experts;
  const double squares = layers * scores;
  const double moved = layers * (outside + rotated + gaps) + dense * dense_function + routing * expert_function;
  compute_seconds seconds{};
  seconds.attention = 3.5 * squares;
  seconds.forward = products + squares + moved;
  seconds.backward = 2 * products + 2.5 * squares + 2 * moved;
  if (spec.recompute != recomputes::none) {
    const recomputed_parts parts = recomputed_of(spec, extent);
    const double all = static_cast<double>(parts.all);
    const double all_dense = static_cast<double>(parts.all_dense);
    const auto runs = [&](std::int64_t blocks, double each) { return static_cast<double>(blocks) * each; };
    const bool full = includes(spec.recompute, recomputes::full);
    const bool halves = parts.halves > 0;
    seconds.attention += runs(parts.cores, scores);
    seconds.recompute = runs(parts.attention, attention + rotated) + runs(parts.cores, scores) + runs(parts.dense, feed_forward) +
                        runs(parts.routed, experts) + runs(parts.up_proj, per_flop * static_cast<double>(count.latent_up)) +
                        runs(parts.halves, attention / 2 + rotated) + runs(parts.dense_half, feed_forward / 2) +
                        runs(parts.halves - parts.dense_half, experts / 2);
    if (full) seconds.recompute += all * gaps;
    if (full || halves || includes(spec.recompute, recomputes::layernorm)) seconds.recompute += all * outside;
    if (full || halves || includes(spec.recompute, recomputes::mlp | recomputes::mlp_act)) seconds.recompute += all_dense * dense_function;
    if (full || halves || includes(spec.recompute, recomputes::moe | recomputes::moe_act))
      seconds.recompute += (all - all_dense) * expert_function;
  }
  if (extent.is_last || extent.has_next_token) {
    const std::int64_t further = extent.has_next_token ? shape.next_token_layers : 0;
    const double predictions = static_cast<double>(further + extent.is_last);
    const double head = tokens * (predictions * static_cast<double>(count.head) + static_cast<double>(further * count.next_token)) / rate;
    const double logits = 4 * predictions * tokens * static_cast<double>(facts.vocabulary) / memory;
    seconds.forward += head + 6 * logits;
    seconds.backward += 2 * head + 3 * logits;
  }
  return seconds;
}

}  // namespace shardplan
