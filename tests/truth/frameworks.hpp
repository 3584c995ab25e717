// SPDX-License-Identifier: BSL-1.0
// Rows whose configurations have the short keys: what each framework takes for granted, as parts of a plan. A framework is known by its
// name in the row (`framework`, or the source); everything else follows from keys.
#pragma once

#include "common_keys.hpp"
#include "interleaved_schedule.hpp"
#include "megatron_recipe.hpp"
#include "pipeline_layout.hpp"
#include "rank_run.hpp"
#include "row.hpp"

#include <shardplan/recipe/kernel_sets.hpp>
#include <shardplan/recipe/optimizer.hpp>
#include <shardplan/recipe/precision.hpp>
#include <shardplan/schedule/catalog.hpp>
#include <shardplan/spec/plan_spec.hpp>

#include <cctype>
#include <cstdint>
#include <string>

namespace truth {

/// Frameworks with rules of their own.
enum class framework { megatron, megatron_fsdp, torchtitan, fsdp, deepspeed, llm_c, torch, unknown };

inline std::string lower(std::string text) {
  for (char& letter : text) letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  return text;
}

inline framework framework_of(const config_reader& config, const std::string& source) {
  const std::string backend = lower(config.text("backend"));
  if (backend == "mfsdp" || backend == "megatron_fsdp") return framework::megatron_fsdp;
  if (backend == "fsdp2" || backend == "fsdp1") return framework::fsdp;
  for (const std::string& name : {lower(config.text("framework")), lower(source)}) {
    if (name.empty()) continue;
    if (contains(name, "megatron fsdp")) return framework::megatron_fsdp;
    if (contains(name, "zero-bubble")) return framework::megatron;
    if (contains(name, "torchtitan")) return framework::torchtitan;
    if (contains(name, "llm.c")) return framework::llm_c;
    if (contains(name, "deepspeed") || contains(name, "low-level zero")) return framework::deepspeed;
    if (contains(name, "megatron")) return framework::megatron;
    if (contains(name, "fsdp")) return framework::fsdp;
    if (contains(name, "torchtune") || contains(name, "transformers")) return framework::torch;
  }
  return framework::unknown;
}

namespace detail {

/// The optimizer that a text names; throws when it names none that is known.
inline shardplan::optimizer_spec named_optimizer(const std::string& text) {
  namespace optimizers = shardplan::optimizers;
  const std::string name = lower(text);
  const bool eight = contains(name, "8bit") || contains(name, "8-bit");
  const bool four = contains(name, "4bit") || contains(name, "4-bit");
  const bool of_ao = starts_with(name, "ao ");
  if (contains(name, "galore") || contains(name, "lpmm") || contains(name, "paged")) throw not_expressible{"optimizer " + text};
  if (contains(name, "adam-mini")) return optimizers::adam_mini::spec;
  if (contains(name, "adamuon")) return optimizers::adamuon::spec;
  if (contains(name, "ademamix")) return eight ? optimizers::ademamix_8bit::spec : optimizers::ademamix::spec;
  if (contains(name, "adafactor")) return optimizers::adafactor::spec;
  if (contains(name, "adam") || name.empty() || name == "bnb 8-bit" || of_ao) {
    if (contains(name, "fp8")) return optimizers::ao_adamw_fp8::spec;
    if (eight) return of_ao ? optimizers::ao_adamw_8bit::spec : optimizers::adamw_8bit::spec;
    if (four) return optimizers::ao_adamw_4bit::spec;
    return optimizers::adamw::spec;
  }
  if (contains(name, "muon")) return optimizers::muon::spec;
  if (contains(name, "lion")) return eight ? optimizers::lion_8bit::spec : optimizers::lion::spec;
  if (contains(name, "lomo")) return optimizers::lomo::spec;
  if (contains(name, "sgd")) return optimizers::sgd::spec;
  throw not_expressible{"optimizer " + text};
}

/// A schedule by the name that a framework has for it, with `chunks` a rank where it takes any number (0: not stated).
inline shardplan::schedule_spec named_schedule(const std::string& text, std::int64_t chunks) {
  const std::string name = plain_name(text);
  if (name.empty() || name == "1f1b") return chunks <= 1 ? shardplan::schedules::one_f_one_b::spec : interleaved_schedule(chunks);
  const struct {
    const char* theirs;
    const char* ours;
  } known[] = {{"gpipe", "gpipe"},
               {"interleaved1f1b", "interleaved"},
               {"interleavedzerobubble", "interleaved_zb"},
               {"loopedbfs", "looped_bfs"},
               {"zb1p", "zb_h1"},
               {"zbh1", "zb_h1"},
               {"zb2p", "zb_h2"},
               {"zbh2", "zb_h2"},
               {"zbv", "zb_v"},
               {"zbvzerobubble", "zb_v"},
               {"vhalf", "v_half"},
               {"vmin", "v_min"},
               {"dualpipe", "dual_pipe"},
               {"dualpipev", "dual_pipe_v"},
               {"chimera", "chimera"}};
  for (const auto& item : known) {
    if (name != item.theirs) continue;
    const shardplan::schedule_spec* found = shardplan::schedules::named(item.ours);
    if (found == nullptr) break;
    shardplan::schedule_spec result = *found;
    if (result.chunks > 1 && result.layout == shardplan::placement::loop) {
      if (chunks == 0) throw not_expressible{"the chunks of the schedule are not stated"};
      result.chunks = chunks;
    }
    return result;
  }
  throw not_expressible{"schedule " + text};
}

/// Degrees, batch and sequence; the last two do not matter when only what is alive between two steps counts (`steady`).
inline void read_degrees(const config_reader& config, framework known, bool steady, shardplan::plan_spec& spec) {
  spec.tp = config.number("tp", 1);
  spec.pp = config.number("pp", 1);
  const std::int64_t exchange = config.number("ulysses_sp", 1);
  spec.cp = config.number("cp", 1) * exchange;
  spec.ep = config.number("ep", 1);
  spec.etp = config.number("etp", 1);
  const std::int64_t shards = config.number("fsdp", config.number("dp", 0));
  config.without_effect({"dp", "fsdp"});
  const std::int64_t model_ranks = spec.tp * spec.pp * spec.cp;
  const std::int64_t world = first_of(config, {"gpus", "ranks_per_node"}, shards > 0 ? shards * model_ranks : model_ranks);
  if (model_ranks < 1 || world % model_ranks != 0) throw not_expressible{"a world that the degrees do not divide"};
  spec.dp = shards > 0 ? shards : world / model_ranks;
  if (spec.dp * model_ranks != world) throw not_expressible{"degrees whose product is not the world"};
  spec.devices_per_node = world % 8 == 0 ? 8 : world;
  spec.nodes = world / spec.devices_per_node;
  spec.device.memory = shardplan::bytes{std::int64_t{1} << 50};
  spec.headroom_mebibytes = 0;
  config.without_effect({"nodes"});

  spec.sequence = first_of(config, {"seq", "tokens"}, steady ? 1 : -1);
  if (spec.sequence == -1) throw not_expressible{"seq is not stated"};
  const std::int64_t local = config.number("local_batch", 0);
  // A local batch goes through the pipeline one sequence at a time.
  spec.micro_batch = first_of(config, {"micro_batch", "mbs", "batch"}, local == 0 ? (steady ? 1 : -1) : spec.pp > 1 ? 1 : local);
  if (spec.micro_batch == -1) throw not_expressible{"the micro-batch is not stated"};
  const std::int64_t steps = config.number("microbatches", local > 0 ? local / spec.micro_batch : config.number("grad_acc", 1));
  config.without_effect({"grad_acc"});
  spec.global_batch = first_of(config, {"global_batch", "gbs"}, steps * spec.micro_batch * spec.dp);
  if (!steady && spec.pp > 1 && known == framework::megatron && !config.has("global_batch") && !config.has("gbs") &&
      !config.has("microbatches"))
    throw not_expressible{"the number of micro-batches is not stated"};
}

inline void read_recompute(const config_reader& config, shardplan::plan_spec& spec) {
  for (const std::string& module : config.list("recompute_modules")) spec.recompute = spec.recompute | recomputed_module(module);
  const std::string all = lower(config.text("recompute", config.text("ac", "none")));
  config.without_effect({"ac"});
  if (all == "full") {
    spec.recompute = shardplan::recomputes::full;
  } else if (all == "selective op") {
    spec.recompute = shardplan::recomputes::every_second_matmul;
  } else if (starts_with(all, "selective ") && all.size() > 10 && std::isdigit(static_cast<unsigned char>(all[10])) != 0) {
    spec.recompute = shardplan::recomputes::full;
    spec.recompute_layers = {shardplan::recompute_methods::every, std::stoll(all.substr(10))};
  } else if (all != "none") {
    throw not_expressible{"recompute " + all};
  }
}

inline void read_attention(const config_reader& config, shardplan::plan_spec& spec) {
  const std::string kernel = lower(config.text("attention"));
  if (kernel.empty()) return;
  if (contains(kernel, "flash") || kernel == "sdpa") {
    spec.attention = shardplan::attentions::flash;
  } else if (contains(kernel, "unfused") || kernel == "eager" || contains(kernel, "materialised")) {
    spec.attention = shardplan::attentions::materialised;
  } else {
    throw not_expressible{"attention " + kernel};
  }
}

/// Loss kernels by the words that rows have for them.
inline shardplan::loss_spec named_loss(const std::string& text) {
  namespace losses = shardplan::losses;
  const std::string name = lower(text);
  if (name == "te fused" || name == "te") return losses::in_place::spec;
  if (name == "torch, full logits") return losses::torch_eager_float::spec;
  if (name == "torch" || name == "huggingface") return losses::torch_eager::spec;
  if (name == "megatron") return losses::megatron_unfused::spec;
  if (name == "native") return losses::megatron_native_fused::spec;
  if (name == "fused linear") return losses::fused_linear::spec;
  throw not_expressible{"cross_entropy " + text};
}

inline void read_torch_precision(const config_reader& config, shardplan::plan_spec& spec) {
  const std::string stored = lower(config.text("params_dtype", "fp32 sharded"));
  const std::string precision = lower(config.text("precision", config.text("dtype")));
  config.without_effect({"dtype"});
  if (!starts_with(stored, "fp32")) throw not_expressible{"params_dtype " + stored};
  if (lower(config.text("compute", "bf16")) != "bf16") throw not_expressible{"compute " + config.text("compute")};
  if (lower(config.text("grad_reduce", "fp32")) != "fp32") throw not_expressible{"gradients reduced in " + config.text("grad_reduce")};
  if (!precision.empty() && precision != "bf16") throw not_expressible{"precision " + precision};
  spec.precision = shardplan::precisions::torchtitan::spec;
}

/// The month that a row is from as year x 100 + month: its `date` ("2025-06"), or the part of its source that says it
/// ("llama3-8b_h200_202506_..."); 0 when it is not known.
inline std::int64_t month_of(const config_reader& config, const std::string& source) {
  const std::string date = config.text("date");
  if (date.size() >= 7 && date[4] == '-') return 100 * scaled(date.substr(0, 4), 0) + scaled(date.substr(5, 2), 0);
  for (std::size_t at = source.find("_20"); at != std::string::npos; at = source.find("_20", at + 1)) {
    const std::string digits = source.substr(at + 1, 6);
    if (digits.size() == 6 && digits.find_first_not_of("0123456789") == std::string::npos) return scaled(digits, 0);
  }
  return 0;
}

/// torchtitan: FSDP2 with fp32 shards, AdamW fused, PyTorch's kernels unless it is compiled.
inline void read_torchtitan(const config_reader& config, const std::string& source, shardplan::plan_spec& spec) {
  const std::string technique = lower(config.text("technique"));
  const bool compiled = config.flag("compile") || contains(technique, "compile");
  // Products in 8 bits change scratch only; weights and kept activations stay.
  config.without_effect({"float8"});
  read_torch_precision(config, spec);
  const std::int64_t version = config.number("fsdp_version", 2);
  spec.sharding.layout = version == 1 ? shardplan::shard_layout::flat_units : shardplan::shard_layout::tensors;
  spec.overheads = shardplan::overhead_sets::torch_fused::spec;
  // Compiled blocks are fused as Transformer Engine's kernels are; the loss is compiled with them since June 2025.
  if (!compiled) {
    spec.kernels.activation = shardplan::kept_by_activation::each_step;
    spec.attention = shardplan::attentions::flash_head_major;
  }
  spec.loss =
      compiled && month_of(config, source) >= 202506 ? shardplan::losses::torch_compiled::spec : shardplan::losses::torch_eager_float::spec;
  if (const std::int64_t chunks = config.number("loss_chunks", 1); chunks > 1) {
    spec.loss = shardplan::losses::chunked<1>::spec;
    spec.loss.chunks = chunks;
  }
  // Two stages a rank for schedules that loop, unless said; with pipelines gathered weights stay.
  const bool loops = spec.pp > 1 && starts_with(plain_name(config.text("schedule")), "interleaved");
  spec.schedule = named_schedule(config.text("schedule"), config.number("vpp", loops ? 2 : 1));
  spec.sharding.reshard_after_forward = spec.pp == 1;
  spec.framework = shardplan::frameworks::torchtitan;  // which deals layers out in its own way
  if (spec.dp * spec.cp == 1) {                        // nothing to shard: autocast over fp32 weights
    spec.sharding = {};
    spec.precision = shardplan::precisions::torch_amp::spec;
  }
  config.without_effect({"metric_note", "preset"});
}

/// PyTorch's FSDP alone, or Megatron FSDP.
inline void read_fsdp(const config_reader& config, framework known, shardplan::plan_spec& spec) {
  if (known == framework::megatron_fsdp) {
    spec.precision = shardplan::precisions::bf16_fp32_master_and_gradients::spec;
    spec.sharding.layout = shardplan::shard_layout::flat_units;
    spec.vocabulary_multiple = 128 * spec.tp;
    return;
  }
  read_torch_precision(config, spec);
  spec.sharding.layout = contains(lower(config.text("framework")), "fsdp1") || config.number("fsdp_version", 2) == 1
                             ? shardplan::shard_layout::flat_units
                             : shardplan::shard_layout::tensors;
  spec.overheads = shardplan::overhead_sets::torch_fused::spec;
  const bool compiled = config.flag("compile");
  if (!compiled) spec.kernels = shardplan::kernel_sets::torch_eager::spec;
  spec.loss = compiled ? shardplan::losses::torch_compiled::spec : shardplan::losses::torch_eager_float::spec;
}

inline void read_deepspeed(const config_reader& config, shardplan::plan_spec& spec) {
  spec.zero = config.number("zero", 0);
  const std::string precision = lower(config.text("precision", config.text("dtype", "bf16")));
  config.without_effect({"dtype"});
  spec.precision = shardplan::precisions::bf16_fp32_master::spec;
  if (precision == "fp32 master, gradients and moments" || (spec.zero == 3 && precision == "fp32 master and gradients")) {
    // the default
  } else if (precision == "bf16 master, gradients and moments") {
    spec.precision.master = spec.precision.gradient = spec.precision.moment = 2;
  } else if (precision != "bf16" && precision != "fp16") {
    throw not_expressible{"precision " + precision};
  }
  spec.overheads = shardplan::overhead_sets::deepspeed::spec;
  if (contains(lower(config.text("framework", "")), "low-level zero")) {
    // Colossal-AI copies gradients to the master's precision one by one and lays nothing in one piece.
    spec.overheads.flattens_gradients = false;
    spec.overheads.step_bytes = 4;
  } else {
    spec.framework = shardplan::frameworks::deepspeed;
  }
  spec.kernels = shardplan::kernel_sets::torch_eager::spec;
  spec.loss = shardplan::losses::torch_eager_float::spec;
  // Absent keys: DeepSpeed's defaults. Overlapping is on by default under ZeRO-3 only.
  spec.buckets.reduce_elements = config.number("reduce_bucket_size", 500'000'000);
  spec.buckets.reduce_buffers = !config.flag("contiguous_gradients", true) ? 0 : config.flag("overlap_comm", spec.zero == 3) ? 2 : 1;
  spec.buckets.sub_group_elements = config.number("sub_group_size", 1'000'000'000);
  // The prefix is optional, as in DeepSpeed's own files.
  const auto limit = [&](const std::string& key, std::int64_t& value) {
    value = config.number(key.c_str(), config.number(("stage3_" + key).c_str(), value));
  };
  limit("prefetch_bucket_size", spec.sharding.limits.prefetch_bucket);
  limit("max_live_parameters", spec.sharding.limits.max_live);
  limit("max_reuse_distance", spec.sharding.limits.reuse_distance);
  config.without_effect({"reduce_scatter", "param_persistence_threshold", "stage3_param_persistence_threshold"});
  const auto goes_to = [&](const char* key) {
    const std::string where = lower(config.text(key, "none"));
    if (where == "none" || where == "false") return shardplan::storage::device;
    if (where == "cpu" || where == "true") return shardplan::storage::host;
    if (where == "nvme") return shardplan::storage::nvme;
    throw not_expressible{std::string{key} + " " + where};
  };
  spec.offload.states = goes_to("offload_optimizer");
  if (spec.offload.states != shardplan::storage::device) spec.offload.gradients = shardplan::storage::host;
  spec.offload.weights = goes_to("offload_param");
}

inline void read_megatron_framework(const config_reader& config, shardplan::plan_spec& spec) {
  const std::string name = lower(config.text("framework"));
  const bool bridge = contains(name, "bridge") || contains(name, "verl") || contains(name, "hybriddevice");
  spec.zero = config.flag("distributed_optimizer", bridge) ? 1 : 0;
  const std::string precision = lower(config.text("precision", "bf16"));
  spec.precision = shardplan::precisions::bf16_fp32_master_and_gradients::spec;
  if (contains(precision, "fp8")) {
    spec.precision.linear_copy_bits = starts_with(config.text("gpu"), "H") ? 16 : 8;
  } else if (precision != "bf16") {
    throw not_expressible{"precision " + precision};
  }
  spec.vocabulary_multiple = 128 * spec.tp;
  spec.loss = config.has("cross_entropy") ? named_loss(config.text("cross_entropy"))
              : config.flag("fused_head") ? shardplan::losses::fused_linear::spec
                                          : shardplan::losses::megatron_unfused::spec;
  if (config.real("optimizer_offload_fraction", 0) != 0 || config.real("optimizer_offload", 0) != 0)
    throw not_expressible{"a part of the optimizer on the host"};
  std::int64_t chunks = config.number("vpp", 1);
  if (config.has("pipeline_layout")) {
    const std::vector<pipeline_layout::chunk> all = pipeline_layout{config.text("pipeline_layout")}.chunks();
    if (static_cast<std::int64_t>(all.size()) % spec.pp != 0) throw not_expressible{"a layout of another number of stages"};
    chunks = static_cast<std::int64_t>(all.size()) / spec.pp;
    for (const pipeline_layout::chunk& item : all) spec.layer_split.push_back(item.layers);
    spec.layer_split.embedding_slot = spec.layer_split.loss_slot = 1;
  }
  spec.schedule = named_schedule(config.text("schedule"), chunks);
  // Dispatch, overlap and what the run was for: no bytes that a plan knows.
  config.without_effect({"dispatcher", "routing", "a2a_overlap", "overlap", "task", "algorithm", "activation"});
}

/// PyTorch on one device (torchtune, transformers): weights and gradients as stored, eager kernels.
inline void read_torch(const config_reader& config, shardplan::plan_spec& spec) {
  const std::string precision = lower(config.text("precision", config.text("dtype", "bf16")));
  config.without_effect({"dtype"});
  if (precision != "bf16" && precision != "pure bf16") throw not_expressible{"precision " + precision};
  spec.precision = shardplan::precisions::pure_bf16::spec;
  spec.overheads = shardplan::overhead_sets::torch_foreach::spec;
  if (!config.flag("compile")) spec.kernels = shardplan::kernel_sets::torch_eager::spec;
  spec.loss = config.has("cross_entropy") ? named_loss(config.text("cross_entropy")) : shardplan::losses::torch_eager_float::spec;
}

}  // namespace detail

/// A run with what follows from it beside the plan.
struct framework_run : run {
  bool first_step = false;   ///< the figure is of a step before the optimizer has its state
  bool worst_stage = false;  ///< the rank is not stated: the largest figure of all stages
};

/// The run of a row with short keys. Throws `not_expressible`.
inline framework_run common_run(const config_reader& config, const std::string& source, bool steady) {
  framework_run result{};
  shardplan::plan_spec& spec = result.spec;
  const framework known = framework_of(config, source);
  if (known == framework::unknown) throw not_expressible{"no rule for this framework"};
  spec.model = common_shape(config, steady);
  detail::read_degrees(config, known, steady, spec);
  spec.optimizer = detail::named_optimizer(config.text("optimizer"));
  detail::read_recompute(config, spec);
  detail::read_attention(config, spec);
  switch (known) {
    case framework::torchtitan: detail::read_torchtitan(config, source, spec); break;
    case framework::fsdp:
    case framework::megatron_fsdp: detail::read_fsdp(config, known, spec); break;
    case framework::deepspeed: detail::read_deepspeed(config, spec); break;
    case framework::megatron: detail::read_megatron_framework(config, spec); break;
    case framework::torch: detail::read_torch(config, spec); break;
    case framework::llm_c:
    case framework::unknown: throw not_expressible{"no rule for this framework"};
  }
  const std::string stage = config.text("stage");
  if (stage == "first_stage") {
    result.stage = 0;
  } else if (stage == "last_stage") {
    result.stage = spec.pp - 1;
  } else if (config.has("rank")) {
    result.stage = config.number("rank") / (spec.tp * spec.cp * spec.dp);
  } else {
    result.worst_stage = spec.pp > 1;
  }
  config.without_effect({"rank"});
  result.first_step = config.number("step", config.number("after_iteration", 2)) == 1;
  config.without_effect({"phase", "params", "after_iteration", "framework", "backend", "gpu", "note", "date", "technique"});
  return result;
}

}  // namespace truth
