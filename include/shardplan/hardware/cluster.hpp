// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/part.hpp>
#include <shardplan/core/unset.hpp>
#include <shardplan/hardware/device.hpp>

#include <cstdint>

namespace shardplan {

/// Part of a plan (needed): `Nodes` equal hosts with `DevicesPerNode` devices each.
template <device Device, std::int64_t DevicesPerNode, std::int64_t Nodes>
struct cluster {
  static constexpr part_kind kind = part_kind::cluster;
  template <class Spec>
  static constexpr void apply(Spec& spec) {
    note_part<part_kind::cluster>(spec);
    spec.device = Device::spec;
    spec.devices_per_node = said<DevicesPerNode>;
    spec.nodes = said<Nodes>;
  }
};

}  // namespace shardplan
