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
  const std::int64_t experts = grid.expert_shards() / replicas;
  return {grid.world,
          packed,
          {0, grid.tp, grid.cp, dense_ep, grid.dp / replicas / dense_ep, replicas, grid.pp},
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
}  // namespace detail

/// How the groups of a channel lie over domains of `domain` consecutive ranks.
constexpr group_spread spread_of(channel between, const rank_layout& ranks, std::int64_t domain) {
  const bool routed = between == channel::ep || between == channel::etp || between == channel::edp;
  const std::int64_t(&sizes)[7] = routed ? ranks.expert : ranks.dense;
  const std::uint32_t places = detail::places_of(between);
  group_spread spread{};
  std::int64_t stride = 1;
  std::int64_t slowest = 1;
  for (std::uint32_t order = ranks.order & 0xffffff; order != 0; order >>= 4) {
    const std::uint32_t place = order & 15;
    const std::int64_t size = sizes[place];
    if (size == 1) continue;
    if ((places >> place & 1) != 0) {
      spread.ranks *= size;
      slowest = size * stride;
      if (stride < domain) spread.members *= slowest <= domain ? size : domain / stride;
    }
    stride *= size;
  }
  spread.inside = spread.ranks == 1 || ranks.world <= domain || domain % slowest == 0;
  return spread;
}

/// The rate of a channel. Inside the fabric's domain it is that of the fabric (of a switchless mesh, one link for each other rank). Beyond,
/// a ring enters and leaves a node once for each member there, each through its own NIC, but never faster than the fabric. In a host
/// without a fabric it is that of PCIe.
constexpr channel_rate rate_of(channel between, const rank_layout& ranks, const topology& where, const timing_constants& constants) {
  const double fabric = static_cast<double>(where.fabric) * constants.fabric;
  const double host = static_cast<double>(where.host) * constants.host;
  switch (between) {
    case channel::host: return {host, 0};
    case channel::nvme: return {constants.nvme, 0};
    case channel::node: return {where.fabric_domain > 1 ? fabric : host, constants.fabric_step};
    default: break;
  }
  const group_spread near = spread_of(between, ranks, where.fabric_domain);
  if (near.inside) {
    const double links = static_cast<double>(where.fabric_pair * (near.ranks - 1)) * constants.fabric;
    return {where.fabric_pair != 0 && links < fabric ? links : fabric, constants.fabric_step};
  }
  const group_spread node = where.devices_per_node == where.fabric_domain ? near : spread_of(between, ranks, where.devices_per_node);
  if (node.inside) return {host, constants.fabric_step};
  const double members = static_cast<double>(node.members);
  const double network = members * static_cast<double>(where.network) * constants.network;
  const double step = constants.fabric_step + (constants.network_step - constants.fabric_step) / members;
  const double limit = near.members > 1 ? fabric : host;
  return {node.members > 1 && limit < network ? limit : network, step};
}

/// Estimate: seconds that a message takes in one step: latency of its ring steps and bytes over the rate.
constexpr double seconds_of(const message& item, const channel_rate& rate, const timing_constants& constants) {
  if (rate.bytes_per_second == 0) return 0;
  const double times = static_cast<double>(item.times > item.times_received ? item.times : item.times_received);
  double share = 1;
  double steps = 1;
  if (!is_one_way(item.how)) {
    const double ranks = static_cast<double>(item.ranks);
    const double passes = ring_passes(item.how);
    steps = passes * (ranks - 1);
    share = steps / ranks;
  }
  const double sent = share * static_cast<double>(item.pieces) * static_cast<double>(item.piece_bits) / 8;
  return times * (constants.ring_base + steps * rate.step + sent / rate.bytes_per_second);
}

}  // namespace shardplan
