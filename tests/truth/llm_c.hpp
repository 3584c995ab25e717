// SPDX-License-Identifier: BSL-1.0
// Rows of karpathy/llm.c: buffers that the program prints as it allocates them.
#pragma once

#include "common_keys.hpp"
#include "rank_run.hpp"
#include "row.hpp"

#include <shardplan/memory/preallocated.hpp>
#include <shardplan/memory/report.hpp>
#include <shardplan/plan/evaluate.hpp>
#include <shardplan/recipe/kernel_sets.hpp>
#include <shardplan/recipe/precision.hpp>
#include <shardplan/recipe/recompute.hpp>
#include <shardplan/spec/plan_spec.hpp>

#include <cstdint>
#include <string>

namespace truth {

namespace detail {

/// The number behind "pull request #" in a source; `absent` when there is none.
inline std::int64_t pull_request_of(const std::string& source, std::int64_t absent) {
  const std::size_t at = source.find("pull request #");
  return at == std::string::npos ? absent : std::stoll(source.substr(at + 14));
}

/// The run of a row of llm.c. Throws `not_expressible`.
inline run llm_c_run(const config_reader& config, const std::string& source) {
  run what{};
  shardplan::plan_spec& spec = what.spec;
  spec.model = common_shape(config);
  spec.model.mlp = shardplan::mlp::plain;
  spec.model.norm = shardplan::norm::layer;
  const bool biases = config.flag("bias", true);
  spec.model.qkv_bias = spec.model.attention_output_bias = spec.model.mlp_bias = biases;
  spec.model.vocab = config.number("padded_vocab", (spec.model.vocab + 127) / 128 * 128);
  spec.sequence = config.number("seq");
  spec.model.positions = config.number("max_positions", spec.sequence);
  spec.device.memory = shardplan::bytes{std::int64_t{1} << 50};
  spec.dp = config.number("dp", 1);
  spec.devices_per_node = spec.dp;
  spec.nodes = 1;
  spec.micro_batch = config.number("micro_batch");
  spec.global_batch = spec.micro_batch * spec.dp;
  spec.headroom_mebibytes = 0;
  spec.zero = config.number("zero", 0);
  const std::string precision = config.text("precision");
  if (precision == "fp32") {
    spec.precision = shardplan::precisions::fp32::spec;
  } else if (contains(precision, "bf16 weights and gradients")) {
    spec.precision = shardplan::precisions::bf16_fp32_master::spec;
  } else {
    throw not_expressible{"precision " + precision};
  }
  // The layout of train_gpt2_fp32.cu, and of train_gpt2.cu before the middle of 2024 (pull request 400 or so).
  const bool early = precision == "fp32" || pull_request_of(source, 676) < 400;
  spec.kernels = early ? shardplan::kernel_sets::llm_c_early::spec : shardplan::kernel_sets::llm_c::spec;
  spec.overheads = shardplan::overhead_sets::none::spec;
  const std::string attention = config.text("attention", "cuDNN flash");
  spec.attention = contains(attention, "unfused") ? shardplan::attentions::materialised : shardplan::attentions::flash;
  const std::string recompute = config.text("recompute", "none");
  if (contains(recompute, "-r 1") || contains(recompute, "-r 2")) spec.recompute = shardplan::recomputes::mlp_act;
  if (contains(recompute, "-r 2")) spec.recompute = spec.recompute | shardplan::recomputes::layernorm;
  if (recompute != "none" && spec.recompute == shardplan::recomputes::none) throw not_expressible{"recompute " + recompute};
  if (config.text("optimizer", "AdamW") != "AdamW") throw not_expressible{"optimizer " + config.text("optimizer")};
  return what;
}

/// Bytes of one of its buffers.
inline std::int64_t llm_c_buffer(const shardplan::plan_spec& spec, const std::string& name) {
  const shardplan::memory_report report = shardplan::stage_memory(spec, 0).device;
  if (name == "weights") return report.weights.count;
  if (name == "grads") return report.gradients.count;
  if (name == "m" || name == "v" || name == "m_shard" || name == "v_shard") return report.optimizer.count / 2;
  if (name == "master" || name == "master_shard") return report.master.count;
  const shardplan::preallocated_buffers buffers = shardplan::preallocated_of(spec);
  if (name == "acts") return buffers.activations.count;
  if (name == "act_grads") return buffers.gradients.count;
  throw not_expressible{"buffer " + name};
}

/// All of them: what the program holds beside the context and communicators.
inline std::int64_t llm_c_total(const shardplan::plan_spec& spec) {
  const shardplan::preallocated_buffers buffers = shardplan::preallocated_of(spec);
  return (shardplan::stage_memory(spec, 0).device.states() + buffers.activations + buffers.gradients).count;
}

}  // namespace detail

}  // namespace truth
