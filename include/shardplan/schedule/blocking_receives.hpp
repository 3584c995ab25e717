// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/fraction.hpp>
#include <shardplan/core/owned_array.hpp>
#include <shardplan/schedule/op_table.hpp>
#include <shardplan/schedule/play.hpp>
#include <shardplan/schedule/times.hpp>
#include <shardplan/schedule/transfers.hpp>

#include <cstdint>

namespace shardplan {

/// The makespan of a table when receives stand in the order in which their senders run and block the rank where they stand. The order is
/// that of a lowering which gives each rank in turn one op that is ready, again and again, and writes the receive of what it sends behind
/// what the receiver has by then. (With receives just before their use a blocking receive costs nothing: that is `simulate`.)
/// Error: `schedule_never_ends`.
inline fraction sender_driven_makespan(const op_table& table, const stage_times& times) {
  if (!table.ends) schedule_never_ends();
  const detail::tick_unit unit = detail::tick_unit_of(table.shape, &times, true);
  op_table::costs_type cost = table.new_costs();
  detail::fill_costs(table.shape, unit, cost);
  checked_multiply(cost.longest, table.total_ops);
  owned_array<std::int64_t> clock(table.rows.size());
  owned_array<int> next(table.rows.size());
  std::int64_t makespan = 0;
  for (bool moved = true; moved;) {
    moved = false;
    for (int rank = 0; rank < table.shape.ranks; ++rank) {
      const int at = next[rank];
      if (at == table.size(rank)) continue;
      const int together = detail::together_at(table, rank, at);
      if (!detail::may_run(table, next, rank, at, at) || (together == 2 && !detail::may_run(table, next, rank, at + 1, at))) continue;
      const int first = table.rows[rank].ops[at];
      std::int64_t ticks = cost.of[rank][first & detail::packed_op::cost_mask];
      if (together == 2) {
        const int second = table.rows[rank].ops[at + 1];
        ticks = detail::block_ticks(table.shape, unit, rank, first, second, ticks + cost.of[rank][second & detail::packed_op::cost_mask]);
      }
      clock[rank] += ticks;
      makespan = detail::later(makespan, clock[rank]);
      for (int half = at; half < at + together; ++half) {
        const int user = detail::user_of(table, rank, half);
        if (user < 0) continue;
        std::int64_t& other = clock[user >> detail::wait_code::index_bits];
        other = detail::later(other, clock[rank] + unit.ticks(times.transfer));
      }
      next[rank] = at + together;
      moved = true;
    }
  }
  return {makespan, unit.in_one};
}

}  // namespace shardplan
