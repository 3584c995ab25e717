// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/recipe/kernels.hpp>

namespace shardplan {

/// Implementations whose kept tensors are known; docs/exact_and_estimates.md says how far each was checked.
namespace kernel_sets {

/// Transformer Engine as Megatron-LM uses it: fused norms and SwiGLU, flash attention. The default.
struct transformer_engine {
  static constexpr kernel_spec spec{.name = "transformer_engine", .keeps_unweighted = true, .keeps_fp8_inputs = true};
};

/// PyTorch with fused norms and SwiGLU, and one projection for query, key and value whose value is a view of it.
struct torch_fused {
  static constexpr kernel_spec spec{.name = "torch_fused",
                                    .qkv = kept_by_qkv::value_in_packed,
                                    .softmax = kept_by_softmax::wide_and_compute,
                                    .keeps_scale = true,
                                    .keeps_repeats = true,
                                    .keeps_log_probabilities = true};
};

/// The same, where the value is copied out of the projection.
struct torch_fused_copied {
  static constexpr kernel_spec spec{.name = "torch_fused_copied",
                                    .softmax = kept_by_softmax::wide_and_compute,
                                    .keeps_scale = true,
                                    .keeps_repeats = true,
                                    .keeps_log_probabilities = true};
};

/// PyTorch without fused kernels, in the style of Hugging Face's Llama: the RMS norm step by step in fp32, every projection apart.
struct torch_eager {
  static constexpr kernel_spec spec{.name = "torch_eager",
                                    .norm = kept_by_norm::each_step,
                                    .softmax = kept_by_softmax::wide_and_compute,
                                    .activation = kept_by_activation::each_step,
                                    .keeps_scale = true,
                                    .keeps_repeats = true,
                                    .keeps_log_probabilities = true};
};

/// PyTorch in the style of GPT-2 on a CPU, where a layer norm keeps its statistics in the compute precision: query, key and value are views
/// of one projection, the feed-forward network is plain.
struct torch_gpt {
  static constexpr kernel_spec spec{.name = "torch_gpt",
                                    .norm = kept_by_norm::input_and_narrow_statistics,
                                    .qkv = kept_by_qkv::packed_views,
                                    .keeps_scale = true,
                                    .keeps_log_probabilities = true};
};

/// The count of arXiv 2205.05198, section 4: sbh (34 + 5as/h) bytes a layer, with dropout, without norm statistics.
struct korthikanti {
  static constexpr kernel_spec spec{
      .name = "korthikanti", .attention = attentions::materialised, .dropout = dropouts::both, .norm = kept_by_norm::input};
};

/// karpathy/llm.c, train_gpt2.cu from mid-2024 on: buffers that stand from the start.
struct llm_c {
  static constexpr kernel_spec spec{.name = "llm_c", .qkv = kept_by_qkv::packed, .preallocates = true};
};

/// Its earlier layout (pull request 309, May 2024), which train_gpt2_fp32.cu still has: the results of both branches are kept, statistics
/// of norms are in the compute precision, gradients of activations lie apart.
struct llm_c_early {
  static constexpr kernel_spec spec{.name = "llm_c_early",
                                    .norm = kept_by_norm::input_and_narrow_statistics,
                                    .qkv = kept_by_qkv::packed,
                                    .keeps_branch_outputs = true,
                                    .preallocates = true,
                                    .gradients_apart = true};
};

}  // namespace kernel_sets

}  // namespace shardplan
