// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/checked.hpp>
#include <shardplan/core/size.hpp>
#include <shardplan/schedule/op.hpp>
#include <shardplan/schedule/order.hpp>
#include <shardplan/schedule/play.hpp>
#include <shardplan/schedule/schedule_spec.hpp>
#include <shardplan/schedule/times.hpp>

#include <cstdint>

// A long step from a short one: in its middle a schedule repeats itself, and once its times do so too, each further period takes as long as
// the one before, exactly.

namespace shardplan::detail {

/// Micro-batches to be played in the place of `micro_batches`: a few more than fill the pipeline and bring it to its pace. As many where
/// that is no less.
constexpr std::int64_t shortened(const schedule_spec& order, std::int64_t ranks, std::int64_t micro_batches) {
  const std::int64_t period = order.repeats_after(ranks);
  const std::int64_t least = period <= INT32_MAX ? 3 * (ranks < period ? period : ranks) : micro_batches;
  if (!order.drains || period <= 0 || micro_batches <= least || period >= micro_batches) return micro_batches;
  const std::int64_t fewer = least + (micro_batches - least) % period;
  return fewer < micro_batches ? fewer : micro_batches;
}

/// Forward passes in a table: what it costs to play it is in proportion.
constexpr std::int64_t passes_of_table(const schedule_spec& order, std::int64_t ranks, std::int64_t micro_batches) {
  return saturating_multiply(saturating_multiply(ranks, order.chunks * order.slices), micro_batches);
}

/// Where the middle of a rank is cut: `at` is the first op behind the cut, and all ops from `from` to it come a period after what they
/// repeat.
struct cut_place {
  int at = 0;
  int from = 0;
};

/// What one period of `period` micro-batches more adds to the makespan of `table`, whose ops end at `end`, in ticks. 0 where the times do
/// not repeat themselves yet, or where nobody can know: then nothing is said.
///
/// Why: cut every rank at one time, and put a period more at the cut. Give each op in front of the cut the end that it has, and each op
/// behind it that of the op which it repeats, plus the period's ticks. These are the ends of the longer table if no op there starts before
/// what it waits for, and some wait is the reason for its start, as in the shorter one. Both hold for two ops on one side of the cut. An op
/// behind the cut that waits for one in front of it finds it a period after what that one repeats, if that one lies between `from` and the
/// cut. Those are the waits that are looked at below. The longer table has the same cut, so that it goes on so.
template <class Table, class Ends, class Cuts>
constexpr std::int64_t ticks_of_a_period(const Table& table, const Ends& end, int period, Cuts& cut) {
  const int ranks = table.shape.ranks;
  const int micro_batches = table.shape.micro_batches;
  if (table.has_blocks || period <= 0 || period >= micro_batches) return 0;
  std::int64_t time = INT64_MAX;  // when the first rank has no forward left
  for (int rank = 0; rank < ranks; ++rank) {
    int last = table.rows[rank].size - 1;
    while (packed_op::kind(table.rows[rank].ops[last]) != op_kind::forward) --last;
    if (end.of[rank][last] < time) time = end.of[rank][last];
  }
  std::int64_t ticks = 0;
  for (int rank = 0; rank < ranks; ++rank) {
    const int size = table.rows[rank].size;
    const int each = size / micro_batches * period;  // ops of a period
    int at = size;
    while (at > 0 && end.of[rank][at - 1] > time) --at;
    int from = at;
    for (; from > each; --from) {
      const std::int64_t later_by = end.of[rank][from - 1] - end.of[rank][from - 1 - each];
      if (ticks == 0) ticks = later_by;
      if (later_by != ticks ||
          table.rows[rank].ops[from - 1] != table.rows[rank].ops[from - 1 - each] + packed_op::of(op_kind::forward, period, 0, 0))
        break;
    }
    if (from == at) return 0;
    cut.of[static_cast<std::size_t>(rank)].at = at;
    cut.of[static_cast<std::size_t>(rank)].from = from;
  }
  for (int rank = 0; rank < ranks; ++rank) {
    const int size = table.rows[rank].size;
    const int each = size / micro_batches * period;
    for (int at = cut.of[static_cast<std::size_t>(rank)].at - each; at < size; ++at) {
      const int wait = table.waits[rank].of[at];
      if (wait < 0) continue;
      const int source = wait >> wait_code::index_bits;
      const int repeated = (wait & wait_code::index_mask) + table.rows[source].size / micro_batches * period;
      if (repeated < cut.of[static_cast<std::size_t>(source)].from)
        return 0;  // not in front of the cut by so much that its repetition is not known
    }
  }
  return ticks;
}

/// A period of the times: micro-batches, and what one more of it takes.
struct found_period {
  std::int64_t micro_batches = 0;  ///< 0: the times do not repeat themselves yet
  std::int64_t ticks = 0;
};

/// The shortest period of the times, a multiple of the order's. Where transfers take time it is as long as the stages that set the pace are
/// many: they wait for each other in turn.
template <class Table, class Ends, class Cuts>
constexpr found_period period_of_times(const Table& table, const Ends& end, std::int64_t of_order, Cuts& cut) {
  for (std::int64_t period = of_order; period <= 2 * table.shape.ranks && period < table.shape.micro_batches; period += of_order) {
    const std::int64_t ticks = ticks_of_a_period(table, end, static_cast<int>(period), cut);
    if (ticks > 0) return {period, ticks};
  }
  return {};
}

}  // namespace shardplan::detail
