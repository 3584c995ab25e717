// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/unset.hpp>
#include <shardplan/hardware/device.hpp>
#include <shardplan/parallel/axis.hpp>
#include <shardplan/parallel/groups.hpp>
#include <shardplan/parallel/locality.hpp>
#include <shardplan/parallel/mesh.hpp>
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

/// The axes whose groups a channel joins.
constexpr axis axis_of(channel between) {
  switch (between) {
    case channel::tp: return axis::tp;
    case channel::cp: return axis::cp;
    case channel::ep: return axis::ep;
    case channel::etp: return axis::etp;
    case channel::dp: return axis::dp_shard | axis::cp;
    case channel::replicas: return axis::dp_replicate;
    case channel::edp: return axis::edp_shard;
    default: return axis::pp;
  }
}

/// Ranks of a group that lie in one domain of `domain` consecutive ranks.
constexpr std::int64_t members_in_domain(const process_groups& groups, std::int64_t domain) {
  if (stay_inside(groups, domain)) return groups.size;
  std::int64_t members = 1;
  for (std::size_t at = 0; at < groups.own.length; ++at) {
    const axis_run& run = groups.own.values[at];
    if (run.stride >= domain) break;
    const std::int64_t most = domain / run.stride;
    members *= run.size < most ? run.size : most;
  }
  return members;
}

/// The rate of a channel. Inside the fabric's domain it is that of the fabric (of a switchless mesh, one link for each other rank). Beyond,
/// a ring enters and leaves a node once for each member there, each through its own NIC, but never faster than the fabric. In a host
/// without a fabric it is that of PCIe. Error: `argument_out_of_range` when no grid has the axes.
template <class Mesh = mesh>
constexpr channel_rate rate_of(channel between, const Mesh& ranks, const topology& where, const timing_constants& constants) {
  const double fabric = static_cast<double>(where.fabric) * constants.fabric;
  const double host = static_cast<double>(where.host) * constants.host;
  if (between == channel::host) return {host, 0};
  if (between == channel::nvme) return {constants.nvme, 0};
  if (between == channel::node) return {where.fabric_domain > 1 ? fabric : host, constants.fabric_step};
  const process_groups groups = groups_of(ranks, axis_of(between));
  const std::int64_t near = members_in_domain(groups, where.fabric_domain);
  if (near == groups.size) {
    const double links = static_cast<double>(where.fabric_pair * (groups.size - 1)) * constants.fabric;
    return {where.fabric_pair != 0 && links < fabric ? links : fabric, constants.fabric_step};
  }
  const std::int64_t in_node = members_in_domain(groups, where.devices_per_node);
  if (in_node == groups.size) return {host, constants.fabric_step};
  const double members = static_cast<double>(in_node);
  const double network = members * static_cast<double>(where.network) * constants.network;
  const double inside = near > 1 ? fabric : host;
  return {in_node > 1 && inside < network ? inside : network,
          constants.fabric_step + (constants.network_step - constants.fabric_step) / members};
}

/// Estimate: seconds that a message takes in one step: latency of its ring steps and bytes over the rate.
constexpr double seconds_of(const message& item, const channel_rate& rate, const timing_constants& constants) {
  if (rate.bytes_per_second == 0) return 0;
  const double times = static_cast<double>(item.times > item.times_received ? item.times : item.times_received);
  double share = 1;
  double steps = 1;
  if (item.how != collective::send && item.how != collective::copy) {
    const double ranks = static_cast<double>(item.ranks);
    const double passes = item.how == collective::all_reduce ? 2 : 1;
    steps = passes * (ranks - 1);
    share = steps / ranks;
  }
  const double sent = share * static_cast<double>(item.pieces) * static_cast<double>(item.piece_bits) / 8;
  return times * (constants.ring_base + steps * rate.step + sent / rate.bytes_per_second);
}

}  // namespace shardplan
