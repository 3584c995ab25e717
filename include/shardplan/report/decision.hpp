// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/checked.hpp>
#include <shardplan/core/size.hpp>
#include <shardplan/plan/advice.hpp>
#include <shardplan/plan/evaluate.hpp>
#include <shardplan/plan/framework_has.hpp>
#include <shardplan/plan/sentence.hpp>
#include <shardplan/plan/violation.hpp>
#include <shardplan/recipe/framework.hpp>
#include <shardplan/report/text.hpp>
#include <shardplan/search/decide.hpp>
#include <shardplan/search/practice.hpp>
#include <shardplan/spec/plan_spec.hpp>

#include <string>

namespace shardplan::report {

namespace detail {

inline std::string words_of_rung(rung_kind kind, std::int64_t value) {
  if (kind == rung_kind::nothing) return "data parallelism alone";
  if (kind == rung_kind::recompute) return "full recomputation";
  if (kind == rung_kind::offload) return "states to the host";
  if (kind == rung_kind::fsdp) return "fsdp";
  return std::string{name_of(kind)} + " " + std::to_string(value);
}

inline std::string words_of_rungs(const rungs& tried) {
  std::string out;
  for (const rung& one : tried) {
    out += (out.empty() ? "" : ", ") + words_of_rung(one.kind, one.value);
    out += one.legal ? ": " + gib(one.needs) + " GiB" : ": not possible";
  }
  return out;
}

inline std::string words_of_layout(const plan_spec& spec) {
  // The path of a spec that breaks a range is written as well.
  const bool is_said = spec.tp > 0 && spec.pp > 0 && spec.cp > 0 && spec.devices_per_node > 0 && spec.nodes > 0;
  const std::int64_t replica = is_said ? saturating_multiply(saturating_multiply(spec.tp, spec.pp), spec.cp) : 0;
  const std::int64_t world = is_said ? saturating_multiply(spec.devices_per_node, spec.nodes) : 0;
  std::string out = "tp " + std::to_string(spec.tp) + ", pp " + std::to_string(spec.pp);
  if (replica > 0 && world % replica == 0) out += ", dp " + std::to_string(world / replica);
  // In the framework's word: torchtitan and fully_shard have FSDP and no stages.
  if (spec.sharding.is_fsdp())
    out += ", fsdp";
  else if (has_zero_stages(spec.framework))
    out += ", zero " + std::to_string(spec.zero);
  else
    out += ", not sharded";
  if (spec.recompute == recomputes::full) out += ", full recomputation";
  if (spec.offload.states == storage::host || spec.offload.moments_percent > 0) out += ", states on the host";
  return out;
}

// The figure that answered the question.
inline std::string figure_of(const decision_step& step) {
  if (!step.needed) return "not asked";
  if (step.asked == question::throughput)
    return step.replica == 0 ? "no plan to repeat"
                             : counted(step.devices, "device", "devices") + ", " + grouped(step.replica) + " a replica";
  return gib(step.needs) + " of " + gib(step.has, false) + " GiB";
}

inline std::string answer_of(const decision_step& step) {
  if (!step.needed) return step.asked == question::still_short ? "no" : "yes";
  return step.yes ? "yes" : "no";
}

inline std::string choice_of(const decision& path, const decision_step& step) {
  switch (step.asked) {
    case question::one_device: return step.yes ? "data parallelism only" : "go on";
    case question::one_layer: return step.needed ? "tp " + std::to_string(step.chosen) : "tp 1";
    case question::all_layers: return "pp " + std::to_string(step.chosen);
    case question::throughput: return "dp " + std::to_string(step.chosen);
    case question::still_short: break;
  }
  if (!step.needed) return "no sharding";
  return words_of_rung(step.kind, step.chosen) + (path.fits ? "" : ", and still short");
}

// What a guidance does, in the framework's word.
inline const char* words_under(frameworks framework, guidance whose, question asked) {
  if (has_zero_stages(framework)) return words_of(whose, asked);
  const bool is_first = asked == question::one_device;
  const bool is_last = asked == question::still_short;
  switch (whose) {
    case guidance::megatron:
      if (is_first) return "Shard first: of what the framework has, FSDP, which shards weights and gradients with the optimizer state.";
      if (is_last) return "Recompute activations.";
      break;
    case guidance::bigscience:
      if (is_first) return "Shard first (FSDP), and stay data parallel while it fits.";
      break;
    case guidance::deepspeed:
      if (is_first) return "FSDP: the framework has no stages.";
      if (asked == question::one_layer) return "No tensor parallelism: FSDP, then its shards to the host.";
      if (asked == question::all_layers) return "FSDP shards the weights already.";
      if (is_last) return "Recompute activations, then FSDP with its shards in host memory.";
      break;
    case guidance::ultra_scale:
      if (is_first) return "Below 512 devices FSDP alone will do, if it fits.";
      if (asked == question::one_layer)
        return "Tensor parallelism inside the node: where FSDP is not enough, and from 512 devices on, where it waits for the network.";
      if (is_last) return "From 1,024 devices on FSDP beside tp and pp; recompute activations.";
      break;
    case guidance::hugging_face:
      if (is_first)
        return "Yes: plain data parallelism. No: FSDP inside a node or a fast fabric, as it changes no code; across a slow network FSDP "
               "beside tp and pp.";
      if (asked == question::one_layer) return "Tensor parallelism, no wider than a node; under FSDP the techniques for one device.";
      break;
  }
  return words_of(whose, asked);
}

inline std::string verdict_of(bool fits, bytes needs, const plan_spec& spec) {
  return gib(needs) + " of " + gib(spec.device.memory, false) + " GiB: " + (fits ? "fits" : "does not fit");
}

// The steps look at memory alone: rules that the plan breaks beside, and what may be better in it, a line each behind `mark`.
inline std::string remarks_on(const plan_spec& plan, const std::string& mark) {
  std::string out;
  const evaluation figures = evaluate(plan, remedy_search::off);
  for (const violation& broken : figures.violations.items)
    if (broken.broken != rule::does_not_fit) out.append(mark).append("refused: ").append(words_of_rule(broken)).append("\n");
  for (const advice_note& note : advice_in(plan)) out.append(mark).append("advice: ").append(sentence_of(note).c_str()).append("\n");
  return out;
}

}  // namespace detail

/// The path of the five steps in plain text: each question, the figure that answered it, the choice; below it what was tried. Behind the
/// plan the rules beside memory that it breaks, and the advice on it: the steps ask neither.
inline std::string text_of(const decision& path) {
  std::string out;
  for (int at = 0; at < question_count; ++at) {
    const decision_step& step = path.steps[at];
    out += std::to_string(at + 1) + ". " + words_of(step.asked) + " " + detail::answer_of(step) + " (" + detail::figure_of(step) +
           "): " + detail::choice_of(path, step) + "\n";
    if (!step.tried.empty()) out += "   tried " + detail::words_of_rungs(step.tried) + "\n";
  }
  return out + "plan: " + detail::words_of_layout(path.plan) + "; " + detail::verdict_of(path.fits, path.needs, path.plan) + "\n" +
         detail::remarks_on(path.plan, "  ");
}

/// What a guidance did, in plain text, with the same remarks.
inline std::string text_of(const practice_path& path) {
  std::string out = std::string{name_of(path.whose)} + ":\n";
  const practice_move* before = nullptr;
  for (const practice_move& move : path.moves) {
    if (before == nullptr || before->beside != move.beside)
      out += "  " + std::string{detail::words_under(path.plan.framework, path.whose, move.beside)} + "\n";
    out += "    tried " + detail::words_of_rungs(move.tried) + "\n";
    before = &move;
  }
  return out + "  plan: " + detail::words_of_layout(path.plan) + "; " + detail::verdict_of(path.fits, path.needs, path.plan) + "\n" +
         detail::remarks_on(path.plan, "    ");
}

/// The path as a Markdown table, with what a guidance does at each step beside it, and the two plans below; then what rules and advice say
/// of each plan.
inline std::string markdown_of(const decision& path, const practice_path& practice) {
  std::string out = "| question | figure | answer | choice | in practice (" + std::string{name_of(practice.whose)} + ") |\n";
  out += "|---|---|---|---|---|\n";
  for (int at = 0; at < question_count; ++at) {
    const decision_step& step = path.steps[at];
    out += "| " + std::string{words_of(step.asked)} + " | " + detail::figure_of(step) + " | " + detail::answer_of(step) + " | " +
           detail::choice_of(path, step) + (step.tried.empty() ? "" : " (tried " + detail::words_of_rungs(step.tried) + ")") + " | " +
           detail::words_under(practice.plan.framework, practice.whose, step.asked);
    for (const practice_move& move : practice.moves)
      if (move.beside == step.asked) out.append(" ").append(detail::words_of_rungs(move.tried)).append(".");
    out += " |\n";
  }
  out += "| **plan** | " + detail::verdict_of(path.fits, path.needs, path.plan) + " | | " + detail::words_of_layout(path.plan) + " | " +
         detail::words_of_layout(practice.plan) + ": " + detail::verdict_of(practice.fits, practice.needs, practice.plan) + " |\n";
  const std::string literal = detail::remarks_on(path.plan, "- ");
  const std::string followed = detail::remarks_on(practice.plan, "- ");
  if (!literal.empty()) out += "\nThe plan of the five questions:\n\n" + literal;
  if (!followed.empty()) out += "\nThe plan in practice:\n\n" + followed;
  return out;
}

}  // namespace shardplan::report
