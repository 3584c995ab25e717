// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/size.hpp>
#include <shardplan/core/static_vector.hpp>
#include <shardplan/schedule/play.hpp>
#include <shardplan/schedule/simulate.hpp>
#include <shardplan/schedule/times.hpp>

#include <cstdint>

namespace shardplan {

/// An op of a table, by its place.
struct op_place {
  int rank = 0;   ///< its rank
  int index = 0;  ///< among the ops of the rank

  friend constexpr bool operator==(op_place left, op_place right) { return left.rank == right.rank && left.index == right.index; }
};

namespace detail {

/// The times of a table that was played through, op by op, in ticks: `Ends` has the end of each.
template <class Table, class Ends>
class played_ops {
public:
  constexpr played_ops(const Table& of_table, const Ends& of_ends, const stage_times* times, bool uniform)
      : table(of_table), ends(of_ends), unit(tick_unit_of(of_table.shape, times, uniform)), cost(of_table.new_costs()) {
    fill_costs(table.shape, unit, cost);
  }

  constexpr std::int64_t in_one() const { return unit.in_one; }
  constexpr std::int64_t end(int rank, int index) const { return ends.of[rank][index]; }
  /// Both halves of a block start and end with it.
  constexpr std::int64_t start(int rank, int index) const {
    const int first = index > 0 && packed_op::overlaps_next(ops(rank, index - 1)) ? index - 1 : index;
    std::int64_t ticks = cost.of[rank][ops(rank, first) & packed_op::cost_mask];
    if (packed_op::overlaps_next(ops(rank, first))) {
      const int second = ops(rank, first + 1);
      ticks = block_ticks(table.shape, unit, rank, ops(rank, first), second, ticks + cost.of[rank][second & packed_op::cost_mask]);
    }
    return ends.of[rank][first] - ticks;
  }
  /// When the output is on another rank.
  constexpr std::int64_t arrival(int rank, int index) const {
    return end(rank, index) + unit.ticks(unit.of(stage_of(table.shape, rank, packed_op::chunk(ops(rank, index)))).transfer);
  }
  /// The last op of the rank that ends last.
  constexpr op_place last(std::int64_t makespan) const {
    op_place found{};
    for (int rank = 0; rank < table.shape.ranks; ++rank)
      if (table.rows[rank].size > 0 && end(rank, table.rows[rank].size - 1) == makespan) found = {rank, table.rows[rank].size - 1};
    return found;
  }
  /// Steps back to the op that `place` waited for; false when there is none.
  constexpr bool before(op_place& place) const {
    const std::int64_t begin = start(place.rank, place.index);
    int first = place.index;
    int half = place.index;
    if (first > 0 && packed_op::overlaps_next(ops(place.rank, first - 1))) --first;
    if (packed_op::overlaps_next(ops(place.rank, half))) ++half;
    for (int at = first; at <= half; ++at) {
      const int wait = table.waits[place.rank].of[at];
      if (wait < 0) continue;
      const op_place from{wait >> wait_code::index_bits, wait & wait_code::index_mask};
      if ((from.rank == place.rank ? end(from.rank, from.index) : arrival(from.rank, from.index)) != begin) continue;
      place = from;
      return true;
    }
    if (first == 0 || end(place.rank, first - 1) != begin) return false;
    place.index = first - 1;
    return true;
  }

private:
  const Table& table;
  const Ends& ends;
  tick_unit unit;
  typename Table::costs_type cost;

  constexpr int ops(int rank, int index) const { return table.rows[rank].ops[index]; }
};

template <class Schedule, std::int64_t Ranks, std::int64_t MicroBatches>
using static_path = static_vector<op_place, static_cast<std::size_t>(playable<Schedule, Ranks, MicroBatches>::total_ops)>;

template <class Schedule, std::int64_t Ranks, std::int64_t MicroBatches>
constexpr static_path<Schedule, Ranks, MicroBatches> critical_path_static(const stage_times* times, bool uniform) {
  using table_type = playable<Schedule, Ranks, MicroBatches>;
  const table_type table{};
  typename table_type::played_ends ends{};
  const auto all = play(table, times, uniform, 1, &ends);
  const played_ops<table_type, typename table_type::played_ends> ops{table, ends, times, uniform};
  static_path<Schedule, Ranks, MicroBatches> path{};
  op_place place = ops.last(all.makespan);
  path.push_back(place);
  while (ops.before(place)) path.push_back(place);
  for (std::size_t left = 0, right = path.length - 1; left < right; ++left, --right) {
    const op_place other = path.values[left];
    path.values[left] = path.values[right];
    path.values[right] = other;
  }
  return path;
}

}  // namespace detail

/// A chain of ops from the start to the makespan of a simulated step, each of which begins when the one before has ended or its output has
/// arrived: what must become shorter for the step to become shorter. A range of `op_place` with `size()`. Errors: those of `simulate`.
template <class Schedule, std::int64_t Ranks, std::int64_t MicroBatches>
constexpr auto critical_path(const stage_times& times) {
  return detail::critical_path_static<Schedule, Ranks, MicroBatches>(&times, true);
}
/// The same with the times of each stage.
template <class Schedule, std::int64_t Ranks, std::int64_t MicroBatches, int Stages>
constexpr auto critical_path(const stage_times (&times)[Stages]) {
  static_assert(Stages == detail::shape_for<Schedule, Ranks, MicroBatches>.stages(), "one entry for each stage of the model");
  return detail::critical_path_static<Schedule, Ranks, MicroBatches>(times, false);
}

}  // namespace shardplan
