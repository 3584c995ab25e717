// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/checked.hpp>
#include <shardplan/core/divisor.hpp>
#include <shardplan/parallel/locality.hpp>
#include <shardplan/schedule/op.hpp>
#include <shardplan/schedule/op_table.hpp>
#include <shardplan/schedule/play.hpp>
#include <shardplan/schedule/shape.hpp>
#include <shardplan/schedule/times.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace shardplan::report {

/// How every picture shows a kind of op: the letter of the pipeline papers, and one colour.
struct op_look {
  char letter;             ///< F, B, I or W
  const char* colour;      ///< of SVG and HTML
  const char* trace_name;  ///< the reserved colour name of chrome://tracing that comes nearest
  const char* meaning;     ///< in words
};

/// The one colour language of all pictures: forward blue, full backward green, gradient of the input teal, of the weights orange.
constexpr op_look look_of(op_kind kind) {
  switch (kind) {
    case op_kind::forward: return {'F', "#5b8def", "thread_state_runnable", "forward"};
    case op_kind::backward: return {'B', "#4caf6d", "thread_state_running", "backward"};
    case op_kind::input_gradient: return {'I', "#2fb5b5", "rail_load", "gradient of the input"};
    case op_kind::weight_gradient: break;
  }
  return {'W', "#f0a04b", "thread_state_iowait", "gradient of the weights"};
}

/// One op of a rank with its time, or an overlapped block: then `with` is its second half and both have the same time.
struct timeline_entry {
  op what{};               ///< the op
  op with{};               ///< the second half of a block
  bool is_block = false;   ///< whether there is one
  std::int64_t start = 0;  ///< in ticks
  std::int64_t end = 0;    ///< in ticks
};

/// A table that was played through: when every rank computes what.
struct timeline_picture {
  table_shape shape{};                             ///< its sizes
  std::int64_t ticks_in_one = 1;                   ///< ticks in one unit of the stage times
  std::int64_t makespan = 0;                       ///< in ticks
  std::vector<std::vector<timeline_entry>> ranks;  ///< of each rank, in order of time
};

namespace detail {

inline timeline_picture picture_from(const op_table& table, const stage_times* times, bool uniform) {
  op_table::played_ends ends;
  const auto played = shardplan::detail::play(table, times, uniform, 1, &ends);
  const shardplan::detail::tick_unit unit = shardplan::detail::tick_unit_of(table.shape, times, uniform);
  auto cost = table.new_costs();
  shardplan::detail::fill_costs(table.shape, unit, cost);
  timeline_picture result{table.shape, unit.in_one, played.makespan, std::vector<std::vector<timeline_entry>>(table.rows.size())};
  for (int rank = 0; rank < table.shape.ranks; ++rank) {
    std::vector<timeline_entry>& row = result.ranks[static_cast<std::size_t>(rank)];
    const auto ticks_of = [&](int packed) { return cost.of[rank][packed & shardplan::detail::packed_op::cost_mask]; };
    for (int at = 0; at < table.size(rank); ++at) {
      const int packed = table.rows[rank].ops[at];
      timeline_entry entry{table.at(rank, at), {}, false, 0, ends.of[rank][at]};
      std::int64_t ticks = ticks_of(packed);
      if (entry.what.overlaps_next) {
        const int second = table.rows[rank].ops[++at];
        entry.with = table.at(rank, at);
        entry.is_block = true;
        ticks = shardplan::detail::block_ticks(table.shape, unit, rank, packed, second, ticks + ticks_of(second));
      }
      entry.start = entry.end - ticks;
      row.push_back(entry);
    }
  }
  return result;
}

// "F12", and "F12'" for chunk 1, "F12''" for chunk 2; a slice behind a point.
inline std::string label_of(op item, const table_shape& shape) {
  std::string label(1, look_of(item.kind).letter);
  label += std::to_string(item.micro_batch);
  if (shape.slices > 1) label += "." + std::to_string(item.slice);
  if (shape.chunks > 2 && item.chunk > 1) return label + "^" + std::to_string(item.chunk);
  return item.chunk == 1 ? label + "'" : label;
}
inline std::string label_of(const timeline_entry& entry, const table_shape& shape) {
  const std::string first = label_of(entry.what, shape);
  return entry.is_block ? first + "&" + label_of(entry.with, shape) : first;
}
inline char letter_of(const timeline_entry& entry) { return entry.is_block ? '&' : look_of(entry.what.kind).letter; }

// One row with `columns` characters for each `unit` ticks, every op with its label.
inline std::string labelled_row(const timeline_picture& picture, const std::vector<timeline_entry>& row, std::int64_t unit,
                                std::int64_t columns) {
  std::string out;
  const auto upto = [&](std::int64_t tick) { return static_cast<std::size_t>(tick / unit * columns); };
  for (const timeline_entry& entry : row) {
    out.resize(upto(entry.start), ' ');
    std::string label = label_of(entry, picture.shape);
    const std::size_t room = upto(entry.end) - upto(entry.start);
    label.resize(label.size() < room ? label.size() : room);
    label.resize(room, '-');
    out += label;
  }
  out.resize(upto(picture.makespan), ' ');
  return out;
}

// One row in `width` characters: each the letter of what takes most of its time.
inline std::string dense_row(const timeline_picture& picture, const std::vector<timeline_entry>& row, std::int64_t width) {
  std::string out;
  std::size_t first = 0;
  for (std::int64_t column = 0; column < width; ++column) {
    // In units of 1 / width of a tick, so that no division rounds.
    const std::int64_t begin = checked_multiply(picture.makespan, column);
    const std::int64_t end = checked_multiply(picture.makespan, column + 1);
    std::int64_t most = 0;
    std::int64_t idle = end - begin;
    char letter = '.';
    while (first < row.size() && checked_multiply(row[first].end, width) <= begin) ++first;
    for (std::size_t at = first; at < row.size() && checked_multiply(row[at].start, width) < end; ++at) {
      const std::int64_t from = row[at].start * width > begin ? row[at].start * width : begin;
      const std::int64_t to = checked_multiply(row[at].end, width) < end ? row[at].end * width : end;
      idle -= to - from;
      if (to - from > most) {
        most = to - from;
        letter = letter_of(row[at]);
      }
    }
    out += idle > most ? '.' : letter;
  }
  return out;
}

}  // namespace detail

