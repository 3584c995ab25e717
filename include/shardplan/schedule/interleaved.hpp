// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/schedule/closed_form.hpp>
#include <shardplan/schedule/orders.hpp>
#include <shardplan/schedule/schedule_spec.hpp>

#include <cstdint>

namespace shardplan {

/// How many micro-batches go through a chunk before the next chunk, where it is a rule and not a number.
namespace groups {
inline constexpr int megatron = 0;  ///< p, the default of Megatron-LM
inline constexpr int torch = -1;    ///< PyTorch's: max(1, m / p) rounds of m / rounds
}  // namespace groups

namespace detail {
constexpr std::int64_t group_size(int group, std::int64_t ranks, std::int64_t micro_batches) {
  if (group > 0) return group;
  if (group == groups::megatron) return ranks;
  const std::int64_t rounds = micro_batches < ranks ? 1 : micro_batches / ranks;
  return micro_batches / rounds;
}
}  // namespace detail

namespace schedules {

/// Interleaved 1F1B, depth first (arXiv 2104.04473, Megatron-LM; torch ScheduleInterleaved1F1B with `groups::torch`): `Chunks` chunks a
/// rank, micro-batches in groups. Megatron-LM wants p <= group <= m and m mod group to be 0 or at least p, torch that the rounds divide m.
/// `ExtraWarmUp` is 1 under Megatron-LM's overlap of the expert all-to-all. Rank r warms up with 2 (p - 1 - r) + (v - 1) group forwards.
template <int Chunks, int Group = groups::megatron, int ExtraWarmUp = 0>
struct interleaved {
  static constexpr std::int64_t warm_up(std::int64_t ranks, std::int64_t micro_batches, std::int64_t chunks, std::int64_t rank) {
    const std::int64_t forwards = 2 * (ranks - 1 - rank) + (chunks - 1) * detail::group_size(Group, ranks, micro_batches) + ExtraWarmUp;
    return forwards < micro_batches * chunks ? forwards : micro_batches * chunks;
  }
  static constexpr std::int64_t in_flight(std::int64_t ranks, std::int64_t micro_batches, std::int64_t chunks, std::int64_t rank) {
    const std::int64_t forwards = warm_up(ranks, micro_batches, chunks, rank);
    return forwards < micro_batches * chunks ? forwards + 1 : forwards;
  }
  /// The order of one rank.
  template <class Out>
  static constexpr void fill(Out& out, int ranks, int micro_batches, int rank) {
    detail::fill_interleaved(out, micro_batches, Chunks, static_cast<int>(detail::group_size(Group, ranks, micro_batches)),
                             static_cast<int>(warm_up(ranks, micro_batches, Chunks, rank)));
  }
  /// (p - 1) (F + B) / v, in full groups of at least p
  static constexpr closed_form makespan_bubble(std::int64_t ranks, std::int64_t micro_batches, const stage_times& times) {
    const std::int64_t group = detail::group_size(Group, ranks, micro_batches);
    const std::int64_t rest = micro_batches % group;
    if (group < ranks || group > micro_batches || (rest != 0 && rest < ranks)) return {};
    return detail::whole_pass(times) * fraction{ranks - 1, Chunks};
  }
  static constexpr std::int64_t group(std::int64_t ranks, std::int64_t micro_batches) {
    return detail::group_size(Group, ranks, micro_batches);
  }
  static constexpr schedule_spec spec{.name = "interleaved", .chunks = Chunks, .in_flight = &in_flight, .group = &group};
};

}  // namespace schedules

}  // namespace shardplan
