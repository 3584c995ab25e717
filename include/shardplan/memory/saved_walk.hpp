// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/bytes.hpp>
#include <shardplan/core/checked.hpp>
#include <shardplan/core/text.hpp>
#include <shardplan/parallel/activation_shard.hpp>
#include <shardplan/recipe/precision.hpp>
#include <shardplan/spec/derived.hpp>
#include <shardplan/spec/plan_spec.hpp>

#include <cstdint>

namespace shardplan {

/// What a kept tensor is to the operation that it is named after.
enum class saved_as : unsigned char {
  input,       ///< its input
  output,      ///< its result: the input of what follows
  statistics,  ///< one number a row: of a norm, of a softmax
  copy,        ///< a second copy: in another precision or another order
  mask,        ///< which numbers dropout let through
};

/// How a kept tensor is divided among ranks. All are divided by cp: each rank has its own tokens.
enum class saved_shard : unsigned char {
  whole,     ///< by nothing else
  sequence,  ///< its tokens by tp, under sequence parallelism
  tensor,    ///< its width or heads by tp
  routed,    ///< the tokens that reach the rank's routed experts; widths inside experts by etp
};

/// One tensor that one micro-batch leaves on one rank for backward, flattened to a matrix.
struct saved_tensor {
  literal name{};                          ///< the operation that keeps it
  saved_as as = saved_as::input;           ///< what it is to that operation
  std::int64_t rows = 0;                   ///< tokens, or heads x tokens
  std::int64_t columns = 0;                ///< its width, elements
  std::int64_t element_bytes = 0;          ///< bytes of one element
  saved_shard shard = saved_shard::whole;  ///< how it is divided among ranks; `rows` and `columns` are the rank's part

  /// Its size. Error: overflow is refused.
  constexpr shardplan::bytes bytes() const { return shardplan::bytes{checked_multiply(checked_multiply(rows, columns), element_bytes)}; }
  friend constexpr bool operator==(const saved_tensor& left, const saved_tensor& right) {
    return left.name == right.name && int(left.as) == int(right.as) && left.rows == right.rows && left.columns == right.columns &&
           left.element_bytes == right.element_bytes && int(left.shard) == int(right.shard);
  }
};

namespace detail {

// What a walk ends in: two sums and, where there is room for it, a list. One type for all, so that the walks are no templates.
struct saved_sink {
  recomputes what = recomputes::none;  // modules whose tensors are not kept
  bool fp8_inputs = false;             // `keeps_inputs_in_fp8`, asked once
  std::int64_t complete = 0;           // bytes, recomputed or not
  std::int64_t kept = 0;               // bytes of what is kept
  saved_tensor* next = nullptr;        // room for what is kept
  saved_tensor* end = nullptr;

