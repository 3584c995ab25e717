// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/checked.hpp>
#include <shardplan/memory/memory.hpp>
#include <shardplan/model/transformer.hpp>
#include <shardplan/spec/derived.hpp>
#include <shardplan/spec/plan_spec.hpp>
#include <shardplan/traffic/recomputed.hpp>

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
  std::int64_t latent_up = 0;   ///< of `attention`, up-projections of latent attention
};

/// The counts of a shape for sequences of `sequence` tokens and a vocabulary padded to `vocabulary` rows. Error: `result_leaves_63_bits`.
constexpr forward_flops forward_flops_of(const transformer& shape, std::int64_t sequence, std::int64_t vocabulary) {
  const std::int64_t hidden = shape.hidden;
  const std::int64_t query = shape.query_width();
  const std::int64_t output = shape.attention_output_width();
  const auto product = [](std::int64_t inputs, std::int64_t outputs) { return checked_multiply(2, checked_multiply(inputs, outputs)); };
  forward_flops count{};
  if (shape.is_latent()) {
    const auto& latent = shape.latent;
    const std::int64_t rank = latent.query_rank;
    count.latent_up = product(latent.key_value_rank, shape.heads * (latent.nope_dim + latent.value_dim));
    if (rank > 0) count.latent_up += product(rank, query);
    count.attention = count.latent_up + product(hidden, rank > 0 ? rank : query) +
                      product(hidden, latent.key_value_rank + latent.rope_dim) + product(output, hidden);
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
  std::int64_t recompute_per_token = 0;  ///< forward passes that backward runs again (`recompute<>`). HFU counts it too
  std::int64_t tokens = 0;               ///< of the global batch

#if defined(__SIZEOF_INT128__)
  /// All of the model. No error: two 63-bit numbers.
  constexpr wide_integer model() const { return static_cast<wide_integer>(model_per_token) * tokens; }
  /// With what is computed again. No error.
  constexpr wide_integer hardware() const { return static_cast<wide_integer>(model_per_token + recompute_per_token) * tokens; }
#endif
};

/// Operations that backward runs again for one token, of blocks of which these parts are recomputed. Error: `result_leaves_63_bits`.
constexpr std::int64_t recomputed_flops(const recomputed_parts& parts, const forward_flops& count) {
  std::int64_t sum = checked_multiply(parts.attention, count.attention);
  const auto add = [&](std::int64_t blocks, std::int64_t each) {
    if (blocks != 0) sum = checked_add(sum, checked_multiply(blocks, each));
  };
  add(parts.cores, count.scores);
  add(parts.dense, count.dense);
  add(parts.routed, count.routed);
  add(parts.up_proj, count.latent_up);
  add(parts.halves, count.attention / 2);
  add(parts.dense_half, count.dense / 2);
  add(parts.halves - parts.dense_half, count.routed / 2);
  return sum;
}

/// The operations of one step, of a forward pass with these counts. The attention square is counted whole, as PaLM, Megatron-LM and
/// BigScience do, though causal kernels do half. Only for a spec that broke no rule of the first two tiers. Error: `result_leaves_63_bits`.
template <class Spec = plan_spec>
constexpr step_flops flops_of(const Spec& spec, const derived& facts, const forward_flops& count) {
  const auto& shape = spec.model;
  const std::int64_t extra = shape.next_token_layers;
  stage_extent all{};
  all.layers = shape.layers + extra;
  all.dense_layers = shape.dense_layers() + (shape.experts.count == 0 ? extra : 0);
  const std::int64_t routing = all.layers - all.dense_layers;
  std::int64_t forward = checked_add(checked_multiply(all.layers, checked_add(count.attention, count.scores)),
                                     checked_multiply(all.dense_layers, count.dense));
  if (routing > 0) forward = checked_add(forward, checked_multiply(routing, count.routed));
  forward = checked_add(forward, checked_multiply(1 + extra, count.head) + extra * count.next_token);
  std::int64_t again = 0;
  if (spec.recompute != recomputes::none) {
    if (spec.recompute_layers.method == recompute_methods::each) {
      again = recomputed_flops(recomputed_of(spec, all), count);
    } else {
      // Which layers these are differs from stage to stage; both pipelines of a bidirectional placement do half of the tokens.
      for (std::int64_t rank = 0; rank < spec.pp; ++rank)
        again = checked_add(again, recomputed_flops(recomputed_of(spec, extent_of_stage(spec, facts, rank)), count));
      if (spec.schedule.layout == placement::bidirectional) again /= 2;
    }
  }
  return {checked_multiply(3, forward), again, checked_multiply(spec.global_batch, spec.sequence)};
}

/// The same from the spec alone.
template <class Spec = plan_spec>
constexpr step_flops flops_of(const Spec& spec) {
  const derived facts = derive(spec);
  return flops_of(spec, facts, forward_flops_of(spec.model, spec.sequence, facts.vocabulary));
}

}  // namespace shardplan
