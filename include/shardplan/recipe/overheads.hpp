// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/part.hpp>
#include <shardplan/core/text.hpp>

#include <cstdint>

namespace shardplan {

/// What a framework and its libraries allocate beside the tensors of the model, inside the framework's allocator. Estimates.
struct overhead_spec {
  literal name{};                        ///< for reports
  std::int64_t workspace_kibibytes = 0;  ///< workspaces of libraries, generators, the batch; KiB
  std::int64_t boundary_tensors = 0;     ///< with pp > 1: hidden states of a micro-batch in the buffers between stages
  bool mask = false;                     ///< the data loader makes a mask of sequence x sequence bytes for each sequence of a micro-batch
  bool gradient_scratch = true;          ///< one buffer for the weight gradient of each distinct linear shape stays allocated
  bool widens_moments = false;           ///< the step widens moments that have scales to fp32, all together (NVIDIA/Megatron-LM issue 1477)
  std::int64_t step_bytes = 0;           ///< temporaries of the optimizer step, bytes for each parameter that the rank owns
  bool flattens_gradients = false;       ///< the step lays the gradients in one piece, and copies it where the master has another precision

  // By hand: a defaulted one costs a compiler ten times as much.
  template <class Same>
  requires detail::same<Same, overhead_spec>
  friend constexpr bool operator==(const Same& left, const Same& right) {
    return left.name == right.name && left.workspace_kibibytes == right.workspace_kibibytes &&
           left.boundary_tensors == right.boundary_tensors && left.mask == right.mask && left.gradient_scratch == right.gradient_scratch &&
           left.widens_moments == right.widens_moments && left.step_bytes == right.step_bytes &&
           left.flattens_gradients == right.flattens_gradients;
  }
};

/// A type that says a framework's overheads: it has `static constexpr shardplan::overhead_spec spec`.
template <class Overheads>
concept overhead_set = requires {
  requires detail::same<decltype(&Overheads::spec), const overhead_spec*>;
}
&&requires { typename detail::needs_constant<Overheads::spec.mask>; };

/// Part of a plan (default `overhead_sets::transformer_engine`): what a framework allocates beside the tensors of the model.
template <overhead_set Overheads>
struct overheads {
  static constexpr part_kind kind = part_kind::overheads;
  template <class Spec>
  static constexpr void apply(Spec& spec) {
    note_part<part_kind::overheads>(spec);
    spec.overheads = Overheads::spec;
  }
};

/// Workspaces of the libraries of NVIDIA devices, KiB.
namespace workspaces {
/// cuBLAS under PyTorch on Hopper and later, and everywhere with CUBLAS_WORKSPACE_CONFIG=:4096:8 (deterministic runs), one a thread that
/// multiplies: 8 x 4 MiB (pytorch/pytorch aten/src/ATen/cuda/CublasHandlePool.cpp).
inline constexpr std::int64_t cublas_large = 8 * 4096;
/// The same on older devices: 2 x 4 MiB + 8 x 16 KiB.
inline constexpr std::int64_t cublas_small = 2 * 4096 + 8 * 16;
/// Transformer Engine's own on Hopper and later (transformer_engine/pytorch/module/base.py, get_cublas_workspace_size_bytes).
inline constexpr std::int64_t transformer_engine_large = 32 * 1024;
/// The same on older devices.
inline constexpr std::int64_t transformer_engine_small = 4 * 1024;
/// Threads that multiply: that of forward and autograd's.
inline constexpr std::int64_t threads = 2;
}  // namespace workspaces

/// Overheads of frameworks.
namespace overhead_sets {

/// Transformer Engine with gradients added into the main gradient by the kernel: scratch for weight gradients, nothing else. The default;
/// what the runs on B200 were compared with.
struct transformer_engine {
  static constexpr overhead_spec spec{.name = "transformer_engine"};
};

/// Nothing: no buffer stays, the optimizer's kernel needs none.
struct none {
  static constexpr overhead_spec spec{.name = "none", .gradient_scratch = false};
};

/// Megatron-LM as its functional tests run it on Hopper and later: workspaces of 96 MiB, masks made by the data loader, two hidden states
/// in the buffers between stages, no gradient accumulation fusion and so no scratch (tests/functional_tests, model_config.yaml).
struct megatron_tests {
  static constexpr overhead_spec spec{
      .name = "megatron_tests",
      .workspace_kibibytes = workspaces::threads * workspaces::cublas_large + workspaces::transformer_engine_large,
      .boundary_tensors = 2,
      .mask = true,
      .gradient_scratch = false,
      .widens_moments = true};
};

/// The same on Ampere: workspaces of 68 MiB.
struct megatron_tests_ampere {
  static constexpr overhead_spec spec{
      .name = "megatron_tests_ampere",
      .workspace_kibibytes = workspaces::threads * workspaces::cublas_large + workspaces::transformer_engine_small,
      .boundary_tensors = 2,
      .mask = true,
      .gradient_scratch = false,
      .widens_moments = true};
};

/// PyTorch on its own, with the foreach optimizers (4 bytes a parameter for the square root of the second moment, torch/optim/adamw.py).
struct torch_foreach {
  static constexpr overhead_spec spec{.name = "torch_foreach",
                                      .workspace_kibibytes = workspaces::threads * workspaces::cublas_large,
                                      .gradient_scratch = false,
                                      .step_bytes = 4};
};

/// PyTorch on its own, with `fused=True`: the step needs nothing.
struct torch_fused {
  static constexpr overhead_spec spec{
      .name = "torch_fused", .workspace_kibibytes = workspaces::threads * workspaces::cublas_large, .gradient_scratch = false};
};

/// DeepSpeed: the step flattens the rank's gradients, and copies that piece to the precision of the master where it is another: 2 + 4 bytes
/// a parameter with 16-bit gradients and an fp32 master, 2 with a bf16 one (runtime/zero/stage_1_and_2.py `step`, stage3.py
/// `_prepare_fp32_grad_for_sub_group`: `flatten(averaged_gradients).to(dtype)`; ZeRO-3: one sub-group at a time, see `buckets`).
struct deepspeed {
  static constexpr overhead_spec spec{.name = "deepspeed",
                                      .workspace_kibibytes = workspaces::threads * workspaces::cublas_large,
                                      .gradient_scratch = false,
                                      .flattens_gradients = true};
};

}  // namespace overhead_sets

/// Elements of one gradient bucket of ZeRO-2 and 3, and of gradients on their way to the host: DeepSpeed's default `reduce_bucket_size`
/// (deepspeedai/DeepSpeed runtime/zero/config.py).
inline constexpr std::int64_t default_reduce_bucket_elements = 500'000'000;
/// Under ZeRO-3, elements that the optimizer steps at a time: DeepSpeed's default `sub_group_size` (the same file).
inline constexpr std::int64_t default_sub_group_elements = 1'000'000'000;

/// Buffers that gradients pass through on their way to other ranks or to the host, in elements.
struct bucket_spec {
  std::int64_t reduce_elements = default_reduce_bucket_elements;  ///< elements of one gradient bucket
  std::int64_t reduce_buffers = 1;  ///< buffers of that size: 2 with DeepSpeed's `overlap_comm`; 0 without `contiguous_gradients`
  std::int64_t sub_group_elements = default_sub_group_elements;  ///< under ZeRO-3, elements that are stepped at a time

  friend constexpr bool operator==(const bucket_spec& left, const bucket_spec& right) {
    return left.reduce_elements == right.reduce_elements && left.reduce_buffers == right.reduce_buffers &&
           left.sub_group_elements == right.sub_group_elements;
  }
};

/// Part of a plan (default: DeepSpeed's defaults): gradient buckets, in DeepSpeed's words `buckets<reduce_bucket_size, overlap_comm ? 2 :
/// 1, sub_group_size>`.
template <std::int64_t ReduceElements, std::int64_t ReduceBuffers = 1, std::int64_t SubGroupElements = default_sub_group_elements>
struct buckets {
  static constexpr part_kind kind = part_kind::buckets;
  template <class Spec>
  static constexpr void apply(Spec& spec) {
    note_part<part_kind::buckets>(spec);
    spec.buckets.reduce_elements = ReduceElements;
    spec.buckets.reduce_buffers = ReduceBuffers;
    spec.buckets.sub_group_elements = SubGroupElements;
  }
};

}  // namespace shardplan
