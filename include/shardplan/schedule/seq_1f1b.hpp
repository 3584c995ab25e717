// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/schedule/closed_form.hpp>
#include <shardplan/schedule/schedule_spec.hpp>

#include <cstdint>

namespace shardplan::schedules {

/// 1F1B over slices of the sequence (Seq1F1B; zero-bubble seq1f1b.py): under causal attention a slice's forward needs the slice before it,
/// its backward the slice behind it. Rank r warms up with p - 2 - r + s slices.
template <int Slices>
struct seq_1f1b {
  static constexpr std::int64_t in_flight(std::int64_t ranks, std::int64_t micro_batches, std::int64_t, std::int64_t rank) {
    const std::int64_t alive = ranks - 1 - rank + Slices;
    return alive < micro_batches * Slices ? alive : micro_batches * Slices;
  }
  /// The order of one rank.
  template <class Out>
  static constexpr void fill(Out& out, int ranks, int micro_batches, int rank) {
    const int all = micro_batches * Slices;
    const int forwards = ranks - 2 - rank + Slices;
    const int warm_up = forwards < all ? forwards : all;
    for (int count = 0; count < all + warm_up; ++count) {
      if (count < all) out.forward(count / Slices, 0, count % Slices);
      if (count >= warm_up) out.backward((count - warm_up) / Slices, 0, Slices - 1 - (count - warm_up) % Slices);
    }
  }
  /// (p - 1) (F + B) / s
  static constexpr closed_form makespan_bubble(std::int64_t ranks, std::int64_t, const stage_times& times) {
    return detail::whole_pass(times) * fraction{ranks - 1, Slices};
  }
  static constexpr bool in_flight_is_exact = true;
  static constexpr schedule_spec spec{.name = "seq_1f1b", .in_flight = &in_flight, .slices = Slices, .bubble = {&makespan_bubble}};
};

}  // namespace shardplan::schedules
