// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/bytes.hpp>
#include <shardplan/memory/memory.hpp>
#include <shardplan/memory/phase.hpp>
#include <shardplan/memory/report.hpp>
#include <shardplan/model/parameters.hpp>
#include <shardplan/plan/evaluate.hpp>
#include <shardplan/plan/framework_has.hpp>
#include <shardplan/plan/sentence.hpp>
#include <shardplan/plan/violation.hpp>
#include <shardplan/recipe/framework.hpp>
#include <shardplan/spec/derived.hpp>
#include <shardplan/spec/plan_spec.hpp>
#include <shardplan/spec/stage_layers.hpp>

#include <cstdint>
#include <ostream>
#include <string>

namespace shardplan {

/// Writes an amount as whole bytes, "31260596224 B"; `report::gib` and `report::grouped` have other forms.
inline std::ostream& operator<<(std::ostream& out, bytes amount) { return out << amount.count << " B"; }

}  // namespace shardplan

namespace shardplan::report {

/// A whole number with commas between groups of three digits.
inline std::string grouped(std::int64_t number) {
  const std::string digits = std::to_string(number);
  std::string out;
  for (std::size_t at = 0; at < digits.size(); ++at) {
    if (at > 0 && (digits.size() - at) % 3 == 0 && digits[at - 1] != '-') out += ',';
    out += digits[at];
  }
  return out;
}

/// An amount in GiB (2^30 bytes) with two decimals. What is needed is rounded up, so that it never looks smaller than it is; say `round_up`
/// false for what there is.
inline std::string gib(bytes amount, bool round_up = true) {
  const std::int64_t whole = amount.count >> 30;
  const std::int64_t rest = (amount.count - (whole << 30)) * 100;
  const bool more = round_up && (rest & ((std::int64_t{1} << 30) - 1)) != 0;
  const std::int64_t hundredths = whole * 100 + (rest >> 30) + (more ? 1 : 0);
  const std::string decimals = std::to_string(hundredths % 100);
  return std::to_string(hundredths / 100) + (decimals.size() == 1 ? ".0" : ".") + decimals;
}

/// The enumerator of a framework as one writes it; its number where it is none.
inline std::string name_of(frameworks whose) {
  const char* const names[] = {"generic", "megatron", "deepspeed", "torchtitan", "fsdp2"};
  const auto at = static_cast<unsigned>(whose);
  return at < sizeof names / sizeof names[0] ? names[at] : std::to_string(at);
}

namespace detail {

// How states are sharded: ", zero 1", ", fsdp2 in groups of 8".
inline std::string sharding_text(const plan_spec& spec) {
  const sharding_spec& sharding = spec.sharding;
  std::string out = ", zero " + std::to_string(spec.zero);
  if (spec.zero == 0 && !has_zero_stages(spec.framework)) out = ", not sharded";  // there the word is FSDP
  if (sharding.is_fsdp()) out = sharding.layout == shard_layout::tensors ? ", fsdp2" : ", fsdp1";
  if (sharding.layout == shard_layout::megatron_buckets) out += " in Megatron-LM's buckets";
  if (sharding.ranks != unset) out += " in groups of " + std::to_string(sharding.ranks);
  if (sharding.secondary != unset) out += ", hpz " + std::to_string(sharding.secondary);
  if (!sharding.reshard_after_forward) out += " without resharding after forward";
  if (sharding.unit == gather_unit::module) out += " gathered by module";
  if (sharding.unit == gather_unit::block) out += " gathered by block";
  return out;
}

inline std::string named(literal name) { return *name.c_str() == '\0' ? "(unnamed)" : name.c_str(); }

// "1 node", "8 nodes".
inline std::string counted(std::int64_t count, const char* one, const char* many) {
  return std::to_string(count).append(" ").append(count == 1 ? one : many);
}

inline std::string padded(const std::string& word, std::size_t width) {
  return word.size() >= width ? word : std::string(width - word.size(), ' ') + word;
}

// A broken rule of a plan for which no change was looked for: none is named, and it is not said that none helps.
inline std::string words_of_rule(const violation& broken) {
  if (broken.broken != rule::host_does_not_fit) return sentence_of(broken).c_str();
  return "a host needs " + gib(broken.needs) + " GiB and has " + gib(broken.has, false) + " GiB";
}

// `none`, `full`, or the modules with + between them; behind it the layers that it is for.
inline std::string words_of_recompute(const plan_spec& spec) {
  if (spec.recompute == recomputes::none) return "none";
  const char* names[] = {"full", "core_attn", "mlp", "mlp_act", "layernorm", "moe", "moe_act", "mla_up_proj", "every_second_matmul"};
  std::string words;
  for (unsigned bit = 0; bit < sizeof names / sizeof names[0]; ++bit)
    if (includes(spec.recompute, static_cast<recomputes>(1u << bit))) {
      if (!words.empty()) words += "+";
      words += names[bit];
    }
  const std::string count = std::to_string(spec.recompute_layers.count);
  switch (spec.recompute_layers.method) {
    case recompute_methods::each: return words;
    case recompute_methods::uniform: return words + " in groups of " + count + " layers";
    case recompute_methods::block: return words + " of the first " + count + " layers";
    case recompute_methods::every: return words + " of one layer in " + count;
  }
  return words;
}

// Where stages differ: "stages     8 9 8 7 layers", in the order of the model; runs of equal ones as "14 x 8".
inline std::string words_of_stages(const plan_spec& spec) {
  const std::int64_t stages = spec.schedule.stages(spec.pp);
  if (stages == 1 || has_even_stages(spec)) return "";
  std::string words = "stages    ";
  for (std::int64_t stage = 0; stage < stages;) {
    const std::int64_t layers = layers_of_stage(spec, stages, stage);
    std::int64_t alike = 1;
    while (stage + alike < stages && layers_of_stage(spec, stages, stage + alike) == layers) ++alike;
    words += ' ';
    if (alike > 2) words += std::to_string(alike) + " x ";
    words += std::to_string(layers);
    stage += alike > 2 ? alike : 1;
    if (stage < stages) words += ',';
  }
  return words + " layers" + (balances_layers(spec) ? ", as torchtitan balances them\n" : "\n");
}

inline void describe(std::string& out, const plan_spec& spec, const plan_figures& figures) {
  const transformer& shape = spec.model;
  out += "model      " + std::to_string(shape.layers) + " layers x " + std::to_string(shape.hidden) + ", " + std::to_string(shape.heads) +
         " heads, " + std::to_string(shape.key_value_heads()) + " key/value heads, ffn " + std::to_string(shape.ffn) + ", vocabulary " +
         std::to_string(shape.vocab);
  if (shape.experts.count > 0)
    out += ", " + std::to_string(shape.experts.count) + " experts of " + std::to_string(shape.expert_width()) + ", top " +
           std::to_string(shape.experts.top_k);
  // What is said of the tokens' way changes no parameter, and a plan may say more experts than there are.
  transformer valid_shape = shape;
  if (valid_shape.experts.top_k > valid_shape.experts.count) valid_shape.experts.top_k = valid_shape.experts.count;
  out += "\n           " + grouped(parameter_count_of(valid_shape)) + " parameters";
  if (shape.experts.count >= shape.experts.top_k && shape.experts.count > 0)
    out += ", " + grouped(active_parameter_count_of(shape)) + " active";
  out += "\ndevices    " + std::to_string(spec.nodes) + " x " + std::to_string(spec.devices_per_node) + " " + named(spec.device.name) +
         ", " + grouped(spec.device.memory.count) + " bytes each\n";
  out += "parallel   tp " + std::to_string(spec.tp) + (is_sequence_parallel(spec) ? " with sequence parallelism" : "") + ", pp " +
         std::to_string(spec.pp) + ", cp " + std::to_string(spec.cp) + ", dp " + std::to_string(figures.data_parallel);
  if (shape.experts.count > 0) out += ", ep " + std::to_string(spec.ep) + ", etp " + std::to_string(spec.etp);
  out += detail::sharding_text(spec) + ", schedule " + named(spec.schedule.name);
  if (spec.framework != frameworks::generic) out.append(", under ").append(name_of(spec.framework));
  out += '\n';
  out += words_of_stages(spec);
  out += "batch      " + counted(spec.global_batch, "sequence", "sequences") + " of " + counted(spec.sequence, "token", "tokens") +
         " a step, micro-batch " + std::to_string(spec.micro_batch) + ", " +
         counted(figures.micro_batches, "micro-batch", "micro-batches") + " a replica\n";
  out += "recipe     " + named(spec.optimizer.name) + ", " + named(spec.precision.name) + ", recompute " + words_of_recompute(spec) +
         ", cross-entropy " + named(spec.loss.name) + "\n";
}

// One column a stage; long pipelines show the first, the worst and the last.
inline void tabulate(std::string& out, const plan_spec& spec, const plan_figures& figures) {
  std::int64_t stages[3]{};
  std::int64_t count = 0;
  if (spec.pp <= 3) {
    for (; count < spec.pp; ++count) stages[count] = count;
  } else {
    stages[count++] = 0;
    if (figures.peak_stage != 0 && figures.peak_stage != spec.pp - 1) stages[count++] = figures.peak_stage;
    stages[count++] = spec.pp - 1;
  }
  constexpr std::size_t width = 12;
  constexpr std::size_t byte_width = 20;
  out += "\nGiB a device      ";
  for (std::int64_t at = 0; at < count; ++at) out += padded("stage " + std::to_string(stages[at]), width);
  out += padded("bytes, stage " + std::to_string(figures.peak_stage), byte_width) + "\n";
  memory_report reports[3]{};
  phase peaks[3]{};
  for (std::int64_t at = 0; at < count; ++at) {
    const stage_account account = stage_memory(spec, stages[at]);
    reports[at] = account.device;
    peaks[at] = account.peak;
  }
  const memory_report worst = stage_memory(spec, figures.peak_stage).device;
  for (int part = 0; part <= static_cast<int>(component::reserve); ++part) {
    const auto which = static_cast<component>(part);
    std::string name = name_of(which);
    name.resize(18, ' ');
    out += name;
    for (std::int64_t at = 0; at < count; ++at) out += padded(gib(component_of(reports[at], which)), width);
    out += padded(grouped(component_of(worst, which).count), byte_width) + "\n";
  }
  const auto add_sum = [&](const char* name, auto sum) {
    out += name;
    for (std::int64_t at = 0; at < count; ++at) out += padded(gib(sum(reports[at])), width);
    out += padded(grouped(sum(worst).count), byte_width) + "\n";
  };
  add_sum("total             ", [](const memory_report& report) { return report.total(); });
  add_sum("allocated         ", [](const memory_report& report) { return report.allocated(); });
  add_sum("reserved, about   ", [](const memory_report& report) { return report.reserved(); });
  out += "peak phase        ";
  for (std::int64_t at = 0; at < count; ++at)
    out += (at == 0 ? "stage " : ", stage ") + std::to_string(stages[at]) + " " + name_of(peaks[at]);
  out += "\n";
  const offload_report moved = stage_memory(spec, figures.peak_stage).offloaded;
  if (moved.host.count != 0)
    out += "in host memory, a rank of stage " + std::to_string(figures.peak_stage) + ": " + gib(moved.host) + " GiB\n";
  if (moved.nvme.count != 0) out += "on NVMe, a rank of stage " + std::to_string(figures.peak_stage) + ": " + gib(moved.nvme) + " GiB\n";
}

}  // namespace detail

/// A plan in plain text: what it is, the memory of its first, worst and last stage, and the verdict in words. For a plan that cannot be
/// computed the verdict alone. States are exact, the other rows are not: docs/exact_and_estimates.md.
inline std::string text_of(const plan_spec& spec) {
  const evaluation result = evaluate(spec);
  std::string out;
  if (result.world_size != 0) {
    detail::describe(out, spec, result);
    detail::tabulate(out, spec, result);
    out += "\n";
  }
  if (result.world_size != 0) {
    const memory_report worst = stage_memory(spec, result.peak_stage).device;
    const memory_verdicts verdicts = verdicts_of(worst, spec.device.memory);
    out += std::string{"allocator  the tensors "} + (verdicts.allocator ? "fit" : "do not fit") + ": " + gib(worst.allocated()) + " of " +
           gib(spec.device.memory, false) + " GiB allocated" +
           (verdicts.reserved || !verdicts.device ? "" : "; too little room for the slack of the allocator") + "\n";
  }
  out += "verdict    ";
  out += sentence_of(result.violations).c_str();
  if (result.violations.empty())
    out += ": stage " + std::to_string(result.peak_stage) + " needs " + gib(result.peak_memory) + " of " + gib(spec.device.memory, false) +
           " GiB, in phase " + name_of(result.peak_phase);
  out += "\n";
  return out;
}

/// Writes `text_of` a plan type.
template <class Plan>
std::ostream& print(std::ostream& out) {
  return out << text_of(Plan::spec);
}

}  // namespace shardplan::report
