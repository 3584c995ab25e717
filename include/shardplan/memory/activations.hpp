// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/checked.hpp>
#include <shardplan/memory/saved_walk.hpp>
#include <shardplan/memory/second_matmuls.hpp>
#include <shardplan/parallel/activation_shard.hpp>
#include <shardplan/spec/plan_spec.hpp>
#include <shardplan/spec/stage_layers.hpp>

#include <cstdint>

namespace shardplan {

/// Bytes that one micro-batch leaves on one rank for the backward of one block.
struct saved_activations {
  std::int64_t dense_block = 0;        ///< the complete set of a dense block: what its backward reads, recomputed or not
  std::int64_t expert_block = 0;       ///< of a block with routed experts
  std::int64_t block_input = 0;        ///< its input alone: what full recompute keeps
  std::int64_t dense_kept = 0;         ///< what `recompute<>` leaves of `dense_block` from forward to backward; without it all
  std::int64_t expert_kept = 0;        ///< the same of `expert_block`
  std::int64_t dense_recomputed = 0;   ///< what backward of a dense block makes anew: lives in that phase only
  std::int64_t expert_recomputed = 0;  ///< the same of a block with routed experts
  std::int64_t embedding = 0;          ///< what is kept before the first block: its norm's input, its dropout mask
};

/// The number of layers that full recompute runs forward again at once: 1, or the group of `recompute_methods::uniform`, which is no
/// larger than the largest chunk.
template <class Spec = plan_spec>
constexpr std::int64_t recomputed_at_once(const Spec& spec) {
  if (spec.recompute_layers.method != recompute_methods::uniform) return 1;
  const std::int64_t most = most_layers_of_a_stage(spec);
  return spec.recompute_layers.count < most ? spec.recompute_layers.count : most;
}

namespace detail {

// `kept` and `recomputed` of one kind of block.
template <class Spec>
constexpr void apply_recompute(const Spec& spec, const activation_shard& shard, const saved_sink& sum, bool has_experts, std::int64_t input,
                               std::int64_t& kept, std::int64_t& recomputed) {
  if (spec.recompute == recomputes::none) {
    kept = sum.complete;
  } else if (includes(spec.recompute, recomputes::full)) {
    kept = input;
    recomputed = sum.complete * recomputed_at_once(spec);
  } else if (includes(spec.recompute, recomputes::every_second_matmul)) {
    saved_sink products{recomputes::full, sum.fp8_inputs};
    walk_second_matmuls(spec, shard, has_experts, products);
    kept = products.complete;
    recomputed = sum.complete - products.kept;
  } else {
    kept = sum.kept;
    recomputed = sum.complete - sum.kept;
  }
}

}  // namespace detail

/// What a block keeps: the sum of the walk over its tensors (memory/saved_walk.hpp), which `saved_tensors_of` lists. With the default
/// kernels (Transformer Engine, flash attention, no dropout) a Llama block in bf16 keeps, for T tokens and t = tp, T (8h + 4q + 4k + 6f) /
/// t bytes, an fp32 log-sum-exp 4 T heads / t and fp32 norm statistics 8 T / t. Which kernel sets equal PyTorch's saved-tensor hooks to the
/// byte, and which tensors are estimates, says docs/exact_and_estimates.md. For a spec that broke no rule of the first two tiers: their
/// bounds keep the sums below 63 bits.
template <class Spec = plan_spec>
constexpr saved_activations saved_by_block(const Spec& spec, const activation_shard& shard) {
  const auto& shape = spec.model;
  detail::saved_sink sum{spec.recompute, detail::keeps_inputs_in_fp8(spec)};
  saved_activations saved{};
  saved.block_input = spec.precision.compute * shape.hidden * shard.own_tokens;
  if (shape.embedding_norm || drops_hidden(spec)) {
    detail::walk_embedding(spec, shard, sum);
    saved.embedding = sum.complete;
    sum = {spec.recompute, sum.fp8_inputs};
  }
  detail::walk_every_block(spec, shard, sum);
  const detail::saved_sink every = sum;
  detail::walk_mlp(spec, shard, sum);
  detail::apply_recompute(spec, shard, sum, false, saved.block_input, saved.dense_kept, saved.dense_recomputed);
  saved.dense_block = sum.complete;
  if (shape.experts.count > 0) {
    sum = every;
    detail::walk_experts(spec, shard, sum);
    detail::apply_recompute(spec, shard, sum, true, saved.block_input, saved.expert_kept, saved.expert_recomputed);
    saved.expert_block = sum.complete;
  }
  return saved;
}

}  // namespace shardplan
