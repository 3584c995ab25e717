// SPDX-License-Identifier: BSL-1.0
// Whether a published run keeps all rules: it ran, so it must be legal, and where the row states micro-batch and recomputation it must fit
// its own device. The plan is that of runs.hpp with what memory and rules need beside: the precision, the way states are divided and the
// modules that are computed again, as the row states them and its source's code understands them. Nothing is read of a row but these keys
// and the name of the code in its source.
#pragma once

#include "frameworks.hpp"
#include "interleaved_schedule.hpp"
#include "judgement.hpp"
#include "reports.hpp"
#include "runs.hpp"

#include <shardplan/plan/evaluate.hpp>
#include <shardplan/plan/sentence.hpp>
#include <shardplan/recipe/cross_entropy.hpp>
#include <shardplan/recipe/overheads.hpp>
#include <shardplan/recipe/precision.hpp>

#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

namespace truth {

namespace detail {

/// The code that a run's source names.
enum class run_code { megatron, nemo, megatron_deepspeed, torchtitan, torch_fsdp, not_named };

inline run_code code_of_run(const std::string& source) {
  const std::string name = lower(source);
  if (contains(name, "torchtitan")) return run_code::torchtitan;
  if (contains(name, "llm-foundry") || contains(name, "fsdp") || contains(name, "automodel")) return run_code::torch_fsdp;
  if (contains(name, "bigscience") || contains(name, "deepspeed")) return run_code::megatron_deepspeed;
  if (contains(name, "megatron")) return run_code::megatron;
  if (contains(name, "nemo")) return run_code::nemo;
  return run_code::not_named;
}

// Bytes a parameter: PyTorch's FSDP shards fp32 weights and gathers them in bf16; Megatron-LM keeps fp32 gradients beside bf16 weights and
// an fp32 copy of fp16 gradients, NeMo bf16 gradients; others what the ZeRO paper counts. FP8 products change what Megatron-LM keeps.
inline shardplan::precision_spec precision_of_run(const std::string& words, run_code code) {
  namespace precisions = shardplan::precisions;
  if (contains(words, "fp32 grad accumulation")) return precisions::bf16_fp32_accumulator::spec;
  switch (code) {
    case run_code::torchtitan:
    case run_code::torch_fsdp: return precisions::torchtitan::spec;
    case run_code::megatron:
      if (contains(words, "fp8")) return precisions::fp8_compute::spec;
      return contains(words, "fp16") ? precisions::fp16_fp32_gradient_copy::spec : precisions::bf16_fp32_master_and_gradients::spec;
    case run_code::nemo: {
      shardplan::precision_spec precision = contains(words, "fp8") ? precisions::fp8_compute::spec : precisions::bf16_fp32_master::spec;
      precision.gradient = 2;  // grad_reduce_in_fp32 is off in its performance recipes
      return precision;
    }
    case run_code::megatron_deepspeed:
    case run_code::not_named: break;
  }
  return contains(words, "fp8") ? precisions::fp8_compute::spec : precisions::bf16_fp32_master::spec;
}

// "none at 8K" is none; "selective" is what the code means by it; else the modules that are named.
inline shardplan::recomputes recompute_of_run(const std::string& words, run_code code) {
  const shardplan::frameworks framework = code == run_code::torchtitan ? shardplan::frameworks::torchtitan : shardplan::frameworks::generic;
  shardplan::recomputes result = shardplan::recomputes::none;
  if (words == "null" || starts_with(words, "none")) return result;
  std::string word;
  for (const char letter : words + ' ') {
    if (letter != ' ' && letter != ',' && letter != '+') {
      word += letter;
    } else if (!word.empty()) {
      result = result | recompute_named(word, framework);
      word.clear();
    }
  }
  return result;
}

// A row states no vocabulary: it is the tokenizer's, and each code with a tensor parallel embedding pads it as Megatron-LM does.
inline void pad_vocabulary(const json& row, shardplan::plan_spec& spec) {
  if (!row.get_child_optional("shape.vocab") && spec.tp > 1) spec.vocabulary_multiple = shardplan::megatron_vocabulary_divisor * spec.tp;
}

inline void set_code_of_run(run_code code, shardplan::plan_spec& spec) {
  switch (code) {
    case run_code::megatron:
    case run_code::nemo: spec.framework = shardplan::frameworks::megatron; break;
    case run_code::megatron_deepspeed:
      spec.framework = shardplan::frameworks::deepspeed;
      spec.vocabulary_multiple = shardplan::megatron_vocabulary_divisor * spec.tp;  // the embedding is Megatron-LM's
      break;
    case run_code::torchtitan: spec.framework = shardplan::frameworks::torchtitan; break;
    case run_code::torch_fsdp:
    case run_code::not_named: break;
  }
}

// Experts are divided as the rest where nothing else is said: the default of Megatron-LM's --expert-tensor-parallel-size.
inline void divide_experts_of_run(const json& row, shardplan::plan_spec& spec) {
  const bool by_default = spec.framework == shardplan::frameworks::megatron && spec.model.experts.count > 0 && is_null(row, "etp");
  if (by_default && spec.devices_per_node * spec.nodes % (spec.tp * spec.ep * spec.pp) == 0) spec.etp = spec.tp;
}

// The order that a row names, with its chunks; one chunk and no name is 1F1B.
inline void set_order_of_run(const json& row, shardplan::plan_spec& spec) {
  const std::string name = row.get<std::string>("schedule", "null");
  const bool loops = starts_with(name, "interleaved") || whole_or(row, "vpp", 1) > 1;
  if (loops && spec.pp > 1 && spec.schedule.chunks > 1)
    spec.schedule = interleaved_schedule(spec.schedule.chunks);
  else if (name == "null" || loops)
    spec.schedule = shardplan::schedules::one_f_one_b::spec;
  else
    spec.schedule = schedule_named(name, spec.framework);
}

// PyTorch's FSDP: torchtitan shards tensor by tensor, others flat parameters; in a pipeline gathered weights stay.
// A stage 3 elsewhere is DeepSpeed's ("we used the DeepSpeed library", arXiv 2104.04473 section 5.2), which gathers module by module.
inline void set_sharding_of_run(run_code code, shardplan::plan_spec& spec) {
  const bool is_fsdp = code == run_code::torchtitan || code == run_code::torch_fsdp;
  if (!is_fsdp) {
    if (spec.zero == 3) spec.sharding.unit = shardplan::gather_unit::module;
    return;
  }
  if (spec.zero == 3) {
    spec.zero = 0;
    spec.sharding.layout = code == run_code::torchtitan ? shardplan::shard_layout::tensors : shardplan::shard_layout::flat_units;
    spec.sharding.reshard_after_forward = spec.pp == 1;
  }
  spec.overheads = shardplan::overhead_sets::torch_fused::spec;
  spec.loss = shardplan::losses::torch_eager_float::spec;  // compiled only where that is stated, which no key does
}

}  // namespace detail

/// The plan of a row as rules and memory see it, or why there is none.
inline run_plan judged_plan_of_run(const json& row) {
  run_plan plan = plan_of_run(row);
  if (!plan.spec) return plan;
  shardplan::plan_spec& spec = *plan.spec;
  const detail::run_code code = detail::code_of_run(row.get<std::string>("source", ""));
  try {
    spec.recompute = detail::recompute_of_run(row.get<std::string>("recompute", "null"), code);
    spec.precision = detail::precision_of_run(row.get<std::string>("precision", "null"), code);
    detail::set_order_of_run(row, spec);
    detail::pad_vocabulary(row, spec);
    detail::set_code_of_run(code, spec);
    detail::divide_experts_of_run(row, spec);
    detail::set_sharding_of_run(code, spec);
    // Stages that do not divide the layers: the embedding and the head in the place of one layer each, the first stages one more.
    const std::int64_t stages = spec.schedule.stages(spec.pp);
    const bool says_no_slot = spec.layer_split.embedding_slot == shardplan::unset;
    if (code != detail::run_code::torchtitan && spec.model.layers % stages != 0 && says_no_slot) {
      for (std::int64_t stage = 0; stage < stages; ++stage)
        spec.layer_split.push_back(shardplan::dealt_layers(spec.model.layers, 1, 1, stages, stage));
      spec.layer_split.embedding_slot = spec.layer_split.loss_slot = 1;
    }
  } catch (const not_expressible& why) {
    return {std::nullopt, why.what()};
  }
  return plan;
}

/// The verdict on one run: "accepted" is no broken rule, "legal" no broken rule but memory's, "refused" with the names of
/// report_cases.json.
inline comparison verdict_on_run(const json& row) {
  comparison line{.id = row.get<std::string>("id")};
  const bool must_fail = row.get<std::string>("must_fail", "false") == "true";
  const bool stated = !is_null(row, "micro_batch") && !is_null(row, "recompute");
  line.group = must_fail ? "runs, verdict of those that must fail" : stated ? "runs, verdict" : "runs, legal where memory is not stated";
  line.how = must_fail ? strength::exact : strength::bound;
  line.theirs_text = must_fail ? "refused: " + row.get<std::string>("must_fail_rule", "world_not_divisible")
                     : stated  ? "accepted"
                               : "legal";
  const run_plan plan = judged_plan_of_run(row);
  if (!plan.spec) {
    line.reason = plan.reason;
    return line;
  }
  const shardplan::evaluation judged = shardplan::evaluate(*plan.spec, shardplan::remedy_search::off);
  const detail::report_verdict verdict = detail::verdict_on(*plan.spec);
  std::string names;
  for (const std::string& name : verdict.rules) names += (names.empty() ? "" : " ") + name;
  line.ours_text = names.empty() ? "accepted" : verdict.legal ? "legal" : "refused: " + names;
  line.good = line.ours_text == line.theirs_text || (line.theirs_text == "legal" && line.ours_text == "accepted");
  char figures[120];
  const double gib = 1024.0 * 1024.0 * 1024.0;
  std::snprintf(figures, sizeof figures, "%.1f of %.1f GiB", static_cast<double>(judged.peak_memory.count) / gib,
                static_cast<double>(plan.spec->device.memory.count) / gib);
  if (judged.peak_memory.count > 0) line.note = figures;
  if (const auto measured = detail::figure(row, "memory_GB")) {
    std::snprintf(figures, sizeof figures, ", measured %.1f GiB", *measured * 1e9 / gib);
    line.note += figures;
  }
  if (!verdict.words.empty()) line.note += (line.note.empty() ? "" : "; ") + verdict.words;
  return line;
}

/// The verdicts on all runs, each in the group of its bound: 95 % of what states micro-batch and recomputation is accepted, 95 % of the
/// rest is legal; what must fail is refused by the rule that the row names. So few rows may be beyond what a plan can say: of those that
/// state all under 5 %, of the rest under 16 % (some state no layout, or a model without a published shape), of what must fail none.
inline void judge_run_verdicts(const json& file, judgement& result) {
  for (const auto& element : file.get_child("runs")) result.add(verdict_on_run(element.second));
  result.set_bound("runs, verdict", {.words = "95 % accepted, over 95 % expressible", .most_refused_percent = 5, .least_good_percent = 95});
  result.set_bound("runs, legal where memory is not stated",
                   {.words = "95 % of the expressible legal, over 84 % expressible", .most_refused_percent = 16, .least_good_percent = 95});
  result.set_bound("runs, verdict of those that must fail", {.words = "exact, all expressible", .most_refused_percent = 0.001});
}

}  // namespace truth
