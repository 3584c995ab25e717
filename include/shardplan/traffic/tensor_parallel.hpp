// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/checked.hpp>
#include <shardplan/traffic/message.hpp>

#include <cstdint>

namespace shardplan {

/// Counts of collectives of one activation tensor over tensor parallel ranks.
struct tensor_parallel_calls {
  std::int64_t all_reduces = 0;      ///< without sequence parallelism
  std::int64_t all_gathers = 0;      ///< with it
  std::int64_t reduce_scatters = 0;  ///< with it

  friend constexpr bool operator==(const tensor_parallel_calls& left, const tensor_parallel_calls& right) {
    return left.all_reduces == right.all_reduces && left.all_gathers == right.all_gathers && left.reduce_scatters == right.reduce_scatters;
  }
};

/// Collectives of one pair of column- and row-parallel linears (attention, or an MLP) in one micro-batch, forward and backward.
/// Without sequence parallelism an all-reduce each way (arXiv 1909.08053 section 3); with it forward an all-gather and a reduce-scatter,
/// backward the same and a second all-gather, because the input was kept divided and the weight gradient needs it whole (NVIDIA/Megatron-LM
/// core/tensor_parallel/layers.py): 5 (t - 1) / t of the tensor, not 4. Full recomputation adds one more forward.
constexpr tensor_parallel_calls calls_of_pair(bool sequence_parallel, bool recomputed) {
  if (!sequence_parallel) return {recomputed ? 3 : 2, 0, 0};
  return {0, recomputed ? 4 : 3, recomputed ? 3 : 2};
}

/// Column- and row-parallel pairs of a stage.
struct pair_counts {
  std::int64_t all = 0;         ///< pairs
  std::int64_t recomputed = 0;  ///< of these, those whose forward runs again in backward
  std::int64_t regathered = 0;  ///< of these, those whose input alone is gathered again (what they computed was kept)
};

/// What a stage does over its tensor parallel ranks, in counts and sizes of one micro-batch.
struct tensor_parallel_work {
  std::int64_t ranks = 1;            ///< t
  bool sequence_parallel = false;    ///< ranks share the sequence between matrices
  std::int64_t tokens = 0;           ///< of one micro-batch on a context parallel rank
  std::int64_t hidden = 0;           ///< width of an activation
  std::int64_t element_bits = 16;    ///< of an activation
  std::int64_t micro_batches = 0;    ///< of a step
  pair_counts pairs{};               ///< attentions, dense MLPs and shared experts of the stage, whose input is `hidden` wide
  pair_counts latent{};              ///< latent attentions
  std::int64_t latent_width = 0;     ///< what goes into their column-parallel linears: the latent vectors, or the hidden one for queries
  std::int64_t rotary_width = 0;     ///< keys with a position, which all their heads share
  pair_counts routed{};              ///< layers with routed experts
  std::int64_t embedding_width = 0;  ///< of what the embedding gives and the head reads; 0: `hidden`
  std::int64_t embeds = 0;           ///< times that the stage looks tokens up: 1 on the first one, 1 for each next-token layer
  std::int64_t heads = 0;            ///< predictions that the stage makes: 1 on the last one, 1 for each next-token layer
  std::int64_t next_token = 0;       ///< next-token layers, each with a column-parallel projection of 2 `hidden`
  std::int64_t replicated = 0;       ///< parameters that each rank holds whole (norms, routers, biases of row-parallel linears)
  std::int64_t gradient_bits = 32;   ///< of a gradient as it is reduced
  algorithm by = algorithm::ring;    ///< of its collectives; not `hierarchical`
};

namespace detail {
template <class Sink>
constexpr void add_calls(Sink& sink, const tensor_parallel_work& work, cargo what, std::int64_t elements, std::int64_t bits,
                         const tensor_parallel_calls& calls, std::int64_t times) {
  if (elements == 0) return;
  const auto add = [&](collective how, std::int64_t calls_of_it) {
    const std::int64_t in_step = count_product(calls_of_it, times);
    const bool rings = work.by == algorithm::tree && how != collective::all_reduce;
    sink.add(message{channel::tp, what, how, work.ranks, elements, elements, bits, in_step, in_step, rings ? algorithm::ring : work.by});
  };
  if (calls.all_reduces != 0) add(collective::all_reduce, calls.all_reduces);
  if constexpr (requires { requires Sink::joins_halves; }) {
    const std::int64_t halves = calls.all_gathers + calls.reduce_scatters;
    if (halves != 0) add(collective::all_gather, halves);
  } else {
    if (calls.all_gathers != 0) add(collective::all_gather, calls.all_gathers);
    if (calls.reduce_scatters != 0) add(collective::reduce_scatter, calls.reduce_scatters);
  }
}

// Latent attention: its down-projections are whole on every rank, so what is gathered before the column-parallel linears are the latent
// vectors and the keys with a position (NVIDIA/Megatron-LM core/transformer/multi_latent_attention.py); behind it a pair like any other.
template <class Sink, class Work = tensor_parallel_work>
constexpr void add_latent_attention(Sink& sink, const Work& work) {
  const auto& pairs = work.latent;
  const std::int64_t inside = count_product(work.tokens, work.latent_width);
  const std::int64_t keys = count_product(work.tokens, work.rotary_width);
  const std::int64_t outside = count_product(work.tokens, work.hidden);
  const auto add = [&](std::int64_t elements, const tensor_parallel_calls& calls) {
    add_calls(sink, work, cargo::block_activations, elements, work.element_bits, calls, work.micro_batches);
  };
  const std::int64_t again = pairs.all + pairs.recomputed;
  if (work.sequence_parallel) {
    add(outside, {0, pairs.all, again});
    add(inside, {0, pairs.all + again + pairs.regathered, pairs.all});
    add(keys, {0, again, pairs.all});
  } else {
    add(outside, {again, 0, 0});
    add(checked_add(inside, keys), {pairs.all, 0, 0});
  }
}
}  // namespace detail

/// Adds all that travels between tensor parallel ranks. The embedding's output is all-reduced (reduce-scattered with sequence parallelism,
/// its gradient gathered); the head gathers its input, twice, and scatters its gradient, or all-reduces that alone; the vocabulary-parallel
/// loss all-reduces three fp32 numbers a token (maximum, target logit, sum; core/tensor_parallel/cross_entropy.py). Under sequence
/// parallelism gradients of replicated parameters are summed once a step. Tokens of a routed layer are divided over tp without sequence
/// parallelism too, and so gathered once each way. The projection in front of a next-token layer is a column-parallel
/// linear of 2 h whose output is gathered (core/transformer/multi_token_prediction.py).
template <class Sink, class Work = tensor_parallel_work>
constexpr void add_tensor_parallel(Sink& sink, const Work& work) {
  if (work.ranks <= 1) return;
  const std::int64_t tensor = count_product(work.tokens, work.hidden);
  const std::int64_t times = work.micro_batches;
  const bool divided = work.sequence_parallel;
  const auto add = [&](cargo what, std::int64_t elements, const tensor_parallel_calls& calls) {
    detail::add_calls(sink, work, what, elements, work.element_bits, calls, times);
  };
  const auto& pairs = work.pairs;
  const std::int64_t again = pairs.recomputed + pairs.regathered;
  if (pairs.all > 0)
    add(cargo::block_activations, tensor,
        divided ? tensor_parallel_calls{0, 3 * pairs.all + again, 2 * pairs.all + pairs.recomputed}
                : tensor_parallel_calls{2 * pairs.all + again, 0, 0});
  if (work.latent.all > 0) detail::add_latent_attention(sink, work);
  if (!divided && work.routed.all > 0) add(cargo::combined_tokens, tensor, {0, 2 * work.routed.all + work.routed.recomputed, 0});
  const std::int64_t ends = work.embedding_width == 0 ? tensor : count_product(work.tokens, work.embedding_width);
  if (work.embeds > 0)
    add(cargo::embedding_output, ends, divided ? tensor_parallel_calls{0, work.embeds, work.embeds} : tensor_parallel_calls{work.embeds});
  if (work.heads > 0) {
    add(cargo::head_input, ends, divided ? tensor_parallel_calls{0, 2 * work.heads, work.heads} : tensor_parallel_calls{work.heads});
    detail::add_calls(sink, work, cargo::loss, work.tokens, 32, {3, 0, 0}, count_product(times, work.heads));
  }
  if (work.next_token > 0) {
    const std::int64_t layers = work.next_token;
    add(cargo::block_activations, count_product(tensor, 2),
        divided ? tensor_parallel_calls{0, 2 * layers, layers} : tensor_parallel_calls{layers});
    add(cargo::block_activations, tensor, {0, divided ? 2 * layers : layers, layers});
  }
  if (divided) detail::add_calls(sink, work, cargo::replicated_gradients, work.replicated, work.gradient_bits, {1, 0, 0}, 1);
}

}  // namespace shardplan
