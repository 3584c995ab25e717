// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/size.hpp>
#include <shardplan/schedule/building_block.hpp>

#include <cstdint>

namespace shardplan::detail {

/// Slots for blocks whose last op stands in `last_slot` when it is that of micro-batch 0. (What is left of the W at the end is no more than
/// what is alive.)
constexpr int slots_of_blocks(int ranks, int micro_batches, int last_slot) {
  return last_slot + building_block::period * (micro_batches - 1) + 2 * ranks + 6;
}

/// Schedules with controllable memory (arXiv 2405.15362): a building block is repeated, then squeezed. Op by op in the order of the slots,
/// those of the start and of the end move to the earliest free slot behind what they wait for, as long as no rank keeps more chunks alive
/// than the fullest one does in the repeated block; between them lies the steady state, which is left as it is. One slot is one F, I or W;
/// W runs behind its I in slots that nothing else needs. That is what the generator of the paper's authors does (zero-bubble
/// zbv_greedy.py), op for op.
///
/// The work is done piece by piece, so that an evaluation of a constant can end and the next go on. (A template so that a file that
/// includes it pays for nothing. The arrays are of integers, read as `.of[at]`: by rank and slot, two; by rank, kind and micro-batch; by
/// rank and kind.)
template <class Grid, class OpenGrid, class Places, class Counts>
class squeezed_blocks {
public:
  // Kinds of ops. The kind of an op in a slot is stored + 1; 0 is a free slot.
  static constexpr int forward_first = 0;
  static constexpr int forward_second = 1;
  static constexpr int backward_second = 2;
  static constexpr int backward_first = 3;
  static constexpr int weight_second = 4;  // or of any chunk
  static constexpr int weight_first = 5;

  /// `whole`: W runs right behind its I, as one B.
  constexpr squeezed_blocks(int rank_count, int micro_batch_count, int last_slot, bool whole_backward)
      : ranks(rank_count),
        each(micro_batch_count),
        slots(slots_of_blocks(rank_count, micro_batch_count, last_slot)),
        whole(whole_backward),
        taken(static_cast<std::size_t>(rank_count * slots)),
        alive(static_cast<std::size_t>(rank_count * slots)),
        waiting(static_cast<std::size_t>(whole ? 0 : rank_count * slots)),
        place(static_cast<std::size_t>(rank_count * places)),
        counts(static_cast<std::size_t>(rank_count * kinds)),
        next(static_cast<std::size_t>(rank_count * kinds)) {}

  /// Puts the block of a rank into the slots, for each micro-batch.
  constexpr void repeat(int rank, const building_block& block) {
    for (int kind = 0; kind < 4; ++kind)
      for (int count = 0; count < each; ++count) {
        const int slot = block.slot[kind] + building_block::period * count;
        taken.of[rank * slots + slot] = kind + 1;
        place.of[rank * places + kind * each + count] = slot;
      }
  }

  /// Goes on until the orders are found or about `most_work` slots were looked at; whether they are found.
  ///
  /// W in free slots, in the order of the I; then what moves at the start and at the end; all as early as it can in the order that there
  /// is; once more at the end, where I have come closer to each other, with W in whatever is free. With a whole backward every op moves,
  /// once.
  constexpr bool squeeze(int most_work) {
    const int passes = whole ? 2 : 7;
    work = 0;
    while (pass < passes && work < most_work) {
      const bool by_rank = whole ? pass == 0 : pass == 0 || pass == 3 || pass == 5;
      if (cursor == 0) begin_pass();
      if (by_rank) {
        work += slots;
        whole ? count_alive_whole(cursor) : pass == 3 ? count_alive(cursor) : fill_weights(cursor);
      } else {
        work += ranks;
        whole ? pull_all(cursor) : pass == 1 || pass == 4 ? pull(cursor, pass == 1) : play(cursor);
      }
      if (++cursor < (by_rank ? ranks : slots)) continue;
      cursor = 0;
      ++pass;
    }
    return pass == passes;
  }

  /// The kinds of a rank's ops in their order; W, if not whole, of the second chunk before those of the first where both wait.
  template <class Order>
  constexpr void write(int rank, Order& order, int first) const {
    int weights[2]{};
    int at = first;
    for (int slot = 0; slot < slots; ++slot) {
      const int code = taken.of[rank * slots + slot];
      if (code == 0 || code == weight_second + 1) {
        const int which = weights[0] > 0 ? 0 : 1;
        if (weights[which] == 0) continue;
        --weights[which];
        order.of[at++] = weight_second + which;
      } else {
        if (code > 2 && !whole) ++weights[code - 1 - backward_second];
        order.of[at++] = code - 1;
      }
    }
  }

private:
  static constexpr int kinds = 5;
  enum class phase_of : std::uint8_t { start, steady, end };

