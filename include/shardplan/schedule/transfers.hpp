// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/checked.hpp>
#include <shardplan/schedule/order.hpp>
#include <shardplan/schedule/play.hpp>
#include <shardplan/schedule/simulate.hpp>
#include <shardplan/schedule/table.hpp>

#include <cstdint>

namespace shardplan {

/// What can be said of a table's transfers, under four ways to lower it to sends and receives. Activations go to the next stage, gradients
/// to the stage before; nothing is sent within a rank.
struct transfer_facts {
  std::int64_t messages = 0;  ///< sent in a step
  bool paired = false;        ///< each has one sender and one receiver, and their number is that of the placement
  bool in_order_on_one_channel =
      false;                      ///< for each ordered pair of ranks sent and received in the same order: one untagged channel will do
  bool in_order_by_kind = false;  ///< the same with a channel for activations and one for gradients
  bool rendezvous = false;  ///< no deadlock when each receive stands just before its use, each send right behind its op, and both block
  bool batched = false;     ///< no deadlock when the sends after an op and the receives before the next are posted as one batch
  int buffer_depth = 0;  ///< least messages that a send buffer for each ordered pair of ranks must hold, receives just before use; 0: none
  bool sender_driven = false;  ///< no deadlock when receives stand in the order in which their senders run, and all block
};

namespace detail {

/// Who uses the output of op `at` of a rank: in a wait's code, or -1.
template <class Table>
constexpr int user_of(const Table& table, int rank, int at) {
  const table_shape shape = table.shape;
  const int packed = table.rows[rank].ops[at];
  const op_kind kind = packed_op::kind(packed);
  if (kind == op_kind::weight_gradient) return wait_code::none;
  const int chunk = packed_op::chunk(packed);
  const int stage = stage_of(shape, rank, chunk);
  const holder to = holder_of(shape, kind == op_kind::forward ? stage + 1 : stage - 1, chunk);
  if (to.rank < 0 || to.rank == rank) return wait_code::none;
  const int key = (to.chunk * shape.slices + packed_op::slice(packed)) * shape.micro_batches_a_chunk() + packed_op::micro_batch(packed);
  const int index = kind == op_kind::forward ? table.rows[to.rank].forward_at[key] : table.rows[to.rank].backward_at[key];
  return to.rank << wait_code::index_bits | (index - 1);
}
template <class Table>
constexpr int sender_of(const Table& table, int rank, int at) {
  const int wait = table.waits[rank].of[at];
  return wait >= 0 && wait >> wait_code::index_bits != rank ? wait : wait_code::none;
}
/// Ops that begin together at `at`: 2 for a block.
template <class Table>
constexpr int together_at(const Table& table, int rank, int at) {
  return table.has_blocks && packed_op::overlaps_next(table.rows[rank].ops[at]) ? 2 : 1;
}

// Each rank runs units (an op, or a block): receives, compute, sends. `at` is the unit's first op, `step` counts what of it is done:
// receives, then sends. Deadlock is when no rank can move.

/// Blocking sends and receives with buffers for `depth` messages for each ordered pair of ranks (0: both sides must meet).
template <class Table>
constexpr bool runs_with_depth(const Table& table, int depth) {
  const int ranks = table.shape.ranks;
  auto at = table.new_next();
  auto step = table.new_next();
  auto under_way = table.new_pairs();
  bool moved = true;
  while (moved) {
    moved = false;
    for (int rank = 0; rank < ranks; ++rank) {
      while (at.of[rank] < table.rows[rank].size) {
        const int first = at.of[rank];
        const int together = together_at(table, rank, first);
        const int now = step.of[rank];
        if (now < together) {  // receive
          const int sender = sender_of(table, rank, first + now);
          if (sender >= 0) {
            const int from = sender >> wait_code::index_bits;
            const int index = sender & wait_code::index_mask;
            const int reached = at.of[from];
            const int size = reached < table.rows[from].size ? together_at(table, from, reached) : 1;
            const int sending = reached + step.of[from] - size;  // meaningful once the receives are done
            if (depth == 0) {
              if (reached > index || step.of[from] < size || step.of[from] == 2 * size || sending != index) break;
              ++step.of[from];  // both meet
            } else {
              const bool sent = reached > index || (reached <= index && step.of[from] >= size && sending > index);
              if (!sent) break;
              --under_way.of[from * ranks + rank];
            }
          }
          ++step.of[rank];
        } else if (now < 2 * together) {  // send
          const int user = user_of(table, rank, first + now - together);
          if (user >= 0) {
            if (depth == 0) break;  // the receiver completes it
            const int pair = rank * ranks + (user >> wait_code::index_bits);
            if (under_way.of[pair] >= depth) break;
            ++under_way.of[pair];
          }
          ++step.of[rank];
        } else {
          at.of[rank] = first + together;
          step.of[rank] = 0;
        }
        moved = true;
      }
    }
  }
  for (int rank = 0; rank < ranks; ++rank)
    if (at.of[rank] < table.rows[rank].size) return false;
  return true;
}

/// The sends behind a unit and the receives before the next, posted at once.
template <class Table>
constexpr bool runs_batched(const Table& table) {
  const int ranks = table.shape.ranks;
  auto at = table.new_next();      // the next unit's first op; its receives are posted, and the sends of all before it
  auto before = table.new_next();  // the first op of the unit before
  bool moved = true;
  while (moved) {
    moved = false;
    for (int rank = 0; rank < ranks; ++rank) {
      while (at.of[rank] < table.rows[rank].size) {
        const int first = at.of[rank];
        const int together = together_at(table, rank, first);
        bool done = true;
        for (int half = first; half < first + together; ++half) {
          const int sender = sender_of(table, rank, half);
          if (sender >= 0 && at.of[sender >> wait_code::index_bits] <= (sender & wait_code::index_mask)) done = false;
        }
        for (int half = before.of[rank]; half < first; ++half) {
          const int user = user_of(table, rank, half);
          if (user < 0) continue;
          const int to = user >> wait_code::index_bits;
          const int index = user & wait_code::index_mask;
          const int posted = at.of[to];
          const int upto = posted < table.rows[to].size ? posted + together_at(table, to, posted) : posted;
          if (upto <= index) done = false;
        }
        if (!done) break;
        before.of[rank] = first;
        at.of[rank] = first + together;
        moved = true;
      }
    }
  }
  for (int rank = 0; rank < ranks; ++rank)
    if (at.of[rank] < table.rows[rank].size) return false;
  return true;
}

/// Messages of each ordered pair of ranks are sent and received in one order.
template <class Table>
constexpr bool in_order_on_one_channel(const Table& table) {
  const int ranks = table.shape.ranks;
  for (int rank = 0; rank < ranks; ++rank) {
    auto last = table.new_next();
    for (int at = 0; at < table.rows[rank].size; ++at) {
      const int sender = sender_of(table, rank, at);
      if (sender < 0) continue;
      if ((sender & wait_code::index_mask) < last.of[sender >> wait_code::index_bits]) return false;
      last.of[sender >> wait_code::index_bits] = sender & wait_code::index_mask;
    }
  }
  return true;
}

/// Receives in the order in which their senders run, sends and receives blocking. The lowering gives each rank in turn one unit that is
/// ready and writes its sends, and the receives of what it sends, behind what the ranks have by then; then the programs run.
template <class Table>
constexpr bool runs_sender_driven(const Table& table) {
  const int ranks = table.shape.ranks;
  auto program = table.new_programs();  // 1 + the sender's op for a send, minus that for a receive
  auto length = table.new_next();
  auto next = table.new_next();
  for (bool moved = true; moved;) {
    moved = false;
    for (int rank = 0; rank < ranks; ++rank) {
      const int at = next.of[rank];
      if (at == table.rows[rank].size) continue;
      const int together = together_at(table, rank, at);
      if (!may_run(table, next.of, rank, at, at) || (together == 2 && !may_run(table, next.of, rank, at + 1, at))) continue;
      for (int half = at; half < at + together; ++half) {
        const int user = user_of(table, rank, half);
        if (user < 0) continue;
        const int message = 1 + (rank << wait_code::index_bits | half);
        const int to = user >> wait_code::index_bits;
        program.of[rank][length.of[rank]++] = message;
        program.of[to][length.of[to]++] = -message;
      }
      next.of[rank] = at + together;
      moved = true;
    }
  }
  auto done = table.new_next();
  for (bool moved = true; moved;) {
    moved = false;
    for (int rank = 0; rank < ranks; ++rank) {
      while (done.of[rank] < length.of[rank] && program.of[rank][done.of[rank]] > 0) {
        const int message = program.of[rank][done.of[rank]];
        const int to = user_of(table, rank, (message - 1) & wait_code::index_mask) >> wait_code::index_bits;
        if (done.of[to] == length.of[to] || program.of[to][done.of[to]] != -message) break;
        ++done.of[to];  // both meet
        ++done.of[rank];
        moved = true;
      }
    }
  }
  for (int rank = 0; rank < ranks; ++rank)
    if (next.of[rank] < table.rows[rank].size || done.of[rank] < length.of[rank]) return false;
  return true;
}

template <class Table>
constexpr transfer_facts facts_of_transfers(const Table& table) {
  if (!table.ends) schedule_never_ends();
  transfer_facts facts{};
  facts.in_order_by_kind = true;
  for (int rank = 0; rank < table.shape.ranks; ++rank) {
    facts.messages += table.waits[rank].messages;
    if (table.waits[rank].out_of_order > 0) facts.in_order_by_kind = false;
  }
  facts.paired = facts.messages == table.shape.messages();
  facts.in_order_on_one_channel = in_order_on_one_channel(table);
  facts.rendezvous = runs_with_depth(table, 0);
  facts.batched = runs_batched(table);
  if (!facts.rendezvous) facts.buffer_depth = 1;
  while (facts.buffer_depth > 0 && !runs_with_depth(table, facts.buffer_depth)) ++facts.buffer_depth;
  facts.sender_driven = runs_sender_driven(table);
  return facts;
}

}  // namespace detail

/// The transfers of a schedule's table. Error: `schedule_never_ends`.
template <class Schedule, std::int64_t Ranks, std::int64_t MicroBatches>
inline constexpr transfer_facts transfers = detail::facts_of_transfers(detail::playable<Schedule, Ranks, MicroBatches>{});

}  // namespace shardplan
