// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/bytes.hpp>
#include <shardplan/core/checked.hpp>
#include <shardplan/core/device_code.hpp>
#include <shardplan/core/fraction.hpp>
#include <shardplan/core/size.hpp>
#include <shardplan/core/static_vector.hpp>
#include <shardplan/traffic/message.hpp>

#include <cstdint>

namespace shardplan {

/// Exact bytes that one rank sends and receives in a step, by channel. Padding is included; where ranks of a group differ by an element it
/// is that of the fullest.
struct traffic_report {
  std::int64_t sent_over[channel_count]{};      ///< bytes by `channel`
  std::int64_t received_over[channel_count]{};  ///< bytes by `channel`

  /// Sent over one channel.
  constexpr SHARDPLAN_HOST_DEVICE bytes sent(channel between) const { return {sent_over[static_cast<int>(between)]}; }
  /// Received over one channel.
  constexpr SHARDPLAN_HOST_DEVICE bytes received(channel between) const { return {received_over[static_cast<int>(between)]}; }
  /// Sent to other ranks: all channels but host and NVMe. Error: `result_leaves_63_bits`.
  constexpr SHARDPLAN_HOST_DEVICE bytes sent() const {
    bytes sum{};
    for (int at = 0; at < static_cast<int>(channel::host); ++at) sum += bytes{sent_over[at]};
    return sum;
  }
  /// Counts a message. Error: `result_leaves_63_bits`.
  constexpr void add(const message& item) {
    const int at = static_cast<int>(item.between);
    const std::int64_t once = bytes_of_pieces(most_ring_sent(item.how, item.pieces, item.ranks), item.piece_bits);
    const std::int64_t out = count_product(once, item.times);
    if (out > detail::int64_max - sent_over[at]) result_leaves_63_bits();
    sent_over[at] += out;
    const bool alike = item.times == item.times_received && item.how != collective::all_to_all;
    const std::int64_t in = alike ? out : shardplan::received(item).count;
    if (in > detail::int64_max - received_over[at]) result_leaves_63_bits();
    received_over[at] += in;
  }

  friend constexpr bool operator==(const traffic_report& left, const traffic_report& right) {
    for (int at = 0; at < channel_count; ++at)
      if (left.sent_over[at] != right.sent_over[at] || left.received_over[at] != right.received_over[at]) return false;
    return true;
  }
};

/// Most kinds of transfers of one rank.
inline constexpr std::size_t most_messages = 40;

/// The messages themselves: what a `traffic_report` is the sum of, by cargo, exact and ideal. Errors of the sums: `result_leaves_63_bits`.
struct message_list {
  static_vector<message, most_messages> items{};  ///< in no particular order

  /// Adds one. Error: `capacity_exceeded`.
  constexpr void add(const message& item) { items.push_back(item); }
  /// Exact bytes sent over one channel.
  constexpr bytes sent(channel between) const {
    bytes sum{};
    for (std::size_t at = 0; at < items.length; ++at)
      if (items.values[at].between == between) sum += shardplan::sent(items.values[at]);
    return sum;
  }
  /// Exact bytes sent of one cargo over one channel.
  constexpr bytes sent(channel between, cargo what) const {
    bytes sum{};
    for (std::size_t at = 0; at < items.length; ++at)
      if (items.values[at].between == between && items.values[at].what == what) sum += shardplan::sent(items.values[at]);
    return sum;
  }
  /// Exact bytes received over one channel.
  constexpr bytes received(channel between) const {
    bytes sum{};
    for (std::size_t at = 0; at < items.length; ++at)
      if (items.values[at].between == between) sum += shardplan::received(items.values[at]);
    return sum;
  }
  /// Ideal bytes sent over one channel: the exact fraction that formulas give, without padding.
  constexpr fraction ideal(channel between) const {
    fraction sum{};
    for (std::size_t at = 0; at < items.length; ++at)
      if (items.values[at].between == between) sum = sum + ideal_sent(items.values[at]);
    return sum;
  }
};

}  // namespace shardplan