  int ranks;
  int each;  // micro-batches
  int slots;
  bool whole;
  int places = 6 * each;
  int most = 0;  // alive on a rank
  int pass = 0;
  int cursor = 0;  // the next rank or slot of the pass
  int work = 0;
  phase_of phase = phase_of::start;
  Grid taken;        // by rank and slot
  Grid alive;        // after each slot
  OpenGrid waiting;  // I without their W after each slot, where W has no slots of its own
  Places place;      // slot of each op, by rank, kind and micro-batch; of a W by the number of W before it
  Counts counts;     // ops of a pass, by rank and kind
  Counts next;       // of a pass: I of each chunk that stand before the next W; the free slot of a rank

  constexpr void begin_pass() {
    for (int at = 0; at < ranks * kinds; ++at) counts.of[at] = next.of[at] = 0;
    phase = phase_of::start;
    if (pass == 0 || pass == 3) most = 0;
  }

  constexpr void fill_weights(int rank) {
    const int row = rank * slots;
    int now = 0, open = 0, weights = 0;
    for (int slot = 0; slot < slots; ++slot) {
      const int code = taken.of[row + slot];
      if (code == 0) {
        if (open > 0) {
          --open;
          --now;
          taken.of[row + slot] = weight_second + 1;
          place.of[rank * places + weight_second * each + weights++] = slot;
        }
      } else if (code <= 2) {
        if (++now > most) most = now;
      } else {
        ++open;
      }
      alive.of[row + slot] = now;
    }
  }
  constexpr void count_alive(int rank) {
    const int row = rank * slots;
    int now = 0, open = 0;
    for (int slot = 0; slot < slots; ++slot) {
      int& code = taken.of[row + slot];
      if (code > backward_first + 1) code = 0;
      if (code == 0) {
        if (open > 0) --open, --now;
      } else if (code <= 2) {
        if (++now > most) most = now;
      } else {
        ++open;
      }
      alive.of[row + slot] = now;
      waiting.of[row + slot] = open;
    }
  }

  // The slot behind all that op `count` of a kind waits for.
  constexpr int earliest(int rank, int kind, int count) const {
    const int own = rank * places + kind * each + count;
    int after = count > 0 ? place.of[own - 1] : -1;
    if (kind == forward_first || kind == backward_second) {
      if (rank > 0 && place.of[own - places] > after) after = place.of[own - places];
    } else if (kind == forward_second || kind == backward_first) {
      if (rank + 1 < ranks && place.of[own + places] > after) after = place.of[own + places];
    }
    if (kind > 0 && kind < weight_second && place.of[own - each] > after) after = place.of[own - each];
    return after + 1;
  }

