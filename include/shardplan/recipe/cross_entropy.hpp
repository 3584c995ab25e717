// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/part.hpp>
#include <shardplan/core/text.hpp>

#include <cstdint>

namespace shardplan {

/// What the head and the loss hold of each logit: copies in the compute precision, and bytes beside them (fp32 casts). `kept` stands from
/// the loss to the head's backward, so once for every micro-batch that is alive; `temporary` stands while one micro-batch is in the loss.
struct loss_spec {
  literal name{};                        ///< for reports
  std::int64_t kept_copies = 0;          ///< kept copies of the logits in the compute precision
  std::int64_t kept_bytes = 0;           ///< kept bytes beside them
  std::int64_t temporary_copies = 0;     ///< further copies in the compute precision
  std::int64_t temporary_bytes = 0;      ///< bytes beside them
  std::int64_t chunks = 1;               ///< pieces of the tokens that go through head and loss one after the other
  std::int64_t head_gradient_bytes = 0;  ///< bytes for each weight of the head that its gradient is summed in, beside the gradient itself
  std::int64_t hidden_bytes = 0;         ///< bytes for each number of the head's input that its gradient is summed in

  // By hand: a defaulted one costs a compiler ten times as much.
  template <class Same>
  requires detail::same<Same, loss_spec>
  friend constexpr bool operator==(const Same& left, const Same& right) {
    return left.name == right.name && left.kept_copies == right.kept_copies && left.kept_bytes == right.kept_bytes &&
           left.temporary_copies == right.temporary_copies && left.temporary_bytes == right.temporary_bytes &&
           left.chunks == right.chunks && left.head_gradient_bytes == right.head_gradient_bytes && left.hidden_bytes == right.hidden_bytes;
  }
};

/// Bytes that stand for one logit while its micro-batch is in the loss, `element` bytes a number of the compute precision.
constexpr std::int64_t bytes_per_logit(const loss_spec& loss, std::int64_t element) {
  return (loss.kept_copies + loss.temporary_copies) * element + loss.kept_bytes + loss.temporary_bytes;
}

/// A type that says a loss kernel: it has `static constexpr shardplan::loss_spec spec`.
template <class Loss>
concept loss_kernel = requires {
  requires detail::same<decltype(&Loss::spec), const loss_spec*>;
}
&&requires { typename detail::needs_constant<static_cast<bool>(Loss::spec.chunks)>; };

/// Part of a plan (default `losses::in_place`): the cross-entropy kernel.
template <loss_kernel Loss>
struct cross_entropy {
  static constexpr part_kind kind = part_kind::cross_entropy;
  template <class Spec>
  static constexpr void apply(Spec& spec) {
    note_part<part_kind::cross_entropy>(spec);
    spec.loss = Loss::spec;
  }
};

/// Loss kernels; the bytes are those for bf16 logits. Whole figures are from Megatron-LM's functional tests, Liger-Kernel's and
/// torchtitan's tables (docs/exact_and_estimates.md); which of them is kept follows from what each kernel saves for backward.
namespace losses {

/// 2 bytes: Transformer Engine's and Liger-Kernel's cross-entropy write the gradient over the logits. The default.
struct in_place {
  static constexpr loss_spec spec{.name = "in_place", .kept_copies = 1};
};

/// 6 bytes: Megatron-LM without fusion (core/tensor_parallel/cross_entropy.py): bf16 logits and the fp32 softmax, which is kept.
struct megatron_unfused {
  static constexpr loss_spec spec{.name = "megatron_unfused", .kept_bytes = 4, .temporary_copies = 1};
};

/// 10 bytes, more and not less: Megatron-LM `cross_entropy_loss_fusion` with the implementation `native`
/// (core/fusions/fused_cross_entropy.py).
struct megatron_native_fused {
  static constexpr loss_spec spec{.name = "megatron_native_fused", .kept_bytes = 4, .temporary_copies = 1, .temporary_bytes = 4};
};

/// 6 bytes: torch on bf16 logits: three copies of the logits (saved output, its gradient, gradient of the input).
struct torch_eager {
  static constexpr loss_spec spec{.name = "torch_eager", .kept_copies = 1, .temporary_copies = 2};
};

/// 14 bytes: torch on `logits.float()` while the bf16 logits are alive: 2 + 3 x 4.
struct torch_eager_float {
  static constexpr loss_spec spec{.name = "torch_eager_float", .kept_copies = 1, .kept_bytes = 4, .temporary_bytes = 8};
};

/// 12 bytes: the same when nothing refers to the bf16 logits any more.
struct torch_eager_float_freed {
  static constexpr loss_spec spec{.name = "torch_eager_float_freed", .kept_bytes = 4, .temporary_bytes = 8};
};

/// 4 bytes: torch.compile around the loss; from few sources.
struct torch_compiled {
  static constexpr loss_spec spec{.name = "torch_compiled", .kept_copies = 1, .temporary_copies = 1};
};

/// 8 bytes: xtuner without chunks (its loss.md).
struct xtuner_eager {
  static constexpr loss_spec spec{.name = "xtuner_eager", .kept_copies = 1, .kept_bytes = 4, .temporary_copies = 1};
};

/// 6 / `Chunks` bytes: head and loss in chunks of the tokens, gradients computed in forward (Liger-Kernel's fused linear cross-entropy,
/// xtuner, SkyRL). The gradients of the head and of its input are summed in 4 bytes beside their own 2.
template <std::int64_t Chunks>
struct chunked {
  static constexpr loss_spec spec{.name = "chunked", .temporary_copies = 3, .chunks = Chunks, .head_gradient_bytes = 4, .hidden_bytes = 4};
};

/// No logits: head and loss in one kernel (verl PR 7826).
struct fused_linear {
  static constexpr loss_spec spec{.name = "fused_linear"};
};

}  // namespace losses

}  // namespace shardplan
