// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/plan/quantity.hpp>
#include <shardplan/plan/rule_name.hpp>
#include <shardplan/plan/sentence.hpp>
#include <shardplan/plan/violation.hpp>
#include <shardplan/report/text.hpp>
#include <shardplan/search/best_result.hpp>
#include <shardplan/search/candidate.hpp>
#include <shardplan/spec/plan_spec.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>

namespace shardplan::report {

namespace detail {

// A rule with what it is about: does_not_divide(tp, heads).
inline std::string words_of_refusal(const refused_rule& one) {
  const std::string name = name_of(one.broken);
  switch (one.broken) {
    case rule::out_of_range:
    case rule::too_large: return name + "(" + name_of(one.first) + ")";
    case rule::does_not_divide:
    case rule::neither_multiple_nor_divisor:
    case rule::does_not_match:
    case rule::micro_batches_fewer_than_stages:
    case rule::exceeds: return name + "(" + name_of(one.first) + ", " + name_of(one.second) + ")";
    case rule::missing_part:
    case rule::repeated_part: return name + "(" + name_of(one.part) + ")";
    case rule::not_supported: return name + "(" + reason_of(one.unsupported) + ")";
    default: return name;
  }
}

inline std::string seconds_text(double seconds) {
  if (seconds <= 0) return "-";
  char digits[32];
  std::snprintf(digits, sizeof digits, seconds < 10 ? "%.3f" : "%.2f", seconds);
  return digits;
}

inline std::string schedule_text(const listed_plan& found) {
  const schedule_spec& order = found.schedule;
  if (found.pp == 1) return "-";  // no order runs
  std::string out = named(order.name);
  // A V or two directions are two chunks without a word.
  if (order.layout == placement::loop && order.chunks > 1) out.append("<").append(std::to_string(order.chunks)).append(">");
  if (order.layout != placement::loop && order.chunks > 2) out.append(", ").append(std::to_string(order.chunks)).append(" chunks");
  if (order.slices > 1) out.append(", ").append(std::to_string(order.slices)).append(" slices");
  return out;
}

// Whether a plan of the list is ranked by the closed form of its schedule though it has one to play.
inline bool is_unplayed(const listed_plan& found) { return found.pp > 1 && found.simulated_step <= 0 && found.step > 0; }

// Below a table with such plans.
inline constexpr const char* unplayed_legend = "* by the closed form: the schedule was not played";

// The table of a search, a row of cells for each plan.
struct search_table {
  static constexpr std::size_t columns = 14;
  std::string cells[most_listed + 1][columns];
  std::size_t rows = 0;
  bool has_unplayed = false;

  search_table(const search_result& result, std::size_t most) {
    const char* heads[columns] = {"",    "devices",     "tp",     "pp",        "dp",       "cp",  "ep",
                                  "etp", "micro-batch", "states", "recompute", "schedule", "GiB", "s a step"};
    for (std::size_t at = 0; at < columns; ++at) cells[0][at] = heads[at];
    rows = 1;
    for (const listed_plan& found : result.top) {
      if (rows > most) break;
      const plan_spec spec = spec_of_listed(result.plan, found);
      std::string(&row)[columns] = cells[rows];
      row[0] = std::to_string(rows);
      row[1] = grouped(found.devices());
      const std::int64_t numbers[] = {found.tp, found.pp, found.dp, found.cp, found.ep, found.etp, found.micro_batch};
      for (std::size_t at = 0; at < 7; ++at) row[2 + at] = std::to_string(numbers[at]);
      row[9] = sharding_text(spec).substr(2);
      row[10] = words_of_recompute(spec);
      row[11] = schedule_text(found);
      row[12] = gib(found.memory);
      row[13] = seconds_text(found.seconds());
      if (is_unplayed(found)) {
        row[13].append("*");
        has_unplayed = true;
      }
      ++rows;
    }
  }

  // What every plan has alike and is as without a part needs no column.
  bool is_shown(std::size_t column) const {
    if (column < 5 || column > 7) return true;
    for (std::size_t row = 1; row < rows; ++row)
      if (cells[row][column] != "1") return true;
    return false;
  }
};

}  // namespace detail

/// How many candidates a search had, how many fit, and how many were refused by which rule, most first, in a line.
inline std::string counts_of(const search_result& result) {
  std::string out = grouped(result.considered) + " candidates: ";
  out.append(grouped(result.fitting)).append(" fit, ").append(grouped(result.timed)).append(" timed");
  if (result.simulated > 0) out.append(", the best ").append(grouped(result.simulated)).append(" played");
  const char* between = "; refused: ";
  std::int64_t left = result.rejected();
  for (const refused_rule& one : result.refusals) {
    out.append(between).append(detail::words_of_refusal(one)).append(" ").append(grouped(one.count));
    between = ", ";
    left -= one.count;
  }
  if (left > 0) out.append(between).append("others ").append(grouped(left));
  return out;
}

/// The best plans of a search as a table of plain text, `most` of them, and below it what was refused. Seconds are estimates, of the played
/// schedule where it was played; with `*`, and a line below that says so, of its closed form where it was not.
inline std::string text_of(const search_result& result, std::size_t most = 10) {
  if (!result.found) return "no plan fits\n" + counts_of(result) + "\n";
  const detail::search_table table(result, most);
  std::string out;
  for (std::size_t row = 0; row < table.rows; ++row) {
    std::string line;
    for (std::size_t column = 0; column < detail::search_table::columns; ++column) {
      if (!table.is_shown(column)) continue;
      std::size_t width = 0;
      for (std::size_t other = 0; other < table.rows; ++other)
        if (table.cells[other][column].size() > width) width = table.cells[other][column].size();
      if (column != 0) line.append("  ");
      line.append(detail::padded(table.cells[row][column], width));
    }
    out.append(line).append("\n");
  }
  if (table.has_unplayed) out.append(detail::unplayed_legend).append("\n");
  return out.append(counts_of(result)).append("\n");
}

/// The same as a Markdown table.
inline std::string markdown_of(const search_result& result, std::size_t most = 10) {
  if (!result.found) return "No plan fits. " + counts_of(result) + "\n";
  const detail::search_table table(result, most);
  std::string out;
  for (std::size_t row = 0; row < table.rows; ++row) {
    std::string rule_line = "|";
    out.append("|");
    for (std::size_t column = 0; column < detail::search_table::columns; ++column) {
      if (!table.is_shown(column)) continue;
      out.append(" ").append(table.cells[row][column]).append(" |");
      rule_line.append("---|");
    }
    out.append("\n");
    if (row == 0) out.append(rule_line).append("\n");
  }
  if (table.has_unplayed) out.append("\n\\").append(detail::unplayed_legend).append("\n");
  return out.append("\n").append(counts_of(result)).append("\n");
}

}  // namespace shardplan::report
