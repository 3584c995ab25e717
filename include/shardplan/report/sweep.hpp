// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/index_pack.hpp>
#include <shardplan/core/part.hpp>
#include <shardplan/plan/sentence.hpp>
#include <shardplan/plan/violation.hpp>
#include <shardplan/report/part_words.hpp>
#include <shardplan/report/text.hpp>
#include <shardplan/search/sweep.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

namespace shardplan::report {

namespace detail {

// An estimate with four digits that count.
inline std::string four_digits(double number) {
  char words[32];
  std::snprintf(words, sizeof words, "%.4g", number);
  return number > 0 ? words : "-";
}

inline std::string verdict_of(const sweep_row& row) {
  if (row.valid) return "valid";
  if (row.broken.broken == rule::does_not_fit) return std::string{"does not fit, stage "}.append(std::to_string(row.broken.stage));
  return words_of_rule(row.broken);
}

using sweep_cells = std::vector<std::string>;

inline sweep_cells heads_of_sweep(std::uint64_t varied) {
  sweep_cells cells{"row"};
  for (int kind = 0; kind < 64; ++kind)
    if ((varied >> kind & 1) != 0) cells.push_back(name_of(static_cast<part_kind>(kind)));
  for (const char* head : {"dp", "GiB a device", "s a step", "tokens/s", "verdict"}) cells.push_back(head);
  return cells;
}

inline sweep_cells cells_of_row(int index, std::uint64_t varied, const plan_spec& spec, const sweep_row& row) {
  sweep_cells cells{std::to_string(index)};
  for (int kind = 0; kind < 64; ++kind)
    if ((varied >> kind & 1) != 0) cells.push_back(words_of(spec, static_cast<part_kind>(kind)));
  cells.push_back(row.replicas == 0 ? "-" : std::to_string(row.replicas));
  cells.push_back(row.peak_memory.count == 0 ? "-" : gib(row.peak_memory));
  cells.push_back(four_digits(row.step));
  cells.push_back(row.tokens_per_second > 0 ? grouped(static_cast<std::int64_t>(row.tokens_per_second)) : "-");
  cells.push_back(verdict_of(row));
  return cells;
}

template <class Sweep, int... Indices>
std::vector<sweep_cells> table_of_sweep(shardplan::detail::index_pack<int, Indices...>) {
  return {heads_of_sweep(Sweep::varied),
          cells_of_row(Indices, Sweep::varied, Sweep::template at<Indices>::spec, Sweep::template row<Indices>)...};
}
template <class Sweep>
std::vector<sweep_cells> table_of_sweep() {
  return table_of_sweep<Sweep>(shardplan::detail::make_index_pack<shardplan::detail::computed_rows<Sweep>>{});
}

}  // namespace detail

/// A sweep as a table in plain text, a line a row: its index, what each list says, replicas, memory of the worst stage, estimated time and
/// tokens a second, and the verdict: "valid", or the first broken rule in words.
template <class Sweep>
std::string sweep_text() {
  const std::vector<detail::sweep_cells> table = detail::table_of_sweep<Sweep>();
  std::string out;
  for (const detail::sweep_cells& cells : table) {
    std::string line;
    for (std::size_t column = 0; column + 1 < cells.size(); ++column) {
      std::size_t width = 0;
      for (const detail::sweep_cells& other : table)
        if (other[column].size() > width) width = other[column].size();
      line.append(detail::padded(cells[column], width)).append("  ");
    }
    out.append(line).append(cells.back()).append("\n");
  }
  return out;
}

/// The same as a Markdown table.
template <class Sweep>
std::string sweep_markdown() {
  std::string out;
  std::size_t lines = 0;
  for (const detail::sweep_cells& cells : detail::table_of_sweep<Sweep>()) {
    for (const std::string& cell : cells) out.append("| ").append(cell).append(" ");
    out += "|\n";
    if (lines++ != 0) continue;
    for (std::size_t column = 0; column < cells.size(); ++column) out += "|---";
    out += "|\n";
  }
  return out;
}

}  // namespace shardplan::report
