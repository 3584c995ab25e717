// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/text.hpp>

#include <cstdint>

namespace shardplan {

/// One kind of connection of a device.
struct link {
  literal name{};  ///< "NVLink4", "PCIe 5"; empty when there is none
  std::int64_t bytes_per_second =
      0;  ///< one direction, a device's sum over its links of this kind. On a switchless mesh a pair gets one link only

  friend constexpr bool operator==(const link& left, const link& right) {
    return left.name == right.name && left.bytes_per_second == right.bytes_per_second;
  }
};

}  // namespace shardplan
