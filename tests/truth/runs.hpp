// SPDX-License-Identifier: BSL-1.0
// Judges runs.json: published runs with their layout (section 6 of the truth README). A line a figure. What a row does not state is filled
// in by one rule for all rows: micro-batch 1, no recomputation, keys and values gathered by
// context parallel ranks, as many sequences as eight micro-batches a stage (one without a pipeline), and where an interleaved or no
// schedule is named with one chunk, one layer a chunk.
#pragma once

#include "device_names.hpp"
#include "json.hpp"
#include "named_shapes.hpp"

#include <shardplan/memory/memory.hpp>
#include <shardplan/model/catalog.hpp>
#include <shardplan/recipe/precision.hpp>
#include <shardplan/schedule/one_f_one_b.hpp>
#include <shardplan/spec/plan_spec.hpp>
#include <shardplan/timing/timing.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

namespace truth {

/// One figure of one run.
struct run_line {
  std::string id;
  std::string what;         ///< "world", "micro_batches", "bubble", "mfu", "hfu", "tokens/s", "step"
  double ours = 0;          ///< in the unit of the file: counts, fractions, tokens a second and device, seconds
  double theirs = 0;        ///< the same
  bool judged = false;      ///< the row's strength is exact, or a bound that the group of judged rows must keep
  bool good = true;         ///< of an exact figure: equal
  std::string reason = "";  ///< why there is no figure of ours; empty: there is one
  bool must_fail = false;   ///< what the file says does not multiply out, as it says itself

