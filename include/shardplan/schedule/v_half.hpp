// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/schedule/schedule_spec.hpp>

#include <cstdint>

namespace shardplan {

namespace detail {

/// A repeating building block of two chunks in a V (arXiv 2405.15362): when rank r runs F of chunk 0 and 1, then I of chunk 1 and 0, of
/// micro-batch 0; every further micro-batch comes `period` later. W fills what stays free.
struct building_block {
  int forward[2];
  int backward[2];  // by chunk
};

/// Runs building blocks as a list schedule at unit times: a rank runs the op that is ready and whose time in the block is the earliest, but
/// none that is more than `window` later than the earliest not run yet; W when there is none. At most `most` chunks are alive on a rank,
/// and at most `Block::most_of_first` of them, fewer than `most`, are of chunk 0, so that the oldest micro-batch can always go on.
template <class Block, class Out>
constexpr void fill_building_blocks(Out& out, int ranks, int micro_batches, int most, int window) {
  constexpr int period = 6;
  int left = 6 * ranks * micro_batches;
  while (left > 0) {
    for (int rank = 0; rank < ranks; ++rank) {
      auto& own = out.rank(rank);
      const building_block block = Block::of(ranks, rank);
      const int first_alive = own.forwards_of[0] - own.weights_of[0];
      const int alive = first_alive + own.forwards_of[1] - own.weights_of[1];
      const int most_of_first = Block::most_of_first(most, rank);
      int earliest = INT32_MAX;  // not run yet, ready or not
      int chosen_time = INT32_MAX;
      own.planned = 0;
      for (int chunk = 0; chunk < 2; ++chunk) {
        const int before = chunk == 0 ? rank - 1 : rank + 1;  // the rank with the stage before
        const int behind = chunk == 0 ? rank + 1 : rank - 1;
        const int forward = own.forwards_of[chunk];
        if (forward < micro_batches) {
          const int time = block.forward[chunk] + period * forward;
          if (time < earliest) earliest = time;
          const bool start = chunk == 0 && rank == 0;
          const bool turn = chunk == 1 && rank == ranks - 1;
          const bool ready = start || (turn ? own.forwards_of[0] : out.rank(before).forwards_of[chunk]) > forward;
          if (ready && alive < most && (chunk == 1 || first_alive < most_of_first) && time < chosen_time) {
            chosen_time = time;
            own.planned = 1 + chunk;
          }
        }
        const int backward = own.inputs_of[chunk];
        if (backward < micro_batches) {
          const int time = block.backward[chunk] + period * backward;
          if (time < earliest) earliest = time;
          const bool end = chunk == 1 && rank == 0;
          const bool turn = chunk == 0 && rank == ranks - 1;
          const bool ready = backward < forward && (end || (turn ? own.inputs_of[1] : out.rank(behind).inputs_of[chunk]) > backward);
          if (ready && time < chosen_time) {
            chosen_time = time;
            own.planned = 3 + chunk;
          }
        }
      }
      if (own.planned == 0 || chosen_time - earliest > window) {
        // The W whose I ran first. Both chunks' I come in order, so it is one of the two next.
        const bool first = own.weights_of[0] < own.inputs_of[0];
        const bool second = own.weights_of[1] < own.inputs_of[1];
        own.planned = 0;
        if (first || second) {
          const bool first_is_older =
              first && (!second || own.backward_at[own.weights_of[0]] < own.backward_at[micro_batches + own.weights_of[1]]);
          own.planned = first_is_older ? 5 : 6;
        }
      }
    }
    for (int rank = 0; rank < ranks; ++rank) {
      auto& own = out.rank(rank);
      if (own.planned == 0) continue;
      const int chunk = (own.planned - 1) % 2;
      if (own.planned <= 2) {
        own.forward(own.forwards_of[chunk]++, chunk);
      } else if (own.planned <= 4) {
        own.input_gradient(own.inputs_of[chunk]++, chunk);
      } else {
        own.weight_gradient(own.weights_of[chunk]++, chunk);
      }
      --left;
    }
  }
}

}  // namespace detail

namespace schedules {

/// V-Min: a third of 1F1B's activations (arXiv 2405.15362). Its authors' order is the outcome of a search; ours is the building block of
/// the paper run as a list schedule, with a makespan at F = I = W not above theirs at the sizes of our data and at p = 8, m = 16. Good for
/// nearly equal F, I and W only.
struct v_min {
  /// floor((p + 4) / 3) micro-batches' worth of chunks.
  static constexpr std::int64_t most_alive(std::int64_t ranks) { return 2 * ((ranks + 4) / 3); }
  static constexpr std::int64_t in_flight(std::int64_t ranks, std::int64_t micro_batches, std::int64_t, std::int64_t) {
    return most_alive(ranks) < 2 * micro_batches ? most_alive(ranks) : 2 * micro_batches;
  }
  static constexpr detail::building_block of(int ranks, int rank) {
    return {{rank, 2 * ranks - 1 - rank}, {4 * ranks + 2 - rank, 2 * ranks + 3 + rank}};
  }
  static constexpr int most_of_first(int most, int) { return most - 1; }
  /// The order of all ranks.
  template <class Out>
  static constexpr void fill_all(Out& out, int ranks, int micro_batches) {
    detail::fill_building_blocks<v_min>(out, ranks, micro_batches, static_cast<int>(most_alive(ranks)), 3);
  }
  static constexpr schedule_spec spec{.name = "v_min", .chunks = 2, .layout = placement::v_shape, .in_flight = &in_flight};
};

/// V-Half: half of 1F1B's activations (arXiv 2405.15362), in the same way.
struct v_half {
  /// floor((p + 2) / 2) micro-batches' worth of chunks.
  static constexpr std::int64_t most_alive(std::int64_t ranks) { return 2 * ((ranks + 2) / 2); }
  static constexpr std::int64_t in_flight(std::int64_t ranks, std::int64_t micro_batches, std::int64_t, std::int64_t) {
    return most_alive(ranks) < 2 * micro_batches ? most_alive(ranks) : 2 * micro_batches;
  }
  static constexpr detail::building_block of(int ranks, int rank) {
    return {{2 * rank, 3 * ranks - 2 - rank}, {6 * ranks + 1 - rank, 3 * ranks + 2 + 2 * rank}};
  }
  // The lifetime of chunk 0 shrinks by 4 of 6 slots from rank to rank, that of chunk 1 grows by 2 to 3 of 6.
  static constexpr int most_of_first(int most, int rank) { return most - 1 - rank / 2 > 1 ? most - 1 - rank / 2 : 1; }
  /// The order of all ranks.
  template <class Out>
  static constexpr void fill_all(Out& out, int ranks, int micro_batches) {
    detail::fill_building_blocks<v_half>(out, ranks, micro_batches, static_cast<int>(most_alive(ranks)), INT32_MAX);
  }
  static constexpr schedule_spec spec{.name = "v_half", .chunks = 2, .layout = placement::v_shape, .in_flight = &in_flight};
};

}  // namespace schedules

}  // namespace shardplan
