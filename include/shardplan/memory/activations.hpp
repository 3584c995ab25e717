// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/parallel/activation_shard.hpp>
#include <shardplan/spec/plan_spec.hpp>

#include <cstdint>

namespace shardplan {

/// Bytes that one micro-batch leaves on one rank for the backward of one block.
struct saved_activations {
  std::int64_t dense_block = 0;   ///< all tensors of a dense block
  std::int64_t expert_block = 0;  ///< all tensors of a block with routed experts, tokens spread evenly
  std::int64_t block_input = 0;   ///< its input alone: what full recompute keeps
};

/// What Transformer Engine with flash attention keeps, pre-norm, no dropout. For a Llama block in bf16, T tokens, t = tp:
/// T (8h + 4q + 4k + 6f) / t, fp32 log-sum-exp 4 T heads / t, fp32 norm statistics; confirmed to the byte by PyTorch's saved-tensor hooks
/// (tests/truth). Without sequence parallelism the terms in h and the statistics are not divided. Context parallelism by all-to-all keeps
/// the attention output once more. Routed experts: arXiv 2205.05198 counted anew for top-k, as measured on Megatron-LM's functional tests.
///
/// By the same rule (each linear and norm keeps its input, attention its queries, keys, values and output) but estimates, because no
/// measurement confirms them: one or four norms a block, norms of queries and keys (their inputs and fp32 statistics), and latent
/// attention: T (8h + 4q + 4o) / t with q = heads x (nope + rope) and o = heads x value, and the latent vectors before and after their
/// norms, which sequence parallelism divides.
constexpr saved_activations saved_by_block(const plan_spec& spec, const activation_shard& shard) {
  const transformer& shape = spec.model;
  const std::int64_t element = spec.precision.compute;
  const std::int64_t branches = shape.mlp == mlp::gated ? 3 : 2;  // gate, up and their product, or one hidden tensor before and after GELU
  const std::int64_t statistics = shape.norm == norm::rms ? 4 : 8;  // fp32: 1 / rms, or mean and 1 / deviation
  const std::int64_t norms = static_cast<std::int64_t>(shape.block_norms);
  // Input and output of a norm before a linear; of the norms after one only the input.
  const std::int64_t around_norms = shape.block_norms == block_norms::one ? 2 : 2 + norms;

  saved_activations saved{};
  saved.block_input = element * shape.hidden * shard.own_tokens;
  std::int64_t attention = around_norms * saved.block_input +
                           element * (shard.query + shard.key + shard.value + shard.output) * shard.tokens +
                           4 * shard.heads * shard.tokens + norms * statistics * shard.own_tokens;
  if (shard.normed_heads > 0) attention += (element * (shard.query + shard.key) + statistics * shard.normed_heads) * shard.tokens;
  if (shard.latent > 0) attention += (element * shard.latent + statistics * shard.latent_norms) * shard.own_tokens;
  if (spec.cp > 1) attention += element * shard.output * shard.tokens;
  saved.dense_block = attention + element * branches * shard.ffn * shard.tokens;
  if (shape.experts.count > 0)
    saved.expert_block = attention + 4 * shape.experts.count * shard.own_tokens         // fp32 router logits
                         + 2 * element * shape.hidden * shard.routed_tokens             // permuted input and output
                         + element * branches * shard.expert_ffn * shard.routed_tokens  // inside the experts
                         + element * branches * shard.shared_ffn * shard.tokens;        // inside the shared experts
  return saved;
}

}  // namespace shardplan
