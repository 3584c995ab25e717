// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/schedule/closed_form.hpp>
#include <shardplan/schedule/orders.hpp>
#include <shardplan/schedule/schedule_spec.hpp>

#include <cstdint>

namespace shardplan::schedules {

/// 1F1B with twice the warm-up, so that a transfer never stands between a forward and its turn (Alpa, minPP): rank r warms up with
/// 2 (p - 1 - r) forwards.
struct eager_1f1b {
  static constexpr std::int64_t in_flight(std::int64_t ranks, std::int64_t micro_batches, std::int64_t, std::int64_t rank) {
    const std::int64_t alive = 2 * (ranks - 1 - rank) + 1;
    return alive < micro_batches ? alive : micro_batches;
  }
  /// The order of one rank.
  template <class Out>
  static constexpr void fill(Out& out, int ranks, int micro_batches, int rank) {
    detail::fill_one_f_one_b(out, micro_batches, detail::least(micro_batches, 2 * (ranks - 1 - rank)));
  }
  /// (p - 1) (F + B)
  static constexpr closed_form makespan_bubble(std::int64_t ranks, std::int64_t, const stage_times& times) {
    return detail::whole_pass(times) * (ranks - 1);
  }
  static constexpr bool in_flight_is_exact = true;
  static constexpr schedule_spec spec{.name = "eager_1f1b", .in_flight = &in_flight, .bubble = {&makespan_bubble}};
};

}  // namespace shardplan::schedules
