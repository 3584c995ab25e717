// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/part.hpp>
#include <shardplan/core/text.hpp>

#include <cstdint>

namespace shardplan {

/// Bytes that each parameter costs in each of its forms, and bytes of one element in a forward pass. The `linear_` fields are for the
/// weights of matrix products inside blocks, which 8-bit kernels read; embedding, head, router, norms and biases keep `weight`.
struct precision_spec {
  literal name{};                     ///< for reports
  std::int64_t weight = 0;            ///< bytes of the weight that the layers read
  std::int64_t gradient = 0;          ///< bytes of the gradient that backward writes
  std::int64_t accumulator = 0;       ///< bytes of a second, wider gradient that micro-batches are summed in; 0: none
  std::int64_t gradient_copy = 0;     ///< bytes of the optimizer's own copy of the gradient, sharded as the master copy is; 0: none
  std::int64_t master = 0;            ///< bytes of the optimizer's own copy of the weight; 0: none
  std::int64_t moment = 0;            ///< bytes of one optimizer moment, for optimizers that do not fix it themselves
  std::int64_t second_moment = 0;     ///< bytes of the second and further moments where they differ; 0: as `moment`
  std::int64_t moment_scale = 0;      ///< bytes that come to each moment of a tensor whole: its scale
  std::int64_t compute = 0;           ///< bytes of one activation
  std::int64_t linear_bits = 0;       ///< bits of one number of a linear weight; 0: as `weight`
  std::int64_t linear_copy_bits = 0;  ///< bits of its further copies (a cast, a transpose), whole as long as weights are not sharded
  std::int64_t scale_block = 0;  ///< numbers of a row, and in the copy of a column, that share a one-byte scale; 0: no scales. MXFP8: 32

  std::int64_t scale_square =
      0;  ///< side of a square of numbers that share an fp32 scale, in the weight and in its copy; 0: no such scales

