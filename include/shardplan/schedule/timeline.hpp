// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/fraction.hpp>
#include <shardplan/core/owned_array.hpp>
#include <shardplan/schedule/op_table.hpp>
#include <shardplan/schedule/play.hpp>
#include <shardplan/schedule/times.hpp>

#include <cstdint>

namespace shardplan {

/// An op of a table, by its place.
struct op_place {
  int rank = 0;   ///< its rank
  int index = 0;  ///< among the ops of the rank

  friend constexpr bool operator==(op_place left, op_place right) { return left.rank == right.rank && left.index == right.index; }
};

/// When each op of a table starts and ends: what a picture is drawn from. A constant evaluation may make one and read it,
/// not keep it (GCC 12 cannot: it frees nested arrays twice). Both
/// halves of an overlapped block have the times of the block.
class timeline {
public:
  /// Plays `table` with one entry for all stages (`uniform`) or one a stage. Errors: those of `simulate`.
  constexpr timeline(const op_table& table, const stage_times* times, bool uniform)
      : starts(table.rows.size()), sent(table.rows.size()), span(0) {
    const detail::tick_unit unit = detail::tick_unit_of(table.shape, times, uniform);
    in_one = unit.in_one;
    const auto all = detail::play(table, times, uniform, 1, &ends);
    span = {all.makespan, in_one};
    op_table::costs_type cost = table.new_costs();
    detail::fill_costs(table.shape, unit, cost);
    for (int rank = 0; rank < table.shape.ranks; ++rank) {
      const int size = table.size(rank);
      starts[rank] = owned_array<std::int64_t>(static_cast<std::size_t>(size));
      sent[rank] = owned_array<std::int64_t>(static_cast<std::size_t>(size));
      for (int at = 0; at < size; ++at) {
        const int packed = table.rows[rank].ops[at];
        const std::int64_t ticks = cost.of[rank][packed & detail::packed_op::cost_mask];
        starts[rank][at] = ends.of[rank][at] - ticks;
        sent[rank][at] =
            ends.of[rank][at] + unit.ticks(unit.of(detail::stage_of(table.shape, rank, detail::packed_op::chunk(packed))).transfer);
        if (at == 0 || !detail::packed_op::overlaps_next(table.rows[rank].ops[at - 1])) continue;
        const int first = table.rows[rank].ops[at - 1];
        const std::int64_t sum = ticks + cost.of[rank][first & detail::packed_op::cost_mask];
        starts[rank][at] = ends.of[rank][at] - detail::block_ticks(table.shape, unit, rank, first, packed, sum);
        starts[rank][at - 1] = starts[rank][at];
      }
    }
  }

  /// When an op starts, in the unit of the times.
  constexpr fraction start(int rank, int index) const { return {starts[rank][index], in_one}; }
  /// When it ends.
  constexpr fraction end(int rank, int index) const { return {ends.of[rank][index], in_one}; }
  /// When its output is on another rank.
  constexpr fraction arrival(int rank, int index) const { return {sent[rank][index], in_one}; }
  /// The end of the last op.
  constexpr fraction makespan() const { return span; }

  /// A chain of ops from the start to the makespan, each of which begins when the one before has ended or its output has arrived: what must
  /// become shorter for the step to become shorter.
  constexpr owned_array<op_place> critical_path(const op_table& table) const {
    op_place last{};
    for (int rank = 0; rank < table.shape.ranks; ++rank)
      if (table.size(rank) > 0 && end(rank, table.size(rank) - 1) == span) last = {rank, table.size(rank) - 1};
    // Twice over the same way: to count, then to write.
    std::size_t length = 1;
    for (op_place at = last; before(table, at); ++length) {
    }
    owned_array<op_place> path(length);
    op_place at = last;
    for (std::size_t count = length; count > 0; --count) {
      path[count - 1] = at;
      before(table, at);
    }
    return path;
  }

private:
  owned_array<owned_array<std::int64_t>> starts;
  owned_array<owned_array<std::int64_t>> sent;
  op_table::played_ends ends;
  std::int64_t in_one = 1;
  fraction span;

  // Steps back to the op that `place` waited for; false when there is none.
  constexpr bool before(const op_table& table, op_place& place) const {
    const std::int64_t begin = starts[place.rank][place.index];
    int first = place.index;
    int last = place.index;
    if (first > 0 && detail::packed_op::overlaps_next(table.rows[place.rank].ops[first - 1])) --first;
    if (detail::packed_op::overlaps_next(table.rows[place.rank].ops[last])) ++last;
    for (int half = first; half <= last; ++half) {
      const int wait = table.waits[place.rank].of[half];
      if (wait < 0) continue;
      const op_place from{wait >> detail::wait_code::index_bits, wait & detail::wait_code::index_mask};
      const std::int64_t there = from.rank == place.rank ? ends.of[from.rank][from.index] : sent[from.rank][from.index];
      if (there != begin) continue;
      place = from;
      return true;
    }
    if (first == 0 || ends.of[place.rank][first - 1] != begin) return false;
    place.index = first - 1;
    return true;
  }
};

/// The times of a table's ops. Errors: those of `simulate`.
constexpr timeline timeline_of(const op_table& table, const stage_times& times) { return {table, &times, true}; }
/// The same with the times of each stage; there must be `table.shape.stages()` of them.
constexpr timeline timeline_of(const op_table& table, const stage_times* times) { return {table, times, false}; }

}  // namespace shardplan
