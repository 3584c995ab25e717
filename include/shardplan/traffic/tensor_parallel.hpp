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

namespace detail {
template <class Sink>
constexpr void add_repeated(Sink& sink, message one, collective how, std::int64_t count) {
  one.how = how;
  one.times_received = one.times = count_product(count, one.times);
  add_message(sink, one);
}
template <class Sink>
constexpr void add_calls(Sink& sink, cargo what, std::int64_t ranks, std::int64_t elements, std::int64_t bits,
                         const tensor_parallel_calls& calls, std::int64_t times) {
  const message one{channel::tp, what, collective::all_reduce, ranks, elements, elements, bits, times, times};
  if (calls.all_reduces > 0) add_repeated(sink, one, collective::all_reduce, calls.all_reduces);
  if (calls.all_gathers > 0) add_repeated(sink, one, collective::all_gather, calls.all_gathers);
  if (calls.reduce_scatters > 0) add_repeated(sink, one, collective::reduce_scatter, calls.reduce_scatters);
}
}  // namespace detail

/// What a stage does over its tensor parallel ranks, in counts and sizes of one micro-batch.
struct tensor_parallel_work {
  std::int64_t ranks = 1;           ///< t
  bool sequence_parallel = false;   ///< ranks share the sequence between matrices
  bool recomputed = false;          ///< blocks run forward again in backward
  std::int64_t tokens = 0;          ///< of one micro-batch on a context parallel rank
  std::int64_t hidden = 0;          ///< width of an activation
  std::int64_t element_bits = 16;   ///< of an activation
  std::int64_t micro_batches = 0;   ///< of a step
  std::int64_t pairs = 0;           ///< column- and row-parallel pairs: attentions, dense MLPs and shared experts of the stage
  std::int64_t routed_layers = 0;   ///< of the stage
  bool embeds = false;              ///< the stage has the embedding
  std::int64_t heads = 0;           ///< predictions that the stage makes: 1 on the last one, one more for each next-token layer
  std::int64_t replicated = 0;      ///< parameters that each rank holds whole (norms, routers, biases of row-parallel linears)
  std::int64_t gradient_bits = 32;  ///< of a gradient as it is reduced
};

/// Adds all that travels between tensor parallel ranks. The embedding's output is all-reduced (reduce-scattered with sequence parallelism,
/// its gradient gathered); the head gathers its input, twice, and scatters its gradient, or all-reduces that alone; the vocabulary-parallel
/// loss all-reduces three fp32 numbers a token (maximum, target logit, sum; core/tensor_parallel/cross_entropy.py). Under sequence
/// parallelism gradients of replicated parameters are summed once a step. Tokens of a routed layer are divided over tp without sequence
/// parallelism too, and so gathered once each way.
template <class Sink>
constexpr void add_tensor_parallel(Sink& sink, const tensor_parallel_work& work) {
  if (work.ranks <= 1) return;
  const std::int64_t tensor = count_product(work.tokens, work.hidden);
  const std::int64_t times = work.micro_batches;
  const bool divided = work.sequence_parallel;
  detail::add_calls(sink, cargo::block_activations, work.ranks, tensor, work.element_bits, calls_of_pair(divided, work.recomputed),
                    count_product(times, work.pairs));
  if (!divided && work.routed_layers > 0)
    detail::add_calls(sink, cargo::combined_tokens, work.ranks, tensor, work.element_bits, {0, work.recomputed ? 3 : 2, 0},
                      count_product(times, work.routed_layers));
  if (work.embeds)
    detail::add_calls(sink, cargo::embedding_output, work.ranks, tensor, work.element_bits,
                      divided ? tensor_parallel_calls{0, 1, 1} : tensor_parallel_calls{1, 0, 0}, times);
  if (work.heads > 0) {
    const std::int64_t predictions = count_product(times, work.heads);
    detail::add_calls(sink, cargo::head_input, work.ranks, tensor, work.element_bits,
                      divided ? tensor_parallel_calls{0, 2, 1} : tensor_parallel_calls{1, 0, 0}, predictions);
    detail::add_calls(sink, cargo::loss, work.ranks, work.tokens, 32, {3, 0, 0}, predictions);
  }
  if (divided) detail::add_calls(sink, cargo::replicated_gradients, work.ranks, work.replicated, work.gradient_bits, {1, 0, 0}, 1);
}

}  // namespace shardplan
