// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/owned_array.hpp>
#include <shardplan/core/size.hpp>
#include <shardplan/schedule/schedule_spec.hpp>

#include <cstdint>

namespace shardplan {

namespace detail {

/// (A template so that a file that includes it pays for nothing.) The plan of 1F1B-V in slots: F takes one, B two, and every six a
/// micro-batch comes. Forwards then move to earlier free slots as long as no rank keeps more than the repeated block does.
template <class Array>
class zigzag_slots {
public:
  constexpr zigzag_slots(int rank_count, int micro_batch_count)
      : ranks(rank_count),
        micro_batches(micro_batch_count),
        slots(backward_slot(2 * rank_count - 1) + 6 * (micro_batch_count - 1) + 3),
        starts(static_cast<std::size_t>(2 * rank_count * micro_batch_count)),
        taken(static_cast<std::size_t>(rank_count * slots)),
        alive(static_cast<std::size_t>(rank_count * slots)) {
    for (int stage = 0; stage < 2 * ranks; ++stage)
      for (int micro_batch = 0; micro_batch < micro_batches; ++micro_batch) {
        const int row = rank_of(stage) * slots;
        const int forward = stage + 6 * micro_batch;
        const int backward = backward_slot(2 * ranks - 1 - stage) + 6 * micro_batch;
        start_of(stage, micro_batch) = forward;
        taken[row + forward] = code(micro_batch, stage, false);
        taken[row + backward] = code(micro_batch, stage, true);
        taken[row + backward + 1] = second_half;
        for (int slot = forward; slot < backward + 2; ++slot)
          if (++alive[row + slot] > most) most = alive[row + slot];
      }
  }
  /// Goes through the forwards along the diagonals `pace` * micro-batch + stage and moves each as early as it can run.
  constexpr void pull_forwards(int pace) {
    for (int wave = 0; wave < pace * (micro_batches - 1) + 2 * ranks; ++wave)
      for (int stage = 2 * ranks - 1; stage >= 0; --stage)
        if (wave >= stage && (wave - stage) % pace == 0 && (wave - stage) / pace < micro_batches) pull(stage, (wave - stage) / pace);
  }
  template <class Out>
  constexpr void write(Out& out) const {
    for (int rank = 0; rank < ranks; ++rank)
      for (int slot = 0; slot < slots; ++slot) {
        const int what = taken[rank * slots + slot];
        if (what <= 0) continue;
        const int micro_batch = (what - 1) / 4;
        const int chunk = (what - 1) / 2 % 2;
        if ((what - 1) % 2 == 0) {
          out.rank(rank).forward(micro_batch, chunk);
        } else {
          out.rank(rank).backward(micro_batch, chunk);
        }
      }
  }

private:
  static constexpr int second_half = -1;
  int ranks;
  int micro_batches;
  int slots;
  int most = 0;  // alive on a rank
  Array starts;  // of the forwards
  Array taken;   // by rank and slot: 0 free, else a code
  Array alive;   // by rank and slot

  constexpr int rank_of(int stage) const { return stage < ranks ? stage : 2 * ranks - 1 - stage; }
  constexpr int code(int micro_batch, int stage, bool backward) const {
    return 1 + 4 * micro_batch + (stage < ranks ? 0 : 2) + (backward ? 1 : 0);
  }
  constexpr int& start_of(int stage, int micro_batch) { return starts[stage * micro_batches + micro_batch]; }
  // The slot of micro-batch 0 in the stage that is `step` backwards behind the last: two slots a stage, and three more every third stage,
  // so that the two directions of a rank never meet.
  constexpr int backward_slot(int step) const {
    const int phase = (3 - (ranks + 2) % 3) % 3;
    return 2 * ranks + (ranks % 3 == 0 ? 3 : 0) + 2 * step + 3 * ((phase + step) / 3);
  }
  constexpr void pull(int stage, int micro_batch) {
    const int row = rank_of(stage) * slots;
    const int planned = start_of(stage, micro_batch);
    int earliest = stage == 0 ? 0 : start_of(stage - 1, micro_batch) + 1;
    if (micro_batch > 0 && start_of(stage, micro_batch - 1) + 1 > earliest) earliest = start_of(stage, micro_batch - 1) + 1;
    int best = planned;
    for (int slot = planned - 1; slot >= earliest && alive[row + slot] < most; --slot)
      if (taken[row + slot] == 0) best = slot;
    if (best == planned) return;
    for (int slot = best; slot < planned; ++slot) ++alive[row + slot];
    taken[row + best] = taken[row + planned];
    taken[row + planned] = 0;
    start_of(stage, micro_batch) = best;
  }
};

// The array of `zigzag_slots`, named through a parameter: else it would be compiled in every file.
template <class>
owned_array<int> slots_for();

}  // namespace detail

namespace schedules {

/// 1F1B-V: two thirds of 1F1B's activations with a whole backward (arXiv 2405.15362). Its building block, two chunks in a V, repeats every
/// six slots; forwards then move into free slots before it where memory allows. The order of v1f1b.py is the outcome of a search; ours is
/// made by the rule above, and is that order at p = 4, m = 8.
struct one_f_one_b_v {
  /// floor(2 p / 3) + 1 micro-batches' worth of chunks; that is ceil(2 p / 3) where 3 does not divide p.
  static constexpr std::int64_t in_flight(std::int64_t ranks, std::int64_t micro_batches, std::int64_t, std::int64_t) {
    const std::int64_t alive = 2 * (2 * ranks / 3 + 1);
    return alive < 2 * micro_batches ? alive : 2 * micro_batches;
  }
  /// The order of all ranks.
  template <class Out>
  static constexpr void fill_all(Out& out, int ranks, int micro_batches) {
    shardplan::detail::zigzag_slots<decltype(shardplan::detail::slots_for<Out>())> slots{ranks, micro_batches};
    slots.pull_forwards(3);
    slots.write(out);
  }
  static constexpr schedule_spec spec{.name = "one_f_one_b_v", .chunks = 2, .layout = placement::v_shape, .in_flight = &in_flight};
};

}  // namespace schedules

}  // namespace shardplan
