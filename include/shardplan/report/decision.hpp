// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/checked.hpp>
#include <shardplan/core/size.hpp>
#include <shardplan/plan/advice.hpp>
#include <shardplan/plan/evaluate.hpp>
#include <shardplan/plan/sentence.hpp>
#include <shardplan/plan/violation.hpp>
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
  out += ", zero " + std::to_string(spec.zero);
  if (spec.recompute == recomputes::full) out += ", full recomputation";
  if (spec.offload.states == storage::host) out += ", states on the host";
  return out;
}

// The figure that answered the question.
inline std::string figure_of(const decision_step& step) {
  if (!step.needed) return "not asked";
  if (step.asked == question::throughput) return counted(step.chosen, "replica", "replicas");
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
  return "zero " + std::to_string(step.chosen) + (path.fits ? "" : ", and still short");
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
    if (before == nullptr || before->beside != move.beside) out += "  " + std::string{words_of(path.whose, move.beside)} + "\n";
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
           words_of(practice.whose, step.asked);
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
