// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/size.hpp>
#include <shardplan/doctor/diagnose.hpp>
#include <shardplan/doctor/message.hpp>
#include <shardplan/plan/sentence.hpp>
#include <shardplan/report/seconds.hpp>
#include <shardplan/report/text.hpp>

#include <cstdint>
#include <string>

namespace shardplan::report {

namespace detail {

// "45.0 GB/s"
inline std::string words_of_rate(std::int64_t bytes_per_second) {
  const std::int64_t tenths = bytes_per_second / 100'000'000;
  return grouped(tenths / 10) + "." + std::to_string(tenths % 10) + " GB/s";
}

inline std::string words_of_figure(cause which, std::int64_t figure) {
  const cause_entry& entry = entry_of(which);
  switch (entry.unit) {
    case figure_unit::bytes: return gib({figure}) + " GiB";
    case figure_unit::per_mille: return std::to_string(figure / 10) + "." + std::to_string(figure % 10) + " %";
    case figure_unit::bytes_per_second: return words_of_rate(figure);
    case figure_unit::tokens_per_second: return grouped(figure) + " tokens/s";
    case figure_unit::zero_stage: return figure == 0 ? "none that is refused" : "ZeRO-" + std::to_string(figure);
    case figure_unit::count: break;
  }
  const literal things = figure == 1 ? entry.one : entry.many;
  return things == literal{} ? grouped(figure) : grouped(figure) + " " + things.c_str();
}

// Behind a figure of the same cause, whose things it does not name again.
inline std::string words_of_bound(cause which, std::int64_t figure) {
  return entry_of(which).unit == figure_unit::count ? grouped(figure) : words_of_figure(which, figure);
}

inline std::string words_of_evidence(const finding& item) {
  if (item.now.says == standing::not_in_plan && item.now.figure == 0)
    return item.peak.count == 0 ? "the plan cannot be computed" : "the plan cannot be timed: its device has no rate";
  const std::string figure = words_of_figure(item.which, item.now.figure);
  if (item.now.says == standing::not_in_plan) return figure;
  // Nine tenths of the device are no matter where the plan has no room in all of it.
  if (item.which == cause::mem_fragment && item.now.figure > 1000)
    return figure + " of the device: the plan does not fit at all, fragments or not; a run that took steps was not of this plan";
  if (entry_of(item.which).unit == figure_unit::zero_stage && item.now.figure == 0) return figure;
  if (item.now.limit == 0) {
    // Nothing of it may be there, or whatever is there has no room.
    const bool has_no_room = item.now.says == standing::supported && entry_of(item.which).unit == figure_unit::bytes;
    return has_no_room ? figure + ", and nothing is free" : figure;
  }
  std::string out =
      figure + (item.now.says == standing::supported ? ", above " : ", not above ") + words_of_bound(item.which, item.now.limit);
  if (item.now.is_grave() && item.now.grave > item.now.limit) out += " and " + words_of_bound(item.which, item.now.grave);
  return out;
}

// "broken: tp 3 does not divide heads 32"; of a plan that says no framework the first who would refuse it.
inline std::string words_of_refusal(const refusal& refused) {
  if (refused.count == 0) return "";
  const std::string who =
      refused.is_said ? "broken: " : std::string{"broken under "} + words_of(refused.whose) + " (the plan says no framework): ";
  const std::string more = refused.count > 1 ? ", and " + std::to_string(refused.count - 1) + " more" : "";
  return who + sentence_of(refused.first).c_str() + more;
}

// "zero<1> and micro_batch<1>"; a schedule by its name.
inline std::string words_of_changes(const finding& item) {
  std::string out;
  for (std::size_t index = 0; index < most_treatment_steps; ++index) {
    const remedy step = item.step(index);
    if (step.kind == remedy_kind::nothing_small_helps) continue;
    if (!out.empty()) out.append(" and ");
    if (step.kind != remedy_kind::schedule) {
      out.append(sentence_of(step).c_str());
      continue;
    }
    out.append("schedule ").append(item.schedule.name.c_str());
    if (step.value > 1) out.append(", ").append(std::to_string(step.value)).append(" chunks a rank");
  }
  return out;
}

inline std::string words_of_remedy(const finding& item) {
  if (item.help == help_kind::nothing) return "";
  if (item.help == help_kind::action) {
    const std::string why = words_of(item.why);
    return action_of(item).c_str() + (why.empty() ? "" : "; " + why);
  }
  std::string out = words_of_changes(item) + ": ";
  out += words_of_figure(item.which, item.now.figure);
  const bool tells = item.after.says != standing::not_in_plan;
  if (!tells) out += " -> not in the plan";
  if (tells && item.after.figure != item.now.figure) out += " -> " + words_of_bound(item.which, item.after.figure);
  if (tells && item.after.limit != item.now.limit)
    out += " (limit " + from_to(words_of_bound(item.which, item.now.limit), words_of_bound(item.which, item.after.limit)) + ")";
  if (item.peak_after.count != 0)
    out += "; peak " + (item.peak.count == 0 ? gib(item.peak_after) : from_to(gib(item.peak), gib(item.peak_after))) + " GiB";
  if (!(item.cost_after.seconds > 0)) return out;
  const step_cost& before = item.cost;
  const step_cost& after = item.cost_after;
  const std::string seconds = seconds_in_words(after.seconds);
  const std::string tokens = grouped(static_cast<std::int64_t>(after.tokens_per_second));
  if (!(before.seconds > 0)) return out + "; step " + seconds + " s (estimate), " + tokens + " tokens/s";
  out += "; step " + from_to(seconds_in_words(before.seconds), seconds) + " s (estimate), ";
  out += from_to(grouped(static_cast<std::int64_t>(before.tokens_per_second)), tokens) + " tokens/s";
  return out;
}

// What stands before it: what was recomputed and what is to be done elsewhere are told apart.
inline const char* label_of(const finding& item) { return item.help == help_kind::action ? "action: " : "remedy: "; }

// Whether its figures need a plan that can be computed: then all causes have the same obstacle, which stands before them.
inline bool needs_accounts(cause which) { return shardplan::detail::is_of_memory(which) || shardplan::detail::is_of_speed(which); }
inline std::string words_of_obstacle(const diagnosis& causes) {
  for (const finding& item : causes) {
    if (!needs_accounts(item.which) || item.refused.count == 0) continue;
    const int more = item.refused.count - 1;
    std::string out = "the plan cannot be computed: ";
    out.append(sentence_of(item.refused.first).c_str());
    if (more > 0) out.append(", and ").append(std::to_string(more)).append(more == 1 ? " broken rule more" : " broken rules more");
    return out + "\n";
  }
  return "";
}

// What the fullest rank of a device needs, where the symptom is one of its memory, and what follows where it fits.
inline std::string words_of_need(const diagnosis& causes) {
  const finding* any = nullptr;
  bool is_supported = false;
  for (const finding& item : causes) {
    if (!shardplan::detail::is_of_memory(item.which) || item.which == cause::mem_host || item.peak.count == 0) continue;
    any = &item;
    is_supported = is_supported || item.now.says == standing::supported;
  }
  if (any == nullptr) return "";
  std::string out = "the plan needs ";
  out.append(gib(any->peak)).append(" of ").append(gib(any->memory)).append(" GiB on stage ").append(std::to_string(any->stage));
  if (any->peak <= any->memory)
    out.append(is_supported ? ": it fits, so the run held more: see what is supported"
                            : ": it fits, so the run was not of this plan, or memory is held elsewhere");
  return out + "\n";
}

// Of what a step is made, where the symptom is slowness and the plan can be timed.
inline std::string words_of_step(const diagnosis& causes) {
  for (const finding& item : causes) {
    if (!shardplan::detail::is_of_speed(item.which)) continue;
    const step_cost& cost = item.cost;
    if (!(cost.seconds > 0)) return "";
    const auto share = [&](double part) {
      const std::int64_t parts = shardplan::detail::per_mille(part, cost.seconds);
      return std::to_string(parts / 10) + "." + std::to_string(parts % 10) + " %";
    };
    return "a step takes " + seconds_in_words(cost.seconds) + " s (estimate), of which waiting in the pipeline is " + share(cost.bubble) +
           " and transfers that nothing hides " + share(cost.communication) + "; " +
           grouped(static_cast<std::int64_t>(cost.tokens_per_second)) + " tokens/s\n";
  }
  return "";
}

}  // namespace detail

/// A diagnosis in plain text: one paragraph a cause, excluded ones in one line each. Before them stands, against slowness, what a step is
/// made of, where memory is short what the plan needs and has, and of a plan that cannot be computed the part that is missing or the first
/// rule that it breaks.
inline std::string text_of(const diagnosis& causes) {
  std::string out = detail::words_of_obstacle(causes);
  if (out.empty()) out = detail::words_of_need(causes);
  if (out.empty()) out = detail::words_of_step(causes);
  int number = 0;
  for (const finding& item : causes) {
    if (item.now.says == standing::excluded) {
      out += "   not " + std::string{name_of(item.which)} + ": " + detail::words_of_evidence(item) + "\n";
      continue;
    }
    out += std::to_string(++number) + ". " + name_of(item.which) + " (" + name_of(item.now.says) + "): " + detail::words_of_evidence(item) +
           "\n   " + entry_of(item.which).figure.c_str() + "\n   " +
           (item.refused.count == 0 || detail::needs_accounts(item.which) ? "" : detail::words_of_refusal(item.refused) + "\n   ") +
           detail::label_of(item) + detail::words_of_remedy(item) + "\n";
  }
  return out;
}

/// The diagnosis of a message: the tensors of that size, what else the message says, then the causes.
inline std::string text_of(const size_diagnosis& found) {
  std::string out;
  for (const size_match& match : found.tensors) out += std::string{"   "} + sentence_of(match).c_str() + "\n";
  const allocator_message& said = found.said;
  out = !out.empty()                ? "in this plan that is\n" + out
        : said.requested.is_known() ? "nothing in this plan has that size\n"
                                    : "no size in this message\n";
  if (said.allocated.is_known() && found.planned.count > 0) {
    out +=
        "tensors held " + gib(said.allocated.nominal) + " GiB when that was asked for; the plan's peak is " + gib(found.planned) + " GiB";
    out += said.allocated.least > found.planned ? ": more was held than the plan has\n" : "\n";
  }
  if (said.was_in_pieces()) out += "the allocator held as much, in pieces: fragmentation\n";
  if (said.others.is_known()) out += "other processes held " + gib(said.others.nominal) + " GiB of the device\n";
  return out + text_of(found.causes);
}

/// The diagnosis of a message as it was printed, of any length: `text_of(diagnosis_of(spec, message))`. What stands behind a character 0 is
/// not read.
template <class Spec = plan_spec>
std::string text_of_message(const Spec& spec, const std::string& message) {
  return text_of(diagnosis_of(spec, message.c_str()));
}

/// A diagnosis as a Markdown table.
inline std::string markdown_of(const diagnosis& causes) {
  std::string out = "| cause | standing | figure | remedy |\n|---|---|---|---|\n";
  for (const finding& item : causes)
    out += "| `" + std::string{name_of(item.which)} + "` | " + name_of(item.now.says) + " | " + detail::words_of_evidence(item) +
           (item.refused.count == 0 ? "" : "; " + detail::words_of_refusal(item.refused)) + " | " +
           (item.help == help_kind::action ? "action: " : "") + detail::words_of_remedy(item) + " |\n";
  return out;
}

/// The table of symptoms and their causes that docs/how_to/diagnose_a_run.md shows.
inline std::string symptom_table() {
  std::string out = "| symptom | cause | figure | what helps |\n|---|---|---|---|\n";
  for (int seen = 0; seen < symptom_count; ++seen)
    for (int at = 0; at < cause_count; ++at) {
      const auto which = static_cast<cause>(at);
      if (!explains(which, static_cast<symptom>(seen))) continue;
      out += "| `" + std::string{name_of(static_cast<symptom>(seen))} + "` | `" + name_of(which) + "` | " + entry_of(which).figure.c_str() +
             " | " + entry_of(which).advice.c_str() + " |\n";
    }
  return out;
}

}  // namespace shardplan::report
