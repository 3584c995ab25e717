// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/schedule/closed_form.hpp>
#include <shardplan/schedule/schedule_spec.hpp>

#include <cstdint>

namespace shardplan::schedules {

/// All forwards, then all backwards (arXiv 1811.06965; torch.distributed.pipelining ScheduleGPipe). Every micro-batch is alive at the turn.
struct gpipe {
  static constexpr std::int64_t in_flight(std::int64_t, std::int64_t micro_batches, std::int64_t, std::int64_t) { return micro_batches; }
  /// The order of one rank.
  template <class Out>
  static constexpr void fill(Out& out, int, int micro_batches, int) {
    for (int count = 0; count < micro_batches; ++count) out.forward(count);
    for (int count = 0; count < micro_batches; ++count) out.backward(count);
  }
  /// (p - 1) (F + B)
  static constexpr closed_form makespan_bubble(std::int64_t ranks, std::int64_t, const stage_times& times) {
    return detail::whole_pass(times) * (ranks - 1);
  }
  static constexpr bool in_flight_is_exact = true;
  static constexpr schedule_spec spec{.name = "gpipe", .in_flight = &in_flight, .bubble = {&makespan_bubble}};
};

}  // namespace shardplan::schedules
