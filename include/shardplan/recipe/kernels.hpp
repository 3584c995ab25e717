// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/part.hpp>
#include <shardplan/core/text.hpp>
#include <shardplan/recipe/attention.hpp>
#include <shardplan/recipe/dropout.hpp>

namespace shardplan {

/// What a norm keeps beside its output, which is kept as the input of the linear that reads it.
enum class kept_by_norm : unsigned char {
  input,                        ///< its input
  input_and_statistics,         ///< and in fp32 1 / rms of each token, or mean and 1 / deviation
  input_and_narrow_statistics,  ///< the same in the compute precision (PyTorch on a CPU)
  each_step,  ///< an RMS norm written out in fp32: two fp32 copies, the statistic, the cast result. A layer norm: as `input_and_statistics`
};

/// What the projection to queries, keys and values leaves for attention.
enum class kept_by_qkv : unsigned char {
  apart,            ///< three tensors
  value_in_packed,  ///< queries and keys were copied (rotated); the value is a view that keeps the packed tensor of all three
  packed,           ///< the packed tensor
  packed_views,     ///< the same, but where scores are materialised views serve a micro-batch of one only: larger ones are copied
};

/// What materialised attention keeps of its probabilities.
enum class kept_by_softmax : unsigned char {
  compute,           ///< them, in the compute precision
  wide_and_compute,  ///< them in fp32, and the cast
};

/// What the function inside a feed-forward network keeps beside its result, which is kept as the input of the last linear.
enum class kept_by_activation : unsigned char {
  inputs,     ///< its input: one tensor, of a gated network gate and up packed
  each_step,  ///< of a gated network three tensors: gate, the function of it, and up
};

/// Which tensors an implementation keeps for backward: data, so that a new one is one type with `static constexpr kernel_spec spec`.
/// memory/activations.hpp visits them.
struct kernel_spec {
  literal name{};                                              ///< for reports
  attentions attention = attentions::flash;                    ///< unless the plan says `attention<>`
  dropouts dropout = dropouts::none;                           ///< unless the plan says `dropout<>`
  kept_by_norm norm = kept_by_norm::input_and_statistics;      ///< see there
  kept_by_qkv qkv = kept_by_qkv::apart;                        ///< see there
  kept_by_softmax softmax = kept_by_softmax::compute;          ///< see there
  kept_by_activation activation = kept_by_activation::inputs;  ///< see there
  bool keeps_scale = false;                                    ///< materialised attention: the scale of the scores, a float64 (PyTorch)
  bool keeps_repeats = false;         ///< materialised attention: which key and which value each head reads, two lists of int64 (PyTorch)
  bool keeps_branch_outputs = false;  ///< what attention and feed-forward network add to the residual stream
  bool keeps_unweighted = false;  ///< routed experts that are not gated: the activation's result before an operator of its own multiplies
                                  ///< it by the router's weights (Megatron-LM fuses the two for gated experts only: moe/experts.py)
  bool preallocates = false;      ///< all buffers stand from the start; what is recomputed has one buffer, as has the backward pass
  bool gradients_apart = false;   ///< with `preallocates`: the gradients of activations have a buffer of their own
  bool keeps_log_probabilities = false;  ///< the loss keeps fp32 log-probabilities and a scalar (PyTorch's cross_entropy)
  bool keeps_fp8_inputs = false;         ///< linears in blocks whose products are in FP8 keep their inputs in 8 bits (Transformer Engine;
                                  ///< torchao's keep them as they came)

  // By hand: a defaulted one costs a compiler ten times as much (tests/static/recipe asks it of every field).
  template <class Same>
  requires detail::same<Same, kernel_spec>
  friend constexpr bool operator==(const Same& left, const Same& right) {
    return left.name == right.name && int(left.attention) == int(right.attention) && int(left.dropout) == int(right.dropout) &&
           int(left.norm) == int(right.norm) && int(left.qkv) == int(right.qkv) && int(left.softmax) == int(right.softmax) &&
           int(left.activation) == int(right.activation) && left.keeps_scale == right.keeps_scale &&
           left.keeps_repeats == right.keeps_repeats && left.keeps_branch_outputs == right.keeps_branch_outputs &&
           left.keeps_unweighted == right.keeps_unweighted && left.preallocates == right.preallocates &&
           left.gradients_apart == right.gradients_apart && left.keeps_log_probabilities == right.keeps_log_probabilities &&
           left.keeps_fp8_inputs == right.keeps_fp8_inputs;
  }
};

/// A type that says a kernel set: it has `static constexpr shardplan::kernel_spec spec`.
template <class Set>
concept kernel_set = requires {
  requires detail::same<decltype(&Set::spec), const kernel_spec*>;
}
&&requires { typename detail::needs_constant<static_cast<bool>(Set::spec.preallocates)>; };

/// Part of a plan (default `kernel_sets::transformer_engine`): which tensors the implementation keeps for backward.
template <kernel_set Set>
struct kernels {
  static constexpr part_kind kind = part_kind::kernels;
  template <class Spec>
  static constexpr void apply(Spec& spec) {
    note_part<part_kind::kernels>(spec);
    spec.kernels = Set::spec;
  }
};

}  // namespace shardplan
