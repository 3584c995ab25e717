// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/owned_array.hpp>
#include <shardplan/schedule/orders.hpp>

#include <cstddef>
#include <cstdint>

namespace shardplan::detail {

/// The places of one micro-batch in a repeating block of two chunks in a V: the slots in which a rank runs F of chunk 0 and of chunk 1,
/// then the backward of chunk 1 and of chunk 0. Each further micro-batch comes `period` slots later.
struct building_block {
  static constexpr int period = 6;  // F, I and W of two chunks
  int slot[4];
};

/// Schedules with controllable memory (arXiv 2405.15362): a building block is repeated, then squeezed. Op by op in the order of the slots,
/// those of the start and of the end move to the earliest free slot behind what they wait for, as long as no rank keeps more chunks alive
/// than the fullest one does in the repeated block; between them lies the steady state, which is left as it is. One slot is one F, I or W;
/// W runs behind its I in slots that nothing else needs. That is what the generator of the paper's authors does (zero-bubble
/// zbv_greedy.py), op for op.
///
/// (A template so that a file that includes it pays for nothing. `Array` is one of integers.)
template <class Array>
class squeezed_blocks {
public:
  // Kinds of ops. The kind of an op in a slot is stored + 1; 0 is a free slot.
  static constexpr int forward_first = 0;
  static constexpr int forward_second = 1;
  static constexpr int backward_second = 2;
  static constexpr int backward_first = 3;
  static constexpr int weight_second = 4;  // or of any chunk
  static constexpr int weight_first = 5;

  /// Room for blocks whose last op stands in `last_slot` when it is that of micro-batch 0.
  constexpr squeezed_blocks(int rank_count, int micro_batch_count, int last_slot)
      : ranks(rank_count),
        each(micro_batch_count),
        // What is left of the W at the end is no more than what is alive.
        slots(last_slot + building_block::period * (micro_batch_count - 1) + 2 * rank_count + 6),
        taken(static_cast<std::size_t>(rank_count * slots)),
        alive(static_cast<std::size_t>(rank_count * slots)),
        waiting(static_cast<std::size_t>(rank_count * slots)),
        place(static_cast<std::size_t>(rank_count * places)) {}

  /// Puts the block of a rank into the slots, for each micro-batch.
  constexpr void repeat(int rank, const building_block& block) {
    for (int kind = 0; kind < 4; ++kind)
      for (int count = 0; count < each; ++count) {
        const int slot = block.slot[kind] + building_block::period * count;
        taken[rank * slots + slot] = kind + 1;
        place[rank * places + kind * each + count] = slot;
      }
  }

  /// W in free slots, in the order of the I, then what moves at the start and at the end.
  constexpr void squeeze() {
    most = 0;
    for (int rank = 0; rank < ranks; ++rank) fill_weights(rank);
    pull(true);
    play();
    // Once more at the end, where I have come closer to each other, with W in whatever is free.
    most = 0;
    for (int rank = 0; rank < ranks; ++rank) count_alive(rank);
    pull(false);
    for (int rank = 0; rank < ranks; ++rank) fill_weights(rank);
    play();
  }

  /// The same where W runs right behind its I, as one B: every op moves, there is no part that is left as it is (zero-bubble v1f1b.py).
  constexpr void squeeze_whole() {
    most = 0;
    for (int rank = 0; rank < ranks; ++rank) count_alive_whole(rank);
    Array counts(static_cast<std::size_t>(ranks * 4));
    for (int slot = 0; slot < slots; ++slot)
      for (int rank = 0; rank < ranks; ++rank) {
        const int kind = taken[rank * slots + slot] - 1;
        if (kind < 0 || kind == weight_second) continue;
        const int count = counts[rank * 4 + kind]++;
        if (kind <= forward_second) {
          pull_one(rank, kind, count, slot, earliest(rank, kind, count));
        } else {
          pull_whole(rank, kind, count, slot);
        }
      }
  }

  /// The kinds of a rank's ops in their order, W of the second chunk before those of the first where both wait.
  template <class Order>
  constexpr void write(int rank, Order& order, int first) const {
    int weights[2]{};
    int at = first;
    for (int slot = 0; slot < slots; ++slot) {
      const int code = taken[rank * slots + slot];
      if (code == 0 || code == weight_second + 1) {
        const int which = weights[0] > 0 ? 0 : 1;
        if (weights[which] == 0) continue;
        --weights[which];
        order.of[at++] = weight_second + which;
      } else {
        if (code > 2) ++weights[code - 1 - backward_second];
        order.of[at++] = code - 1;
      }
    }
  }

  /// The same where W runs right behind its I and is not written.
  template <class Order>
  constexpr void write_whole(int rank, Order& order, int first) const {
    int at = first;
    for (int slot = 0; slot < slots; ++slot) {
      const int code = taken[rank * slots + slot];
      if (code != 0 && code <= backward_first + 1) order.of[at++] = code - 1;
    }
  }

private:
  int ranks;
  int each;  // micro-batches
  int slots;
  int places = 6 * each;
  int most = 0;   // alive on a rank
  Array taken;    // by rank and slot
  Array alive;    // after each slot
  Array waiting;  // I without their W after each slot, where W has no slots of its own
  Array place;    // slot of each op, by rank, kind and micro-batch; of a W by the number of W before it

