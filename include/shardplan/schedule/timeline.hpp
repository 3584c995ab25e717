// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/fraction.hpp>
#include <shardplan/core/owned_array.hpp>
#include <shardplan/schedule/critical_path.hpp>
#include <shardplan/schedule/op_table.hpp>
#include <shardplan/schedule/play.hpp>
#include <shardplan/schedule/times.hpp>

#include <cstdint>

namespace shardplan {

/// When each op of a table starts and ends: what a picture is drawn from. Both halves of an overlapped block have the times of the block. A
/// constant evaluation may make one and read it, not keep it (GCC 12 cannot: it frees nested arrays twice; `critical_path<S, p, m>` of
/// schedule/critical_path.hpp is a constant everywhere).
class timeline {
public:
  /// Plays `table` with one entry for all stages (`uniform`) or one a stage. Errors: those of `simulate`.
  constexpr timeline(const op_table& table, const stage_times* times, bool uniform)
      : starts(table.rows.size()), sent(table.rows.size()), span(0) {
    const auto all = detail::play(table, times, uniform, 1, &ends);
    const detail::played_ops<op_table, op_table::played_ends> ops{table, ends, times, uniform};
    in_one = ops.in_one();
    span = {all.makespan, in_one};
    for (int rank = 0; rank < table.shape.ranks; ++rank) {
      const int size = table.size(rank);
      starts[rank] = owned_array<std::int64_t>(static_cast<std::size_t>(size));
      sent[rank] = owned_array<std::int64_t>(static_cast<std::size_t>(size));
      for (int at = 0; at < size; ++at) {
        starts[rank][at] = ops.start(rank, at);
        sent[rank][at] = ops.arrival(rank, at);
      }
    }
    op_place place = ops.last(all.makespan);
    std::size_t length = 1;
    for (op_place at = place; ops.before(at);) ++length;
    path = owned_array<op_place>(length);
    for (std::size_t count = length; count > 0; ops.before(place)) path[--count] = place;
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
  constexpr const owned_array<op_place>& critical_path() const { return path; }

private:
  owned_array<owned_array<std::int64_t>> starts;
  owned_array<owned_array<std::int64_t>> sent;
  op_table::played_ends ends;
  std::int64_t in_one = 1;
  fraction span;
  owned_array<op_place> path;
};

/// The times of a table's ops. Errors: those of `simulate`.
constexpr timeline timeline_of(const op_table& table, const stage_times& times) { return {table, &times, true}; }
/// The same with the times of each stage; there must be `table.shape.stages()` of them.
constexpr timeline timeline_of(const op_table& table, const stage_times* times) { return {table, times, false}; }

}  // namespace shardplan
