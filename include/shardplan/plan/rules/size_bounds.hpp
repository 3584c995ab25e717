// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/checked.hpp>
#include <shardplan/plan/quantity.hpp>
#include <shardplan/plan/rules/limits.hpp>
#include <shardplan/plan/rules/listed_rule.hpp>
#include <shardplan/plan/violation.hpp>
#include <shardplan/spec/derived.hpp>
#include <shardplan/spec/plan_spec.hpp>

#include <cstdint>

namespace shardplan {

namespace rules {

/// No product of numbers can leave 63 bits.
struct products_are_exact {
  template <class Listed = listed_rule>
  static constexpr Listed about() {
    return detail::number_rule<Listed>(
        1, rule::too_large, {quantity::parameters_bound, quantity::activation_bytes_bound, quantity::state_bytes_bound},
        "at most 2^52 parameters, 2^61 bytes of activations and 2^60 bytes of matrix rules, scales and tensor tables, by upper bounds",
        "with these no figure leaves 63 bits");
  }
};

}  // namespace rules

namespace detail {

// Whether a spec is so far below the limits of `check_size` that it need not be computed: what nearly every plan is. With the bounds below
// parameters stay under 2^48, activations under 2^61 and, without a rule for matrices, what `state_bytes` bounds under 2^60.
template <class Spec>
constexpr bool is_ordinary(const Spec& spec) {
  const auto& shape = spec.model;
  return shape.layers <= 256 && shape.hidden <= 32768 && shape.heads <= 512 && shape.head_dim <= 128 && shape.kv_heads <= shape.heads &&
         shape.ffn <= 131072 && shape.vocab <= 2097152 && shape.positions <= 2097152 && shape.experts.count <= 512 &&
         shape.experts.ffn <= 16384 && (shape.latent.key_value_rank | shape.next_token_layers | shape.embedding_dim) == 0 &&
         (shape.experts.count == 0 || (shape.experts.top_k <= 16 && shape.experts.shared_ffn <= 65536 && shape.expert_width() <= 16384)) &&
         vocabulary_multiple_of(spec) <= 2097152 && spec.etp * spec.schedule.chunks <= 8 && spec.schedule.slices == 1 &&
         spec.precision.compute <= 4 && bytes_per_logit(spec.loss, 4) <= 32 && !spec.overheads.mask &&
         spec.optimizer.matrices == matrix_rule::none && attention_of(spec) != attentions::materialised &&
         spec.expert_load.computed() <= 400 && spec.micro_batch <= spec.global_batch && spec.sequence <= 1048576 &&
         spec.global_batch <= 1073741824 &&
         shape.layers * spec.sequence * spec.global_batch <= 2147483648;  // 64 M tokens a step for 32 layers
}

// Generous upper bounds in saturating arithmetic: nothing that follows needs to look at overflow again.
template <class Sink, class Spec>
constexpr void check_size(const Spec& spec, Sink& sink) {
  const auto& shape = spec.model;
  const auto times = [](std::int64_t left, std::int64_t right) { return saturating_multiply(left, right); };
  const auto plus = [](std::int64_t left, std::int64_t right) { return saturating_add(left, right); };
  const std::int64_t head_dim = shape.head_dim != 0 ? shape.head_dim : shape.hidden;
  const auto& latent = shape.latent;
  const std::int64_t latent_head = latent.rope_dim + latent.nope_dim + latent.value_dim;
  const std::int64_t latent_ranks = latent.query_rank + latent.key_value_rank;
  const std::int64_t query = times(shape.heads, shape.is_latent() ? latent_head : head_dim);
  const std::int64_t heads_width = shape.head_dim != 0 || shape.is_latent() ? query : shape.hidden;
  const std::int64_t key_width = shape.is_latent()     ? plus(query, latent_ranks + latent.rope_dim)
                                 : shape.head_dim != 0 ? times(shape.key_value_heads(), head_dim)
                                                       : times(shape.hidden, ceil_divide(shape.key_value_heads(), shape.heads));
  const std::int64_t widths = plus(plus(heads_width, key_width), plus(shape.ffn, shape.experts.shared_ffn));
  const std::int64_t routed = times(shape.expert_width(), shape.experts.count);
  const std::int64_t rows = plus(plus(shape.vocab, vocabulary_multiple_of(spec)), shape.positions);
  // A factor of two covers the vectors that may stand beside the matrices even where `hidden` is 1.
  const bool has_vectors = shape.qk_norm != qk_norm::none || shape.attention_sinks || shape.experts.router_bias || shape.experts.bias ||
                           shape.head_bias || shape.is_latent();
  const std::int64_t matrices =
      plus(times(4 * shape.hidden, plus(plus(widths, routed), plus(shape.experts.count, 8))), times(latent_ranks, times(2, query)));
  const std::int64_t block = has_vectors ? times(2, matrices) : matrices;
  const std::int64_t layers = shape.layers + shape.next_token_layers;
  const std::int64_t embedded = shape.embedding_dim > shape.hidden ? shape.embedding_dim : shape.hidden;
  const std::int64_t ends = times((has_vectors ? 4 : 2) * embedded, plus(plus(rows, shape.embedding_dim == 0 ? 0 : shape.hidden),
                                                                         2 + 2 * shape.next_token_layers * (shape.hidden + 3)));
  const std::int64_t parameters = plus(times(layers, block), ends);
  if (parameters > limits::parameters) sink.add_large({quantity::parameters_bound, parameters}, limits::parameters);

  // What comes to the numbers of a matrix of m x n at most: `size` pairs of m + n <= 2mn numbers of 16 bytes; 2 x 4 bytes of 2mn + side
  // (m + n); one number of 16 bytes; scales in arrays whose sides are padded to 128 and 4. Sides of blocks apart: a vocabulary is longer.
  const auto rule = spec.optimizer.matrices;
  const std::int64_t size = spec.optimizer.matrix_size;
  std::int64_t a_number = spec.precision.scale_block != 0 ? 2 * 128 * 4 : 0;
  if (spec.precision.scale_square != 0) a_number += 2 * 4;
  std::int64_t at_an_end = a_number;
  if (rule == matrix_rule::factored) {
    a_number = at_an_end += 32 * size;
  } else if (rule == matrix_rule::preconditioned || rule == matrix_rule::rotated) {
    std::int64_t side = shape.hidden;
    const std::int64_t sides[] = {heads_width, key_width, shape.ffn, shape.experts.shared_ffn, shape.expert_width(), shape.experts.count};
    for (const std::int64_t other : sides)
      if (other > side) side = other;
    const std::int64_t longest = plus(rows, plus(2 * embedded, side));
    a_number = plus(a_number, times(16, plus(1, size != 0 && size < side ? size : side)));
    at_an_end = plus(at_an_end, times(16, plus(1, size != 0 && size < longest ? size : longest)));
  } else if (rule != matrix_rule::none) {
    a_number = at_an_end += 16;
  }
  const std::int64_t tensors = plus(times(layers, plus(64, 6 * shape.experts.count)), 8 + 8 * shape.next_token_layers);
  const std::int64_t states = plus(plus(times(times(layers, block), a_number), times(ends, at_an_end)),
                                   times(tensors, limits::moments * spec.optimizer.tensor_table_bytes));
  if (states > limits::state_bytes) sink.add_large({quantity::state_bytes_bound, states}, limits::state_bytes);

  // Norms step by step keep fp32 copies beside those in the compute precision, FP8 linears up to 5 bytes of scales a number. Materialised
  // attention keeps at most three copies, one of them in fp32, and a mask of the probabilities; twice, should one layer be recomputed while
  // all the others keep theirs.
  const std::int64_t compute = spec.precision.compute;
  const bool keeps_scales = spec.kernels.keeps_fp8_inputs && (spec.precision.scale_block | spec.precision.scale_square) != 0;
  const std::int64_t number = compute + (spec.kernels.norm == kept_by_norm::each_step ? 4 : 0) + (keeps_scales ? 5 : 0);
  const std::int64_t copies = times(shape.experts.top_k, ceil_divide(spec.expert_load.computed(), 100));
  const std::int64_t visits = plus(times(copies, plus(shape.expert_width(), shape.hidden)), shape.experts.count);
  const std::int64_t outside_scores =
      times(8 * number, plus(plus(times(2, widths), times(4, shape.hidden)), plus(times(visits, 2), times(2, shape.heads))));
  const std::int64_t scores =
      attention_of(spec) == attentions::materialised ? times(times(shape.heads, spec.sequence), 2 * (2 * compute + 5)) : 0;
  const std::int64_t per_token = plus(outside_scores, scores);
  const std::int64_t tokens = times(spec.sequence, spec.global_batch > spec.micro_batch ? spec.global_batch : spec.micro_batch);
  const std::int64_t logits =
      (2 * spec.precision.compute + bytes_per_logit(spec.loss, spec.precision.compute)) * (1 + shape.next_token_layers);
  const std::int64_t around =
      plus(times(2 * spec.overheads.boundary_tensors * spec.precision.compute, shape.hidden), spec.overheads.mask ? spec.sequence : 0);
  const std::int64_t activations =
      times(tokens, plus(times(times(layers, per_token), times(times(spec.etp, spec.schedule.chunks), spec.schedule.slices)),
                         plus(times(logits, rows), around)));
  if (activations > limits::activation_bytes) sink.add_large({quantity::activation_bytes_bound, activations}, limits::activation_bytes);
}

}  // namespace detail

}  // namespace shardplan