  constexpr void pull(int slot, bool with_weights) {
    for (int rank = 0; rank < ranks; ++rank) {
      const int code = taken.of[rank * slots + slot];
      if (code == 0) continue;
      const int kind = code - 1;
      const int count = counts.of[rank * kinds + kind]++;
      // Between the first micro-batch that has ended and the last that begins nothing moves.
      if (phase == phase_of::start && rank == 0 && kind == backward_first) phase = phase_of::steady;
      if (phase == phase_of::steady && kind == forward_first && count == each - 1) {
        phase = phase_of::end;
        continue;
      }
      if (kind == weight_second) {
        const int input = next_input(rank);
        if (phase != phase_of::steady) pull_weight(rank, count, slot, input);
      } else if (phase == phase_of::end || (phase == phase_of::start && with_weights)) {
        const int first = earliest(rank, kind, count);
        with_weights ? pull_one(rank, kind, count, slot, first) : pull_with_gaps(rank, kind, count, slot, first);
      }
    }
  }
  constexpr void pull_all(int slot) {
    for (int rank = 0; rank < ranks; ++rank) {
      const int kind = taken.of[rank * slots + slot] - 1;
      if (kind < 0 || kind == weight_second) continue;
      const int count = counts.of[rank * kinds + kind]++;
      if (kind <= forward_second) {
        pull_one(rank, kind, count, slot, earliest(rank, kind, count));
      } else {
        pull_whole(rank, kind, count, slot);
      }
    }
  }
  // Slot of the next I in order.
  constexpr int next_input(int rank) {
    const int base = rank * places + backward_second * each;
    int& second = next.of[rank * kinds];
    int& first = next.of[rank * kinds + 1];
    if (second < each && (first == each || place.of[base + second] < place.of[base + each + first])) return place.of[base + second++];
    return place.of[base + each + first++];
  }
  constexpr void move(int rank, int kind, int count, int from, int to) {
    taken.of[rank * slots + from] = 0;
    taken.of[rank * slots + to] = kind + 1;
    place.of[rank * places + kind * each + count] = to;
  }
  constexpr void pull_weight(int rank, int count, int slot, int input) {
    const int row = rank * slots;
    int to = earliest(rank, weight_second, count);
    if (input + 1 > to) to = input + 1;
    work += 4 - to;
    while (to < slot && taken.of[row + to] != 0) ++to;
    work += to;
    if (to >= slot) return;
    work += slot - to;
    move(rank, weight_second, count, slot, to);
    for (int at = to; at < slot; ++at) --alive.of[row + at];
  }
  constexpr void pull_one(int rank, int kind, int count, int slot, int first) {
    const int row = rank * slots;
    work += 4;
    int to = slot;
    if (kind <= forward_second) {
      int at = slot - 1;
      for (; at >= first && alive.of[row + at] < most; --at)
        if (taken.of[row + at] == 0) to = at;
      work += slot - at;
      if (to == slot) return;
      work += slot - to;
      for (at = to; at < slot; ++at) ++alive.of[row + at];
    } else {
      to = first;
      while (to < slot && taken.of[row + to] != 0) ++to;
      work += to - first;
      if (to >= slot) return;
    }
    move(rank, kind, count, slot, to);
  }
  // Where W runs in gaps, an op that takes one moves it to the next.
  constexpr void pull_with_gaps(int rank, int kind, int count, int slot, int first) {
    const int row = rank * slots;
    work += 4;
    for (int to = first; to < slot; ++to) {
      ++work;
      if (taken.of[row + to] != 0) continue;
      move(rank, kind, count, slot, to);
      if (fits_from(rank, to, slot)) return;
      move(rank, kind, count, to, slot);
      fits_from(rank, to, slot);
    }
  }
  // A B needs two slots side by side, neither of them its own.
  constexpr void pull_whole(int rank, int kind, int count, int slot) {
    const int row = rank * slots;
    const bool turns = kind == backward_second ? rank == 0 : rank + 1 == ranks;         // its input is of its own rank
    int to = earliest(rank, kind, count) + (turns && kind == backward_second ? 0 : 1);  // behind a B, which takes two slots
    work += 4 - to;
    while (to < slot && (taken.of[row + to] != 0 || taken.of[row + to + 1] != 0)) ++to;
    work += to;
    if (to >= slot) return;
    work += slot - to;
    move(rank, kind, count, slot, to);
    taken.of[row + slot + 1] = 0;
    taken.of[row + to + 1] = weight_second + 1;
    for (int at = to + 1; at <= slot; ++at) --alive.of[row + at];
  }
  constexpr void count_alive_whole(int rank) {
    const int row = rank * slots;
    int now = 0;
    for (int slot = 0; slot < slots; ++slot) {
      const int code = taken.of[row + slot];
      if (code > 2) {
        taken.of[row + slot + 1] = weight_second + 1;
        alive.of[row + slot] = now--;
        alive.of[row + ++slot] = now;
        continue;
      }
      if (code != 0 && ++now > most) most = now;
      alive.of[row + slot] = now;
    }
  }
  // Counts again what is alive from slot `from` on; false when it is more than `most`.
  constexpr bool fits_from(int rank, int from, int upto) {
    const int row = rank * slots;
    int now = from > 0 ? alive.of[row + from - 1] : 0;
    int open = from > 0 ? waiting.of[row + from - 1] : 0;
    bool fits = true;
    for (int slot = from; slot < slots; ++slot) {
      ++work;
      const int code = taken.of[row + slot];
      if (code == 0) {
        if (open > 0) --open, --now;
      } else if (code <= 2) {
        if (++now > most) fits = false;
      } else {
        ++open;
      }
      if (slot > upto && alive.of[row + slot] == now && waiting.of[row + slot] == open) break;
      alive.of[row + slot] = now;
      waiting.of[row + slot] = open;
    }
    return fits;
  }

  // Every op as early as it can in the order that there is.
  constexpr void play(int slot) {
    for (int rank = 0; rank < ranks; ++rank) {
      const int code = taken.of[rank * slots + slot];
      if (code == 0) continue;
      const int kind = code - 1;
      const int count = counts.of[rank * kinds + kind]++;
      int& free = next.of[rank * kinds];
      int to = kind == weight_second ? free : earliest(rank, kind, count);
      if (free > to) to = free;
      free = to + 1;
      work += 3;
      if (to != slot) move(rank, kind, count, slot, to);
    }
  }
};

/// A schedule of squeezed blocks: `Schedule::of(ranks, rank)` is a block, `whole` says whether its backward is, `planned(ranks, m)` for how
/// many micro-batches the plan is made.
template <class Schedule>
concept squeezes_blocks = requires {
  Schedule::of(1, 0).slot[0];
  Schedule::planned(1, 1);
  Schedule::whole;
};
template <class Schedule>
constexpr int ops_a_micro_batch = Schedule::whole ? 4 : 6;
template <class Schedule>
constexpr int last_slot_of(int ranks) {
  return Schedule::of(ranks, 0).slot[3] + (Schedule::whole ? 1 : 0);
}
template <class Schedule, class Blocks>
constexpr void repeat_blocks(Blocks& blocks, int ranks) {
  for (int rank = 0; rank < ranks; ++rank) blocks.repeat(rank, Schedule::of(ranks, rank));
}
template <class Schedule, class Blocks, class Plan>
constexpr void write_plan(const Blocks& blocks, Plan& plan, int ranks, int micro_batches) {
  for (int rank = 0; rank < ranks; ++rank) blocks.write(rank, plan, rank * ops_a_micro_batch<Schedule> * micro_batches);
}

}  // namespace shardplan::detail
