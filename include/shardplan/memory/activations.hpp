// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/checked.hpp>
#include <shardplan/spec/derived.hpp>
#include <shardplan/spec/plan_spec.hpp>

#include <cstdint>

namespace shardplan {

/// Bytes that one micro-batch leaves on one rank for the backward of one block.
struct saved_activations {
  std::int64_t dense_block = 0;   ///< all tensors of a dense block
  std::int64_t expert_block = 0;  ///< all tensors of a block with routed experts, tokens spread evenly
  std::int64_t block_input = 0;   ///< its input alone: what full recompute keeps
};

/// Tokens that one rank's routed experts see of a micro-batch, copies counted, when routing is balanced: T x top_k x etp / tp, rounded up.
constexpr std::int64_t routed_tokens(const plan_spec& spec, const derived& facts) {
  return ceil_divide(facts.tokens * spec.model.experts.top_k * facts.grid.etp, facts.grid.tp);
}

/// Bytes a token that latent attention keeps beside queries, keys, values and output: what both projections to the latent vectors give, and
/// the norms of those with their statistics.
constexpr std::int64_t latent_bytes(const transformer& shape, std::int64_t element, std::int64_t statistics) {
  const latent_attention& latent = shape.latent;
  return element * (2 * latent.query_rank + 2 * latent.key_value_rank + latent.rope_dim) + (latent.query_rank > 0 ? 2 : 1) * statistics;
}

/// What Transformer Engine with flash attention keeps, pre-norm, no dropout. For a Llama block in bf16, T tokens, t = tp:
/// T (8h + 4q + 4k + 6f) / t, fp32 log-sum-exp 4 T heads / t, fp32 norm statistics; confirmed to the byte by PyTorch's saved-tensor hooks
/// (tests/truth). Without sequence parallelism the terms in h and the statistics are not divided. Context parallelism by all-to-all keeps
/// the attention output once more. Routed experts: arXiv 2205.05198 counted anew for top-k, as measured on Megatron-LM's functional tests.
///
/// By the same rule (each linear and norm keeps its input, attention its queries, keys, values and output) but estimates, because no
/// measurement confirms them: one or four norms a block, norms of queries and keys (their inputs and fp32 statistics), and latent
/// attention: T (8h + 4q + 4o) / t with q = heads x (nope + rope) and o = heads x value, and the latent vectors before and after their
/// norms, which sequence parallelism divides.
constexpr saved_activations saved_by_block(const plan_spec& spec, const derived& facts) {
  const transformer& shape = spec.model;
  const std::int64_t element = spec.precision.compute;
  const std::int64_t tp = facts.grid.tp;
  const std::int64_t tokens = facts.tokens;
  const std::int64_t own_tokens = tokens / facts.grid.sequence_shards;
  const std::int64_t branches = shape.mlp == mlp::gated ? 3 : 2;  // gate, up and their product, or one hidden tensor before and after GELU
  const std::int64_t head_width = shape.head_width();
  const std::int64_t query = shape.heads * head_width / tp;
  const std::int64_t statistics = shape.norm == norm::rms ? 4 : 8;  // fp32: 1 / rms, or mean and 1 / deviation
  const std::int64_t norms = static_cast<std::int64_t>(shape.block_norms);
  // Input and output of a norm before a linear; of the norms after one only the input.
  const std::int64_t around_norms = shape.block_norms == block_norms::one ? 2 : 2 + norms;

  saved_activations saved{};
  saved.block_input = element * shape.hidden * own_tokens;
  std::int64_t attention = around_norms * saved.block_input + 4 * (shape.heads / tp) * tokens + norms * statistics * own_tokens;
  std::int64_t output = query;
  if (shape.latent.key_value_rank == 0) {
    const std::int64_t key_share = shape.key_value_heads() * head_width / tp;
    const std::int64_t key = key_share > head_width ? key_share : head_width;
    attention += element * (2 * query + 2 * key) * tokens;
    if (shape.qk_norm != qk_norm::none) {
      const std::int64_t normed = shape.qk_norm == qk_norm::projection ? 2 : (query + key) / head_width;
      attention += element * (query + key) * tokens + statistics * normed * tokens;
    }
  } else {
    output = shape.attention_output_width() / tp;
    attention += element * (2 * query + 2 * output) * tokens + latent_bytes(shape, element, statistics) * own_tokens;
  }
  if (facts.grid.cp > 1) attention += element * output * tokens;
  saved.dense_block = attention + element * branches * (shape.ffn / tp) * tokens;
  if (shape.experts.count > 0) {
    const std::int64_t routed = routed_tokens(spec, facts);
    saved.expert_block = attention + 4 * shape.experts.count * own_tokens                         // fp32 router logits
                         + 2 * element * shape.hidden * routed                                    // permuted input and output
                         + element * branches * (shape.expert_width() / facts.grid.etp) * routed  // inside the experts
                         + element * branches * (shape.experts.shared_ffn / tp) * tokens;         // inside the shared experts
  }
  return saved;
}

}  // namespace shardplan
