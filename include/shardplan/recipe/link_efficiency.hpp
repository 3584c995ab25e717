// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/part.hpp>
#include <shardplan/core/unset.hpp>

#include <cstdint>

namespace shardplan {

/// What links reach of the nominal rates of `device_spec`, in percent. Only `timing` reads it.
struct link_efficiency_spec {
  std::int64_t fabric = unset;   ///< unset: `timing_constants::fabric`
  std::int64_t network = unset;  ///< unset: `timing_constants::network`
  std::int64_t host = unset;     ///< unset: `timing_constants::host`

  /// Whether any is said.
  constexpr bool says_any() const { return fabric != unset || network != unset || host != unset; }
  friend constexpr bool operator==(const link_efficiency_spec& left, const link_efficiency_spec& right) {
    return left.fabric == right.fabric && left.network == right.network && left.host == right.host;
  }
};

/// In `link_efficiency<...>`: percent of the fabric's rate in a large ring, 1 to 100 (a value outside is refused: `out_of_range`; so
/// below).
template <std::int64_t Percent>
struct of_fabric {
  static constexpr void set(link_efficiency_spec& spec) { spec.fabric = Percent == unset ? unset + 1 : Percent; }
};
/// In `link_efficiency<...>`: percent of the network's rate.
template <std::int64_t Percent>
struct of_network {
  static constexpr void set(link_efficiency_spec& spec) { spec.network = Percent == unset ? unset + 1 : Percent; }
};
/// In `link_efficiency<...>`: percent of the rate between a device and its host.
template <std::int64_t Percent>
struct of_host {
  static constexpr void set(link_efficiency_spec& spec) { spec.host = Percent == unset ? unset + 1 : Percent; }
};

/// What can stand in `link_efficiency<...>`.
template <class Type>
concept link_efficiency_option = requires(link_efficiency_spec& spec) {
  Type::set(spec);
};

/// Part of a plan (default: the constants of `timing_constants`): what links reach on this cluster, measured there with nccl-tests:
/// `link_efficiency<of_fabric<82>, of_network<70>>`.
template <link_efficiency_option... Options>
struct link_efficiency {
  static constexpr part_kind kind = part_kind::link_efficiency;
  template <class Spec>
  static constexpr void apply(Spec& spec) {
    note_part<part_kind::link_efficiency>(spec);
    (Options::set(spec.link_efficiency), ...);
  }
};

}  // namespace shardplan
