// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/parallel/degrees.hpp>
#include <shardplan/parallel/rank_order.hpp>
#include <shardplan/parallel/topology.hpp>
#include <shardplan/timing/constants.hpp>
#include <shardplan/traffic/message.hpp>

#include <cstdint>

namespace shardplan {

/// Estimate: how fast the groups of a channel exchange, alpha and beta.
struct channel_rate {
  double bytes_per_second = 0;  ///< that one rank sends in a ring; 0: nothing travels
  double step = 0;              ///< seconds of latency of one ring step, the average
  double pairwise = 0;          ///< bytes a second that one rank sends in an all-to-all; 0: as in a ring
};

/// Where the ranks of a plan stand, as timing asks: sizes of the axes of both grids by their place in `rank_orders`. Cheaper to build than
/// a `mesh`, with which it agrees (tests/static/timing/links.cpp).
struct rank_layout {
  std::int64_t world = 0;    ///< ranks
  std::uint32_t order = 0;   ///< of the axes, as `rank_orders` packs it
  std::int64_t dense[7]{};   ///< sizes of tp, cp, ep, dp_shard, dp_replicate, pp at 1 to 6
  std::int64_t expert[7]{};  ///< sizes of etp, -, ep, edp_shard, dp_replicate, pp at 1 to 6
};

/// The layout of a grid whose states lie `replicas` times.
constexpr rank_layout rank_layout_of(const degrees& grid, rank_orders order, std::int64_t replicas) {
  const auto packed = static_cast<std::uint32_t>(order);
  const std::int64_t dense_ep = (packed & detail::ep_is_dense) != 0 ? grid.ep : 1;
  // Expert groups may be larger than shard groups: at least one rank, so that no axis is empty.
  const auto share = [](std::int64_t whole, std::int64_t parts) { return whole < parts ? 1 : whole / parts; };
  const std::int64_t experts = share(grid.expert_shards(), replicas);
  return {grid.world,
          packed,
          {0, grid.tp, grid.cp, dense_ep, share(grid.dp, replicas * dense_ep), replicas, grid.pp},
          {0, grid.etp, 1, grid.ep, experts, replicas, grid.pp}};
}

/// How one group lies over domains of consecutive ranks.
struct group_spread {
  std::int64_t ranks = 1;    ///< of the group
  std::int64_t members = 1;  ///< of them in one domain
  bool inside = true;        ///< every group lies inside one domain: the rule of parallel/locality.hpp
};

namespace detail {
// The places of `rank_orders` that a channel joins, a bit each.
constexpr std::uint32_t places_of(channel between) {
  switch (between) {
    case channel::tp:
    case channel::etp: return 1u << 1;
    case channel::cp: return 1u << 2;
    case channel::ep: return 1u << 3;
    case channel::dp: return 1u << 2 | 1u << 4;
    case channel::edp: return 1u << 4;
    case channel::replicas: return 1u << 5;
    default: return 1u << 6;
  }
}
constexpr bool is_of_experts(channel between) {
  switch (between) {
    case channel::ep:
    case channel::etp:
    case channel::edp: return true;
    default: return false;
  }
}
}  // namespace detail

/// How the groups of a channel lie over domains of `domain` consecutive ranks.
constexpr group_spread spread_of(channel between, const rank_layout& ranks, std::int64_t domain) {
  const bool routed = detail::is_of_experts(between);
  const std::int64_t(&sizes)[7] = routed ? ranks.expert : ranks.dense;
  std::uint32_t places = detail::places_of(between);
  group_spread spread{};
  std::int64_t stride = 1;
  std::int64_t slowest = 1;
  // Behind the last of its axes nothing matters. A number that is no order ends at its first digit that is no axis.
  for (std::uint32_t order = ranks.order; places != 0; order >>= 4) {
    const std::uint32_t place = order & 15;
    if (place == 0 || place > 6) break;
    const std::int64_t size = sizes[place];
    if ((places >> place & 1) != 0) {
      places ^= 1u << place;
      if (size != 1) {
        spread.ranks *= size;
        slowest = size * stride;
        if (stride < domain) spread.members *= slowest <= domain ? size : domain / stride;
      }
    }
    stride *= size;
  }
  spread.inside = spread.ranks == 1 || ranks.world <= domain || domain % slowest == 0;
  return spread;
}

/// The rate of a channel. Inside the fabric's domain it is that of the fabric (of a switchless mesh, one link for each other rank). Beyond,
/// a ring enters and leaves a node once for each member there, each through its own NIC, but never faster than the fabric; of an all-to-all
/// a rank sends all that leaves the node through its own. In a host without a fabric it is that of PCIe.
constexpr channel_rate rate_of(channel between, const rank_layout& ranks, const topology& where, const timing_constants& constants) {
  const double fabric = static_cast<double>(where.fabric) * constants.fabric;
  const double host = static_cast<double>(where.host) * constants.host;
  bool pairs = false;
  switch (between) {
    case channel::host: return {host, 0};
    case channel::nvme: return {constants.nvme, 0};
    case channel::node: return {where.fabric_domain > 1 ? fabric : host, constants.fabric_step};
    case channel::ep:
    case channel::cp: pairs = true; break;  // only these have all-to-alls
    default: break;
  }
  const group_spread close_by = spread_of(between, ranks, where.fabric_domain);
  if (close_by.inside) {
    if (where.fabric_pair == 0) return {fabric, constants.fabric_step};
    const double links = static_cast<double>(where.fabric_pair) * static_cast<double>(close_by.ranks - 1) * constants.fabric;
    return {links < fabric ? links : fabric, constants.fabric_step};
  }
  const group_spread node = where.devices_per_node == where.fabric_domain ? close_by : spread_of(between, ranks, where.devices_per_node);
  if (node.inside) return {host, constants.fabric_step};
  const double members = static_cast<double>(node.members);
  const double nic = static_cast<double>(where.network) * constants.network;
  const double network = members * nic;
  const double step = constants.fabric_step + (constants.network_step - constants.fabric_step) / members;
  if (node.members == 1) return {network, step};
  const double limit = close_by.members > 1 ? fabric : host;
  const double shared = limit < network ? limit : network;
  // Of groups that lie askew over nodes all may be in one.
  if (!pairs || node.ranks == node.members) return {shared, step};
  const double alone = nic * static_cast<double>(node.ranks - 1) / static_cast<double>(node.ranks - node.members);
  return {shared, step, limit < alone ? limit : alone};
}

/// The rate between nodes where each rank sends through its own NIC: the outer level of what goes by levels.
constexpr channel_rate rate_between_nodes(const topology& where, const timing_constants& constants) {
  return {static_cast<double>(where.network) * constants.network, constants.network_step};
}

/// Levels of a binary tree over so many ranks.
constexpr std::int64_t tree_levels(std::int64_t ranks) {
  std::int64_t levels = 0;
  for (std::int64_t reached = 1; reached < ranks; reached *= 2) ++levels;
  return levels;
}

namespace detail {
constexpr double ring_seconds(const message& item, const channel_rate& rate, const timing_constants& constants, double each, double parts) {
  const double bytes = static_cast<double>(item.pieces) * each;
  if (is_one_way(item.how)) return parts * (constants.ring_base + rate.step) + bytes / rate.bytes_per_second;
  const bool pairs = rate.pairwise != 0 && is_pairwise(item.how);
  const double ranks = static_cast<double>(item.ranks);
  const double steps = ring_passes(item.how) * (ranks - 1);
  return parts * (constants.ring_base + steps * rate.step) + steps * bytes / (ranks * (pairs ? rate.pairwise : rate.bytes_per_second));
}
}  // namespace detail

/// Estimate: seconds that a message takes in one step: its start, latency of steps, and bytes over the rate. A ring has 2 (n - 1) or n - 1
/// steps, a tree 2 log2(n), a switch two. Sent in so many `parts`, one after the other, each has a start and latency of its own.
constexpr double seconds_of(const message& item, const channel_rate& rate, const timing_constants& constants, double parts = 1) {
  if (rate.bytes_per_second == 0) return 0;
  const double times = static_cast<double>(item.times > item.times_received ? item.times : item.times_received);
  const double each = static_cast<double>(item.piece_bits) / 8;
  switch (item.by) {
    case algorithm::tree:
      return times * (parts * (constants.ring_base + 2 * static_cast<double>(tree_levels(item.ranks)) * rate.step) +
                      static_cast<double>(most_tree_sent(item.pieces, item.ranks)) * each / rate.bytes_per_second);
    case algorithm::in_switch:
      return times * (parts * (constants.ring_base + 2 * rate.step) +
                      static_cast<double>(item.pieces) * each / (rate.bytes_per_second * constants.in_switch));
    default: return times * detail::ring_seconds(item, rate, constants, each, parts);
  }
}

}  // namespace shardplan
