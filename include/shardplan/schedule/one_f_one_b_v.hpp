// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/schedule/building_block.hpp>
#include <shardplan/schedule/closed_form.hpp>
#include <shardplan/schedule/orders.hpp>
#include <shardplan/schedule/schedule_spec.hpp>
#include <shardplan/schedule/v_half.hpp>

#include <cstdint>

namespace shardplan::schedules {

/// 1F1B-V (arXiv 2405.15362, zero-bubble v1f1b.py): two thirds of 1F1B's activations with a whole backward, two chunks in a V. The block of
/// its authors, squeezed as they do.
struct one_f_one_b_v {
  /// floor(2 p / 3) + 1 micro-batches' worth of chunks; that is ceil(2 p / 3) where 3 does not divide p.
  static constexpr std::int64_t in_flight(std::int64_t ranks, std::int64_t micro_batches, std::int64_t, std::int64_t rank) {
    return shardplan::detail::squeezed_alive(2 * (2 * ranks / 3 + 1), micro_batches, rank + 1 + rank / 2);
  }
  /// The slots of one micro-batch: a B takes two of them, and three more stand empty behind every third, so that the two directions of a
  /// rank never meet.
  static constexpr shardplan::detail::building_block of(int ranks, int rank) {
    return {{start + rank, start + 2 * ranks - 1 - rank, backward(ranks, rank), backward(ranks, 2 * ranks - 1 - rank)}};
  }
  static constexpr bool whole = true;  // backward
  /// For more micro-batches the order of these repeats its steady state.
  static constexpr int planned(int ranks, int micro_batches) { return shardplan::detail::least(micro_batches, 3 * ranks); }
  /// With m >= 2 p and B >= 2 F half of 2 (p - 1) B and about p F: read off the orders up to p = 16; beyond there is none
  static constexpr closed_form makespan_bubble(std::int64_t ranks, std::int64_t micro_batches, const stage_times& times) {
    constexpr int last = 16;
    constexpr int forwards[last + 1] = {0, 0, 0, 0, 3, 2, 2, 6, 5, 4, 9, 8, 8, 10, 11, 11, 13};
    if (ranks > last || micro_batches < 2 * ranks || times.input_gradient + times.weight_gradient < times.forward * 2) return {};
    const std::int64_t backwards = 2 * (ranks - 1) + (ranks == 13 || ranks == 16 ? 1 : 0);
    const shardplan::detail::path_ops paths[] = {{forwards[ranks], backwards, backwards}};
    return shardplan::detail::longest(paths, 1, times, 2);
  }
  static constexpr bool in_flight_is_exact = true;
  static constexpr schedule_spec spec{
      .name = "one_f_one_b_v", .chunks = 2, .layout = placement::v_shape, .in_flight = &in_flight, .bubble = {&makespan_bubble, 2}};

private:
  static constexpr int start = 7;  // free slots in front, into which the first ops can move
  // The slot of the `step`-th backward behind the last forward.
  static constexpr int backward(int ranks, int step) {
    const int phase = (3 - (ranks + 2) % 3) % 3;
    return start + 2 * ranks + (ranks % 3 == 0 ? 3 : 0) + 2 * step + 3 * ((phase + step) / 3);
  }
};

}  // namespace shardplan::schedules
