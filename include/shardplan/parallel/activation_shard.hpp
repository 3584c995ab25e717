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
  std::int64_t tokens = 0;         ///< T: tokens that pass through the matrices (of one context parallel rank)
  std::int64_t own_tokens = 0;     ///< tokens outside the matrices: T / tp under sequence parallelism, else T
  std::int64_t routed_tokens = 0;  ///< tokens of the rank's routed experts, copies counted: T x top_k x etp / tp x load, up
  std::int64_t heads = 0;          ///< query heads
  std::int64_t query = 0;          ///< width of the query heads
  std::int64_t key = 0;            ///< width of the key heads: never below one head
  std::int64_t value = 0;          ///< width of the value heads: that of the key heads, or with latent attention one a query head
  std::int64_t output = 0;         ///< width of what attention gives to its output projection
  std::int64_t normed_heads = 0;   ///< statistics that norms of queries and keys keep a token: one a head, or one a projection
  std::int64_t ffn = 0;            ///< width of one branch of the dense network
  std::int64_t expert_ffn = 0;     ///< of one routed expert
  std::int64_t shared_ffn = 0;     ///< of the shared experts
  std::int64_t vocabulary = 0;     ///< rows of the padded vocabulary
};

/// The shard of `shape` on one rank of `grid`, for `tokens` tokens and a vocabulary padded to `vocabulary` rows. `load` is what the rank's
/// routed experts compute, in percent of the even share (`expert_load_spec::computed`).
constexpr activation_shard activation_shard_of(const transformer& shape, const degrees& grid, std::int64_t tokens, std::int64_t vocabulary,
                                               std::int64_t load = 100) {
  activation_shard shard{};
  shard.tokens = tokens;
  shard.own_tokens = tokens / grid.sequence_shards;
  shard.heads = shape.heads / grid.tp;
  const std::int64_t head = shape.head_width();
  shard.query = shard.output = shape.heads * head / grid.tp;
  if (shape.latent.key_value_rank == 0) {
    const std::int64_t key = shape.key_value_heads() * head / grid.tp;
    shard.key = shard.value = key > head ? key : head;
    if (shape.qk_norm != qk_norm::none) shard.normed_heads = shape.qk_norm == qk_norm::projection ? 2 : (shard.query + shard.key) / head;
  } else {
    shard.key = shard.query;
    shard.value = shard.output = shape.attention_output_width() / grid.tp;
  }
  shard.ffn = shape.ffn / grid.tp;
  shard.vocabulary = vocabulary / grid.tp;
  if (shape.experts.count > 0) {
    const std::int64_t routed = tokens * shape.experts.top_k * grid.etp;
    // Hundreds apart, so that the product with the percents stays as small as what it is part of.
    const std::int64_t loaded = load == 100 ? routed : routed / 100 * load + ceil_divide(routed % 100 * load, 100);
    shard.routed_tokens = ceil_divide(loaded, grid.tp);
    shard.expert_ffn = shape.expert_width() / grid.etp;
    shard.shared_ffn = shape.experts.shared_ffn / grid.tp;
  }
  return shard;
}

}  // namespace shardplan
