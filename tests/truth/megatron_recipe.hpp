// SPDX-License-Identifier: BSL-1.0
// Arguments of Megatron-LM about the recipe: precision, optimizer, sharding, kernels, recomputation.
#pragma once

#include "row.hpp"

#include <shardplan/recipe/optimizer.hpp>
#include <shardplan/recipe/overheads.hpp>
#include <shardplan/recipe/precision.hpp>
#include <shardplan/recipe/recompute.hpp>
#include <shardplan/spec/plan_spec.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace truth {

namespace detail {

/// Bytes of one number of that type of Megatron's optimizer arguments.
inline std::int64_t bytes_of_type(const std::string& type) {
  if (type == "fp32") return 4;
  if (type == "bf16" || type == "fp16") return 2;
  if (type == "fp8") return 1;
  throw not_expressible{"type " + type};
}

inline bool is_hopper_or_later(const std::string& device) { return !starts_with(device, "A100") && !starts_with(device, "V100"); }

inline void read_megatron_precision(const config_reader& config, shardplan::plan_spec& spec) {
  const bool brain = config.flag("bf16");
  const bool half = config.flag("fp16");
  // fp16 runs keep fp32 gradients and masters as bf16 runs do.
  spec.precision = brain || half ? shardplan::precisions::bf16_fp32_master_and_gradients::spec : shardplan::precisions::fp32::spec;
  shardplan::precision_spec& bytes = spec.precision;
  if (config.flag("grad_reduce_in_bf16")) bytes.gradient = 2;
  config.without_effect({"accumulate_allreduce_grads_in_fp32"});
  const bool aware = config.flag("use_precision_aware_optimizer");
  const std::string main_gradients = config.text("main_grads_dtype", "fp32");
  const std::string main_weights = config.text("main_params_dtype", "fp32");
  const std::string first = config.text("exp_avg_dtype", "fp32");
  const std::string second = config.text("exp_avg_sq_dtype", "fp32");
  if (aware) {
    bytes.gradient = bytes_of_type(main_gradients);
    // Of an fp32 master the 16 bits that the bf16 weight lacks (store_param_remainders, on by default).
    const bool remainders = brain && main_weights == "fp32" && config.flag("store_param_remainders", true);
    bytes.master = remainders ? 2 : bytes_of_type(main_weights);
    bytes.moment = bytes_of_type(first);
    bytes.second_moment = bytes_of_type(second);
    if (bytes.moment == 1) bytes.moment_scale = 4;
  }
  const std::string format = config.text("fp8_format", config.text("fp8"));
  const std::string recipe = config.text("fp8_recipe", "delayed");
  if (!format.empty() && !config.flag("fp8_param_gather")) {
    // A cast of each linear weight stays, on Hopper and in blocks a second one by columns (Transformer Engine pytorch/module).
    if (config.flag("first_last_layers_bf16")) throw not_expressible{"layers of different precision"};
    bytes.linear_copy_bits = starts_with(config.text("gpu"), "H") || recipe == "blockwise" || recipe == "mxfp8" ? 16 : 8;
  }
  // Parameters gathered in 8 bits: by rows and by columns one byte each, two bytes as bf16.
  config.without_effect({"first_last_layers_bf16", "num_layers_at_start_in_bf16", "num_layers_at_end_in_bf16", "fp8_amax_history_len",
                         "fp8_amax_compute_algo", "fp8_margin"});

  const std::string optimizer = config.text("optimizer", "adam");
  if (optimizer == "muon" || optimizer == "dist_muon") {
    spec.optimizer = shardplan::optimizers::muon::spec;
  } else if (optimizer == "sgd") {
    spec.optimizer = shardplan::optimizers::momentum::spec;
  } else if (optimizer == "lion") {
    spec.optimizer = shardplan::optimizers::lion::spec;
  } else if (optimizer != "adam") {
    throw not_expressible{"optimizer " + optimizer};
  }
  if (config.flag("optimizer_cpu_offload") && config.real("optimizer_offload_fraction", 1) != 0)
    throw not_expressible{"a part of the optimizer on the host"};
  config.without_effect({"optimizer_offload_fraction"});
}

inline void read_megatron_sharding(const config_reader& config, shardplan::plan_spec& spec) {
  spec.zero = config.flag("use_distributed_optimizer") ? 1 : 0;
  const std::int64_t instances = config.number("num_distributed_optimizer_instances", 1);
  const std::int64_t sharers = spec.dp * spec.cp;
  if (instances < 1 || sharers % instances != 0) throw not_expressible{"instances that do not divide the replicas"};
  const std::string strategy = config.text("data_parallel_sharding_strategy", "no_shard");
  if (config.flag("use_megatron_fsdp")) {
    if (strategy == "optim_grads_params") {
      spec.zero = 0;
      spec.sharding.layout = shardplan::shard_layout::flat_units;
    } else {
      spec.zero = strategy == "optim_grads" ? 2 : strategy == "optim" ? 1 : 0;
    }
  }
  if (config.flag("use_torch_fsdp2")) {
    spec.zero = 0;
    spec.sharding.layout = shardplan::shard_layout::tensors;
  }
  if (instances == 1) return;
  if (spec.sharding.is_fsdp()) {
    spec.sharding.ranks = sharers / instances;
  } else if (spec.zero != 0) {
    if (spec.model.experts.count > 0) throw not_expressible{"instances of the distributed optimizer with routed experts"};
    // Each instance shards its states over its own ranks: to one rank it is the whole run, with its part of the batch.
    const std::int64_t world = spec.devices_per_node * spec.nodes;
    if (spec.dp % instances != 0 || spec.global_batch % instances != 0) throw not_expressible{"instances that do not divide the replicas"};
    spec.dp /= instances;
    spec.global_batch /= instances;
    spec.nodes = 1;
    spec.devices_per_node = world / instances;
  }
}

inline void read_megatron_kernels(const config_reader& config, shardplan::plan_spec& spec) {
  const std::string device = config.text("gpu", "H100");
  const bool engine = config.text("transformer_impl", "transformer_engine") == "transformer_engine";
  spec.overheads =
      is_hopper_or_later(device) ? shardplan::overhead_sets::megatron_tests::spec : shardplan::overhead_sets::megatron_tests_ampere::spec;
  if (!engine)
    spec.overheads.workspace_kibibytes -=
        is_hopper_or_later(device) ? shardplan::workspaces::transformer_engine_large : shardplan::workspaces::transformer_engine_small;
  // Deterministic mode, in which the tests run, refuses flash attention and the fused loss (arguments.py): without it cuBLAS has its
  // default.
  const bool deterministic = config.text("attention_backend", "auto") != "flash" && !config.flag("cross_entropy_loss_fusion");
  if (!deterministic && !is_hopper_or_later(device))
    spec.overheads.workspace_kibibytes -=
        shardplan::workspaces::threads * (shardplan::workspaces::cublas_large - shardplan::workspaces::cublas_small);
  spec.overheads.mask = !config.flag("no_create_attention_mask_in_dataloader");
  spec.overheads.gradient_scratch = config.flag("gradient_accumulation_fusion");

  // Without Transformer Engine attention is Megatron's own, which keeps the scores; with it "auto" takes a fused kernel.
  const std::string backend = config.text("attention_backend", "auto");
  if (backend != "auto" && backend != "flash" && backend != "fused" && backend != "unfused" && backend != "local")
    throw not_expressible{"attention_backend " + backend};
  const bool fused = engine && backend != "unfused" && backend != "local";
  // "auto" is cuDNN on Hopper and later and the flash-attn package before. The package reads batch-first tensors, so that its output is
  // copied into Megatron's sequence-first layout (Transformer Engine attention/dot_product_attention/backends.py, utils.py
  // get_attention_backend).
  const bool package = backend == "flash" || (backend == "auto" && !is_hopper_or_later(device));
  spec.attention = !fused    ? shardplan::attentions::materialised
                   : package ? shardplan::attentions::flash_head_major
                             : shardplan::attentions::flash;
  const bool scores = config.real("attention_dropout", 0.1) > 0;
  const bool hidden = config.real("hidden_dropout", 0.1) > 0;
  spec.dropout = scores && hidden ? shardplan::dropouts::both
                 : hidden         ? shardplan::dropouts::hidden
                 : scores         ? shardplan::dropouts::attention
                                  : shardplan::dropouts::none;

  if (!config.flag("cross_entropy_loss_fusion")) {
    spec.loss = shardplan::losses::megatron_unfused::spec;
    config.without_effect({"cross_entropy_fusion_impl"});
  } else {
    const std::string kernel = config.text("cross_entropy_fusion_impl", "native");
    if (kernel != "native" && kernel != "te") throw not_expressible{"cross_entropy_fusion_impl " + kernel};
    spec.loss = kernel == "te" ? shardplan::losses::in_place::spec : shardplan::losses::megatron_native_fused::spec;
  }

  const std::string exchange = config.text("cp_comm_type", "p2p");
  if (exchange == "p2p") {
    spec.context_exchange = shardplan::context_exchanges::ring;
  } else if (exchange == "all_gather") {
    spec.context_exchange = shardplan::context_exchanges::all_gather;
  } else if (exchange != "a2a" && spec.cp > 1) {
    throw not_expressible{"cp_comm_type " + exchange};
  }

  if (config.has("moe_expert_capacity_factor")) {
    const double factor = config.real("moe_expert_capacity_factor", 0);
    if (factor > 0) spec.expert_load.capacity = static_cast<std::int64_t>(100 * factor + 0.5);
    spec.expert_load.pads_to_capacity = config.flag("moe_pad_expert_input_to_capacity");
  }
  config.without_effect({"moe_pad_expert_input_to_capacity"});
}

inline shardplan::recomputes recomputed_module(const std::string& name) {
  using shardplan::recomputes;
  if (name == "core_attn") return recomputes::core_attn;
  if (name == "mlp") return recomputes::mlp;
  if (name == "layernorm") return recomputes::layernorm;
  if (name == "moe") return recomputes::moe;
  if (name == "moe_act") return recomputes::moe_act;
  if (name == "mla_up_proj") return recomputes::mla_up_proj;
  throw not_expressible{"recompute_modules " + name};
}

inline void read_megatron_recompute(const config_reader& config, shardplan::plan_spec& spec) {
  const std::string granularity = config.text("recompute_granularity", "none");
  const std::vector<std::string> modules = config.list("recompute_modules");
  const std::string method = config.text("recompute_method", "uniform");
  const std::int64_t count = config.number("recompute_num_layers", 1);
  if (granularity == "none") return;
  if (granularity == "selective") {
    if (modules.empty()) spec.recompute = shardplan::recomputes::core_attn;
    for (const std::string& name : modules) spec.recompute = spec.recompute | recomputed_module(name);
    return;
  }
  if (granularity != "full" || (method != "uniform" && method != "block")) throw not_expressible{"recompute " + granularity + " " + method};
  spec.recompute = shardplan::recomputes::full;
  spec.recompute_layers = {method == "uniform" ? shardplan::recompute_methods::uniform : shardplan::recompute_methods::block, count};
}

}  // namespace detail

}  // namespace truth
