// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/schedule/closed_form.hpp>
#include <shardplan/schedule/schedule_spec.hpp>

#include <cstdint>

namespace shardplan::schedules {

/// Breadth first (arXiv 2211.05953, torch ScheduleLoopedBFS): all micro-batches through chunk 0, then chunk 1, and so on; backward from the
/// last chunk, the micro-batches descending.
template <int Chunks>
struct looped_bfs {
  static constexpr std::int64_t in_flight(std::int64_t, std::int64_t micro_batches, std::int64_t chunks, std::int64_t) {
    return micro_batches * chunks;
  }
  /// The order of one rank.
  template <class Out>
  static constexpr void fill(Out& out, int, int micro_batches, int) {
    for (int chunk = 0; chunk < Chunks; ++chunk)
      for (int count = 0; count < micro_batches; ++count) out.forward(count, chunk);
    for (int chunk = Chunks - 1; chunk >= 0; --chunk)
      for (int count = micro_batches - 1; count >= 0; --count) out.backward(count, chunk);
  }
  /// (p - 1) (F + B) / v; (p - 1 + (v - 1) (p - m)) (F + B) / v with m < p
  static constexpr closed_form makespan_bubble(std::int64_t ranks, std::int64_t micro_batches, const stage_times& times) {
    return detail::drained_bubble(ranks, micro_batches, Chunks, times);
  }
  static constexpr bool in_flight_is_exact = true;
  static constexpr schedule_spec spec{
      .name = "looped_bfs", .chunks = Chunks, .in_flight = &in_flight, .bubble = {&makespan_bubble, Chunks}};
};

}  // namespace shardplan::schedules
