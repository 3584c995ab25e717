// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/bytes.hpp>
#include <shardplan/core/checked.hpp>
#include <shardplan/core/fraction.hpp>
#include <shardplan/handbook/arithmetic.hpp>

#include <cstdint>

/// Section 2 of the handbook: how many bytes each kind of parallelism sends. `tp_all_reduce`, `pp_boundary` and `dp_all_reduce` are its own
/// formulas. They give the size of the tensor rather than what a rank sends, so each has its true figure beside it: bytes that one rank
/// sends through a ring. Where a figure is no whole number it is rounded up; a real ring with uneven chunks may differ by two elements.
namespace shardplan::handbook {

/// One activation tensor: batch x sequence x hidden elements of one micro-batch.
struct activation {
  std::int64_t batch = 0;              ///< sequences in a micro-batch
  std::int64_t sequence = 0;           ///< tokens in a sequence
  std::int64_t hidden = 0;             ///< width of the model
  std::int64_t bytes_per_element = 2;  ///< 2: BF16

  /// b*s*d*bytes, called X below.
  constexpr bytes size() const {
    const std::int64_t tokens = checked_multiply(detail::positive(batch), detail::positive(sequence));
    return {checked_multiply(checked_multiply(tokens, detail::positive(hidden)), detail::positive(bytes_per_element))};
  }
};

namespace detail {

// count * (n - 1) / n of a tensor: what one rank sends when `count` reduce-scatters or all-gathers of it run around a ring of n.
constexpr bytes around_ring(bytes tensor, std::int64_t count, std::int64_t ranks) {
  return rounded_up(fraction{positive(ranks) - 1, ranks} * fraction{count} * fraction{tensor.count});
}

constexpr bytes weights_of(std::int64_t parameters, std::int64_t bytes_per_parameter) {
  return {checked_multiply(positive(parameters), positive(bytes_per_parameter))};
}

}  // namespace detail

/// The handbook's tensor-parallel all-reduce, "about 2*b*s*d*bytes per layer, forward and backward". It is one all-reduce in the limit of
/// many ranks; a layer has four.
constexpr bytes tp_all_reduce(const activation& tensor) { return 2 * tensor.size(); }

/// One ring all-reduce of X over `ranks` ranks, bytes sent by one: 2(t-1)/t X.
constexpr bytes true_tp_all_reduce(const activation& tensor, std::int64_t ranks) { return detail::around_ring(tensor.size(), 2, ranks); }

/// All that one rank sends for one layer and one micro-batch, forward and backward, without sequence parallelism: four all-reduces,
/// 8(t-1)/t X (Shoeybi et al. 2019, arXiv 1909.08053, section 3).
constexpr bytes true_tp_layer(const activation& tensor, std::int64_t ranks) { return detail::around_ring(tensor.size(), 8, ranks); }

/// The same with sequence parallelism, the default of `tp<>`: 10(t-1)/t X. Forward two all-gathers and two reduce-scatters; backward two of
/// each and two more all-gathers, because the inputs were kept divided (Megatron-LM `core/tensor_parallel/layers.py`).
constexpr bytes true_tp_layer_sequence_parallel(const activation& tensor, std::int64_t ranks) {
  return detail::around_ring(tensor.size(), 10, ranks);
}

/// The handbook's b*s*d*bytes for each boundary between two pipeline stages.
constexpr bytes pp_boundary(const activation& tensor) { return tensor.size(); }

/// What one rank sends over one boundary in one direction for one micro-batch: X, forward the activation, backward its gradient. The
/// handbook is right here.
constexpr bytes true_pp_each_way(const activation& tensor) { return tensor.size(); }

/// The same with sequence parallelism over `tensor_parallel` ranks, which keep the tensor divided: X/t (Megatron-LM
/// `core/pipeline_parallel/schedules.py`, get_tensor_shapes).
constexpr bytes true_pp_each_way_sequence_parallel(const activation& tensor, std::int64_t tensor_parallel) {
  return detail::rounded_up(fraction{tensor.size().count, detail::positive(tensor_parallel)});
}

/// The handbook's data-parallel all-reduce, P*bytes once a step.
constexpr bytes dp_all_reduce(std::int64_t parameters, std::int64_t bytes_per_parameter = 2) {
  return detail::weights_of(parameters, bytes_per_parameter);
}

/// What one of `ranks` ranks sends for it through a ring: 2(n-1)/n P*bytes. A reduce-scatter of the gradients and an all-gather of the
/// weights, as ZeRO-1 has them, are as much.
constexpr bytes true_dp_all_reduce(std::int64_t parameters, std::int64_t ranks, std::int64_t bytes_per_parameter = 2) {
  return detail::around_ring(detail::weights_of(parameters, bytes_per_parameter), 2, ranks);
}

/// ZeRO-3 and FSDP, which the handbook describes in words: two all-gathers of the weights and a reduce-scatter of the gradients, 3(n-1)/n
/// P*bytes for one rank in **every micro-step** (Rajbhandari et al. 2019, arXiv 1910.02054, section 7).
constexpr bytes true_zero_3(std::int64_t parameters, std::int64_t ranks, std::int64_t bytes_per_parameter = 2) {
  return detail::around_ring(detail::weights_of(parameters, bytes_per_parameter), 3, ranks);
}

}  // namespace shardplan::handbook
