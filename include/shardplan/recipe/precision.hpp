// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/part.hpp>
#include <shardplan/core/text.hpp>

#include <cstdint>

namespace shardplan {

/// Bytes that each parameter costs in each of its forms, and bytes of one element in a forward pass.
struct precision_spec {
  literal name{};                ///< for reports
  std::int64_t weight = 0;       ///< bytes of the weight that the layers read
  std::int64_t gradient = 0;     ///< bytes of the gradient that backward writes
  std::int64_t accumulator = 0;  ///< bytes of a second, wider gradient that micro-batches are summed in; 0: none
  std::int64_t master = 0;       ///< bytes of the optimizer's own copy of the weight; 0: none
  std::int64_t moment = 0;       ///< bytes of one optimizer moment, for optimizers that do not fix it themselves
  std::int64_t compute = 0;      ///< bytes of one activation

  friend constexpr bool operator==(const precision_spec&, const precision_spec&) = default;
};

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

}  // namespace precisions

}  // namespace shardplan