/// Plays a table with the same times for every stage. Errors: as `simulate`.
inline timeline_picture picture_of(const op_table& table, const stage_times& times = {}) {
  return detail::picture_from(table, &times, true);
}
/// Plays a table with the times of each stage; there must be `table.shape.stages()` of them. Errors: as `simulate`.
inline timeline_picture picture_of(const op_table& table, const stage_times* times) { return detail::picture_from(table, times, false); }
/// Plays a schedule on p ranks with m micro-batches a step. Errors: as `simulate`.
template <class Schedule>
timeline_picture picture_of(std::int64_t ranks, std::int64_t micro_batches, const stage_times& times = {}) {
  return picture_of(op_table::of<Schedule>(ranks, micro_batches), times);
}

/// A timeline in plain text, a row a rank, no line longer than `width` (at least 40). Where there is room, each op has its letter and its
/// micro-batch, with ' for chunk 1, ^2 for chunk 2, .1 for slice 1, and lasts to the end of its dashes; idle time is blank. Else every
/// character is the letter of what takes most of its time: F, B, I, W, & for an overlapped block, a point for idle.
inline std::string text_of(const timeline_picture& picture, std::int64_t width = 100) {
  const std::string last = std::to_string(picture.shape.ranks - 1);
  const std::int64_t margin = static_cast<std::int64_t>(last.size()) + 8;  // "rank 12 |" and "|"
  const std::int64_t room = (width < 40 ? 40 : width) - margin;

  std::int64_t unit = picture.makespan;
  std::size_t longest = 1;
  std::int64_t shortest = picture.makespan;
  for (const auto& row : picture.ranks)
    for (const timeline_entry& entry : row) {
      unit = shardplan::detail::greatest_divisor(shardplan::detail::greatest_divisor(unit, entry.start), entry.end);
      const std::size_t length = detail::label_of(entry, picture.shape).size();
      if (length > longest) longest = length;
      if (entry.end > entry.start && entry.end - entry.start < shortest) shortest = entry.end - entry.start;
    }
  if (unit == 0) unit = 1;
  // Columns a unit, so that the longest label fits into the shortest op.
  const std::int64_t columns = ceil_divide(static_cast<std::int64_t>(longest), shortest / unit > 0 ? shortest / unit : 1);
  const std::int64_t units = picture.makespan / unit > 0 ? picture.makespan / unit : 1;
  const bool labelled = units <= room && checked_multiply(units, columns) <= room;
  // Whole columns a unit while there is room for one, so that equal ops are equally long.
  const std::int64_t dense_width = units <= room ? room / units * units : room;

  std::string out;
  for (std::size_t rank = 0; rank < picture.ranks.size(); ++rank) {
    const std::string number = std::to_string(rank);
    out += "rank " + std::string(last.size() - number.size(), ' ') + number + " |";
    out += labelled ? detail::labelled_row(picture, picture.ranks[rank], unit, columns)
                    : detail::dense_row(picture, picture.ranks[rank], dense_width);
    out += "|\n";
  }
  return out;
}

}  // namespace shardplan::report
