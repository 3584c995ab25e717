// SPDX-License-Identifier: BSL-1.0
// Judging report_cases.json: real failure reports as specs, whose verdict and rules the library must give.
#pragma once

#include "json.hpp"
#include "judgement.hpp"
#include "report_spec.hpp"
#include "row.hpp"

#include <shardplan/memory/held.hpp>
#include <shardplan/memory/host.hpp>
#include <shardplan/memory/memory.hpp>
#include <shardplan/model/parameters.hpp>
#include <shardplan/parallel/activation_shard.hpp>
#include <shardplan/plan/evaluate.hpp>
#include <shardplan/plan/rules/sequence.hpp>
#include <shardplan/plan/sentence.hpp>
#include <shardplan/plan/tensors_of_size.hpp>
#include <shardplan/spec/derived.hpp>

#include <algorithm>
#include <cstdint>
#include <exception>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace truth {

namespace detail {

using shardplan::quantity;
using shardplan::rule;

struct rule_name {
  rule broken;
  std::vector<quantity> first;   ///< any of these; empty: whatever it is
  std::vector<quantity> second;  ///< so here
  const char* name;
};

/// The names of report_cases.json for our violations: the first line that matches counts.
inline const std::vector<rule_name>& rule_names() {
  static const std::vector<rule_name> names = {
      {rule::does_not_divide, {quantity::etp_x_ep_x_pp}, {}, "expert_grid_not_divisible"},
      {rule::exceeds, {quantity::tp}, {quantity::ep}, "unsupported_combination"},
      {rule::does_not_divide, {quantity::shard_groups, quantity::hpz}, {quantity::expert_shards}, "expert_grid_not_divisible"},
      {rule::does_not_divide, {}, {quantity::device_count, quantity::dp_x_cp}, "world_not_divisible"},
      {rule::does_not_match, {quantity::tp_x_pp_x_cp_x_dp}, {}, "world_not_divisible"},
      {rule::does_not_divide, {}, {quantity::expert_count}, "experts_not_divisible"},
      {rule::exceeds, {quantity::ep, quantity::etp}, {quantity::expert_count}, "experts_not_divisible"},
      {rule::does_not_divide, {quantity::tp, quantity::cp, quantity::cp_x_tp}, {quantity::heads}, "heads_not_divisible"},
      {rule::does_not_divide, {quantity::kv_heads}, {quantity::heads}, "kv_heads_not_divisible"},
      {rule::does_not_divide, {}, {quantity::kv_heads}, "kv_heads_not_divisible"},
      {rule::neither_multiple_nor_divisor, {quantity::kv_heads}, {}, "kv_heads_not_divisible"},
      {rule::does_not_divide, {}, {quantity::hidden, quantity::ffn, quantity::shared_ffn, quantity::expert_ffn}, "width_not_divisible"},
      {rule::does_not_divide, {}, {quantity::vocabulary}, "vocabulary_not_divisible"},
      {rule::does_not_divide, {}, {quantity::layers, quantity::layers_and_slots}, "layers_not_divisible"},
      {rule::does_not_match, {quantity::layer_split_entries, quantity::layer_split_sum}, {}, "layer_split_wrong"},
      {rule::empty_stage, {}, {}, "empty_stage"},
      {rule::does_not_divide, {quantity::micro_batch_x_dp}, {}, "global_batch_not_divisible"},
      {rule::does_not_match, {quantity::micro_batch_x_accumulation_x_dp}, {}, "batch_triple_mismatch"},
      {rule::does_not_divide, {}, {quantity::sequence}, "sequence_not_divisible"},
      {rule::does_not_divide, {}, {quantity::micro_batches}, "micro_batches_schedule_group"},
      {rule::exceeds, {}, {quantity::micro_batches, quantity::interleave_group}, "micro_batches_schedule_group"},
      {rule::micro_batches_fewer_than_stages, {}, {}, "micro_batches_schedule_group"},
      {rule::not_supported, {}, {}, "unsupported_combination"},
      {rule::host_does_not_fit, {}, {}, "host_does_not_fit"},
  };
  return names;
}

inline bool is_among(const std::vector<quantity>& some, quantity one) {
  return some.empty() || std::find(some.begin(), some.end(), one) != some.end();
}

/// The report's name of a violation; our own where it has none.
inline std::string name_of_rule(const shardplan::plan_spec& spec, const shardplan::violation& item) {
  if (item.broken == rule::does_not_fit) {
    for (std::int64_t stage = 0; stage < spec.pp; ++stage)
      if (shardplan::stage_memory(spec, stage).device.states() > spec.device.memory) return "states_do_not_fit";
    return "memory_does_not_fit";
  }
  for (const rule_name& known : rule_names())
    if (known.broken == item.broken && is_among(known.first, item.first.what) && is_among(known.second, item.second.what))
      return known.name;
  return shardplan::sentence_of(item).c_str();
}

/// What the library says of a spec.
struct report_verdict {
  bool legal = true;  ///< no rule but memory is broken
  bool fits = true;   ///< nor is the memory of devices and hosts
  std::set<std::string> rules;
  std::string words;
};

inline report_verdict verdict_on(const shardplan::plan_spec& spec) {
  report_verdict result;
  const shardplan::violation_list list = shardplan::evaluate(spec, shardplan::remedy_search::off).violations;
  for (const shardplan::violation& item : list) {
    const bool memory = item.broken == rule::does_not_fit || item.broken == rule::host_does_not_fit;
    (memory ? result.fits : result.legal) = false;
    result.rules.insert(name_of_rule(spec, item));
  }
  if (!list.empty()) result.words = shardplan::sentence_of(list).c_str();
  return result;
}

/// Parameters of one pipeline rank before sharding.
inline shardplan::parameter_sum parameters_held(const shardplan::plan_spec& spec, std::int64_t stage) {
  const shardplan::memory_layout layout = shardplan::memory_layout_of(spec);
  return shardplan::held_by(layout, shardplan::extent_of_stage(spec, layout.facts, stage));
}

inline std::int64_t field_of(const shardplan::plan_spec& spec, const std::string& field, std::int64_t stage) {
  const shardplan::memory_report memory = shardplan::stage_memory(spec, stage).device;
  if (field == "weights") return memory.weights.count;
  if (field == "gradients") return memory.gradients.count;
  if (field == "master") return memory.master.count;
  if (field == "optimizer") return memory.optimizer.count;
  if (field == "states") return memory.states().count;
  if (field == "host") return shardplan::host_memory_of(spec).total().count;
  if (field == "routed_weights") return parameters_held(spec, stage).routed * spec.precision.weight;
  throw not_expressible{"unknown field: " + field};
}

inline std::vector<std::int64_t> numbers_of(const json& list) {
  std::vector<std::int64_t> numbers;
  for (const auto& [key, entry] : list) numbers.push_back(entry.get_value<std::int64_t>());
  return numbers;
}

/// The values of `axis` up to the largest listed one that break none of the rules in `by`, with world, split and batch free.
inline std::vector<std::int64_t> legal_values(const json& report, const json& expect) {
  std::set<std::string> by;
  for (const auto& [key, entry] : expect.get_child("by")) by.insert(entry.data());
  const std::vector<std::int64_t> listed = numbers_of(expect.get_child("legal"));
  std::vector<std::int64_t> legal;
  for (std::int64_t value = 1; value <= *std::max_element(listed.begin(), listed.end()); ++value) {
    json spec = report.get_child("spec");
    for (const char* free : {"devices_per_node", "nodes", "dp", "layer_split", "micro_batch", "global_batch", "accumulation", "sequence"})
      spec.erase(free);
    spec.put(expect.get<std::string>("axis"), value);
    const report_verdict verdict = verdict_on(report_spec(spec, report.get<std::string>("framework", "generic")));
    const bool broken = std::any_of(by.begin(), by.end(), [&](const std::string& name) { return verdict.rules.count(name) != 0; });
    if (!broken) legal.push_back(value);
  }
  return legal;
}

/// Whether the library knows a tensor of that name with exactly so many bytes of fp32 in the plan.
inline bool has_fp32_tensor(const shardplan::plan_spec& spec, const std::string& name, std::int64_t bytes) {
  for (const shardplan::size_match& found : shardplan::tensors_of_size(spec, shardplan::bytes{bytes}))
    if (found.what.c_str() == name && found.width == 4 && found.difference == 0) return true;
  return false;
}

/// What one rank holds of activations.
inline shardplan::activation_shard shard_of_activations(const shardplan::plan_spec& spec) {
  const shardplan::derived facts = shardplan::derive(spec);
  return shardplan::activation_shard_of(spec.model, facts.grid, facts.tokens, facts.vocabulary, spec.expert_load.computed());
}

/// The first violation about that number, first or second.
inline std::optional<shardplan::violation> violation_about(const shardplan::plan_spec& spec, quantity number) {
  const shardplan::violation_list list = shardplan::violations_in(spec);
  for (const shardplan::violation& item : list)
    if (item.first.what == number || item.second.what == number) return item;
  return std::nullopt;
}

/// What the violation counted; nothing where no rule about it is broken.
inline std::optional<std::int64_t> number_at_fault(const shardplan::plan_spec& spec, quantity number) {
  const std::optional<shardplan::violation> item = violation_about(spec, number);
  if (!item) return std::nullopt;
  return item->first.what == number ? item->first.value : item->second.value;
}

/// Layers that stages of one size hold, or that a split says, as the violation counts them: it stands for those that a floor leaves.
inline std::optional<std::int64_t> layers_built(const shardplan::plan_spec& spec) {
  if (spec.layer_split.counts.length != 0) return number_at_fault(spec, quantity::layer_split_sum);
  const std::optional<shardplan::violation> item = violation_about(spec, quantity::layers);
  if (!item || item->broken != rule::does_not_divide || item->second.what != quantity::layers) return std::nullopt;
  return item->second.value - item->second.value % item->first.value;
}

/// Most devices that are tried.
inline constexpr std::int64_t most_devices_tried = 1024;

/// The smallest world of devices whose rules about the world are kept.
inline std::optional<std::int64_t> smallest_world(const shardplan::plan_spec& spec) {
  shardplan::plan_spec tried = spec;
  tried.devices_per_node = 1;
  tried.dp = shardplan::unset;
  for (tried.nodes = 1; tried.nodes <= most_devices_tried; ++tried.nodes) {
    const report_verdict verdict = verdict_on(tried);
    if (verdict.rules.count("world_not_divisible") + verdict.rules.count("expert_grid_not_divisible") == 0) return tried.nodes;
  }
  return std::nullopt;
}

/// The fewest devices that hold the states when they are shared by all and nothing else is divided.
inline std::optional<std::int64_t> fewest_devices(const shardplan::plan_spec& spec) {
  shardplan::plan_spec tried = spec;
  tried.tp = tried.pp = tried.cp = tried.ep = tried.etp = tried.devices_per_node = 1;
  tried.dp = tried.accumulation = shardplan::unset;
  tried.layer_split = {};
  tried.schedule = shardplan::schedules::one_f_one_b::spec;
  tried.sharding = {};
  tried.offload = {};
  tried.zero = 3;
  for (tried.nodes = 1; tried.nodes <= most_devices_tried; ++tried.nodes) {
    tried.global_batch = tried.micro_batch * tried.nodes;
    const shardplan::bytes states = shardplan::stage_memory(tried, 0).device.states();
    if (states.count > 0 && states <= tried.device.memory) return tried.nodes;
  }
  return std::nullopt;
}

/// The batches that the library names beside the one that does not divide.
inline std::vector<std::int64_t> legal_global_batches(const shardplan::plan_spec& spec) {
  std::vector<std::int64_t> legal;
  const std::optional<shardplan::violation> item = violation_about(spec, quantity::global_batch);
  if (!item) return legal;
  for (const shardplan::remedy& change : item->legal)
    if (change.kind == shardplan::remedy_kind::global_batch) legal.push_back(change.value);
  return legal;
}

/// One exact figure of a report.
struct report_figure {
  std::string name;
  std::string ours;
  std::string theirs;
  bool at_least = false;

