// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/checked.hpp>
#include <shardplan/model/transformer.hpp>
#include <shardplan/parallel/degrees.hpp>

#include <cstdint>

namespace shardplan {

/// What one rank holds of a block's activations for one micro-batch: widths in elements, tokens in counts. Widths inside attention and MLP
/// are divided by tp, tokens outside them by tp under sequence parallelism; everything must divide (plan/rules/divisibility.hpp).
struct activation_shard {
  std::int64_t tokens = 0;      ///< T: tokens that pass through the matrices (of one context parallel rank)
  std::int64_t own_tokens = 0;  ///< tokens outside the matrices: T / tp under sequence parallelism, else T
  std::int64_t routed_tokens =
      0;                   ///< tokens that the rank's routed experts see, copies counted, when routing is even: T x top_k x etp / tp, up
  std::int64_t heads = 0;  ///< query heads
  std::int64_t query = 0;  ///< width of the query heads
  std::int64_t key = 0;    ///< width of the key heads (value the same): never below one head
  std::int64_t ffn = 0;    ///< width of one branch of the dense network
  std::int64_t expert_ffn = 0;  ///< of one routed expert
  std::int64_t shared_ffn = 0;  ///< of the shared experts
  std::int64_t vocabulary = 0;  ///< rows of the padded vocabulary
};

/// The shard of `shape` on one rank of `grid`, for `tokens` tokens and a vocabulary padded to `vocabulary` rows.
constexpr activation_shard activation_shard_of(const transformer& shape, const degrees& grid, std::int64_t tokens,
                                               std::int64_t vocabulary) {
  activation_shard shard{};
  shard.tokens = tokens;
  shard.own_tokens = tokens / grid.sequence_shards;
  shard.heads = shape.heads / grid.tp;
  shard.query = shape.query_width() / grid.tp;
  const std::int64_t key = shape.key_value_width() / grid.tp;
  const std::int64_t head = shape.head_width();
  shard.key = key > head ? key : head;
  shard.ffn = shape.ffn / grid.tp;
  shard.vocabulary = vocabulary / grid.tp;
  if (shape.experts.count > 0) {
    shard.routed_tokens = ceil_divide(tokens * shape.experts.top_k * grid.etp, grid.tp);
    shard.expert_ffn = shape.expert_width() / grid.etp;
    shard.shared_ffn = shape.experts.shared_ffn / grid.tp;
  }
  return shard;
}

}  // namespace shardplan
