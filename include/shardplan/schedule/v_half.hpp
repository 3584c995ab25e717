// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/schedule/building_block.hpp>
#include <shardplan/schedule/orders.hpp>
#include <shardplan/schedule/schedule_spec.hpp>

#include <cstdint>

namespace shardplan {

namespace detail {

/// Most chunks alive on a rank of a squeezed V under a limit: rank r has begun m + 1 + r before its first W in a short step.
constexpr std::int64_t squeezed_alive(std::int64_t limit, std::int64_t micro_batches, std::int64_t before) {
  const std::int64_t begun = before < micro_batches ? micro_batches + before : 2 * micro_batches;
  return begun < limit ? begun : limit;
}

}  // namespace detail

namespace schedules {

/// V-Min (arXiv 2405.15362, zero-bubble zbv_greedy.py): a third of 1F1B's activations, two chunks in a V. The block of its authors,
/// squeezed as they do. Good for nearly equal F, I and W only.
struct v_min {
  /// floor((p + 4) / 3) micro-batches' worth of chunks; a chunk less on rank 0 where p mod 3 is 2.
  static constexpr std::int64_t in_flight(std::int64_t ranks, std::int64_t micro_batches, std::int64_t, std::int64_t rank) {
    const std::int64_t less = rank == 0 && ranks % 3 == 2 ? 1 : 0;
    return detail::squeezed_alive(2 * ((ranks + 4) / 3) - less, micro_batches, rank + 1);
  }
  /// The slots of one micro-batch; with every third p two more between forward and backward, so that no two ops meet.
  static constexpr detail::building_block of(int ranks, int rank) {
    const int apart = ranks % 3 == 0 ? 2 : 0;
    return {{rank, 2 * ranks - 1 - rank, 2 * ranks + apart + rank, 4 * ranks + apart - 1 - rank}};
  }
  static constexpr int planned(int ranks, int micro_batches) { return detail::least(micro_batches, 3 * ranks / 2 + 2); }
  static constexpr int plan_size(int ranks, int micro_batches) { return 6 * ranks * planned(ranks, micro_batches); }
  /// The order of all ranks, for few micro-batches.
  template <class Plan>
  static constexpr void plan(Plan& out, int ranks, int micro_batches) {
    detail::plan_split<v_min>(out, ranks, planned(ranks, micro_batches));
  }
  /// The order of one rank.
  template <class Out, class Plan>
  static constexpr void fill(Out& out, const Plan& all, int ranks, int micro_batches, int rank) {
    detail::fill_by_plan(out, all, micro_batches, planned(ranks, micro_batches), rank, false);
  }
  static constexpr schedule_spec spec{.name = "v_min", .chunks = 2, .layout = placement::v_shape, .in_flight = &in_flight};
};

/// V-Half (arXiv 2405.15362, zero-bubble zbv_greedy.py): half of 1F1B's activations, in the same way.
struct v_half {
  /// floor((p + 2) / 2) micro-batches' worth of chunks.
  static constexpr std::int64_t in_flight(std::int64_t ranks, std::int64_t micro_batches, std::int64_t, std::int64_t rank) {
    return detail::squeezed_alive(2 * ((ranks + 2) / 2), micro_batches, rank + 1);
  }
  /// The slots of one micro-batch; with even p three more between forward and backward, so that no two ops meet.
  static constexpr detail::building_block of(int ranks, int rank) {
    const int apart = ranks % 2 == 0 ? 3 : 0;
    return {{2 * rank, 3 * ranks - 2 - rank, 3 * ranks + apart - 1 + 2 * rank, 6 * ranks + apart - 2 - rank}};
  }
  static constexpr int planned(int ranks, int micro_batches) { return detail::least(micro_batches, 3 * ranks / 2 + 2); }
  static constexpr int plan_size(int ranks, int micro_batches) { return 6 * ranks * planned(ranks, micro_batches); }
  /// The order of all ranks, for few micro-batches.
  template <class Plan>
  static constexpr void plan(Plan& out, int ranks, int micro_batches) {
    detail::plan_split<v_half>(out, ranks, planned(ranks, micro_batches));
  }
  /// The order of one rank.
  template <class Out, class Plan>
  static constexpr void fill(Out& out, const Plan& all, int ranks, int micro_batches, int rank) {
    detail::fill_by_plan(out, all, micro_batches, planned(ranks, micro_batches), rank, false);
  }
  static constexpr schedule_spec spec{.name = "v_half", .chunks = 2, .layout = placement::v_shape, .in_flight = &in_flight};
};

}  // namespace schedules

}  // namespace shardplan
