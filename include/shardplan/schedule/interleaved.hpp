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

/// Whether an order in groups runs to its end ("F then pairs", `group` micro-batches through a chunk before the next, the last group
/// smaller). The last rank warms up with `warm_up` forwards, rank 0 with `more` of them more.
///
/// Why: F number x of rank 0, not of chunk 0, waits for F number x - s of the last rank, s being the size of x's group. That one stands
/// behind B number z = x - s - warm_up - 1 there, and the latest B up to z that is not of the last chunk waits for one of rank 0 that is a
/// group of its own earlier, which stands behind F number warm_up + more + its number. If that is x or later, they wait for each other.
/// Only the last full group and the rest behind it can be the first to do so, and within them the first few x. A test compares with tables.
constexpr bool groups_end(std::int64_t micro_batches, std::int64_t chunks, std::int64_t group, std::int64_t warm_up, std::int64_t more) {
  if (group >= micro_batches) return true;
  const std::int64_t period = chunks * group;
  for (int which = 0; which < 2; ++which) {
    const bool full = which == 0;
    const std::int64_t size = full ? group : micro_batches % group;
    const std::int64_t first = (micro_batches / group - (full ? 1 : 0)) * period;  // of its forwards
    for (std::int64_t place = size; place < chunks * size && place <= size + warm_up - (period - group) + 2; ++place) {
      const std::int64_t behind = first + place - size - warm_up - 1;
      if (behind < 0) continue;
      const std::int64_t waits = behind % period < group ? behind - behind % period - 1 : behind;
      if (waits >= 0 && more > size + group + behind - waits) return false;
    }
  }
  return true;
}
}  // namespace detail

namespace schedules {

/// Interleaved 1F1B, depth first (arXiv 2104.04473, Megatron-LM; torch ScheduleInterleaved1F1B with `groups::torch`): `Chunks` chunks a
/// rank, micro-batches in groups. Megatron-LM wants p <= group <= m and m mod group to be 0 or at least p, torch that the rounds divide m.
/// `ExtraWarmUp` is 1 under Megatron-LM's overlap of the expert all-to-all. Rank r warms up with 2 (p - 1 - r) + (v - 1) group forwards.
template <int Chunks, int Group = groups::megatron, int ExtraWarmUp = 0>
struct interleaved {
  static constexpr std::int64_t group(std::int64_t ranks, std::int64_t micro_batches) {
    return detail::group_size(Group, ranks, micro_batches);
  }
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
  /// (p - 1) (F + B) / v in groups, and a rest, of at least p; (p - 1 + (v - 1) (p - m)) (F + B) / v in one group of m < p
  static constexpr closed_form makespan_bubble(std::int64_t ranks, std::int64_t micro_batches, const stage_times& times) {
    const std::int64_t each = group(ranks, micro_batches);
    const std::int64_t rest = micro_batches % each;
    if (each < micro_batches && (each < ranks || (rest != 0 && rest < ranks))) return {};
    return detail::drained_bubble(ranks, micro_batches, Chunks, times);
  }
  static constexpr bool ends(std::int64_t ranks, std::int64_t micro_batches, std::int64_t chunks) {
    const std::int64_t each = group(ranks, micro_batches);
    return detail::groups_end(micro_batches, chunks, each, (chunks - 1) * each + ExtraWarmUp, 2 * (ranks - 1));
  }
  static constexpr std::int64_t repeats_after(std::int64_t ranks) {
    return Group > 0 ? Group : Group == groups::megatron ? ranks : 0;  // PyTorch's groups change with m
  }
  static constexpr bool in_flight_is_exact = true;
  static constexpr schedule_spec spec{.name = "interleaved",
                                      .chunks = Chunks,
                                      .in_flight = &in_flight,
                                      .bubble = {&makespan_bubble, Chunks},
                                      .group = &group,
                                      .ends = &ends,
                                      .repeats_after = &repeats_after};
};

}  // namespace schedules

}  // namespace shardplan