  bool good() const { return at_least ? std::stoll(ours) >= std::stoll(theirs) : ours == theirs; }
};

inline std::string joined(const std::vector<std::int64_t>& numbers) {
  std::string text;
  for (const std::int64_t number : numbers) text += (text.empty() ? "" : " ") + std::to_string(number);
  return text;
}

inline std::vector<report_figure> figures_of_report(const json& report, const shardplan::plan_spec& spec) {
  std::vector<report_figure> figures;
  const json& expect = report.get_child("expect");
  // A figure that the library does not have is none, which no report expects.
  const auto add = [&](const char* name, std::optional<std::int64_t> ours) {
    figures.push_back({name, ours ? std::to_string(*ours) : "none", expect.get<std::string>(name)});
  };
  const std::int64_t stage = expect.get("stage", std::int64_t{0});
  for (const auto& [key, value] : expect) {
    const std::string name = key;
    if (value.empty() && value.data() == "null") continue;
    if (name == "axis" || name == "by" || name == "at_least" || name == "bytes" || name == "stage" || name == "pair") continue;
    if (name == "legal") {
      figures.push_back({name, joined(legal_values(report, expect)), joined(numbers_of(value))});
    } else if (name == "field" && (value.data() == "logits_fp32" || value.data() == "scores_fp32")) {
      const char* const tensor = value.data() == "logits_fp32" ? "logits" : "attention scores";
      const std::string bytes = expect.get<std::string>("bytes");
      figures.push_back({value.data(), has_fp32_tensor(spec, tensor, std::stoll(bytes)) ? bytes : "none", bytes});
    } else if (name == "field") {
      figures.push_back({value.data(), std::to_string(field_of(spec, value.data(), stage)), expect.get<std::string>("bytes"),
                         expect.get("at_least", false)});
    } else if (name == "bytes_per_parameter") {
      const std::vector<std::int64_t> wanted = numbers_of(value);
      const shardplan::parameter_sum held = parameters_held(spec, stage);
      const shardplan::fraction ours{field_of(spec, "states", stage), held.dense + held.routed};
      const shardplan::fraction theirs{wanted.at(0), wanted.at(1)};
      figures.push_back({name, joined({ours.numerator, ours.denominator}), joined({theirs.numerator, theirs.denominator})});
    } else if (name == "layers_built") {
      add("layers_built", layers_built(spec));
    } else if (name == "padded_vocab") {
      add("padded_vocab", shardplan::derive(spec).vocabulary);
    } else if (name == "vocab_rows_per_rank") {
      add("vocab_rows_per_rank", shard_of_activations(spec).vocabulary);
    } else if (name == "sequence_multiple") {
      add("sequence_multiple", named_unit(report.get_child("spec"), spec));
    } else if (name == "world_multiple") {
      add("world_multiple", smallest_world(spec));
    } else if (name == "min_devices") {
      add("min_devices", fewest_devices(spec));
    } else if (name == "product") {
      add("product", number_at_fault(spec, quantity::micro_batch_x_accumulation_x_dp));
    } else if (name == "micro_batches") {
      const std::optional<std::int64_t> counted = number_at_fault(spec, quantity::micro_batches);
      add("micro_batches", counted ? *counted : shardplan::derive(spec).micro_batches);
    } else if (name == "data_parallel") {
      add("data_parallel", shardplan::derive(spec).grid.dp);
    } else if (name == "zero_shards") {
      add("zero_shards", shardplan::derive(spec).dense_shards);
    } else if (name == "kv_columns_per_rank") {
      add("kv_columns_per_rank", shard_of_activations(spec).key);
    } else if (name == "legal_global_batch") {
      figures.push_back({name, joined(legal_global_batches(spec)), joined(numbers_of(value))});
    } else {
      throw not_expressible{"unknown figure: " + name};
    }
  }
  return figures;
}

}  // namespace detail

