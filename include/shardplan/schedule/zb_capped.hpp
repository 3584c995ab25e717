// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/schedule/closed_form.hpp>
#include <shardplan/schedule/orders.hpp>
#include <shardplan/schedule/schedule_spec.hpp>
#include <shardplan/schedule/zb_h1.hpp>

#include <cstdint>

namespace shardplan::schedules {

/// Zero bubble under a limit of memory, by a formula of our own: at most `Cap` micro-batches are alive on a rank until their W. Rank r
/// warms up with p - 1 - r forwards and up to Cap - p more, as many again at most, and each W runs late by what the limit leaves. With Cap
/// = p it is ZB-H1. The orders that zero-bubble's search finds for a limit (arXiv 2401.10241) are data.
template <int Cap>
requires(Cap >= 1) struct zb_capped {
  static constexpr std::int64_t in_flight(std::int64_t, std::int64_t micro_batches, std::int64_t, std::int64_t) {
    return Cap < micro_batches ? Cap : micro_batches;
  }
  /// The order of one rank.
  template <class Out>
  static constexpr void fill(Out& out, int ranks, int micro_batches, int rank) {
    const int behind = ranks - 1 - rank;
    const int more = Cap > ranks ? shardplan::detail::least(Cap - ranks, behind) : 0;
    const int warm_up = shardplan::detail::least(behind + more, Cap - 1);
    shardplan::detail::fill_split(out, micro_batches, 1, micro_batches, shardplan::detail::least(micro_batches, warm_up),
                                  Cap - 1 - warm_up);
  }
  static constexpr schedule_spec spec{.name = "zb_capped", .in_flight = &in_flight};
};

}  // namespace shardplan::schedules
