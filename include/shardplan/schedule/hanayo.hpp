// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/schedule/closed_form.hpp>
#include <shardplan/schedule/schedule_spec.hpp>

#include <cstdint>

namespace shardplan::schedules {

/// Hanayo (arXiv 2308.15762): `Waves` waves through 2 * Waves chunks in a zigzag. No generator of its authors is public, so the order is
/// our own: at equal times each rank runs what is ready, backward before forward, later stages first, with at most p micro-batches under
/// way on a rank, as many as 1F1B keeps on its first. As in the paper it is meant for m = p: there the bubble is two thirds of 1F1B's with
/// one wave and falls with every further one; at m = 2 p one wave idles as long as 1F1B, beyond it longer.
template <int Waves>
struct hanayo {
  /// With q = min(m, p) micro-batches under way: (v - 1) q + min(q, r + 1) chunks.
  static constexpr std::int64_t in_flight(std::int64_t ranks, std::int64_t micro_batches, std::int64_t chunks, std::int64_t rank) {
    const std::int64_t under_way = micro_batches < ranks ? micro_batches : ranks;
    return (chunks - 1) * under_way + (under_way < rank + 1 ? under_way : rank + 1);
  }
  /// The order of all ranks.
  template <class Out>
  static constexpr void fill_all(Out& out, int ranks, int micro_batches) {
    fill_some(out, ranks, micro_batches, 4 * Waves * ranks * micro_batches);
  }
  /// About `ops` more of it.
  template <class Out>
  static constexpr void fill_some(Out& out, int ranks, int micro_batches, int ops) {
    int left = 4 * Waves * ranks * micro_batches;
    for (int rank = 0; rank < ranks; ++rank) left -= out.rank(rank).size;
    const int enough = left > ops ? left - ops : 0;
    // First every rank plans by what had ended, then all run: each op takes one moment.
    while (left > enough) {
      for (int rank = 0; rank < ranks; ++rank) choose(out.rank(rank), out, ranks, micro_batches, rank);
      for (int rank = 0; rank < ranks; ++rank) {
        auto& own = out.rank(rank);
        if (own.planned == 0) continue;
        const int chunk = (own.planned - 1) / 2;
        if (own.planned % 2 == 1) {
          own.backward(own.inputs_of[chunk]++, chunk);
        } else {
          own.forward(own.forwards_of[chunk]++, chunk);
        }
        --left;
      }
    }
  }
  /// (p - 1) (k max(F, B) - (k - 1) min(F, B)) / Waves with m = k p; (p - 1) (1 + k) F / Waves at F = I = W. With one wave and B >= 2 F for
  /// every m: a rest of r micro-batches costs another pass, (p - 1) B, less (r - 1/2) F, and m < p saves nothing: (p - m) F + (p - 1) B
  static constexpr closed_form makespan_bubble(std::int64_t ranks, std::int64_t micro_batches, const stage_times& times) {
    const std::int64_t passes = micro_batches / ranks, rest = micro_batches % ranks, path = ranks - 1;
    if (rest == 0) return shardplan::detail::alternating_bubble(path, passes, times, Waves);
    if (Waves != 1 || times.input_gradient + times.weight_gradient < times.forward * 2) return {};
    const std::int64_t forwards = passes == 0 ? 2 * (ranks - micro_batches) : 1 - 2 * rest - 2 * path * (passes - 1);
    const std::int64_t backwards = 2 * path * (passes + 1);
    const shardplan::detail::path_ops paths[] = {{forwards, backwards, backwards}};
    return shardplan::detail::longest(paths, 1, times, 2);
  }
  static constexpr bool in_flight_is_exact = true;
  static constexpr schedule_spec spec{.name = "hanayo",
                                      .chunks = 2 * Waves,
                                      .layout = placement::v_shape,
                                      .in_flight = &in_flight,
                                      .bubble = {&makespan_bubble, 2 * Waves}};

private:
  template <class Row, class Out>
  static constexpr void choose(Row& own, Out& out, int ranks, int micro_batches, int rank) {
    constexpr int chunks = 2 * Waves;
    own.planned = 0;
    for (int chunk = chunks - 1; chunk >= 0; --chunk) {
      const int count = own.inputs_of[chunk];
      if (count == own.forwards_of[chunk]) continue;
      const int next = chunk % 2 == 0 ? rank + 1 : rank - 1;  // the stage behind
      const bool turn = next < 0 || next == ranks;            // on the same rank, in the next chunk
      if (chunk == chunks - 1 && turn) {
        own.planned = 2 * chunk + 1;
        return;
      }
      const int ready = turn ? own.inputs_of[chunk + 1] : out.rank(next).inputs_of[chunk];
      if (ready > count) {
        own.planned = 2 * chunk + 1;
        return;
      }
    }
    for (int chunk = chunks - 1; chunk >= 0; --chunk) {
      const int count = own.forwards_of[chunk];
      if (count == micro_batches) continue;
      const int previous = chunk % 2 == 0 ? rank - 1 : rank + 1;  // the stage before
      const bool turn = previous < 0 || previous == ranks;
      const bool first = chunk == 0 && turn;
      if (chunk == 0 && count - own.inputs_of[0] >= ranks) continue;
      if (first || (turn ? own.forwards_of[chunk - 1] : out.rank(previous).forwards_of[chunk]) > count) {
        own.planned = 2 * chunk + 2;
        return;
      }
    }
  }
};

}  // namespace shardplan::schedules
