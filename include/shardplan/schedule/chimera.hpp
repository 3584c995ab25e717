// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/schedule/closed_form.hpp>
#include <shardplan/schedule/schedule_spec.hpp>

#include <cstdint>

namespace shardplan::schedules {

/// Chimera with direct concatenation (arXiv 2107.06925): two opposite 1F1B pipelines that take p / 2 micro-batches each, merged slot by
/// slot, and the next unit of p micro-batches behind it. p must be even and divide m. Two copies of the parameters.
struct chimera {
  static constexpr std::int64_t in_flight(std::int64_t ranks, std::int64_t, std::int64_t, std::int64_t rank) {
    const std::int64_t place = rank < ranks - 1 - rank ? rank : ranks - 1 - rank;
    return ranks / 2 + 1 + place;
  }
  /// The order of one rank.
  template <class Out>
  static constexpr void fill(Out& out, int ranks, int micro_batches, int rank) {
    // Stage s runs its i-th forward of a unit in slot s + 2 i and its backward in 2 p - 1 - s + 2 i; a unit begins every 2 p slots.
    const int each_way = micro_batches / 2;
    for (int slot = 0; slot < 2 * micro_batches + 2 * ranks; ++slot)
      for (int way = 0; way < 2; ++way) {
        const int stage = way == 0 ? rank : ranks - 1 - rank;
        const int forward = place_in(slot - stage, ranks);
        if (forward >= 0 && forward < each_way) out.forward(forward, way);
        const int backward = place_in(slot - (2 * ranks - 1 - stage), ranks);
        if (backward >= 0 && backward < each_way) out.backward(backward, way);
      }
  }
  /// (p - 2) (k max(F, B) - (k - 1) min(F, B)) with k = m / p; (p - 2) (B + (k - 1) (B - F)) when B >= F
  static constexpr closed_form makespan_bubble(std::int64_t ranks, std::int64_t micro_batches, const stage_times& times) {
    if (ranks % 2 != 0 || micro_batches % ranks != 0) return {};
    return shardplan::detail::alternating_bubble(ranks - 2, micro_batches / ranks, times);
  }
  static constexpr bool in_flight_is_exact = true;
  static constexpr schedule_spec spec{.name = "chimera",
                                      .chunks = 2,
                                      .layout = placement::bidirectional,
                                      .in_flight = &in_flight,
                                      .ranks_multiple = 2,
                                      .micro_batches_fill_ranks = true,
                                      .bubble = {&makespan_bubble, 2}};

private:
  static constexpr int place_in(int slots, int ranks) {
    if (slots < 0 || slots % 2 != 0 || slots % (2 * ranks) >= ranks) return -1;
    return slots / (2 * ranks) * (ranks / 2) + slots % (2 * ranks) / 2;
  }
};

}  // namespace shardplan::schedules