  /// |ours - theirs| / theirs; 0 where there is nothing to compare.
  double error() const { return theirs == 0 || !reason.empty() ? 0 : std::abs(ours - theirs) / std::abs(theirs); }
};

/// Whether the line is about time and not about counts.
inline bool is_estimate(const run_line& line) { return line.what != "world" && line.what != "micro_batches" && line.what != "bubble"; }

namespace detail {

inline shardplan::transformer gpt(std::int64_t layers, std::int64_t hidden, std::int64_t heads, std::int64_t vocab) {
  shardplan::transformer shape{};
  shape.layers = layers;
  shape.hidden = hidden;
  shape.heads = heads;
  shape.ffn = 4 * hidden;
  shape.vocab = vocab;
  shape.mlp = shardplan::mlp::plain;
  shape.norm = shardplan::norm::layer;
  shape.tied_embeddings = true;
  return shape;
}

/// The shapes of models that rows name without stating them: those that are known here as runs have them (MPT: llm-foundry's
/// configurations, GLM, MT-NLG and PaLM: their papers), then the catalog and its further shapes.
inline std::optional<shardplan::transformer> shape_named(const std::string& name) {
  namespace models = shardplan::models;
  static const std::map<std::string, shardplan::transformer> known = [] {
    shardplan::transformer glm = gpt(70, 12288, 96, 150528);
    glm.ffn = 32768;
    glm.mlp = shardplan::mlp::gated;
    shardplan::transformer falcon = gpt(80, 14848, 232, 65024);
    falcon.kv_heads = 8;
    // arXiv 2204.02311 sections 2 and 2.1: SwiGLU of four times the width, one key/value head of 256, parallel blocks, no bias.
    shardplan::transformer palm = gpt(118, 18432, 48, 256000);
    palm.kv_heads = 1;
    palm.head_dim = 256;
    palm.mlp = shardplan::mlp::gated;
    palm.norm = shardplan::norm::layer_without_bias;
    palm.block_norms = shardplan::block_norms::one;
    return std::map<std::string, shardplan::transformer>{{"mpt-125m", gpt(12, 768, 12, 50368)},
                                                         {"mpt-350m", gpt(24, 1024, 16, 50368)},
                                                         {"mpt-760m", gpt(24, 1536, 12, 50368)},
                                                         {"mpt-1b", gpt(24, 2048, 16, 50368)},
                                                         {"mpt-3b", gpt(32, 2560, 20, 50368)},
                                                         {"mpt-7b", models::mpt_7b::shape},
                                                         {"mpt-13b", gpt(40, 5120, 40, 50368)},
                                                         {"mpt-30b", gpt(48, 7168, 56, 50368)},
                                                         {"mpt-70b", gpt(80, 8192, 64, 50368)},
                                                         {"glm-130b", glm},
                                                         {"falcon-180b", falcon},
                                                         {"palm-540b", palm},
                                                         {"bloom-176b", gpt(70, 14336, 112, 250880)},
                                                         {"opt-175b", gpt(96, 12288, 96, 50272)},
                                                         {"gpt3-175b", models::gpt3_175b::shape},
                                                         {"mt-nlg-530b", gpt(105, 20480, 128, 51200)}};
  }();
  if (const auto found = known.find(name); found != known.end()) return found->second;
  const shardplan::transformer* shape = shape_of_name(name);
  if (shape == nullptr) return std::nullopt;
  return *shape;
}

inline std::int64_t whole_or(const json& row, const char* key, std::int64_t otherwise) {
  const std::string text = row.get<std::string>(key, "null");
  return text == "null" ? otherwise : std::stoll(text);
}
inline std::optional<double> figure(const json& row, const char* key) {
  const std::string text = row.get<std::string>(key, "null");
  if (text == "null") return std::nullopt;
  return std::stod(text);
}

inline std::optional<shardplan::transformer> shape_of(const json& row) {
  const auto stated = row.get_child_optional("shape");
  if (!stated) return shape_named(row.get<std::string>("model", "null"));
  shardplan::transformer shape =
      gpt(whole_or(*stated, "layers", 0), whole_or(*stated, "hidden", 0), whole_or(*stated, "heads", 0), whole_or(*stated, "vocab", 0));
  shape.kv_heads = whole_or(*stated, "kv_heads", 0);
  shape.ffn = whole_or(*stated, "ffn", shape.ffn);
  if (stated->get<std::string>("glu", "false") == "true") shape.mlp = shardplan::mlp::gated;
  shape.tied_embeddings = stated->get<std::string>("tied", "true") == "true";
  return shape;
}

}  // namespace detail

/// The plan of a row, or why there is none.
struct run_plan {
  std::optional<shardplan::plan_spec> spec;
  std::string reason;
};

inline run_plan plan_of_run(const json& row) {
  using detail::whole_or;
  const auto shape = detail::shape_of(row);
  const shardplan::device_spec* device = named_device(row.get<std::string>("device", "null"));
  if (!shape) return {std::nullopt, "no shape for " + row.get<std::string>("model", "null")};
  if (device == nullptr) return {std::nullopt, "no device " + row.get<std::string>("device", "null")};
  if (is_null(row, "tp")) return {std::nullopt, "no layout stated"};

  shardplan::plan_spec spec{};
  spec.model = *shape;
  spec.device = *device;
  // Eight devices a node, where the number is a multiple of that.
  const std::int64_t world = whole_or(row, "gpus", 0);
  spec.devices_per_node = std::gcd(world, std::int64_t{8});
  spec.nodes = world / spec.devices_per_node;
  spec.tp = whole_or(row, "tp", 1);
  spec.pp = whole_or(row, "pp", 1);
  spec.cp = whole_or(row, "cp", 1);
  spec.ep = whole_or(row, "ep", 1);
  spec.etp = whole_or(row, "etp", 1);
  spec.dp = whole_or(row, "dp", shardplan::unset);
  spec.sequence = whole_or(row, "seq", 0);
  spec.micro_batch = whole_or(row, "micro_batch", 1);
  const std::int64_t replicas = spec.dp != shardplan::unset ? spec.dp : 1;
  spec.global_batch = whole_or(row, "global_batch", spec.micro_batch * replicas * (spec.pp > 1 ? 8 * spec.pp : 1));
  spec.context_exchange = shardplan::context_exchanges::all_gather;
  spec.zero = whole_or(row, "zero_stage", 0);
  if (row.get<std::string>("recompute", "null") == "full") spec.recompute = shardplan::recomputes::full;
  if (row.get<std::string>("precision", "null").find("fp8") != std::string::npos) spec.precision = shardplan::precisions::fp8_compute::spec;

  const std::int64_t layers = spec.model.layers;
  std::int64_t slots = layers;
  if (layers % spec.pp != 0 && (layers + 2) % spec.pp == 0) {
    spec.layer_split.embedding_slot = spec.layer_split.loss_slot = 1;
    slots = layers + 2;
  }
  spec.schedule.chunks = whole_or(row, "vpp", 1);
  if (spec.pp > 1 && spec.schedule.chunks == 1 && row.get<std::string>("schedule", "null") != "1f1b" && slots % spec.pp == 0)
    spec.schedule.chunks = slots / spec.pp;
  return {spec, ""};
}

/// Judges every row: what must multiply out exactly, and what is estimated.
inline std::vector<run_line> judge_runs(const json& file) {
  using detail::figure;
  using detail::whole_or;
  std::vector<run_line> lines;
  for (const auto& element : file.get_child("runs")) {
    const json& row = element.second;
    const std::string id = row.get<std::string>("id");
    const bool must_fail = row.get<std::string>("must_fail", "false") == "true";
    const std::int64_t world = whole_or(row, "gpus", 0);
    bool multiplies = false;
    if (!is_null(row, "tp")) {
      const std::int64_t model_ranks = whole_or(row, "tp", 1) * whole_or(row, "pp", 1) * whole_or(row, "cp", 1);
      const std::int64_t replicas = whole_or(row, "dp", world / model_ranks);
      multiplies = model_ranks * replicas == world;
      // A row that must fail is good when it does, if that is the rule that it breaks.
      const bool breaks_world = must_fail && row.get<std::string>("must_fail_rule", "world_not_divisible") == "world_not_divisible";
      lines.push_back({id, "world", static_cast<double>(model_ranks * replicas), static_cast<double>(world), true,
                       multiplies != breaks_world, "", must_fail});
    }
    if (must_fail || !multiplies) continue;

    const run_plan plan = plan_of_run(row);
    const auto check = row.get_child_optional("check");
    const double micro_batches = check ? figure(*check, "microbatches").value_or(0) : 0;
    if (micro_batches > 0 && !is_null(row, "micro_batch")) {
      const double ours = plan.spec ? static_cast<double>(shardplan::derive(*plan.spec).micro_batches) : 0;
      lines.push_back({id, "micro_batches", ours, micro_batches, true, ours == micro_batches, plan.reason});
      if (const auto bubble = figure(*check, "bubble_over_ideal")) {
        const double waits = plan.spec ? shardplan::to_double(shardplan::bubble_over_work(whole_or(row, "pp", 1), whole_or(row, "vpp", 1),
                                                                                          static_cast<std::int64_t>(ours)))
                                       : 0;
        lines.push_back({id, "bubble", waits, *bubble, true, std::abs(waits - *bubble) <= 0.00005001, plan.reason});
      }
    }

    // The published speed, once: MFU where it is stated, else what there is.
    const auto mfu = figure(row, "mfu");
    const auto tflops = figure(row, "tflops_per_gpu");
    const auto tokens = figure(row, "tokens_per_s_per_gpu");
    const auto step = figure(row, "step_s");
    if (!mfu && !tflops && !tokens && !step) continue;
    shardplan::timing_report timing{};
    std::string reason = plan.reason;
    double peak = 0;
    if (plan.spec) {
      timing = shardplan::timing_of(*plan.spec, shardplan::traffic_layout_of(*plan.spec));
      peak = static_cast<double>(plan.spec->device.bf16_flops) / 1e12;
      if (timing.step == 0) reason = "no rate of the device";
    }
    const bool dense = !plan.spec || plan.spec->model.experts.count == 0;
    if (mfu) {
      lines.push_back({id, "mfu", timing.mfu, *mfu, dense, true, reason});
    } else if (tflops) {
      const bool model = row.get<std::string>("tflops_kind", "null") == "model";
      lines.push_back({id, model ? "mfu" : "hfu", model ? timing.mfu : timing.hfu, peak > 0 ? *tflops / peak : 0, false, true, reason});
    }
    if (tokens) lines.push_back({id, "tokens/s", timing.tokens_per_second / static_cast<double>(world), *tokens, false, true, reason});
    if (step) lines.push_back({id, "step", timing.step, *step, false, true, reason});
  }
  return lines;
}

/// What the bound of the group says: median error under 10 %, 80 % of the rows within 15 %, of the dense runs that state their MFU. A row
/// without a figure of ours counts as outside.
struct run_summary {
  std::size_t rows = 0;
  std::size_t within = 0;
  double median = 0;

  bool passed() const { return rows > 0 && median < 0.10 && 100 * within >= 80 * rows; }
};

inline run_summary summary_of_runs(const std::vector<run_line>& lines) {
  std::vector<double> errors;
  for (const run_line& line : lines)
    if (line.judged && line.what == "mfu") errors.push_back(line.reason.empty() ? line.error() : 1);
  run_summary summary{};
  if (errors.empty()) return summary;
  std::sort(errors.begin(), errors.end());
  summary.rows = errors.size();
  summary.within = static_cast<std::size_t>(std::upper_bound(errors.begin(), errors.end(), 0.15) - errors.begin());
  summary.median = errors.size() % 2 == 1 ? errors[errors.size() / 2] : (errors[errors.size() / 2 - 1] + errors[errors.size() / 2]) / 2;
  return summary;
}

}  // namespace truth
