// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/schedule/closed_form.hpp>
#include <shardplan/schedule/schedule_spec.hpp>

#include <cstdint>

namespace shardplan {

namespace detail {

// Counts up the ops of two chunks; those of surplus micro-batches are left out.
template <class Out>
struct zigzag_counter {
  Out& out;
  int micro_batches;
  int forwards[2]{};
  int inputs[2]{};
  int weights[2]{};

  constexpr void forward(int chunk) {
    const int count = forwards[chunk]++;
    if (count < micro_batches) out.forward(count, chunk);
  }
  constexpr void input(int chunk) {
    const int count = inputs[chunk]++;
    if (count < micro_batches) out.input_gradient(count, chunk);
  }
  constexpr void weight(int chunk) {
    const int count = weights[chunk]++;
    if (count < micro_batches) out.weight_gradient(count, chunk);
  }
  constexpr void split(int chunk) {
    input(chunk);
    weight(chunk);
  }
};

}  // namespace detail

namespace schedules {

/// ZB-V in its fixed form (arXiv 2401.10241; torch ScheduleZBVZeroBubble, Primus): two chunks in a V, built for max(m, 2 p - 1)
/// micro-batches with the surplus left out.
struct zb_v {
  /// 2 p chunks, p micro-batches' worth, from m = 2 p - 1 on.
  static constexpr std::int64_t in_flight(std::int64_t ranks, std::int64_t micro_batches, std::int64_t, std::int64_t rank) {
    const std::int64_t first = 2 * ranks - 1 - rank;
    const std::int64_t second = rank + 1;
    return (first < micro_batches ? first : micro_batches) + (second < micro_batches ? second : micro_batches);
  }
  /// The order of one rank.
  template <class Out>
  static constexpr void fill(Out& out, int ranks, int micro_batches, int rank) {
    detail::zigzag_counter<Out> next{out, micro_batches};
    const int built_for = micro_batches < 2 * ranks - 1 ? 2 * ranks - 1 : micro_batches;
    for (int count = 0; count < 2 * (ranks - rank) - 1; ++count) next.forward(0);
    for (int count = 0; count < rank; ++count) {
      next.forward(1);
      next.forward(0);
    }
    for (int count = 0; count < ranks - rank; ++count) {
      next.forward(1);
      next.split(1);
    }
    while (next.forwards[1] < built_for) {
      if (next.forwards[0] < built_for) next.forward(0);
      next.split(0);
      next.forward(1);
      next.split(1);
    }
    for (int count = 0; count < rank; ++count) {
      next.input(0);
      next.input(1);
    }
    for (int count = 0; count < ranks - rank; ++count) next.split(0);
    while (next.weights[1] < built_for) next.weight(1);
    while (next.weights[0] < built_for) next.weight(0);
  }
  /// (p - 1) F / 2 at F = I = W and m >= 2 p - 1: the barrier between steps still costs it. At other times the longest of its critical
  /// paths; between p and 2 p - 1 micro-batches there is none
  static constexpr closed_form makespan_bubble(std::int64_t ranks, std::int64_t micro_batches, const stage_times& times) {
    if (ranks == 1) return fraction{0};
    const std::int64_t path = ranks - 1, few = micro_batches - 1, missing = ranks - micro_batches;
    const detail::path_ops short_step[] = {{2 * missing, 2 * path, 0},
                                           {path + missing, path + missing, 0},
                                           {2 * path, 2 * path - 3 * few, -few},
                                           {2 * path, 2 * path - 2 * few, -2 * few}};
    if (missing >= 0) return detail::longest(short_step, 4, times, 2);
    if (micro_batches < 2 * ranks - 1) return {};
    const detail::path_ops paths[] = {{0, 1, path - 1},
                                      {0, path, 0},
                                      {0, 2 * path, -2 * path},
                                      {1, 0, path - 1},
                                      {2 * path - 1, 1 - path, 0},
                                      {2 * path - 1, 1, -2 * path},
                                      {2 * path, -path, -1},
                                      {2 * path, 0, -2 * path - 1}};
    return detail::longest(paths, 8, times, 2);
  }
  static constexpr bool in_flight_is_exact = true;
  static constexpr schedule_spec spec{
      .name = "zb_v", .chunks = 2, .layout = placement::v_shape, .in_flight = &in_flight, .bubble = {&makespan_bubble, 2}};
};

}  // namespace schedules

}  // namespace shardplan
