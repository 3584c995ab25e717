// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/schedule/closed_form.hpp>
#include <shardplan/schedule/orders.hpp>
#include <shardplan/schedule/schedule_spec.hpp>
#include <shardplan/schedule/zb_h1.hpp>

#include <cstdint>

namespace shardplan::schedules {

/// Zero bubble under a limit of memory, by a formula of our own: at most `Cap` micro-batches are alive on a rank until their W. Rank r
/// warms up with p - 1 - r forwards and up to Cap - p more, as many again at most (all of these when there are no more than Cap
/// micro-batches, so that memory limits nothing), and each W runs late by what the limit leaves. With Cap = p < m it is ZB-H1. The orders
/// that zero-bubble's search finds for a limit (arXiv 2401.10241) are data.
template <int Cap>
requires(Cap >= 1) struct zb_capped {
  static constexpr std::int64_t in_flight(std::int64_t, std::int64_t micro_batches, std::int64_t, std::int64_t) {
    return Cap < micro_batches ? Cap : micro_batches;
  }
  static constexpr int warm_up(int ranks, int micro_batches, int rank) {
    const int behind = ranks - 1 - rank;
    const int most = shardplan::detail::least(Cap, micro_batches);  // alive
    const int more = micro_batches <= Cap ? behind : most > ranks ? shardplan::detail::least(most - ranks, behind) : 0;
    return shardplan::detail::least(behind + more, most - 1);
  }
  /// Until I: the warm-up and one more.
  static constexpr std::int64_t in_flight_until_input(std::int64_t ranks, std::int64_t micro_batches, std::int64_t, std::int64_t rank) {
    return 1 + warm_up(static_cast<int>(ranks), static_cast<int>(micro_batches), static_cast<int>(rank));
  }
  /// The order of one rank.
  template <class Out>
  static constexpr void fill(Out& out, int ranks, int micro_batches, int rank) {
    const int forwards = warm_up(ranks, micro_batches, rank);
    shardplan::detail::fill_split(out, micro_batches, 1, micro_batches, forwards,
                                  shardplan::detail::least(Cap, micro_batches) - 1 - forwards);
  }
  /// With q = min(Cap, m, 2 p - 1) >= p the largest of (p - 1) F, (p - 1) I - (q - p) F and (p - 1) (F + I) - (q - 1) W. With Cap < p each
  /// micro-batch beyond it costs p - Cap slots: with n = p - 1 + (p - Cap) (m - Cap) it is the largest of n (F + I) - (Cap - 1) W,
  /// n F + (n - p + 1) I and (n - Cap + 1) F + n I. With m <= Cap below p there is none
  static constexpr closed_form makespan_bubble(std::int64_t ranks, std::int64_t micro_batches, const stage_times& times) {
    if (micro_batches < ranks && micro_batches <= Cap) return {};
    const std::int64_t alive = Cap < micro_batches ? Cap : micro_batches;
    if (alive >= ranks) return shardplan::detail::wide_split_bubble(ranks, alive < 2 * ranks - 1 ? alive : 2 * ranks - 1, times);
    const std::int64_t path = ranks - 1 + (ranks - Cap) * (micro_batches - Cap);
    const shardplan::detail::path_ops paths[] = {{path, path, 1 - Cap}, {path, path - ranks + 1, 0}, {path - Cap + 1, path, 0}};
    return shardplan::detail::longest(paths, 3, times, 1);
  }
  static constexpr bool in_flight_is_exact = true;
  static constexpr schedule_spec spec{.name = "zb_capped", .in_flight = &in_flight, .bubble = {&makespan_bubble}};
};

}  // namespace shardplan::schedules
