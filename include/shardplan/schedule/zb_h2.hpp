// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/schedule/closed_form.hpp>
#include <shardplan/schedule/schedule_spec.hpp>

#include <cstdint>

namespace shardplan::schedules {

/// ZB-H2 (arXiv 2401.10241) as we define it, since its authors give a picture: at unit times each rank runs what is ready, I before F
/// before W, with at most 2 p - 1 micro-batches between F and W. No rank is idle inside its span at p = 2, 4, 8. It needs m >= 2 p - 1 to
/// reach its steady state.
struct zb_h2 {
  static constexpr std::int64_t in_flight(std::int64_t ranks, std::int64_t micro_batches, std::int64_t, std::int64_t) {
    return 2 * ranks - 1 < micro_batches ? 2 * ranks - 1 : micro_batches;
  }
  /// Until I: the warm-up and one more.
  static constexpr std::int64_t in_flight_until_input(std::int64_t ranks, std::int64_t micro_batches, std::int64_t, std::int64_t rank) {
    const std::int64_t alive = 2 * (ranks - rank) - 1;
    return alive < micro_batches ? alive : micro_batches;
  }
  /// The order of all ranks: what a rank may do depends on what the others have done.
  template <class Out>
  static constexpr void fill_all(Out& out, int ranks, int micro_batches) {
    fill_some(out, ranks, micro_batches, 3 * ranks * micro_batches);
  }
  /// About `ops` more of it.
  template <class Out>
  static constexpr void fill_some(Out& out, int ranks, int micro_batches, int ops) {
    int left = 3 * ranks * micro_batches;
    for (int rank = 0; rank < ranks; ++rank) left -= out.rank(rank).size;
    const int enough = left > ops ? left - ops : 0;
    while (left > enough) {
      int before = micro_batches;  // forwards of the rank before, as they were when this moment began
      for (int rank = 0; rank < ranks; ++rank) {
        auto& own = out.rank(rank);
        const int forwards = own.forwards, inputs = own.inputs, weights = own.weights;
        if (inputs < forwards && (rank == ranks - 1 || out.rank(rank + 1).inputs > inputs)) {
          own.input_gradient(inputs);
          --left;
        } else if (forwards < micro_batches && forwards - weights < 2 * ranks - 1 && before > forwards) {
          own.forward(forwards);
          --left;
        } else if (weights < inputs) {
          own.weight_gradient(weights);
          --left;
        }
        before = forwards;
      }
    }
  }
  /// (p - 1) max(F, F + I - 2 W, I - F) with m >= 2 p - 1; with m >= p the largest of (p - 1) F, (p - 1) (F + I) - (m - 1) W and
  /// (p - 1) I - (m - p) F
  static constexpr closed_form makespan_bubble(std::int64_t ranks, std::int64_t micro_batches, const stage_times& times) {
    if (micro_batches < ranks) return {};
    return detail::wide_split_bubble(ranks, micro_batches < 2 * ranks - 1 ? micro_batches : 2 * ranks - 1, times);
  }
  static constexpr bool in_flight_is_exact = true;
  static constexpr schedule_spec spec{.name = "zb_h2", .in_flight = &in_flight, .bubble = {&makespan_bubble}};
};

}  // namespace shardplan::schedules
