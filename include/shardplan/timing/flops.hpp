// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/checked.hpp>
#include <shardplan/memory/memory.hpp>
#include <shardplan/model/transformer.hpp>
#include <shardplan/spec/derived.hpp>
#include <shardplan/spec/plan_spec.hpp>

#include <cstdint>

namespace shardplan {

/// Floating-point operations of one token in one forward pass, exact: a multiplication and an addition for each weight of a matrix product.
/// Norms, activation functions and softmax are not counted, as everywhere in the literature.
struct forward_flops {
  std::int64_t attention = 0;   ///< linears of attention in one block
  std::int64_t scores = 0;      ///< queries times keys and weights times values in one block, the full square of the sequence
  std::int64_t dense = 0;       ///< a dense feed-forward network
  std::int64_t routed = 0;      ///< the experts that a token visits, shared ones and the router
  std::int64_t head = 0;        ///< the head, for one predicted token
  std::int64_t next_token = 0;  ///< the projection in front of a next-token layer
};

/// The counts of a shape for sequences of `sequence` tokens and a vocabulary padded to `vocabulary` rows. Error: `result_leaves_63_bits`.
constexpr forward_flops forward_flops_of(const transformer& shape, std::int64_t sequence, std::int64_t vocabulary) {
  const std::int64_t hidden = shape.hidden;
  const std::int64_t query = shape.query_width();
  const std::int64_t output = shape.attention_output_width();
  const auto product = [](std::int64_t inputs, std::int64_t outputs) { return checked_multiply(2, checked_multiply(inputs, outputs)); };
  forward_flops count{};
  if (shape.is_latent()) {
    const latent_attention& latent = shape.latent;
    const std::int64_t rank = latent.query_rank;
    count.attention = (rank > 0 ? product(hidden, rank) + product(rank, query) : product(hidden, query)) +
                      product(hidden, latent.key_value_rank + latent.rope_dim) +
                      product(latent.key_value_rank, shape.heads * (latent.nope_dim + latent.value_dim)) + product(output, hidden);
  } else {
    count.attention = product(hidden, query + 2 * shape.key_value_width()) + product(output, hidden);
  }
  count.scores = product(sequence, query + output);
  const std::int64_t matrices = shape.mlp == mlp::gated ? 3 : 2;
  count.dense = matrices * product(hidden, shape.ffn);
  if (shape.experts.count > 0) {
    const experts& routed = shape.experts;
    count.routed = matrices * product(hidden, routed.top_k * shape.expert_width() + routed.shared_ffn) + product(hidden, routed.count);
    if (routed.shared_gate) count.routed += product(hidden, 1);
  }
  count.head = product(hidden, vocabulary);
  if (shape.next_token_layers > 0) count.next_token = product(2 * hidden, hidden);
  return count;
}

#if defined(__SIZEOF_INT128__)
/// Room for the operations of a whole step, which leave 63 bits.
__extension__ typedef __int128 wide_integer;
#endif

/// Operations of one step of the whole world, exact, as operations of a token times tokens. Backward is twice forward.
struct step_flops {
  std::int64_t model_per_token = 0;      ///< forward and backward: three forward passes. What MFU counts
  std::int64_t recompute_per_token = 0;  ///< the forward pass of all blocks once more under full recomputation. HFU counts it too
  std::int64_t tokens = 0;               ///< of the global batch

#if defined(__SIZEOF_INT128__)
  /// All of the model. No error: two 63-bit numbers.
  constexpr wide_integer model() const { return static_cast<wide_integer>(model_per_token) * tokens; }
  /// With what is computed again. No error.
  constexpr wide_integer hardware() const { return static_cast<wide_integer>(model_per_token + recompute_per_token) * tokens; }
#endif
};

/// The operations of one step, of a forward pass with these counts. The attention square is counted whole, as PaLM, Megatron-LM and
/// BigScience do, though causal kernels do half. Only for a spec that broke no rule of the first two tiers. Error: `result_leaves_63_bits`.
template <class Spec = plan_spec>
constexpr step_flops flops_of(const Spec& spec, const forward_flops& count) {
  const transformer& shape = spec.model;
  const std::int64_t extra = shape.next_token_layers;
  const std::int64_t layers = shape.layers + extra;
  const std::int64_t dense = shape.dense_layers() + (shape.experts.count == 0 ? extra : 0);
  const std::int64_t blocks = checked_add(checked_multiply(layers, checked_add(count.attention, count.scores)),
                                          checked_multiply(dense, count.dense) + checked_multiply(layers - dense, count.routed));
  const std::int64_t ends = checked_multiply(1 + extra, count.head) + extra * count.next_token;
  return {checked_multiply(3, checked_add(blocks, ends)), spec.recompute == recomputes::full ? blocks : 0,
          checked_multiply(spec.global_batch, spec.sequence)};
}

/// The same from the spec alone.
template <class Spec = plan_spec>
constexpr step_flops flops_of(const Spec& spec) {
  return flops_of(spec, forward_flops_of(spec.model, spec.sequence, derive(spec).vocabulary));
}

}  // namespace shardplan
