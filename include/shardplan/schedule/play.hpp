// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/schedule/order.hpp>
#include <shardplan/schedule/times.hpp>

#include <cstdint>

namespace shardplan {

/// Throws: the ranks of this table wait for each other, or it is incomplete, so it has no times and no transfers. `broken_in` says what is
/// broken.
[[noreturn]] inline void schedule_never_ends() { detail::stop("schedule_never_ends"); }

}  // namespace shardplan

namespace shardplan::detail {

template <int Ranks, int CostCodes>
struct cost_arrays {
  std::int64_t of[Ranks][CostCodes]{};
  std::int64_t transfer[Ranks][CostCodes]{};  // of what the op sends
  std::int64_t together[Ranks][CostCodes]{};  // of the block that it is a half of; 0: the sum
  std::int64_t longest = 0;                   // more than any op and its transfer take
  bool immediate = true;                      // no transfer takes time
};
template <int Ranks, int Ops>
struct end_arrays {
  std::int64_t of[Ranks][Ops];  // of each op, in ticks
};
template <int Ranks>
struct rank_times {
  std::int64_t clock[Ranks]{};  // end of the last op
  std::int64_t first[Ranks]{};  // start of the first op of the last repetition
  std::int64_t saved[Ranks]{};  // by the blocks of the last repetition, against the sum of both halves
};

/// A table played through.
template <class Arrays>
struct played : Arrays {
  std::int64_t makespan = 0;         // of all repetitions
  std::int64_t makespan_before = 0;  // of all but the last
};

/// For those who want the ends of all ops: where `play` puts its `played_ends`.
struct keeps_no_ends {};

constexpr std::int64_t later(std::int64_t left, std::int64_t right) { return left < right ? right : left; }

/// Ticks of a block by what the stages of both halves say of it (0: nothing).
constexpr std::int64_t together_ticks(std::int64_t one, std::int64_t other, std::int64_t sum) {
  return one == 0 && other == 0 ? sum : later(one, other);
}

/// What an overlapped block of `first` and the op behind it costs on a rank.
constexpr std::int64_t block_ticks(const table_shape& shape, const tick_unit& unit, int rank, int first, int second, std::int64_t sum) {
  const fraction one = unit.of(stage_of(shape, rank, packed_op::chunk(first))).overlapped;
  const fraction other = unit.of(stage_of(shape, rank, packed_op::chunk(second))).overlapped;
  return together_ticks(unit.part(one), unit.part(other), sum);
}

/// Ticks of the first op, or block, of a rank.
template <class Table, class Costs>
constexpr std::int64_t first_ticks(const Table& table, const tick_unit& unit, const Costs& cost, int rank) {
  const int packed = table.rows[rank].ops[0];
  const std::int64_t ticks = cost.of[rank][packed & packed_op::cost_mask];
  if (!packed_op::overlaps_next(packed)) return ticks;
  const int second = table.rows[rank].ops[1];
  return block_ticks(table.shape, unit, rank, packed, second, ticks + cost.of[rank][second & packed_op::cost_mask]);
}

/// When the output of op `wait` is on a rank.
template <class Table, class Costs, class Ends>
constexpr std::int64_t arrival(const Table& table, const Costs& cost, const Ends& end, int wait, int rank) {
  const int from = wait >> wait_code::index_bits;
  const int index = wait & wait_code::index_mask;
  return end.of[from][index] + (from == rank ? 0 : cost.transfer[from][table.rows[from].ops[index] & packed_op::cost_mask]);
}

/// Plays the table `repetitions` times, one step behind the other without a barrier. Every op starts when its rank is free and its input is
/// there; an overlapped block when the inputs of both halves are. One pass in the order that the table brings along.
/// Error: `schedule_never_ends`; `result_leaves_63_bits` when the times are too long to be added.
template <class Table, class Kept = keeps_no_ends>
constexpr typename Table::played_type play(const Table& table, const stage_times* times, bool uniform, int repetitions = 1,
                                           [[maybe_unused]] Kept* kept = nullptr) {
  if (!table.ends) schedule_never_ends();
  const table_shape shape = table.shape;
  const tick_unit unit = tick_unit_of(shape, times, uniform);
  typename Table::costs_type cost = table.new_costs();
  fill_costs(shape, unit, cost);
  typename Table::played_type all = table.new_played();
  typename Table::played_ends end = table.new_ends();  // a local array: the cheapest to write for a constant evaluation
  typename Table::next_type next = table.new_next();

  // No sum below can overflow when all ops together do not.
  checked_multiply(checked_multiply(cost.longest, table.total_ops), repetitions);

  for (int turn = 0; turn < repetitions; ++turn) {
    all.makespan_before = all.makespan;
    for (int rank = 0; rank < shape.ranks; ++rank) next.of[rank] = 0;
    for (int rank = 0; rank < shape.ranks; ++rank) all.saved[rank] = 0;
    // As few statements as can be, one an op where nothing but ops takes time: Clang counts statements, and all ops are one evaluation.
    for (int piece = 0; piece < table.slice_count; ++piece) {
      int code = 0, rank = 0, at = 0, upto = 0, wait = 0;
      std::int64_t now = 0, there = 0;
      const int runs = table.slices[piece].count;
      if (cost.immediate && !table.has_blocks) {
        for (int run = 0; run < runs; all.clock[rank] = now, ++run)
          for (code = table.slices[piece].runs[run], rank = code >> wait_code::index_bits, at = next.of[rank],
              next.of[rank] = upto = at + (code & wait_code::index_mask), now = all.clock[rank];
               at < upto; ++at)
            end.of[rank][at] = now = ((wait = table.waits[rank].of[at]) >= 0 &&
                                              (there = end.of[wait >> wait_code::index_bits][wait & wait_code::index_mask]) > now
                                          ? there
                                          : now) +
                                     cost.of[rank][table.rows[rank].ops[at] & packed_op::cost_mask];
        continue;
      }
      for (int run = 0; run < runs; all.clock[rank] = now, ++run)
        for (code = table.slices[piece].runs[run], rank = code >> wait_code::index_bits, at = next.of[rank],
            next.of[rank] = upto = at + (code & wait_code::index_mask), now = all.clock[rank];
             at < upto; ++at) {
          if ((wait = table.waits[rank].of[at]) >= 0 && (there = arrival(table, cost, end, wait, rank)) > now) now = there;
          const int packed = table.rows[rank].ops[at];
          if ((packed & packed_op::overlap_bit) == 0) {
            end.of[rank][at] = now += cost.of[rank][packed & packed_op::cost_mask];
            continue;
          }
          if ((wait = table.waits[rank].of[at + 1]) >= 0 && (there = arrival(table, cost, end, wait, rank)) > now) now = there;
          const int second = table.rows[rank].ops[at + 1] & packed_op::cost_mask;
          const std::int64_t sum = cost.of[rank][packed & packed_op::cost_mask] + cost.of[rank][second];
          const std::int64_t ticks = together_ticks(cost.together[rank][packed & packed_op::cost_mask], cost.together[rank][second], sum);
          all.saved[rank] += sum - ticks;
          end.of[rank][at + 1] = end.of[rank][at] = now += ticks;
          ++at;
        }
    }
    for (int rank = 0; rank < shape.ranks; ++rank) {
      all.makespan = later(all.makespan, all.clock[rank]);
      all.first[rank] = table.rows[rank].size == 0 ? 0 : end.of[rank][0] - first_ticks(table, unit, cost, rank);
    }
  }
  if constexpr (!same<Kept, keeps_no_ends>) *kept = static_cast<Kept&&>(end);
  return all;
}

/// Ticks that a rank computes in one step, blocks as the sum of their halves.
template <class Table>
constexpr std::int64_t busy_ticks(const Table& table, const tick_unit& unit, int rank) {
  const table_shape shape = table.shape;
  const int each = shape.slices * shape.micro_batches_a_chunk();
  std::int64_t busy = 0;
  for (int chunk = 0; chunk < shape.chunks; ++chunk)
    busy = checked_add(busy, checked_multiply(ticks_of(unit, unit.uniform ? 0 : stage_of(shape, rank, chunk)).pass(), each));
  return busy;
}

/// The most activations alive on a rank when the share `above` / `below` of one stays after I until W, in 1 / `below` of one op's.
template <class Table>
constexpr std::int64_t peak_alive(const Table& table, int rank, std::int64_t above, std::int64_t below) {
  if (above == below) return checked_multiply(table.rows[rank].peak_until_weight, below);
  if (above == 0) return checked_multiply(table.rows[rank].peak_until_input, below);
  std::int64_t alive = 0;
  std::int64_t most = 0;
  for (int at = 0; at < table.rows[rank].size; ++at) {
    const op_kind kind = packed_op::kind(table.rows[rank].ops[at]);
    alive += kind == op_kind::forward          ? below
             : kind == op_kind::backward       ? -below
             : kind == op_kind::input_gradient ? above - below
                                               : -above;
    most = later(most, alive);
  }
  return most;
}

}  // namespace shardplan::detail
