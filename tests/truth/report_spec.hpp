// SPDX-License-Identifier: BSL-1.0
// The spec of a failure report as a plan_spec: one general mapping of its keys. What is not stated is filled in with the library's default
// or with something that breaks no rule. A key that nobody read makes a report not expressible.
#pragma once

#include "catalog.hpp"
#include "common_keys.hpp"
#include "device_names.hpp"
#include "frameworks.hpp"
#include "json.hpp"
#include "named_shapes.hpp"
#include "row.hpp"

#include <shardplan/hana.hpp>
#include <shardplan/plan/rules/sequence.hpp>
#include <shardplan/recipe/kernel_sets.hpp>
#include <shardplan/recipe/optimizer.hpp>
#include <shardplan/recipe/precision.hpp>
#include <shardplan/schedule/catalog.hpp>
#include <shardplan/spec/plan_spec.hpp>

#include <cstdint>
#include <numeric>
#include <string>
#include <string_view>

namespace truth {

namespace detail {

/// The entry of that name in a list of types with a `spec`, by letters and digits ("adamw8bit" is adamw_8bit); throws when there is none.
template <class Spec, class... Known>
Spec spec_named(const std::string& name, const char* what) {
  const Spec* found = nullptr;
  const std::string wanted = plain_name(name);
  ((plain_name(Known::spec.name.c_str()) == wanted ? void(found = &Known::spec) : void()), ...);
  if (found == nullptr) throw not_expressible{std::string{"unknown "} + what + ": " + name};
  return *found;
}

inline shardplan::precision_spec precision_named(const std::string& name) {
  namespace precisions = shardplan::precisions;
  if (name == "fp8") return precisions::fp8_compute::spec;  // any scheme with FP8 matrix products
  if (name == "mxfp8") return precisions::mxfp8_weights::spec;
  if (name == "amp") return precisions::torch_amp::spec;
  if (name == "fp16" || name == "bf16" || name == "fp16_fp32_master") return precisions::bf16_fp32_master::spec;
  return spec_named<shardplan::precision_spec, precisions::handbook_bf16, precisions::bf16_fp32_master,
                    precisions::bf16_fp32_master_and_gradients, precisions::bf16_fp32_accumulator, precisions::pure_bf16, precisions::fp32,
                    precisions::torch_amp, precisions::torchtitan, precisions::torchtitan_bf16_states, precisions::fp16_fp32_gradient_copy,
                    precisions::precision_aware, precisions::precision_aware_fp32_gradients, precisions::precision_aware_fp32_moments,
                    precisions::precision_aware_fp8_moments, precisions::ms_amp_o1, precisions::ms_amp_o2, precisions::ms_amp_o3,
                    precisions::fp8_compute, precisions::fp8_compute_transposed, precisions::fp8_weights,
                    precisions::fp8_weights_transposed, precisions::mxfp8_weights, precisions::deepseek_fp8>(name, "precision");
}

inline shardplan::optimizer_spec optimizer_named(const std::string& name) {
  namespace optimizers = shardplan::optimizers;
  if (name == "fused_adam" || name == "FusedAdam") return optimizers::adam::spec;
  return spec_named<shardplan::optimizer_spec, optimizers::sgd, optimizers::momentum, optimizers::adam, optimizers::adamw, optimizers::lion,
                    optimizers::ademamix, optimizers::sophia, optimizers::lomo, optimizers::adamw_8bit, optimizers::lion_8bit,
                    optimizers::ademamix_8bit, optimizers::ao_adamw_8bit, optimizers::ao_adamw_4bit, optimizers::ao_adamw_fp8,
                    optimizers::adafactor, optimizers::adafactor_momentum, optimizers::came, optimizers::muon, optimizers::adamuon,
                    optimizers::adam_mini>(name, "optimizer");
}

template <class... Known>
const shardplan::schedule_spec* schedule_of(const boost::hana::basic_tuple<Known...>*, const std::string& plain) {
  const shardplan::schedule_spec* found = nullptr;
  ((plain_name(Known::spec.name.c_str()) == plain ? void(found = &Known::spec) : void()), ...);
  return found;
}

// By letters and digits, the library's names and those of frameworks: "one_f_one_b", "1F1B", "Interleaved1F1B", "ZB-H1".
inline shardplan::schedule_spec schedule_named(const std::string& name, shardplan::frameworks framework) {
  const std::string plain = plain_name(name);
  const bool torch = framework == shardplan::frameworks::torchtitan || framework == shardplan::frameworks::fsdp2;
  if (torch && (plain == "interleaved" || plain == "interleaved1f1b"))
    return shardplan::schedules::interleaved<2, shardplan::groups::torch>::spec;
  if (const auto* found = schedule_of(static_cast<const shardplan::schedules::built_in*>(nullptr), plain)) return *found;
  if (plain == "1f1b") return shardplan::schedules::one_f_one_b::spec;
  if (plain == "afab") return shardplan::schedules::gpipe::spec;  // nanotron: all forward, all backward
  return named_schedule(name, 2);
}

inline shardplan::frameworks framework_named(const std::string& name) {
  const std::string plain = plain_name(name);
  if (plain == "generic" || plain == "null" || plain.empty()) return shardplan::frameworks::generic;
  if (plain == "megatron" || plain == "megatronlm" || plain == "megatroncore") return shardplan::frameworks::megatron;
  if (plain == "deepspeed") return shardplan::frameworks::deepspeed;
  if (plain == "torchtitan") return shardplan::frameworks::torchtitan;
  if (plain == "fsdp2" || plain == "fsdp") return shardplan::frameworks::fsdp2;
  throw not_expressible{"unknown framework: " + name};
}

inline shardplan::storage storage_named(const std::string& name) {
  if (name == "host" || name == "cpu") return shardplan::storage::host;
  if (name == "nvme") return shardplan::storage::nvme;
  if (name == "device" || name == "none") return shardplan::storage::device;
  throw not_expressible{"unknown storage: " + name};
}

// Names of the library, and "selective" as the framework means it.
inline shardplan::recomputes recompute_named(const std::string& name, shardplan::frameworks framework) {
  using shardplan::recomputes;
  if (name == "none" || name == "false") return recomputes::none;
  if (name == "full" || name == "true") return recomputes::full;
  if (name == "selective") return framework == shardplan::frameworks::torchtitan ? recomputes::every_second_matmul : recomputes::core_attn;
  if (name == "core_attn" || name == "attention") return recomputes::core_attn;
  if (name == "mlp") return recomputes::mlp;
  if (name == "mlp_act") return recomputes::mlp_act;
  if (name == "layernorm") return recomputes::layernorm;
  if (name == "moe") return recomputes::moe;
  if (name == "moe_act") return recomputes::moe_act;
  if (name == "mla_up_proj") return recomputes::mla_up_proj;
  if (name == "every_second_matmul" || name == "selective_op") return recomputes::every_second_matmul;
  throw not_expressible{"unknown recompute: " + name};
}

// Scores that are kept come from PyTorch's softmax, which works in fp32 and keeps its result beside the cast one; Megatron-LM has a fused
// softmax of its own.
inline void set_attention(const std::string& name, shardplan::plan_spec& spec) {
  const std::string plain = plain_name(name);
  if (starts_with(plain, "flash") || plain == "sdpa" || plain == "fused") {
    spec.attention = shardplan::attentions::flash;
  } else if (plain == "unfused" || plain == "eager" || plain == "materialised") {
    spec.attention = shardplan::attentions::materialised;
    if (spec.framework != shardplan::frameworks::megatron) spec.kernels = shardplan::kernel_sets::torch_eager::spec;
  } else {
    throw not_expressible{"unknown attention: " + name};
  }
}

// One of the catalog, or of a name like "RTX-4090-24GB" the memory that it says, which is all that a report asks of a device.
inline shardplan::device_spec device_named(const std::string& name) {
  if (const shardplan::device_spec* known = named_device(name)) return *known;
  std::size_t end = lower(name).rfind("gb");
  while (end != std::string::npos && end > 0 && name[end - 1] == ' ') --end;
  std::size_t start = end == std::string::npos ? 0 : end;
  while (end != std::string::npos && start > 0 && name[start - 1] >= '0' && name[start - 1] <= '9') --start;
  if (end == std::string::npos || start == end || end - start > 4) throw not_expressible{"unknown device: " + name};
  return {.name = "of a report", .memory = shardplan::bytes{std::stoll(name.substr(start, end - start)) << 30}};
}

inline shardplan::mlp mlp_named(const std::string& name) {
  if (name == "gated") return shardplan::mlp::gated;
  if (name == "plain") return shardplan::mlp::plain;
  throw not_expressible{"unknown mlp: " + name};
}

inline shardplan::norm norm_named(const std::string& name) {
  if (name == "rms") return shardplan::norm::rms;
  if (name == "layer") return shardplan::norm::layer;
  if (name == "layer_without_bias") return shardplan::norm::layer_without_bias;
  if (name == "layer_without_weights") return shardplan::norm::layer_without_weights;
  throw not_expressible{"unknown norm: " + name};
}

inline shardplan::qk_norm qk_norm_named(const std::string& name) {
  if (name == "none" || name == "false") return shardplan::qk_norm::none;
  if (name == "head" || name == "true") return shardplan::qk_norm::head;
  if (name == "projection") return shardplan::qk_norm::projection;
  if (name == "without_weights") return shardplan::qk_norm::without_weights;
  throw not_expressible{"unknown qk_norm: " + name};
}

inline shardplan::block_norms block_norms_named(const std::string& name) {
  if (name == "one" || name == "1") return shardplan::block_norms::one;
  if (name == "two" || name == "2") return shardplan::block_norms::two;
  if (name == "four" || name == "4") return shardplan::block_norms::four;
  throw not_expressible{"unknown block_norms: " + name};
}

// What a stated shape has beside its sizes.
inline void set_details(const config_reader& model, shardplan::transformer& shape) {
  shape.mlp = mlp_named(model.text("mlp", "gated"));
  shape.norm = norm_named(model.text("norm", "rms"));
  shape.qk_norm = qk_norm_named(model.text("qk_norm", "none"));
  shape.block_norms = block_norms_named(model.text("block_norms", "two"));
  shape.qkv_bias = model.flag("qkv_bias");
  shape.attention_output_bias = model.flag("attention_output_bias");
  shape.mlp_bias = model.flag("mlp_bias");
  shape.head_bias = model.flag("head_bias");
  shape.tied_embeddings = model.flag("tied_embeddings");
  shape.embedding_norm = model.flag("embedding_norm");
  shape.final_norm = model.flag("final_norm", true);
  shape.attention_sinks = model.flag("attention_sinks");
  shape.positions = model.number("positions", 0);
  shape.position_offset = model.number("position_offset", 0);
  shape.next_token_layers = model.number("next_token_layers", 0);
  shape.embedding_dim = model.number("embedding_dim", 0);
  if (!model.has("latent")) return;
  const config_reader latent{model.child("latent")};
  shape.latent = {.query_rank = latent.number("query_rank", 0),
                  .key_value_rank = latent.number("key_value_rank", 0),
                  .rope_dim = latent.number("rope_dim", 0),
                  .nope_dim = latent.number("nope_dim", 0),
                  .value_dim = latent.number("value_dim", 0)};
  latent.all_read();
  shape.kv_heads = shape.head_dim = 0;
}

// An object, or the number of experts alone.
inline void set_experts(const config_reader& model, const shardplan::plan_spec& spec, shardplan::transformer& shape) {
  if (!model.text("experts").empty()) {
    const std::int64_t count = model.number("experts");
    shape.experts = {.count = count, .top_k = count > 0 ? 1 : 0};
    return;
  }
  const config_reader experts{model.child("experts")};
  shape.experts.top_k = experts.number("top_k", 1);
  shape.experts.count = experts.number("count", spec.ep * ((shape.experts.top_k + spec.ep - 1) / spec.ep));
  shape.experts.ffn = experts.number("ffn", 0);
  shape.experts.shared_ffn = experts.number("shared_ffn", 0);
  shape.experts.leading_dense = experts.number("leading_dense", 0);
  shape.experts.layer_step = experts.number("layer_step", 0);
  shape.experts.shared_gate = experts.flag("shared_gate");
  shape.experts.router_bias = experts.flag("router_bias");
  shape.experts.bias = experts.flag("bias");
  experts.all_read();
}

// Fields of a stated shape; `spec` has the degrees already, so that what is filled in divides.
inline shardplan::transformer stated_shape(const config_reader& model, const shardplan::plan_spec& spec) {
  const std::int64_t ranks = std::lcm(spec.tp, spec.cp * spec.tp);
  shardplan::transformer shape{};
  shape.kv_heads = model.number("kv_heads", 0);
  shape.head_dim = model.number("head_dim", 0);
  shape.heads = model.number("heads", shape.kv_heads > 0 ? std::lcm(shape.kv_heads, ranks) : ranks);
  if (!model.has("head_dim") && (!model.has("heads") || !model.has("hidden"))) shape.head_dim = 128;
  shape.hidden = model.number("hidden", 128 * std::lcm(shape.heads, spec.tp));
  const std::int64_t width = 256 * std::lcm(spec.tp, spec.etp);
  shape.ffn = model.number("ffn", width);
  shape.vocab = model.number("vocab", 1024 * std::lcm(spec.tp, spec.vocabulary_multiple > 0 ? spec.vocabulary_multiple : 1));
  std::int64_t layers = spec.schedule.stages(spec.pp);
  if (spec.layer_split.counts.length != 0) {
    layers = 0;
    for (const std::int64_t count : spec.layer_split.counts) layers += count;
  }
  shape.layers = model.number("layers", layers);
  set_details(model, shape);
  if (model.has("experts"))
    set_experts(model, spec, shape);
  else if (spec.ep > 1 || spec.etp > 1)
    shape.experts = {.count = spec.ep, .top_k = 1, .ffn = width};
  if (!model.has("layers") && spec.layer_split.counts.length == 0)
    while (shape.layers <= shape.experts.leading_dense) shape.layers += layers;
  model.all_read();
  return shape;
}

inline void set_shape(const config_reader& keys, shardplan::plan_spec& spec) {
  static const json nothing;
  const std::string name = keys.text("model");
  if (name.empty()) {
    spec.model = stated_shape(config_reader{keys.has("model") ? keys.child("model") : nothing}, spec);
    return;
  }
  const shardplan::transformer* shape = shape_of_name(name);
  if (shape == nullptr) throw not_expressible{"unknown model: " + name};
  spec.model = *shape;
  spec.model.next_token_layers = 0;
}

// What a framework wants beside what is stated, where nothing stated speaks of it: shards for weights in FP8 (Megatron-LM), ZeRO-3 for states
// on NVMe (DeepSpeed), experts on the tensor parallel ranks (torchtitan).
inline std::int64_t zero_wanted(const config_reader& keys, const shardplan::plan_spec& spec) {
  if (spec.framework == shardplan::frameworks::megatron && spec.precision.linear_bits == 8) return 1;
  if (spec.framework != shardplan::frameworks::deepspeed || !keys.has("offload")) return 0;
  return storage_named(config_reader{keys.child("offload")}.text("optimizer", "none")) == shardplan::storage::nvme ? 3 : 0;
}
inline void set_wanted_ranks_of_experts(const config_reader& keys, shardplan::plan_spec& spec) {
  const bool free = spec.framework == shardplan::frameworks::torchtitan && !keys.has("ep") && !keys.has("etp");
  if (free && spec.model.experts.count > 0 && spec.model.experts.count % spec.tp == 0) spec.ep = spec.tp;
}

inline void set_sharding(const config_reader& keys, shardplan::plan_spec& spec) {
  const bool weights_leave =
      keys.has("offload") && storage_named(config_reader{keys.child("offload")}.text("parameters", "none")) != shardplan::storage::device;
  const std::string how = lower(keys.text("fsdp", "no_shard"));
  const bool shards = how != "no_shard" && how != "none" && how != "false";
  spec.zero = keys.number("zero", shards ? 0 : weights_leave ? 3 : zero_wanted(keys, spec));
  if (shards) {
    const bool hybrid = starts_with(how, "hybrid_shard") || how == "hsdp";
    if (!hybrid && how != "full_shard" && how != "shard_grad_op" && how != "true") throw not_expressible{"unknown fsdp: " + how};
    spec.sharding.layout = shardplan::shard_layout::tensors;
    spec.sharding.reshard_after_forward = how != "shard_grad_op";
    if (hybrid) spec.sharding.ranks = spec.devices_per_node;
  }
  if (!keys.has("offload")) return;
  const config_reader offload{keys.child("offload")};
  spec.offload.weights = storage_named(offload.text("parameters", "none"));
  spec.offload.states = storage_named(offload.text("optimizer", "none"));
  // An optimizer that steps on the host reads its gradients there: DeepSpeed's ZeRO-Offload, torch's CPUOffloadPolicy.
  const bool steps_on_host = spec.framework == shardplan::frameworks::deepspeed || spec.offload.weights != shardplan::storage::device;
  const char* gradients = steps_on_host && spec.offload.states != shardplan::storage::device ? "host" : "none";
  spec.offload.gradients = storage_named(offload.text("gradients", gradients));
  if (offload.has("host_bytes_per_node")) spec.host_memory_gibibytes = offload.number("host_bytes_per_node") >> 30;
  offload.all_read();
}

inline void set_grid(const config_reader& keys, shardplan::plan_spec& spec) {
  spec.tp = keys.number("tp", 1);
  spec.pp = keys.number("pp", 1);
  spec.cp = keys.number("cp", 1);
  spec.ep = keys.number("ep", 1);
  spec.etp = keys.number("etp", 1);
  if (keys.has("dp")) spec.dp = keys.number("dp");
  for (const std::int64_t degree : {spec.tp, spec.pp, spec.cp, spec.ep, spec.etp})
    if (degree < 1) throw not_expressible{"a degree below 1"};
  const std::int64_t dense = spec.tp * spec.pp * spec.cp;
  const std::int64_t world = keys.has("dp") ? dense * spec.dp : std::lcm(dense, spec.etp * spec.ep * spec.pp);
  // Of two numbers that one says alone, the other is what the world needs: as many as hold it, where the replicas are free.
  const auto rest = [&](std::int64_t stated) {
    if (stated < 1) return std::int64_t{1};
    if (world % stated == 0) return world / stated;
    return keys.has("dp") ? std::int64_t{1} : world / std::gcd(world, stated);
  };
  spec.devices_per_node = keys.number("devices_per_node", keys.has("nodes") ? rest(keys.number("nodes")) : 1);
  spec.nodes = keys.number("nodes", keys.has("devices_per_node") ? rest(spec.devices_per_node) : world);
}

// Whether tensor parallel ranks share the sequence by what is stated or by what the framework does: Megatron-LM's and torchtitan's rule of
// the sequence has tp in it.
inline bool shares_sequence(const json& keys, const shardplan::plan_spec& spec) {
  return config_reader{keys}.has("sequence_parallel") || spec.framework == shardplan::frameworks::megatron ||
         spec.framework == shardplan::frameworks::torchtitan;
}

// The smallest legal unit of the sequence as what is stated makes it: sequence parallelism that nobody named counts only where it is the
// framework's rule, and asks nothing of FP8.
inline std::int64_t named_unit(const json& keys, const shardplan::plan_spec& spec) {
  if (config_reader{keys}.has("sequence_parallel")) return shardplan::sequence_multiple_of(spec);
  shardplan::plan_spec alone = spec;
  alone.sequence_parallel = shardplan::toggle::off;
  const std::int64_t unit = shardplan::sequence_multiple_of(alone);
  return shares_sequence(keys, spec) ? std::lcm(unit, shardplan::detail::sequence_pieces(spec).value) : unit;
}

// Where the batch is free: one micro-batch a stage and turn, which every schedule takes.
inline void set_batch(const config_reader& keys, shardplan::plan_spec& spec) {
  const std::int64_t devices = spec.devices_per_node * spec.nodes;
  const std::int64_t dense = spec.tp * spec.pp * spec.cp;
  const std::int64_t replicas = spec.dp != shardplan::unset ? spec.dp : devices % dense == 0 ? devices / dense : 1;
  if (keys.has("accumulation")) spec.accumulation = keys.number("accumulation");
  const std::int64_t turns = keys.number("accumulation", 4 * spec.pp);
  spec.micro_batch = keys.number("micro_batch", 1);
  if (replicas < 1) throw not_expressible{"dp below 1"};
  if (!keys.has("micro_batch") && keys.has("global_batch")) {
    // The largest micro-batch that leaves whole turns, else 1: a schedule may want its micro-batches to be a multiple of its ranks.
    const std::int64_t each = keys.number("global_batch") % replicas == 0 ? keys.number("global_batch") / replicas : 0;
    const std::int64_t count = keys.has("accumulation") ? turns : spec.pp;
    if (each != 0 && each % count == 0 && (keys.has("accumulation") || spec.pp > 1)) spec.micro_batch = each / count;
  }
  spec.global_batch = keys.number("global_batch", spec.micro_batch * replicas * turns);
}

}  // namespace detail

/// The spec of a report of that framework. Throws `not_expressible`.
inline shardplan::plan_spec report_spec(const json& tree, const std::string& framework) {
  const config_reader keys{tree};
  shardplan::plan_spec spec{};
  spec.framework = detail::framework_named(framework);
  detail::set_grid(keys, spec);
  if (keys.has("schedule")) spec.schedule = detail::schedule_named(keys.text("schedule"), spec.framework);
  if (keys.has("v")) {
    // More chunks than one make 1F1B the interleaved schedule.
    const bool is_1f1b = spec.schedule.name == shardplan::schedules::one_f_one_b::spec.name;
    if (is_1f1b && keys.number("v") > 1) spec.schedule = detail::schedule_named("interleaved", spec.framework);
    spec.schedule.chunks = keys.number("v");
  }
  for (const std::string& count : keys.list("layer_split")) spec.layer_split.counts.push_back(scaled(count, 0));
  if (keys.has("vocabulary_multiple"))
    spec.vocabulary_multiple = keys.number("vocabulary_multiple") * (spec.framework == shardplan::frameworks::megatron ? spec.tp : 1);
  if (keys.has("sequence_parallel"))
    spec.sequence_parallel = keys.flag("sequence_parallel") ? shardplan::toggle::on : shardplan::toggle::off;
  if (keys.has("precision")) spec.precision = detail::precision_named(keys.text("precision"));
  if (keys.has("optimizer")) spec.optimizer = detail::optimizer_named(keys.text("optimizer"));
  for (const std::string& module : keys.list("recompute"))
    spec.recompute = spec.recompute | detail::recompute_named(module, spec.framework);
  if (keys.has("attention")) detail::set_attention(keys.text("attention"), spec);
  detail::set_shape(keys, spec);
  detail::set_wanted_ranks_of_experts(keys, spec);
  // A device that nobody named holds anything.
  spec.device.memory = shardplan::bytes{std::int64_t{1} << 50};
  if (keys.has("device")) {
    spec.device = detail::device_named(keys.text("device"));
  }
  detail::set_batch(keys, spec);
  detail::set_sharding(keys, spec);
  const std::int64_t unit = shardplan::sequence_multiple_of(spec);
  const std::int64_t rows = spec.model.positions - spec.model.position_offset;
  const std::int64_t usual = spec.model.positions != 0 && rows < 512 ? rows : 512;
  spec.sequence = keys.number("sequence", unit < usual ? usual / unit * unit : unit);
  // Sequence parallelism that nobody named does not refuse a length.
  if (spec.sequence % unit != 0 && spec.sequence % detail::named_unit(tree, spec) == 0) spec.sequence_parallel = shardplan::toggle::off;
  keys.all_read();
  return spec;
}

}  // namespace truth
