// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/hardware/device.hpp>
#include <shardplan/memory/memory.hpp>
#include <shardplan/parallel/activation_shard.hpp>
#include <shardplan/spec/derived.hpp>
#include <shardplan/spec/plan_spec.hpp>
#include <shardplan/timing/constants.hpp>
#include <shardplan/timing/flops.hpp>
#include <shardplan/traffic/traffic.hpp>

#include <cstdint>

namespace shardplan {

/// Estimate: seconds that one rank computes for one micro-batch.
struct compute_seconds {
  double forward = 0;    ///< all its layers
  double backward = 0;   ///< the same, without recomputation
  double recompute = 0;  ///< forward of its blocks once more, under full recomputation
  double attention = 0;  ///< of forward: products of queries, keys and values, which the ring of context parallelism hides behind

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

/// Estimate: what a rank with that extent computes. Matrix products at `matmul_rate`; flash attention, half of the square, slower by
/// `attention`, its backward 2.5 times forward; what is bound by memory moves, in elements a token forward: 10 h for two norms and two
/// residual sums, 3 f or 2 f for the activation function, 2 (q + k) for rotation, on the last stage six passes over fp32 logits and three
/// backward, as without a fused loss; else twice that backward. 0 for a device without a rate.
template <class Spec = plan_spec>
constexpr compute_seconds compute_of(const Spec& spec, const traffic_layout& layout, const stage_extent& extent, const forward_flops& count,
                                     const timing_constants& constants) {
  const derived& facts = layout.facts;
  const transformer& shape = spec.model;
  const double rate = matmul_rate(spec.device, constants);
  const double memory = constants.memory * static_cast<double>(spec.device.memory_bandwidth);
  if (rate == 0 || memory == 0) return {};
  const double tokens = static_cast<double>(facts.tokens);
  const double ranks = static_cast<double>(facts.grid.tp);
  const double layers = static_cast<double>(extent.layers);
  const double dense = static_cast<double>(extent.dense_layers);
  const double element = static_cast<double>(spec.precision.compute);

  const double linear = layers * static_cast<double>(count.attention) + dense * static_cast<double>(count.dense) +
                        (layers - dense) * static_cast<double>(count.routed);
  const double blocks = tokens * linear / ranks / (rate * eight_bit_gain(spec.precision, spec.device, constants));
  const double scores = tokens * layers * static_cast<double>(count.scores) / 2 / ranks / (rate * constants.attention);

  const double branches = shape.mlp == mlp::gated ? 3 : 2;
  const double outside = 10 * static_cast<double>(shape.hidden) * tokens / static_cast<double>(facts.grid.sequence_shards);
  const double rotated = 2 * static_cast<double>(shape.query_width() + shape.key_value_width());
  const double routed = branches * static_cast<double>(shape.experts.top_k * shape.expert_width() + shape.experts.shared_ffn);
  const double inside = (layers * rotated + dense * branches * static_cast<double>(shape.ffn) + (layers - dense) * routed) * tokens / ranks;
  const double moved = element * (layers * outside + inside) / memory + layers * constants.kernels * constants.kernel_gap;

  compute_seconds seconds{};
  seconds.attention = scores;
  seconds.forward = blocks + scores + moved;
  seconds.backward = 2 * blocks + 2.5 * scores + 2 * moved;
  if (spec.recompute == recomputes::full) seconds.recompute = seconds.forward;
  if (extent.is_last) {
    const double predictions = static_cast<double>(1 + shape.next_token_layers);
    const double head = tokens *
                        (predictions * static_cast<double>(count.head) + static_cast<double>(shape.next_token_layers * count.next_token)) /
                        ranks / rate;
    const double logits = 4 * predictions * tokens * static_cast<double>(facts.vocabulary) / ranks / memory;
    seconds.forward += head + 6 * logits;
    seconds.backward += 2 * head + 3 * logits;
  }
  return seconds;
}

}  // namespace shardplan