  constexpr void fill_weights(int rank) {
    const int row = rank * slots;
    int now = 0, open = 0, weights = 0;
    for (int slot = 0; slot < slots; ++slot) {
      const int code = taken[row + slot];
      if (code == 0) {
        if (open > 0) {
          --open;
          --now;
          taken[row + slot] = weight_second + 1;
          place[rank * places + weight_second * each + weights++] = slot;
        }
      } else if (code <= 2) {
        if (++now > most) most = now;
      } else {
        ++open;
      }
      alive[row + slot] = now;
    }
  }
  constexpr void count_alive(int rank) {
    const int row = rank * slots;
    int now = 0, open = 0;
    for (int slot = 0; slot < slots; ++slot) {
      int& code = taken[row + slot];
      if (code > backward_first + 1) code = 0;
      if (code == 0) {
        if (open > 0) --open, --now;
      } else if (code <= 2) {
        if (++now > most) most = now;
      } else {
        ++open;
      }
      alive[row + slot] = now;
      waiting[row + slot] = open;
    }
  }

  // The slot behind all that op `count` of a kind waits for.
  constexpr int earliest(int rank, int kind, int count) const {
    const int own = rank * places + kind * each + count;
    int after = count > 0 ? place[own - 1] : -1;
    if (kind == forward_first || kind == backward_second) {
      if (rank > 0 && place[own - places] > after) after = place[own - places];
    } else if (kind == forward_second || kind == backward_first) {
      if (rank + 1 < ranks && place[own + places] > after) after = place[own + places];
    }
    if (kind > 0 && kind < weight_second && place[own - each] > after) after = place[own - each];
    return after + 1;
  }

