// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/checked.hpp>
#include <shardplan/hardware/device.hpp>
#include <shardplan/parallel/axis.hpp>
#include <shardplan/parallel/groups.hpp>
#include <shardplan/parallel/locality.hpp>
#include <shardplan/parallel/mesh.hpp>

#include <cstdint>

namespace shardplan {

/// Ranks that are near each other. Ranks are placed in order: rank r is in domain r / size.
enum class domain {
  node,    ///< one host
  fabric,  ///< what the device's fabric reaches: NVLink, xGMI, HCCS; one host or a part of it, or a rack
};

/// What ranks are placed on.
struct topology {
  std::int64_t nodes = 0;             ///< hosts
  std::int64_t devices_per_node = 0;  ///< devices of one host
  std::int64_t fabric_domain = 1;     ///< consecutive devices that the fabric joins; 1: it joins none
  std::int64_t fabric = 0;            ///< bytes a second, one direction, a device's sum over its links
  std::int64_t fabric_pair = 0;       ///< on a switchless mesh: bytes a second of the link between two devices; 0: a switch
  std::int64_t host = 0;              ///< bytes a second, one direction, through the host (PCIe)
  std::int64_t network = 0;           ///< bytes a second, one direction, a device's share of the NICs

  /// Ranks in one domain.
  constexpr std::int64_t ranks_in(domain which) const { return which == domain::node ? devices_per_node : fabric_domain; }
};

namespace detail {
// Devices of each fabric domain that a job takes where the domains reach beyond a host: as many of each of the fewest domains that hold it,
// as schedulers place it (Slurm's `--segment` on NVL72: 64 of 72), if whole hosts come out; else all of the first ones.
constexpr std::int64_t taken_of_domain(std::int64_t domain, std::int64_t devices_per_node, std::int64_t nodes) {
  if (devices_per_node < 1 || nodes < 1) return domain;  // refused by name
  const std::int64_t hosts = domain / devices_per_node;
  const std::int64_t domains = hosts == 0 || nodes <= hosts ? 1 : ceil_divide(nodes, hosts);
  return domains == 1 || domain % devices_per_node != 0 || nodes % domains != 0 ? domain : nodes / domains * devices_per_node;
}
}  // namespace detail

/// `nodes` hosts of `devices_per_node` devices. A fabric that ends at the host joins the devices of one host at most; `spans_hosts` says
/// that it does not (NVL72): then a job lies evenly on the fewest domains that hold it, 256 devices as 4 times 64 of 72.
template <class Device = device_spec>
constexpr topology topology_of(const Device& device, std::int64_t devices_per_node, std::int64_t nodes) {
  const bool joins_all = device.fabric_spans_hosts || device.fabric_domain <= devices_per_node;
  topology result{};
  result.nodes = nodes;
  result.devices_per_node = devices_per_node;
  result.fabric_domain = device.fabric.bytes_per_second == 0 ? 1
                         : !joins_all                        ? devices_per_node
                         : 1 > device.fabric_domain          ? 1
                         : !device.fabric_spans_hosts        ? device.fabric_domain
                                                             : detail::taken_of_domain(device.fabric_domain, devices_per_node, nodes);
  result.fabric = device.fabric.bytes_per_second;
  result.fabric_pair = device.fabric_pair;
  result.host = device.host.bytes_per_second;
  result.network = device.network.bytes_per_second;
  return result;
}

/// What a group's ranks talk through.
enum class link_kind {
  none,     ///< nothing: the group is one rank
  fabric,   ///< every group lies inside one fabric domain
  host,     ///< inside one host, but not inside one fabric domain
  network,  ///< some group lies in more than one host
};

/// The name of a kind of link.
constexpr const char* name_of(link_kind kind) {
  constexpr const char* names[] = {"none", "fabric", "host", "network"};
  return detail::nth_of(names, static_cast<int>(kind));
}

/// How the groups of an axis, or of a set of axes, are joined.
struct axis_link {
  axis along = axis::none;            ///< the axis
  link_kind kind = link_kind::none;   ///< the slowest link that a group needs
  std::int64_t bytes_per_second = 0;  ///< of one device over that link, one direction, at its nominal rate; 0: no traffic
  domain_spread over_fabric{};        ///< how the groups lie over fabric domains
  domain_spread over_nodes{};         ///< how the groups lie over hosts
};

/// Which link the groups of `set` use. On a switchless mesh a group of n ranks has n - 1 links of each device.
/// Error: `argument_out_of_range` when no grid has all axes of the set.
template <class Mesh = mesh>
constexpr axis_link link_of(const Mesh& ranks, const topology& where, axis set) {
  const auto groups = groups_of(ranks, set);
  if (groups.count == 0) return {set};
  const domain_spread over_fabric = spread_over(groups, where.fabric_domain);
  const domain_spread over_nodes = spread_over(groups, where.devices_per_node);
  if (groups.size == 1) return {set, link_kind::none, 0, over_fabric, over_nodes};
  if (over_fabric.astride() == 0) {
    const std::int64_t links = saturating_multiply(where.fabric_pair, groups.size - 1);
    const std::int64_t rate = where.fabric_pair != 0 && links < where.fabric ? links : where.fabric;
    return {set, link_kind::fabric, rate, over_fabric, over_nodes};
  }
  if (over_nodes.astride() == 0) return {set, link_kind::host, where.host, over_fabric, over_nodes};
  return {set, link_kind::network, where.network, over_fabric, over_nodes};
}

}  // namespace shardplan
