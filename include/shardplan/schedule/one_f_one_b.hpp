// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/schedule/closed_form.hpp>
#include <shardplan/schedule/orders.hpp>
#include <shardplan/schedule/schedule_spec.hpp>

#include <cstdint>

namespace shardplan::schedules {

/// One forward, one backward: PipeDream-Flush, DAPPLE; the order of Megatron-LM and DeepSpeed. Rank r warms up with p - 1 - r forwards, so
/// at most p - r micro-batches are alive on it, and never more than there are.
struct one_f_one_b {
  static constexpr std::int64_t in_flight(std::int64_t stages, std::int64_t micro_batches, std::int64_t, std::int64_t rank) {
    return stages - rank < micro_batches ? stages - rank : micro_batches;
  }
  /// The order of one rank.
  template <class Out>
  static constexpr void fill(Out& out, int ranks, int micro_batches, int rank) {
    detail::fill_one_f_one_b(out, micro_batches, detail::least(micro_batches, ranks - 1 - rank));
  }
  /// (p - 1) (F + B)
  static constexpr closed_form makespan_bubble(std::int64_t ranks, std::int64_t, const stage_times& times) {
    return detail::whole_pass(times) * (ranks - 1);
  }
  static constexpr std::int64_t repeats_after(std::int64_t) { return 1; }
  static constexpr bool in_flight_is_exact = true;
  static constexpr schedule_spec spec{.name = "one_f_one_b",
                                      .in_flight = &in_flight,
                                      .bubble = {&makespan_bubble},
                                      .torch_least_micro_batches_a_stage = 1,
                                      .repeats_after = &repeats_after};
};

}  // namespace shardplan::schedules
