// SPDX-License-Identifier: BSL-1.0
// The spec of a failure report as a plan_spec: one general mapping of its keys. What is not stated is filled in with the library's default
// or with something that breaks no rule. A key that nobody read makes a report not expressible.
#pragma once

#include "catalog.hpp"
#include "common_keys.hpp"
#include "device_names.hpp"
#include "json.hpp"
#include "row.hpp"

#include <shardplan/plan/rules/sequence.hpp>
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

/// The entry of that name in a list of types with a `spec`; throws when there is none.
template <class Spec, class... Known>
Spec spec_named(const std::string& name, const char* what) {
  const Spec* found = nullptr;
  ((std::string_view{Known::spec.name.c_str()} == name ? void(found = &Known::spec) : void()), ...);
  if (found == nullptr) throw not_expressible{std::string{"unknown "} + what + ": " + name};
  return *found;
}

inline shardplan::precision_spec precision_named(const std::string& name) {
  namespace precisions = shardplan::precisions;
  if (name == "fp8") return precisions::fp8_compute::spec;  // any scheme with FP8 matrix products
  if (name == "fp16" || name == "bf16") return precisions::bf16_fp32_master::spec;
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
  return spec_named<shardplan::optimizer_spec, optimizers::sgd, optimizers::momentum, optimizers::adam, optimizers::adamw, optimizers::lion,
                    optimizers::ademamix, optimizers::sophia, optimizers::lomo, optimizers::adamw_8bit, optimizers::lion_8bit,
                    optimizers::ademamix_8bit, optimizers::ao_adamw_8bit, optimizers::ao_adamw_4bit, optimizers::ao_adamw_fp8,
                    optimizers::adafactor, optimizers::adafactor_momentum, optimizers::came, optimizers::muon, optimizers::adamuon,
                    optimizers::adam_mini>(name, "optimizer");
}

inline shardplan::schedule_spec schedule_named(const std::string& name, shardplan::frameworks framework) {
  const bool torch = framework == shardplan::frameworks::torchtitan || framework == shardplan::frameworks::fsdp2;
  if (torch && (name == "interleaved" || name == "interleaved_1f1b" || name == "interleaved-1f1b"))
    return shardplan::schedules::interleaved<2, shardplan::groups::torch>::spec;
  const std::string known = name == "1f1b"                                             ? "one_f_one_b"
                            : name == "interleaved_1f1b" || name == "interleaved-1f1b" ? "interleaved"
                                                                                       : name;
  const shardplan::schedule_spec* found = shardplan::schedules::named(known.c_str());
  if (found == nullptr) throw not_expressible{"unknown schedule: " + name};
  return *found;
}

inline shardplan::frameworks framework_named(const std::string& name) {
  if (name == "generic") return shardplan::frameworks::generic;
  if (name == "megatron") return shardplan::frameworks::megatron;
  if (name == "deepspeed") return shardplan::frameworks::deepspeed;
  if (name == "torchtitan") return shardplan::frameworks::torchtitan;
  if (name == "fsdp2") return shardplan::frameworks::fsdp2;
  throw not_expressible{"unknown framework: " + name};
}

inline shardplan::storage storage_named(const std::string& name) {
  if (name == "host" || name == "cpu") return shardplan::storage::host;
  if (name == "nvme") return shardplan::storage::nvme;
  if (name == "device" || name == "none") return shardplan::storage::device;
  throw not_expressible{"unknown storage: " + name};
}

inline shardplan::recomputes recompute_named(const std::string& name) {
  if (name == "none") return shardplan::recomputes::none;
  if (name == "full") return shardplan::recomputes::full;
  if (name == "selective") return shardplan::recomputes::core_attn;
  throw not_expressible{"unknown recompute: " + name};
}

