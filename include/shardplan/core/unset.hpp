// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>

namespace shardplan {

/// The value of a field that nobody wrote. It is not zero, so that a zero which somebody did write is refused by name and never taken for
/// "not said". A part that is given this very number writes its neighbour, which every range refuses as well.
inline constexpr std::int64_t unset = INT64_MIN;

}  // namespace shardplan