/// Judges one report: verdict, rules and figures.
inline comparison judge_report(const json& report) {
  const std::string confidence = report.get<std::string>("confidence", "high");
  comparison line{.id = report.get<std::string>("id", "(no id)"),
                  .group = "reports, " + confidence,
                  .how = confidence == "high" ? strength::exact : strength::print};
  const std::string wanted = report.get<std::string>("verdict", "");
  line.theirs_text = wanted;
  std::set<std::string> needed;
  if (report.count("rules") != 0)
    for (const auto& [key, name] : report.get_child("rules")) needed.insert(name.data());
  std::set<std::string> allowed = needed;
  if (report.count("also") != 0)
    for (const auto& [key, name] : report.get_child("also")) allowed.insert(name.data());
  for (const std::string& name : needed) line.theirs_text += ' ' + name;
  try {
    const shardplan::plan_spec spec = report_spec(report.get_child("spec"), report.get<std::string>("framework", "generic"));
    const detail::report_verdict verdict = detail::verdict_on(spec);
    const bool asks_memory = wanted == "fits" || wanted == "does_not_fit";
    line.ours_text = !verdict.legal ? "invalid" : !asks_memory ? "valid" : verdict.fits ? "fits" : "does_not_fit";
    line.good = line.ours_text == wanted;
    for (const std::string& name : verdict.rules) {
      const bool about_memory = name == "states_do_not_fit" || name == "memory_does_not_fit" || name == "host_does_not_fit";
      if (about_memory && !asks_memory) continue;
      line.ours_text += ' ' + name;
      line.good = line.good && allowed.count(name) != 0;
    }
    for (const std::string& name : needed) line.good = line.good && verdict.rules.count(name) != 0;
    if (report.count("expect") != 0)
      for (const detail::report_figure& figure : detail::figures_of_report(report, spec)) {
        line.good = line.good && figure.good();
        line.note += figure.name + ' ' + figure.ours + (figure.good() ? " = " : " IS NOT ") + (figure.at_least ? "at least " : "") +
                     figure.theirs + "; ";
      }
    line.note += verdict.words;
    if (!line.good) line.note = "DIFFERS: " + line.note;
    if (line.how == strength::print) line.good = true;  // of medium confidence: for people
  } catch (const std::exception& why) {                 // not expressible, or a number beyond its type
    line.reason = why.what();
  }
  return line;
}

/// Judges every report. At most 5 % may be beyond what a plan can say, and each other one of high confidence must come out right.
inline judgement judge_reports(const json& file) {
  judgement result;
  for (const auto& [index, report] : file.get_child("cases")) result.add(judge_report(report));
  for (const comparison& line : std::vector<comparison>{result.lines()})
    result.set_bound(line.group, {.words = "95 % expressible, verdict, rules and figures", .most_refused_percent = 5});
  return result;
}

}  // namespace truth