inline shardplan::attentions attention_named(const std::string& name) {
  if (name == "flash") return shardplan::attentions::flash;
  if (name == "unfused") return shardplan::attentions::materialised;
  throw not_expressible{"unknown attention: " + name};
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
  shape.positions = model.number("positions", 0);
  shape.position_offset = model.number("position_offset", 0);
  shape.next_token_layers = model.number("next_token_layers", 0);
  shape.embedding_dim = model.number("embedding_dim", 0);
  const std::string mlp = model.text("mlp", "gated");
  if (mlp != "gated" && mlp != "plain") throw not_expressible{"unknown mlp: " + mlp};
  shape.mlp = mlp == "plain" ? shardplan::mlp::plain : shardplan::mlp::gated;
  const std::string norm = model.text("norm", "rms");
  if (norm != "rms" && norm != "layer") throw not_expressible{"unknown norm: " + norm};
  shape.norm = norm == "layer" ? shardplan::norm::layer : shardplan::norm::rms;
  shape.qkv_bias = model.flag("qkv_bias");
  shape.attention_output_bias = model.flag("attention_output_bias");
  shape.mlp_bias = model.flag("mlp_bias");
  shape.tied_embeddings = model.flag("tied_embeddings");
  if (model.has("experts")) {
    const config_reader experts{model.child("experts")};
    shape.experts.count = experts.number("count", spec.ep);
    shape.experts.top_k = experts.number("top_k", 1);
    shape.experts.ffn = experts.number("ffn", 0);
    shape.experts.shared_ffn = experts.number("shared_ffn", 0);
    shape.experts.leading_dense = experts.number("leading_dense", 0);
    shape.experts.layer_step = experts.number("layer_step", 0);
    shape.experts.shared_gate = experts.flag("shared_gate");
    experts.all_read();
  } else if (spec.ep > 1 || spec.etp > 1) {
    shape.experts = {.count = spec.ep, .top_k = 1, .ffn = width};
  }
  model.all_read();
  return shape;
}

// The whole catalog has published names; a report names a model as models.json does.
inline const shardplan::transformer& published_shape(const std::string& name) {
  const std::string wanted = plain_name(name);
  for (const catalog_entry& item : catalog())
    if (wanted == plain_name(item.name) || wanted == plain_name(item.type)) return item.shape;
  throw not_expressible{"unknown model: " + name};
}

inline void set_shape(const config_reader& keys, shardplan::plan_spec& spec) {
  static const json nothing;
  if (!keys.has("model")) {
    spec.model = stated_shape(config_reader{nothing}, spec);
  } else if (keys.child("model").empty()) {
    spec.model = published_shape(keys.text("model"));
    spec.model.next_token_layers = 0;
  } else {
    spec.model = stated_shape(config_reader{keys.child("model")}, spec);
  }
}

inline void set_sharding(const config_reader& keys, shardplan::plan_spec& spec) {
  const bool weights_leave = keys.has("offload") && config_reader{keys.child("offload")}.has("parameters");
  spec.zero = keys.number("zero", weights_leave && !keys.has("fsdp") ? 3 : 0);
  if (keys.has("fsdp")) {
    const std::string how = keys.text("fsdp");
    if (how != "full_shard" && how != "shard_grad_op" && how != "hybrid_shard") throw not_expressible{"unknown fsdp: " + how};
    spec.sharding.layout = shardplan::shard_layout::tensors;
    spec.sharding.reshard_after_forward = how != "shard_grad_op";
    if (how == "hybrid_shard") spec.sharding.ranks = spec.devices_per_node;
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
  const bool stated = keys.has("devices_per_node") || keys.has("nodes");
  spec.devices_per_node = keys.number("devices_per_node", 1);
  spec.nodes = keys.number("nodes", stated ? 1 : world);
  if (keys.has("nodes") && !keys.has("devices_per_node") && world % spec.nodes == 0) spec.devices_per_node = world / spec.nodes;
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
    if (!keys.has("schedule") && keys.number("v") > 1) spec.schedule = detail::schedule_named("interleaved", spec.framework);
    spec.schedule.chunks = keys.number("v");
  }
  for (const std::string& count : keys.list("layer_split")) spec.layer_split.counts.push_back(scaled(count, 0));
  if (keys.has("vocabulary_multiple"))
    spec.vocabulary_multiple = keys.number("vocabulary_multiple") * (spec.framework == shardplan::frameworks::megatron ? spec.tp : 1);
  if (keys.has("sequence_parallel"))
    spec.sequence_parallel = keys.flag("sequence_parallel") ? shardplan::toggle::on : shardplan::toggle::off;
  if (keys.has("precision")) spec.precision = detail::precision_named(keys.text("precision"));
  if (keys.has("optimizer")) spec.optimizer = detail::optimizer_named(keys.text("optimizer"));
  if (keys.has("recompute")) spec.recompute = detail::recompute_named(keys.text("recompute"));
  if (keys.has("attention")) spec.attention = detail::attention_named(keys.text("attention"));
  detail::set_shape(keys, spec);
  // A device that nobody named holds anything.
  spec.device.memory = shardplan::bytes{std::int64_t{1} << 50};
  if (keys.has("device")) {
    const shardplan::device_spec* device = named_device(keys.text("device"));
    if (device == nullptr) throw not_expressible{"unknown device: " + keys.text("device")};
    spec.device = *device;
  }
  detail::set_batch(keys, spec);
  detail::set_sharding(keys, spec);
  const std::int64_t unit = shardplan::sequence_multiple_of(spec);
  spec.sequence = keys.number("sequence", unit < 512 ? 512 / unit * unit : unit);
  keys.all_read();
  return spec;
}

}  // namespace truth