  constexpr void pull(bool with_weights) {
    Array counts(static_cast<std::size_t>(ranks * 5));
    Array inputs(static_cast<std::size_t>(ranks * 2));  // I of each chunk that stand before the next W
    enum { start, steady, end } phase = start;
    for (int slot = 0; slot < slots; ++slot)
      for (int rank = 0; rank < ranks; ++rank) {
        const int code = taken[rank * slots + slot];
        if (code == 0) continue;
        const int kind = code - 1;
        const int count = counts[rank * 5 + kind]++;
        if (phase == start && rank == 0 && kind == backward_first) phase = steady;
        if (phase == steady && kind == forward_first && count == each - 1) {
          phase = end;
          continue;
        }
        if (kind == weight_second) {
          const int input = next_input(rank, inputs);
          if (phase != steady) pull_weight(rank, count, slot, input);
        } else if (phase == end || (phase == start && with_weights)) {
          const int first = earliest(rank, kind, count);
          with_weights ? pull_one(rank, kind, count, slot, first) : pull_with_gaps(rank, kind, count, slot, first);
        }
      }
  }
  // Slot of the next I in order.
  constexpr int next_input(int rank, Array& inputs) const {
    const int base = rank * places + backward_second * each;
    int& second = inputs[rank * 2];
    int& first = inputs[rank * 2 + 1];
    if (second < each && (first == each || place[base + second] < place[base + each + first])) return place[base + second++];
    return place[base + each + first++];
  }
  constexpr void move(int rank, int kind, int count, int from, int to) {
    taken[rank * slots + from] = 0;
    taken[rank * slots + to] = kind + 1;
    place[rank * places + kind * each + count] = to;
  }
  constexpr void pull_weight(int rank, int count, int slot, int input) {
    const int row = rank * slots;
    int to = earliest(rank, weight_second, count);
    if (input + 1 > to) to = input + 1;
    while (to < slot && taken[row + to] != 0) ++to;
    if (to >= slot) return;
    move(rank, weight_second, count, slot, to);
    for (int at = to; at < slot; ++at) --alive[row + at];
  }
  constexpr void pull_one(int rank, int kind, int count, int slot, int first) {
    const int row = rank * slots;
    int to = slot;
    if (kind <= forward_second) {
      for (int at = slot - 1; at >= first && alive[row + at] < most; --at)
        if (taken[row + at] == 0) to = at;
      if (to == slot) return;
      for (int at = to; at < slot; ++at) ++alive[row + at];
    } else {
      to = first;
      while (to < slot && taken[row + to] != 0) ++to;
      if (to >= slot) return;
    }
    move(rank, kind, count, slot, to);
  }
  // Where W runs in gaps, an op that takes one moves it to the next.
  constexpr void pull_with_gaps(int rank, int kind, int count, int slot, int first) {
    const int row = rank * slots;
    for (int to = first; to < slot; ++to) {
      if (taken[row + to] != 0) continue;
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
    while (to < slot && (taken[row + to] != 0 || taken[row + to + 1] != 0)) ++to;
    if (to >= slot) return;
    move(rank, kind, count, slot, to);
    taken[row + slot + 1] = 0;
    taken[row + to + 1] = weight_second + 1;
    for (int at = to + 1; at <= slot; ++at) --alive[row + at];
  }
  constexpr void count_alive_whole(int rank) {
    const int row = rank * slots;
    int now = 0;
    for (int slot = 0; slot < slots; ++slot) {
      const int code = taken[row + slot];
      if (code > 2) {
        taken[row + slot + 1] = weight_second + 1;
        alive[row + slot] = now--;
        alive[row + ++slot] = now;
        continue;
      }
      if (code != 0 && ++now > most) most = now;
      alive[row + slot] = now;
    }
  }
  // Counts again what is alive from slot `from` on; false when it is more than `most`.
  constexpr bool fits_from(int rank, int from, int upto) {
    const int row = rank * slots;
    int now = from > 0 ? alive[row + from - 1] : 0;
    int open = from > 0 ? waiting[row + from - 1] : 0;
    bool fits = true;
    for (int slot = from; slot < slots; ++slot) {
      const int code = taken[row + slot];
      if (code == 0) {
        if (open > 0) --open, --now;
      } else if (code <= 2) {
        if (++now > most) fits = false;
      } else {
        ++open;
      }
      if (slot > upto && alive[row + slot] == now && waiting[row + slot] == open) break;
      alive[row + slot] = now;
      waiting[row + slot] = open;
    }
    return fits;
  }

  // Every op as early as it can in the order that there is.
  constexpr void play() {
    Array counts(static_cast<std::size_t>(ranks * 5));
    Array next(static_cast<std::size_t>(ranks));
    for (int slot = 0; slot < slots; ++slot)
      for (int rank = 0; rank < ranks; ++rank) {
        const int code = taken[rank * slots + slot];
        if (code == 0) continue;
        const int kind = code - 1;
        const int count = counts[rank * 5 + kind]++;
        int to = kind == weight_second ? next[rank] : earliest(rank, kind, count);
        if (next[rank] > to) to = next[rank];
        next[rank] = to + 1;
        if (to != slot) move(rank, kind, count, slot, to);
      }
  }
};

// Between start and end the steady state repeats, so the orders of all ranks are found (a "plan") for as many micro-batches as it takes to
// see it, and with more of them a rank repeats the ops of one micro-batch there. A test compares with orders that are found in full.

/// Where a rank's part of a plan, `size` long from `first` on, repeats itself the longest with a period of `ops`.
template <class Plan>
constexpr int steady_place(const Plan& plan, int first, int size, int ops) {
  int best = 0, longest = 0, run = 0;
  for (int at = 0; at + ops < size; ++at) {
    if (plan.of[first + at] != plan.of[first + at + ops]) {
      run = 0;
    } else if (++run > longest) {
      longest = run;
      best = at + 1 - run;
    }
  }
  return best;
}

/// Writes the ops of a rank by its part of a plan for `planned` micro-batches. `whole`: a backward is B, else I.
template <class Out, class Plan>
constexpr void fill_by_plan(Out& out, const Plan& plan, int micro_batches, int planned, int rank, bool whole) {
  const int ops = whole ? 4 : 6;
  const int size = ops * planned;
  const int first = rank * size;
  const int repeated = ops * (micro_batches - planned);
  const int from = repeated == 0 ? size : steady_place(plan, first, size, ops);
  int counts[6]{};
  for (int at = 0; at < size + repeated; ++at) {
    const int kind = plan.of[first + (at < from ? at : at < from + repeated ? from + (at - from) % ops : at - repeated)];
    const int count = counts[kind]++;
    if (kind < 2) {
      out.forward(count, kind);
    } else if (kind >= 4) {
      out.weight_gradient(count, 5 - kind);
    } else if (whole) {
      out.backward(count, 3 - kind);
    } else {
      out.input_gradient(count, 3 - kind);
    }
  }
}

// The array of `squeezed_blocks`, named through a parameter: else it would be compiled in every file.
template <class>
owned_array<int> slots_for();

/// Finds the orders of all ranks for a block whose W is split off: `Block::of(ranks, rank)`.
template <class Block, class Plan>
constexpr void plan_split(Plan& plan, int ranks, int micro_batches) {
  squeezed_blocks<decltype(slots_for<Plan>())> blocks{ranks, micro_batches, Block::of(ranks, 0).slot[3]};
  for (int rank = 0; rank < ranks; ++rank) blocks.repeat(rank, Block::of(ranks, rank));
  blocks.squeeze();
  for (int rank = 0; rank < ranks; ++rank) blocks.write(rank, plan, rank * 6 * micro_batches);
}
/// The same for one whose backward is whole.
template <class Block, class Plan>
constexpr void plan_whole(Plan& plan, int ranks, int micro_batches) {
  squeezed_blocks<decltype(slots_for<Plan>())> blocks{ranks, micro_batches, Block::of(ranks, 0).slot[3] + 1};
  for (int rank = 0; rank < ranks; ++rank) blocks.repeat(rank, Block::of(ranks, rank));
  blocks.squeeze_whole();
  for (int rank = 0; rank < ranks; ++rank) blocks.write_whole(rank, plan, rank * 4 * micro_batches);
}

}  // namespace shardplan::detail
