// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/checked.hpp>
#include <shardplan/recipe/recompute.hpp>
#include <shardplan/traffic/collective.hpp>

#include <cstdint>

namespace shardplan {

/// Collectives over tp, forward, of one pair of matrices, the first divided by its output and the second by its input: attention is such a
/// pair, a dense MLP another. All are over the tensor X of sequence / cp x hidden elements a sequence. Without sequence parallelism an
/// all-reduce behind the pair (arXiv 1909.08053 section 3); with it an all-gather before and a reduce-scatter behind (arXiv 2205.05198).
constexpr collective_counts pair_forward_collectives(bool sequence_parallel) {
  return sequence_parallel ? collective_counts{0, 1, 1} : collective_counts{1, 0, 0};
}

/// The same backward. With sequence parallelism the input, which was kept divided, is gathered once more for the gradient of the weights
/// (Megatron-LM `tensor_parallel/layers.py`): two gathers and a scatter.
constexpr collective_counts pair_backward_collectives(bool sequence_parallel) {
  return sequence_parallel ? collective_counts{0, 1, 2} : collective_counts{1, 0, 0};
}

/// Both directions of a block of `pairs` pairs (2 in a dense block): 8(t - 1)/t X plain, 10(t - 1)/t X with sequence parallelism. Full
/// recompute runs forward once more.
constexpr collective_counts block_collectives(bool sequence_parallel, recomputes recompute = recomputes::none, std::int64_t pairs = 2) {
  const std::int64_t forwards = recompute == recomputes::full ? 2 : 1;
  return pairs * (forwards * pair_forward_collectives(sequence_parallel) + pair_backward_collectives(sequence_parallel));
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
