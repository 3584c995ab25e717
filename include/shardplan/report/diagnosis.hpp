// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/size.hpp>
#include <shardplan/doctor/diagnose.hpp>
#include <shardplan/doctor/message.hpp>
#include <shardplan/report/text.hpp>

#include <cstdint>
#include <string>

namespace shardplan::report {

namespace detail {

inline std::string words_of_figure(cause which, std::int64_t figure) {
  switch (entry_of(which).unit) {
    case figure_unit::bytes: return gib({figure}) + " GiB";
    case figure_unit::per_mille: return std::to_string(figure / 10) + "." + std::to_string(figure % 10) + " %";
    case figure_unit::count: break;
  }
  return grouped(figure);
}

inline std::string words_of_change(change what) {
  std::string out = name_of(what.kind);
  if (what.value != 0 || what.kind == change_kind::prefetch_nothing) out.append(" ").append(std::to_string(what.value));
  return out;
}

inline std::string words_of_evidence(const finding& item) {
  if (item.now.says == standing::not_in_plan && item.now.figure == 0) return "the plan cannot be computed";
  const std::string figure = words_of_figure(item.which, item.now.figure);
  if (item.now.says == standing::not_in_plan) return figure;
  return figure + (item.now.says == standing::supported ? ", above " : ", not above ") + words_of_figure(item.which, item.now.limit);
}

inline std::string words_of_remedy(const finding& item) {
  if (item.now.says == standing::excluded) return "";
  std::string out = entry_of(item.which).advice.c_str();
  if (item.try_this.kind == change_kind::nothing) return out;
  out = words_of_change(item.try_this);
  out.append(": ").append(words_of_figure(item.which, item.after.figure));
  if (item.peak_after.count != 0) out.append(", peak ").append(gib(item.peak_after)).append(" GiB");
  return out;
}

}  // namespace detail

/// A diagnosis in plain text: one paragraph a cause, excluded ones in one line each.
inline std::string text_of(const diagnosis& causes) {
  std::string out;
  int number = 0;
  for (const finding& item : causes) {
    if (item.now.says == standing::excluded) {
      out += "   not " + std::string{name_of(item.which)} + ": " + detail::words_of_evidence(item) + "\n";
      continue;
    }
    out += std::to_string(++number) + ". " + name_of(item.which) + " (" + name_of(item.now.says) + "): " + detail::words_of_evidence(item) +
           "\n   " + entry_of(item.which).figure.c_str() + "\n   remedy: " + detail::words_of_remedy(item) + "\n";
  }
  return out;
}

/// The diagnosis of a message: the tensors of that size, then the causes.
inline std::string text_of(const size_diagnosis& found) {
  std::string out;
  for (const size_match& match : found.tensors) out += std::string{"   "} + sentence_of(match).c_str() + "\n";
  return (out.empty() ? "nothing in this plan has that size\n" : "in this plan that is\n" + out) + text_of(found.causes);
}

/// A diagnosis as a Markdown table.
inline std::string markdown_of(const diagnosis& causes) {
  std::string out = "| cause | standing | figure | remedy |\n|---|---|---|---|\n";
  for (const finding& item : causes)
    out += "| `" + std::string{name_of(item.which)} + "` | " + name_of(item.now.says) + " | " + detail::words_of_evidence(item) + " | " +
           detail::words_of_remedy(item) + " |\n";
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
