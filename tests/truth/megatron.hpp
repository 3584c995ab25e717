// SPDX-License-Identifier: BSL-1.0
// Megatron-LM's arguments (megatron/training/arguments.py) as a plan: underscores for dashes, absent arguments have Megatron's defaults.
#pragma once

#include "megatron_layout.hpp"
#include "megatron_model.hpp"
#include "megatron_recipe.hpp"
#include "rank_run.hpp"
#include "row.hpp"

#include <shardplan/spec/plan_spec.hpp>

#include <cstdint>
#include <string>

namespace truth {

/// The run of these arguments; `steady` when only what is alive between two steps counts, which attention, dropout, loss and recomputation
/// do not touch. Throws `not_expressible`.
inline run megatron_run(const config_reader& config, bool steady) {
  run result{};
  shardplan::plan_spec& spec = result.spec;
  detail::read_megatron_shape(config, spec);
  detail::read_megatron_experts(config, spec);
  detail::read_megatron_layout(config, spec);

  spec.sequence = config.number("seq_length");
  spec.micro_batch = config.number("micro_batch_size", 1);
  spec.global_batch = config.number("global_batch_size", spec.micro_batch * spec.dp);
  spec.vocabulary_multiple = config.number("make_vocab_size_divisible_by", 128) * spec.tp;
  detail::read_megatron_precision(config, spec);
  detail::read_megatron_sharding(config, spec);
  if (steady) {
    config.without_effect({"transformer_impl",
                           "no_create_attention_mask_in_dataloader",
                           "attention_backend",
                           "attention_dropout",
                           "hidden_dropout",
                           "cross_entropy_loss_fusion",
                           "cross_entropy_fusion_impl",
                           "cp_comm_type",
                           "moe_expert_capacity_factor",
                           "moe_pad_expert_input_to_capacity",
                           "recompute_granularity",
                           "recompute_modules",
                           "recompute_method",
                           "recompute_num_layers",
                           "distribute_saved_activations",
                           "fine_grained_activation_offloading",
                           "offload_modules",
                           "defer_embedding_wgrad_compute",
                           "wgrad_deferral_limit",
                           "tp_comm_overlap"});
  } else {
    // Its linears keep their inputs in 8 bits, in forms that differ from recipe to recipe.
    if (config.has("fp8_format") || config.has("fp8")) throw not_expressible{"kept activations of FP8 linears"};
    detail::read_megatron_kernels(config, spec);
    detail::read_megatron_recompute(config, spec);
  }

  // What changes no byte, or only bytes outside the states and the tensors of the model.
  config.without_effect({"world_size_note",
                         "gpu",
                         "tokenizer_model",
                         "overlap_grad_reduce",
                         "overlap_param_gather",
                         "squared_relu",
                         "openai_gelu",
                         "mtp_loss_scaling_factor",
                         "rotary_percent",
                         "rotary_base",
                         "rotary_interleaved",
                         "no_rope_fusion",
                         "async_tensor_model_parallel_allreduce",
                         "distributed_backend",
                         "distributed_timeout_minutes",
                         "seed",
                         "init_method_std",
                         "clip_grad",
                         "weight_decay",
                         "lr",
                         "min_lr",
                         "train_iters",
                         "deterministic_mode",
                         "apply_query_key_layer_scaling",
                         "norm_epsilon",
                         "no_bias_gelu_fusion",
                         "loss_scale",
                         "initial_loss_scale",
                         "calculate_per_token_loss",
                         "no_gradient_accumulation_fusion",
                         "overlap_param_gather_with_optimizer_step",
                         "apply_layernorm_1p",
                         "window_size",
                         "ddp_bucket_size",
                         "align_param_gather",
                         "tokenizer_type"});

  // The figures are of one rank, whose place in the pipeline follows from Megatron's order of ranks: pipeline outermost.
  const std::string rank = config.text("rank", "last rank");
  const std::int64_t ranks = spec.tp * spec.cp * spec.dp;  // of one pipeline rank
  const std::int64_t place = starts_with(rank, "last rank") ? ranks * spec.pp - 1 : config.number("rank");
  result.stage = place / ranks;
  // Muon's step takes whole matrices, so that each parameter has one owner (core/optimizer/layer_wise_optimizer.py).
  result.whole_tensors = spec.optimizer.matrix_moments >= 0 && spec.zero == 1;
  result.dense_rank = place % ranks / spec.tp;
  result.expert_rank = place % ranks / (spec.etp * spec.ep);
  return result;
}

}  // namespace truth
