// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/checked.hpp>
#include <shardplan/recipe/recompute.hpp>
#include <shardplan/traffic/collective.hpp>

#include <cstdint>

namespace shardplan {

/// Collectives over tp that one dense transformer block runs for one micro-batch, all over the tensor X of sequence / cp x hidden elements
/// a sequence. Without sequence parallelism an all-reduce behind attention and one behind the MLP, backward the same at their inputs (arXiv
/// 1909.08053 section 3). With it each becomes a reduce-scatter and an all-gather, and backward gathers the two inputs that were kept
/// divided once more, for the gradients of the weights (Megatron-LM `tensor_parallel/layers.py`): 10(t - 1)/t X against 8(t - 1)/t X.
constexpr collective_counts block_forward_collectives(bool sequence_parallel) {
  return sequence_parallel ? collective_counts{0, 2, 2} : collective_counts{2, 0, 0};
}

/// The same, backward. Full recompute runs the forward pass of the block once more.
constexpr collective_counts block_backward_collectives(bool sequence_parallel, recomputes recompute = recomputes::none) {
  const collective_counts own = sequence_parallel ? collective_counts{0, 2, 4} : collective_counts{2, 0, 0};
  return recompute == recomputes::full ? own + block_forward_collectives(sequence_parallel) : own;
}

/// Over tp at the embedding, both directions: forward the sum of the parts of a divided vocabulary; with sequence parallelism its gradient
/// is gathered backward (Megatron-LM `tensor_parallel/mappings.py`).
constexpr collective_counts embedding_collectives(bool sequence_parallel) {
  return sequence_parallel ? collective_counts{0, 1, 1} : collective_counts{1, 0, 0};
}

/// Over tp at a head whose vocabulary is divided, both directions: with sequence parallelism its input is gathered forward and, for the
/// gradient of the weights, backward, and the gradient of the input is scattered; without, that gradient is summed.
constexpr collective_counts head_collectives(bool sequence_parallel) {
  return sequence_parallel ? collective_counts{0, 1, 2} : collective_counts{1, 0, 0};
}

/// All-reduces of one fp32 number a token in a cross-entropy whose vocabulary is divided: the maximum, the target's logit, the sum of
/// exponentials (Megatron-LM `tensor_parallel/cross_entropy.py`).
inline constexpr std::int64_t cross_entropy_all_reduces = 3;

}  // namespace shardplan
