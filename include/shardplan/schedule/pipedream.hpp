// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/schedule/one_f_one_b.hpp>
#include <shardplan/schedule/orders.hpp>
#include <shardplan/schedule/schedule_spec.hpp>

#include <cstdint>

namespace shardplan::schedules {

/// PipeDream (arXiv 1806.03377): 1F1B that never drains. A micro-batch runs backward with the weights it ran forward with, so rank r keeps
/// up to p - r versions of them, and weights are stale: it is not the same training. The table is that of m micro-batches with its start
/// and its end; in between, a rank is never idle.
struct pipedream {
  static constexpr std::int64_t in_flight(std::int64_t ranks, std::int64_t micro_batches, std::int64_t chunks, std::int64_t rank) {
    return one_f_one_b::in_flight(ranks, micro_batches, chunks, rank);
  }
  static constexpr std::int64_t weight_versions(std::int64_t ranks, std::int64_t rank) { return ranks - rank; }
  /// The order of one rank.
  template <class Out>
  static constexpr void fill(Out& out, int ranks, int micro_batches, int rank) {
    one_f_one_b::fill(out, ranks, micro_batches, rank);
  }
  static constexpr closed_form makespan_bubble(std::int64_t ranks, std::int64_t micro_batches, const stage_times& times) {
    return one_f_one_b::makespan_bubble(ranks, micro_batches, times);
  }
  static constexpr bool in_flight_is_exact = true;
  static constexpr schedule_spec spec{
      .name = "pipedream", .in_flight = &in_flight, .weight_versions = &weight_versions, .drains = false, .bubble = {&makespan_bubble}};
};

/// PipeDream-2BW (arXiv 2006.09503): the same order with gradients accumulated over m >= p micro-batches, so that two versions of the
/// weights are enough on every rank.
struct pipedream_2bw {
  static constexpr std::int64_t in_flight(std::int64_t ranks, std::int64_t micro_batches, std::int64_t chunks, std::int64_t rank) {
    return one_f_one_b::in_flight(ranks, micro_batches, chunks, rank);
  }
  static constexpr std::int64_t weight_versions(std::int64_t, std::int64_t) { return 2; }
  /// The order of one rank.
  template <class Out>
  static constexpr void fill(Out& out, int ranks, int micro_batches, int rank) {
    one_f_one_b::fill(out, ranks, micro_batches, rank);
  }
  static constexpr closed_form makespan_bubble(std::int64_t ranks, std::int64_t micro_batches, const stage_times& times) {
    return one_f_one_b::makespan_bubble(ranks, micro_batches, times);
  }
  static constexpr bool in_flight_is_exact = true;
  static constexpr schedule_spec spec{
      .name = "pipedream_2bw", .in_flight = &in_flight, .weight_versions = &weight_versions, .drains = false, .bubble = {&makespan_bubble}};
};

}  // namespace shardplan::schedules