  // By hand: a defaulted one costs a compiler ten times as much (tests/static/recipe asks it of every field).
  template <class Same>
  requires detail::same<Same, precision_spec>
  friend constexpr bool operator==(const Same& left, const Same& right) {
    return left.name == right.name && left.weight == right.weight && left.gradient == right.gradient &&
           left.accumulator == right.accumulator && left.gradient_copy == right.gradient_copy && left.master == right.master &&
           left.moment == right.moment && left.second_moment == right.second_moment && left.moment_scale == right.moment_scale &&
           left.compute == right.compute && left.linear_bits == right.linear_bits && left.linear_copy_bits == right.linear_copy_bits &&
           left.scale_block == right.scale_block && left.scale_square == right.scale_square;
  }
};

/// Whether matrix products run in FP8: a linear weight, or a copy of it, has 8 bits a number.
constexpr bool computes_in_fp8(const precision_spec& layout) {
  return layout.linear_bits == 8 || layout.linear_copy_bits != 0 || layout.weight == 1 || layout.gradient == 1;
}

/// A type that says a precision layout: it has `static constexpr shardplan::precision_spec spec`.
template <class Layout>
concept precision_layout = requires {
  requires detail::same<decltype(&Layout::spec), const precision_spec*>;
}
&&requires { typename detail::needs_constant<static_cast<bool>(Layout::spec.weight)>; };

/// Part of a plan (default `precisions::bf16_fp32_master`): how many bytes a parameter costs.
template <precision_layout Layout>
struct precision {
  static constexpr part_kind kind = part_kind::precision;
  template <class Spec>
  static constexpr void apply(Spec& spec) {
    note_part<part_kind::precision>(spec);
    spec.precision = Layout::spec;
  }
};

/// The layouts that frameworks use; the sum in the comment is for Adam (two moments). An FP16 run with an FP32 master costs the same bytes
/// as the BF16 one. Sources: shardplan's docs/exact_and_estimates.md lists one for each.
namespace precisions {

/// 2 + 2 + 0 + 8 = 12 bytes: the handbook's count, without a master copy, moments in fp32.
struct handbook_bf16 {
  static constexpr precision_spec spec{.name = "handbook_bf16", .weight = 2, .gradient = 2, .moment = 4, .compute = 2};
};

/// 2 + 2 + 4 + 8 = 16 bytes: the ZeRO paper's K = 12 (arXiv 1910.02054, section 3.1). The default.
struct bf16_fp32_master {
  static constexpr precision_spec spec{.name = "bf16_fp32_master", .weight = 2, .gradient = 2, .master = 4, .moment = 4, .compute = 2};
};

/// 2 + 4 + 4 + 8 = 18 bytes: Megatron-LM in bf16 with its fp32 main gradients (NVIDIA/Megatron-LM issue 654).
struct bf16_fp32_master_and_gradients {
  static constexpr precision_spec spec{
      .name = "bf16_fp32_master_and_gradients", .weight = 2, .gradient = 4, .master = 4, .moment = 4, .compute = 2};
};

/// 2 + (2 + 4) + 4 + 8 = 20 bytes: bf16 gradients summed in a separate fp32 buffer (huggingface/nanotron; "Ultra-Scale Playbook").
struct bf16_fp32_accumulator {
  static constexpr precision_spec spec{
      .name = "bf16_fp32_accumulator", .weight = 2, .gradient = 2, .accumulator = 4, .master = 4, .moment = 4, .compute = 2};
};

/// 2 + 2 + 0 + 4 = 8 bytes: everything in bf16, moments too (pytorch/torchtune).
struct pure_bf16 {
  static constexpr precision_spec spec{.name = "pure_bf16", .weight = 2, .gradient = 2, .moment = 2, .compute = 2};
};

/// 4 + 4 + 0 + 8 = 16 bytes, activations in fp32 too.
struct fp32 {
  static constexpr precision_spec spec{.name = "fp32", .weight = 4, .gradient = 4, .moment = 4, .compute = 4};
};

/// 4 + 4 + 0 + 8 = 16 bytes: torch.autocast over fp32 weights. The 2-byte copies that autocast makes of the weights are `working` memory.
struct torch_amp {
  static constexpr precision_spec spec{.name = "torch_amp", .weight = 4, .gradient = 4, .moment = 4, .compute = 2};
};

/// 4 + 4 + 0 + 8 = 16 bytes, all sharded by FSDP; casts to bf16 are made as weights are gathered (pytorch/torchtitan).
struct torchtitan {
  static constexpr precision_spec spec{.name = "torchtitan", .weight = 4, .gradient = 4, .moment = 4, .compute = 2};
};

/// 4 + 4 + 0 + 4 = 12 bytes: torchtitan with moments in bf16 (its docs/bf16_optimizer_states.md).
struct torchtitan_bf16_states {
  static constexpr precision_spec spec{.name = "torchtitan_bf16_states", .weight = 4, .gradient = 4, .moment = 2, .compute = 2};
};

/// 2 + 2 + 4 + 4 + 8 = 20 bytes, 4 + 16/d with the distributed optimizer: Megatron-LM in fp16 with fp16 gradients, of which the optimizer
/// makes an fp32 copy (its docs/.../dist_optimizer.md).
struct fp16_fp32_gradient_copy {
  static constexpr precision_spec spec{
      .name = "fp16_fp32_gradient_copy", .weight = 2, .gradient = 2, .gradient_copy = 4, .master = 4, .moment = 4, .compute = 2};
};

/// 2 + 2 + 2 + 4 = 10 bytes, 4 + 6/d sharded: Megatron-LM's precision-aware optimizer with bf16 gradients and moments. Of the fp32 master
/// only the 16 bits that the bf16 weight lacks are kept (Transformer Engine FusedAdam, store_param_remainders, on by default).
struct precision_aware {
  static constexpr precision_spec spec{.name = "precision_aware", .weight = 2, .gradient = 2, .master = 2, .moment = 2, .compute = 2};
};

/// 2 + 4 + 2 + 4 = 12 bytes, 6 + 6/d sharded: `precision_aware` with fp32 gradients.
struct precision_aware_fp32_gradients {
  static constexpr precision_spec spec{
      .name = "precision_aware_fp32_gradients", .weight = 2, .gradient = 4, .master = 2, .moment = 2, .compute = 2};
};

/// 2 + 4 + 2 + 8 = 16 bytes, 6 + 10/d sharded: `precision_aware` with fp32 gradients and moments.
struct precision_aware_fp32_moments {
  static constexpr precision_spec spec{
      .name = "precision_aware_fp32_moments", .weight = 2, .gradient = 4, .master = 2, .moment = 4, .compute = 2};
};

/// 2 + 4 + 2 + 2 = 10 bytes, 6 + 4/d sharded: `precision_aware` with fp32 gradients and FP8 moments, each with an fp32 scale a tensor.
struct precision_aware_fp8_moments {
  static constexpr precision_spec spec{
      .name = "precision_aware_fp8_moments", .weight = 2, .gradient = 4, .master = 2, .moment = 1, .moment_scale = 4, .compute = 2};
};

/// 2 + 1 + 0 + 8 = 11 bytes: fp16 weights, FP8 gradients (Azure/MS-AMP docs/user-tutorial/optimization-level.md; so the next two).
struct ms_amp_o1 {
  static constexpr precision_spec spec{.name = "ms_amp_o1", .weight = 2, .gradient = 1, .moment = 4, .compute = 2};
};

/// 2 + 1 + 0 + (1 + 2) = 6 bytes: first moment FP8, second fp16.
struct ms_amp_o2 {
  static constexpr precision_spec spec{.name = "ms_amp_o2", .weight = 2, .gradient = 1, .moment = 1, .second_moment = 2, .compute = 2};
};

/// 1 + 1 + 2 + (1 + 2) = 7 bytes: FP8 weights with an fp16 master copy.
struct ms_amp_o3 {
  static constexpr precision_spec spec{
      .name = "ms_amp_o3", .weight = 1, .gradient = 1, .master = 2, .moment = 1, .second_moment = 2, .compute = 2};
};

/// 18 bytes, and 1 for each linear weight of a block: FP8 compute with bf16 weights keeps an FP8 cast beside them (NVIDIA/TransformerEngine
/// pytorch/module, PR 2043). FP8 compute alone adds memory.
struct fp8_compute {
  static constexpr precision_spec spec{
      .name = "fp8_compute", .weight = 2, .gradient = 4, .master = 4, .moment = 4, .compute = 2, .linear_copy_bits = 8};
};

/// `fp8_compute` with a transposed cast as well, which Hopper's kernels read: 20 bytes for linear weights.
struct fp8_compute_transposed {
  static constexpr precision_spec spec{
      .name = "fp8_compute_transposed", .weight = 2, .gradient = 4, .master = 4, .moment = 4, .compute = 2, .linear_copy_bits = 16};
};

/// 1 + 4 + 4 + 8 = 17 bytes for linear weights of blocks, 18 elsewhere: FP8 primary weights (Transformer Engine Float8Tensor; Megatron-LM
/// fp8_param_gather). The fp32 scales of tensors are not counted.
struct fp8_weights {
  static constexpr precision_spec spec{
      .name = "fp8_weights", .weight = 2, .gradient = 4, .master = 4, .moment = 4, .compute = 2, .linear_bits = 8};
};

/// `fp8_weights` with the transposed copy that Hopper's kernels read: 18 bytes.
struct fp8_weights_transposed {
  static constexpr precision_spec spec{.name = "fp8_weights_transposed",
                                       .weight = 2,
                                       .gradient = 4,
                                       .master = 4,
                                       .moment = 4,
                                       .compute = 2,
                                       .linear_bits = 8,
                                       .linear_copy_bits = 8};
};

/// 2 (1 + 1/32) = 2.0625 bytes for linear weights of blocks: row-wise and column-wise MXFP8 with a one-byte scale for 32 numbers
/// (Transformer Engine mxfp8_tensor.py), 18.0625 with the rest. Megatron-LM without reuse_grad_buf_for_mxfp8_param_ag keeps more.
struct mxfp8_weights {
  static constexpr precision_spec spec{.name = "mxfp8_weights",
                                       .weight = 2,
                                       .gradient = 4,
                                       .master = 4,
                                       .moment = 4,
                                       .compute = 2,
                                       .linear_bits = 8,
                                       .linear_copy_bits = 8,
                                       .scale_block = 32};
};

/// 1 + 4 + 4 + 4 = 13 bytes for linear weights of blocks, and 4 / 16,384 for the fp32 scale of each 128 x 128 numbers: DeepSeek-V3 (arXiv
/// 2412.19437 section 3.3: FP8 weights in blocks of 128 x 128, master weights and gradients in fp32, moments in bf16). 14 elsewhere.
struct deepseek_fp8 {
  static constexpr precision_spec spec{
      .name = "deepseek_fp8", .weight = 2, .gradient = 4, .master = 4, .moment = 2, .compute = 2, .linear_bits = 8, .scale_square = 128};
};

}  // namespace precisions

}  // namespace shardplan