  constexpr void operator()(const char* name, saved_as as, std::int64_t rows, std::int64_t columns, std::int64_t element, saved_shard shard,
                            recomputes freed) {
    const std::int64_t size = rows * columns * element;
    complete += size;
    if (includes(what, freed)) return;
    kept += size;
    if (next == nullptr) return;
    if (next == end) capacity_exceeded();
    *next = {name, as, rows, columns, element, shard};
    ++next;
  }
};

// The walks below visit each tensor that a block of the rank keeps of one micro-batch, recomputation or not, as `visit(name, as, rows,
// columns, bytes of an element, shard, freed)`: `freed` says which modules of `recompute<>` drop it. They are the one source of what is
// kept: the account takes their sums (memory/activations.hpp), `saved_tensors_of` their list.

// Whether linears inside blocks keep their inputs in 8 bits.
template <class Spec>
constexpr bool keeps_inputs_in_fp8(const Spec& spec) {
  return spec.kernels.keeps_fp8_inputs && computes_in_fp8(spec.precision);
}

// What one linear keeps of its input: in 8 bits a byte a number, by rows or by columns, never both (NVIDIA/TransformerEngine
// pytorch/module/linear.py, "Discard unneeded data in input tensor"), and the scales of blocks. One scale a tensor is not counted.
template <class Spec>
constexpr void walk_linear_input(const Spec& spec, const char* name, saved_as as, std::int64_t rows, std::int64_t columns,
                                 saved_shard where, recomputes freed, saved_sink& visit) {
  if (!visit.fp8_inputs) return visit(name, as, rows, columns, spec.precision.compute, where, freed);
  visit(name, as, rows, columns, 1, where, freed);
  const auto& format = spec.precision;
  if (format.scale_block != 0)
    visit(name, saved_as::statistics, rows, (columns + format.scale_block - 1) / format.scale_block, 1, where, freed);
  if (format.scale_square != 0)  // of an activation a row of as many numbers: arXiv 2412.19437 section 3.3.2
    visit(name, saved_as::statistics, rows, (columns + format.scale_square - 1) / format.scale_square, 4, where, freed);
}

// What reads the output of a norm.
enum class norm_reader : unsigned char {
  none,     // nothing that keeps it
  linear,   // one linear
  linears,  // two, each of which keeps its own in 8 bits; or a kernel that takes the compute precision
};

// A norm of `rows` x `columns` whose statistics are of `groups` rows.
template <class Spec>
constexpr void walk_norm(const Spec& spec, const char* name, std::int64_t rows, std::int64_t columns, std::int64_t groups,
                         saved_shard where, norm_reader reader, recomputes freed, saved_sink& visit) {
  const std::int64_t element = spec.precision.compute;
  const auto keeps = spec.kernels.norm;
  if (keeps == kept_by_norm::each_step && spec.model.norm == norm::rms) {
    visit(name, saved_as::input, rows, columns, 4, where, freed);
    visit(name, saved_as::copy, rows, columns, 4, where, freed);
    visit(name, saved_as::statistics, groups, 1, 4, where, freed);
    visit(name, saved_as::copy, rows, columns, element, where, freed);
    // What is recomputed starts from the input as it came.
    if (includes(spec.recompute, freed)) visit(name, saved_as::input, rows, columns, element, where, recomputes::none);
  } else {
    visit(name, saved_as::input, rows, columns, element, where, recomputes::none);
    if (keeps != kept_by_norm::input) {
      const std::int64_t statistic = keeps == kept_by_norm::input_and_narrow_statistics ? element : 4;
      const auto statistics_freed = spec.kernels.preallocates ? recomputes::none : freed;  // llm.c computes the output anew, not them
      visit(name, saved_as::statistics, groups, 1, statistic, where, statistics_freed);
      if (spec.model.norm != norm::rms) visit(name, saved_as::statistics, groups, 1, statistic, where, statistics_freed);
    }
  }
  if (reader == norm_reader::linear) walk_linear_input(spec, name, saved_as::output, rows, columns, where, freed, visit);
  if (reader == norm_reader::linears) visit(name, saved_as::output, rows, columns, element, where, freed);
}

// Latent vectors lie whole on each rank.
template <class Spec>
constexpr void walk_latents(const Spec& spec, const activation_shard& shard, saved_sink& visit) {
  const auto& latent = spec.model.latent;
  const std::int64_t rows = shard.own_tokens;
  if (latent.query_rank > 0)
    walk_norm(spec, "query_latent_norm", rows, latent.query_rank, rows, saved_shard::sequence, norm_reader::linear, recomputes::none,
              visit);
  walk_norm(spec, "key_value_latent_norm", rows, latent.key_value_rank, rows, saved_shard::sequence, norm_reader::linear, recomputes::none,
            visit);
  visit("key_rope", saved_as::output, rows, latent.rope_dim, spec.precision.compute, saved_shard::sequence, recomputes::none);
}

// Queries, keys and values, as attention and the projection before it keep them.
template <class Spec>
constexpr void walk_query_key_value(const Spec& spec, const activation_shard& shard, saved_sink& visit) {
  const std::int64_t element = spec.precision.compute;
  const std::int64_t rows = shard.tokens;
  const bool is_latent = spec.model.latent.key_value_rank != 0;
  const recomputes freed = is_latent ? recomputes::mla_up_proj : recomputes::none;
  const bool scores = attention_of(spec) == attentions::materialised;
  const auto keeps = is_latent ? kept_by_qkv::apart : spec.kernels.qkv;
  const std::int64_t packed = shard.query + shard.key + shard.value;
  if (keeps == kept_by_qkv::packed || (keeps == kept_by_qkv::packed_views && (!scores || spec.micro_batch == 1))) {
    visit("query_key_value", saved_as::output, rows, packed, element, saved_shard::tensor, freed);
    return;
  }
  visit("query", saved_as::output, rows, shard.query, element, saved_shard::tensor, freed);
  if (!scores) {
    visit("key", saved_as::output, rows, shard.key, element, saved_shard::tensor, freed);
    visit(keeps == kept_by_qkv::value_in_packed ? "query_key_value" : "value", saved_as::output, rows,
          keeps == kept_by_qkv::value_in_packed ? packed : shard.value, element, saved_shard::tensor, freed);
    return;
  }
  // Repeated for all query heads; what is recomputed starts from them as they were projected.
  visit("key", saved_as::copy, rows, shard.query, element, saved_shard::tensor, freed | recomputes::core_attn);
  visit("value", saved_as::copy, rows, shard.output, element, saved_shard::tensor, freed | recomputes::core_attn);
  if (includes(spec.recompute, recomputes::core_attn)) {
    visit("key", saved_as::output, rows, shard.key, element, saved_shard::tensor, freed);
    visit("value", saved_as::output, rows, shard.value, element, saved_shard::tensor, freed);
  }
}

// Attention itself, up to the input of the output projection.
template <class Spec>
constexpr void walk_core_attention(const Spec& spec, const activation_shard& shard, saved_sink& visit) {
  const std::int64_t element = spec.precision.compute;
  const auto kernel = attention_of(spec);
  constexpr saved_shard where = saved_shard::tensor;
  constexpr recomputes core = recomputes::core_attn;
  if (kernel == attentions::materialised) {
    const std::int64_t rows = shard.heads * shard.tokens;
    const std::int64_t keys = spec.sequence;
    if (spec.kernels.keeps_repeats) {
      visit("key_repeat", saved_as::input, shard.heads, 1, 8, where, core);
      visit("value_repeat", saved_as::input, shard.heads, 1, 8, where, core);
    }
    if (spec.kernels.keeps_scale) visit("score_scale", saved_as::input, 1, 1, 8, saved_shard::whole, core);
    if (spec.kernels.softmax == kept_by_softmax::wide_and_compute) visit("probabilities", saved_as::copy, rows, keys, 4, where, core);
    visit("probabilities", saved_as::output, rows, keys, element, where, core);
    if (drops_attention(spec)) {
      visit("probabilities_dropout", saved_as::mask, rows, keys, 1, where, core);
      visit("probabilities_dropout", saved_as::output, rows, keys, element, where, core);
    }
  } else {
    visit("attention", saved_as::statistics, shard.heads * shard.tokens, 1, 4, where, core);
    if (kernel == attentions::flash_head_major) visit("attention", saved_as::copy, shard.tokens, shard.output, element, where, core);
  }
  if (visit.fp8_inputs && kernel != attentions::materialised) {
    // Attention keeps its output as it made it, the projection behind it its own copy.
    visit("attention", saved_as::output, shard.tokens, shard.output, element, where, core);
    walk_linear_input(spec, "attention", saved_as::copy, shard.tokens, shard.output, where, recomputes::none, visit);
  } else {
    walk_linear_input(spec, "attention", saved_as::output, shard.tokens, shard.output, where, recomputes::none, visit);
  }
  if (spec.cp > 1 && spec.context_exchange == context_exchanges::all_to_all)
    visit("attention_exchange", saved_as::input, shard.tokens, shard.output, element, where, recomputes::none);
}

// What all blocks have: norms, attention, dropout.
template <class Spec>
constexpr void walk_every_block(const Spec& spec, const activation_shard& shard, saved_sink& visit) {
  const auto& shape = spec.model;
  const std::int64_t element = spec.precision.compute;
  const std::int64_t rows = shard.own_tokens;
  constexpr saved_shard where = saved_shard::sequence;
  const bool has_one_reader = shape.latent.key_value_rank == 0 && shape.block_norms != block_norms::one;
  walk_norm(spec, "attention_norm", rows, shape.hidden, rows, where, has_one_reader ? norm_reader::linear : norm_reader::linears,
            recomputes::layernorm, visit);
  if (shard.normed_heads > 0)
    walk_norm(spec, "query_key_norm", shard.tokens, shard.query + shard.key, shard.normed_heads * shard.tokens, saved_shard::tensor,
              norm_reader::none, recomputes::none, visit);
  if (shape.latent.key_value_rank != 0) walk_latents(spec, shard, visit);
  walk_query_key_value(spec, shard, visit);
  walk_core_attention(spec, shard, visit);
  if (shape.block_norms == block_norms::four) {
    walk_norm(spec, "attention_output_norm", rows, shape.hidden, rows, where, norm_reader::none, recomputes::none, visit);
    walk_norm(spec, "mlp_output_norm", rows, shape.hidden, rows, where, norm_reader::none, recomputes::none, visit);
  }
  if (shape.block_norms != block_norms::one)
    walk_norm(spec, "mlp_norm", rows, shape.hidden, rows, where, norm_reader::none, recomputes::layernorm, visit);
  if (drops_hidden(spec)) {
    visit("attention_dropout", saved_as::mask, rows, shape.hidden, 1, where, recomputes::none);
    visit("mlp_dropout", saved_as::mask, rows, shape.hidden, 1, where, recomputes::none);
  }
  if (spec.kernels.keeps_branch_outputs) {
    visit("attention_output", saved_as::output, rows, shape.hidden, element, where, recomputes::none);
    visit("mlp_output", saved_as::output, rows, shape.hidden, element, where, recomputes::none);
  }
}

// The inside of a feed-forward network whose branches are `width` wide, for `rows` tokens.
template <class Spec>
constexpr void walk_activation(const Spec& spec, std::int64_t rows, std::int64_t width, saved_shard where, recomputes module,
                               recomputes act, saved_sink& visit) {
  const std::int64_t element = spec.precision.compute;
  if (spec.model.mlp != mlp::gated) {
    visit("up", saved_as::output, rows, width, element, where, module);
  } else if (spec.kernels.activation == kept_by_activation::inputs) {
    visit("gate_up", saved_as::output, rows, 2 * width, element, where, module);
  } else {
    visit("gate", saved_as::output, rows, width, element, where, module);
    visit("activated_gate", saved_as::output, rows, width, element, where, module);
    visit("up", saved_as::output, rows, width, element, where, module);
  }
  walk_linear_input(spec, "activation", saved_as::output, rows, width, where, module | act, visit);
}

template <class Spec>
constexpr void walk_mlp(const Spec& spec, const activation_shard& shard, saved_sink& visit) {
  if (spec.model.block_norms != block_norms::one)
    walk_linear_input(spec, "mlp_norm", saved_as::output, shard.own_tokens, spec.model.hidden, saved_shard::sequence, recomputes::layernorm,
                      visit);
  walk_activation(spec, shard.tokens, shard.ffn, saved_shard::tensor, recomputes::mlp, recomputes::mlp_act, visit);
}

// The router in fp32, two permuted copies, routed and shared experts.
template <class Spec>
constexpr void walk_experts(const Spec& spec, const activation_shard& shard, saved_sink& visit) {
  const auto& shape = spec.model;
  const std::int64_t element = spec.precision.compute;
  constexpr recomputes moe = recomputes::moe;
  // The router, which is no FP8 linear, keeps the norm's output; a shared expert its own copy.
  if (shape.block_norms != block_norms::one)
    visit("mlp_norm", saved_as::output, shard.own_tokens, shape.hidden, element, saved_shard::sequence, recomputes::layernorm);
  if (shard.shared_ffn > 0 && visit.fp8_inputs)
    walk_linear_input(spec, "shared_experts", saved_as::input, shard.own_tokens, shape.hidden, saved_shard::sequence, moe, visit);
  visit("router", saved_as::output, shard.own_tokens, shape.experts.count, 4, saved_shard::sequence, moe);
  walk_linear_input(spec, "permuted", saved_as::input, shard.routed_tokens, shape.hidden, saved_shard::routed, moe, visit);
  walk_activation(spec, shard.routed_tokens, shard.expert_ffn, saved_shard::routed, moe, recomputes::moe_act, visit);
  if (spec.kernels.keeps_unweighted && shape.mlp != mlp::gated)
    visit("unweighted", saved_as::input, shard.routed_tokens, shard.expert_ffn, element, saved_shard::routed, moe | recomputes::moe_act);
  visit("permuted", saved_as::output, shard.routed_tokens, shape.hidden, element, saved_shard::routed, moe);
  if (shard.shared_ffn > 0) walk_activation(spec, shard.tokens, shard.shared_ffn, saved_shard::tensor, moe, recomputes::none, visit);
}

// What is kept before the first block, without the token ids, which are a batch's data.
template <class Spec>
constexpr void walk_embedding(const Spec& spec, const activation_shard& shard, saved_sink& visit) {
  const std::int64_t hidden = spec.model.hidden;
  const std::int64_t rows = shard.own_tokens;
  if (spec.model.embedding_norm)
    walk_norm(spec, "embedding_norm", rows, hidden, rows, saved_shard::sequence, norm_reader::none, recomputes::none, visit);
  if (drops_hidden(spec)) visit("embedding_dropout", saved_as::mask, rows, hidden, 1, saved_shard::sequence, recomputes::none);
}

}  // namespace detail

}  // namespace shardplan
