// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/schedule/op.hpp>
#include <shardplan/schedule/shape.hpp>

// What a table's ops wait for, and one order in which all ranks can run them. Both know no times, so a simulation is one pass over them.
// `table.rows[rank]` is a rank_recorder, `table.waits[rank]` its waits, `table.slices[k]` a piece of the order: static constants at compile
// time, members at run time. Constants are read by name, which constant evaluation does several times faster than through a pointer.

namespace shardplan::detail {

/// The producer of an op's input, in one integer: its rank and the index of the op there; -1: waits for nothing from elsewhere.
struct wait_code {
  static constexpr int none = -1;
  static constexpr int index_bits = 20;
  static constexpr int most_ops = 1 << index_bits;
  static constexpr int index_mask = most_ops - 1;
};

template <int Ops>
struct wait_arrays {
  int of[Ops]{};
};

/// For each op of one rank what it waits for on another stage (the F of the stage before, the B or I of the stage behind), and whether what
/// comes in on a channel is received in the order in which it was sent.
template <class Arrays>
struct rank_waits : Arrays {
  int messages = 0;           // received from other ranks
  int out_of_order = 0;       // index + 1 of the first op whose input comes out of order on a channel of its own kind
  int out_of_order_from = 0;  // the sending rank
};

/// Where the inputs of a rank's ops come from, by the low bits of a packed op.
struct input_sources {
  static constexpr int codes = 4 * packed_op::most_chunks;
  int rank[codes]{};     // -1: from nowhere
  int base[codes]{};     // key of micro-batch 0, slice 0 there
  int channel[codes]{};  // 2 * rank + kind; 2 * ranks where the input comes from the same rank
};
constexpr input_sources input_sources_of(const table_shape& shape, int rank) {
  input_sources found{};
  for (int chunk = 0; chunk < shape.chunks; ++chunk) {
    const int stage = stage_of(shape, rank, chunk);
    const holder before = holder_of(shape, stage - 1, chunk);
    const holder behind = holder_of(shape, stage + 1, chunk);
    for (int kind = 0; kind < 4; ++kind) {
      const holder from = kind == 0 ? before : kind == 3 ? holder{} : behind;
      found.rank[4 * chunk + kind] = from.rank;
      found.base[4 * chunk + kind] = from.chunk * shape.slices * shape.micro_batches_a_chunk();
      found.channel[4 * chunk + kind] = from.rank == rank ? 2 * shape.ranks : 2 * from.rank + (kind == 0 ? 0 : 1);
    }
  }
  return found;
}

/// Fills the waits of one rank. `last` has room for two numbers a rank and one more, all 0. For tables whose ranks are complete.
template <class Table, class Waits, class Last>
constexpr void fill_waits(const Table& table, int rank, Waits& waits, Last& last) {
  const table_shape shape = table.shape;
  const input_sources sources = input_sources_of(shape, rank);
  const int each = shape.micro_batches_a_chunk();
  const int size = table.rows[rank].size;
  const bool sliced = shape.slices > 1;
  for (int at = 0; at < size; ++at) {
    const int packed = table.rows[rank].ops[at];
    const int code = packed & packed_op::cost_mask;
    const int from = sources.rank[code];
    if (from < 0) {
      waits.of[at] = wait_code::none;
      continue;
    }
    const int key = sources.base[code] + (packed >> 15) + (sliced ? (packed >> 9 & 63) * each : 0);
    const int index = (packed & 3) == 0 ? table.rows[from].forward_at[key] : table.rows[from].backward_at[key];  // + 1
    waits.of[at] = from << wait_code::index_bits | (index - 1);
    int& before = last[sources.channel[code]];
    if (index < before && waits.out_of_order == 0 && from != rank) {
      waits.out_of_order = at + 1;
      waits.out_of_order_from = from;
    }
    before = index;
  }
  // Every op is there once, so every input from another rank is one message a micro-batch and slice.
  for (int code = 0; code < 4 * shape.chunks; ++code)
    if (code % 4 < 2 && sources.rank[code] >= 0 && sources.rank[code] != rank) waits.messages += each * shape.slices;
}

/// A piece of the order: runs of ops of one rank, and how far each rank is after it; and who has a turn while it is found.
template <int Ranks, int Runs>
struct slice_arrays {
  int next[Ranks]{};
  int runs[Runs]{};     // rank << index_bits | ops
  int turns[Ranks]{};   // a ring of ranks that may go on
  int waiter[Ranks]{};  // 1 + a rank that waits for this one; 0: none
  int other[Ranks]{};   // 1 + one more that waits for the same
};
template <class Arrays>
struct order_slice : Arrays {
  int count = 0;     // runs
  int done = 0;      // ops of this piece
  int makespan = 0;  // at F = I = W = 1 in ticks of one op, where the piece is the whole order and was found in time; 0: not known
};

/// Whether the input of op `at` is there after `next` ops of each rank, and the ops of its own rank in front of `reached`.
template <class Table, class Next>
constexpr bool may_run(const Table& table, const Next& next, int rank, int at, int reached) {
  const int wait = table.waits[rank].of[at];
  if (wait < 0) return true;
  const int from = wait >> wait_code::index_bits;
  return (from == rank ? reached : next[from]) > (wait & wait_code::index_mask);
}

// A rank that waits is not asked again before the one it waits for has run, so that the work grows with the ops only, also where nearly all
// ranks wait.

/// At the start of a piece every rank has a turn.
template <class Slice>
constexpr void give_turns(Slice& slice, int ranks) {
  for (int rank = 0; rank < ranks; ++rank) slice.turns[rank] = rank;
}
/// Rank `rank` has run up to `at` and waits for `wait` (-1: it has ended). `last` and `turns` are the end of the ring and its length.
template <class Slice>
constexpr void end_turn(Slice& slice, int ranks, int rank, int at, int wait, int& last, int& turns) {
  if (wait >= 0) {
    int& waiter = slice.waiter[wait >> wait_code::index_bits];
    slice.other[rank] = waiter;
    waiter = rank + 1;
  }
  const int from = slice.next[rank];
  if (at == from) return;
  slice.next[rank] = at;
  slice.runs[slice.count++] = rank << wait_code::index_bits | (at - from);
  slice.done += at - from;
  for (int wakes = slice.waiter[rank]; wakes > 0; wakes = slice.other[wakes - 1]) {
    slice.turns[last] = wakes - 1;
    if (++last == ranks) last = 0;
    ++turns;
  }
  slice.waiter[rank] = 0;
}

/// Appends runs until `enough` ops are in the piece or nothing more can run. When the last piece ends with less than all ops, the table
/// waits for itself: `next` says where each rank is stuck.
template <class Table, class Slice>
constexpr void advance(const Table& table, Slice& slice, int enough) {
  const int ranks = table.shape.ranks;
  give_turns(slice, ranks);
  int first = 0, last = 0, turns = ranks;
  for (; turns > 0 && slice.done < enough; --turns) {
    const int rank = slice.turns[first];
    if (++first == ranks) first = 0;
    const int size = table.rows[rank].size;
    int at = slice.next[rank];
    int wait = wait_code::none;
    if (!table.has_blocks) {
      for (; at < size; ++at) {
        wait = table.waits[rank].of[at];
        if (wait >= 0 && slice.next[wait >> wait_code::index_bits] <= (wait & wait_code::index_mask) &&
            (wait >> wait_code::index_bits != rank || (wait & wait_code::index_mask) >= at))
          break;
      }
    } else {
      for (; at < size; ++at) {
        wait = table.waits[rank].of[at];
        if (!may_run(table, slice.next, rank, at, at)) break;
        if (!packed_op::overlaps_next(table.rows[rank].ops[at])) continue;
        wait = table.waits[rank].of[at + 1];
        if (!may_run(table, slice.next, rank, at + 1, at)) break;
        ++at;
      }
    }
    end_turn(slice, ranks, rank, at, at < size ? wait : wait_code::none, last, turns);
  }
}

/// The same for a whole table without blocks, with the time at F = I = W = 1 on the way: an op whose input has no end yet cannot run. `end`
/// has room for each op, all 0.
template <class Table, class Slice, class Ends>
constexpr void advance_in_time(const Table& table, Slice& slice, Ends& end) {
  const int ranks = table.shape.ranks;
  give_turns(slice, ranks);
  int first = 0, last = 0;
  for (int turns = ranks; turns > 0; --turns) {
    const int rank = slice.turns[first];
    if (++first == ranks) first = 0;
    const int size = table.rows[rank].size;
    int at = slice.next[rank];
    int now = at > 0 ? end.of[rank][at - 1] : 0;
    int wait = wait_code::none;
    for (; at < size; ++at) {
      wait = table.waits[rank].of[at];
      if (wait >= 0) {
        const int there = end.of[wait >> wait_code::index_bits][wait & wait_code::index_mask];
        if (there == 0) break;
        if (there > now) now = there;
      }
      end.of[rank][at] = now += (table.rows[rank].ops[at] & 3) == 1 ? 2 : 1;  // B is two
    }
    if (now > slice.makespan) slice.makespan = now;
    end_turn(slice, ranks, rank, at, at < size ? wait : wait_code::none, last, turns);
  }
}

}  // namespace shardplan::detail
