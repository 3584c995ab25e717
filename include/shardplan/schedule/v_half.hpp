// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/schedule/building_block.hpp>
#include <shardplan/schedule/closed_form.hpp>
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
  /// floor((p + 4) / 3) micro-batches' worth of chunks; a chunk less on rank 0 where p mod 3 is 2. Exact for m >= p; with less
  /// micro-batches some ranks keep a chunk less.
  static constexpr std::int64_t in_flight(std::int64_t ranks, std::int64_t micro_batches, std::int64_t, std::int64_t rank) {
    const std::int64_t less = rank == 0 && ranks % 3 == 2 ? 1 : 0;
    return detail::squeezed_alive(2 * ((ranks + 4) / 3) - less, micro_batches, rank + 1);
  }
  /// The slots of one micro-batch; with every third p two more between forward and backward, so that no two ops meet.
  static constexpr detail::building_block of(int ranks, int rank) {
    const int apart = ranks % 3 == 0 ? 2 : 0;
    return {{rank, 2 * ranks - 1 - rank, 2 * ranks + apart + rank, 4 * ranks + apart - 1 - rank}};
  }
  static constexpr bool whole = false;  // backward
  /// For more micro-batches the order of these repeats its steady state.
  static constexpr int planned(int ranks, int micro_batches) { return detail::least(micro_batches, 3 * ranks / 2 + 2); }
  /// With m > p and F <= W <= I <= F + W (read off the orders, compared with them up to p = 36): m (2 I - F - W) + p F, and per p mod 3 of
  /// 0, 1, 2 half of (2 p - 8) I + W, (2 p - 6) I + W, F + (2 p - 8) I + 2 W
  static constexpr closed_form makespan_bubble(std::int64_t ranks, std::int64_t micro_batches, const stage_times& times) {
    if (ranks == 1) return fraction{0};
    if (micro_batches <= ranks || !detail::are_usual(times) || detail::is_input_above(times, 1, 2)) return {};
    const std::int64_t turns = ranks == 2 ? micro_batches : 2 * micro_batches, place = ranks % 3;
    const std::int64_t input = ranks == 2 ? 0 : 2 * ranks - (place == 1 ? 6 : 8), weight = ranks == 2 ? 0 : place == 2 ? 2 : 1;
    const std::int64_t forward = ranks == 2 ? 3 : 2 * ranks + (place == 2 ? 1 : 0);
    const detail::path_ops paths[] = {{forward - turns, input + 2 * turns, weight - turns}};
    return detail::longest(paths, 1, times, 2);
  }
  static constexpr schedule_spec spec{
      .name = "v_min", .chunks = 2, .layout = placement::v_shape, .in_flight = &in_flight, .bubble = {&makespan_bubble, 2}};
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
  static constexpr bool whole = false;  // backward
  /// For more micro-batches the order of these repeats its steady state.
  static constexpr int planned(int ranks, int micro_batches) { return detail::least(micro_batches, 3 * ranks / 2 + 2); }
  /// With m >= p + 2 and F <= W <= I (read off the orders, compared with them up to p = 36). Up to I = F + W / 2 it does not grow with m:
  /// half of 3 (p - 1) I - (p - 1) W and about (p - 2) F or (p - 5) F, for odd and for even p. From I = F + W on each micro-batch adds
  /// I - F - W / 2; between them the larger of both is a lower bound
  static constexpr closed_form makespan_bubble(std::int64_t ranks, std::int64_t micro_batches, const stage_times& times) {
    if (ranks == 1) return fraction{0};
    if (micro_batches < ranks + 2 || !detail::are_usual(times)) return {};
    const bool odd = ranks % 2 == 1;
    const std::int64_t path = ranks - 1, further = (odd ? path : ranks) / 6;
    const std::int64_t sixths = further > 1 ? further - 1 : 0;  // of the ranks: there the squeezed start of an order changes its shape
    const std::int64_t few = !odd && ranks < 8 ? 1 : 0;
    const std::int64_t forward = ranks == 2 ? -1 : ranks - (odd ? 2 : 5) - 2 * sixths + few;
    const detail::path_ops even[] = {{forward, 3 * path + 2 * sixths, ranks == 2 ? -1 : -path - few}};
    if (!detail::is_input_above(times, 1, 1)) return detail::longest(even, 1, times, 2);
    const std::int64_t late = ranks == 2 ? 0 : ranks == 3 ? 2 : ranks / 2 - sixths;
    const detail::path_ops growing[] = {{2 * (ranks - micro_batches), 2 * (ranks + micro_batches) - (odd ? 4 : 6), -micro_batches - late}};
    const fraction found = detail::longest(growing, 1, times, 2);
    if (!(times.input_gradient < times.forward + times.weight_gradient)) return found;
    const fraction other = detail::longest(even, 1, times, 2);
    return closed_form::at_least(found < other ? other : found);
  }
  static constexpr bool in_flight_is_exact = true;
  static constexpr schedule_spec spec{
      .name = "v_half", .chunks = 2, .layout = placement::v_shape, .in_flight = &in_flight, .bubble = {&makespan_bubble, 2}};
};

}  // namespace schedules

}  // namespace shardplan
