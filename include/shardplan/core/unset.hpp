// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>

namespace shardplan {

/// The value of a field that nobody wrote. It is not zero, so that a zero which somebody did write is refused by name and never taken for
/// "not said".
inline constexpr std::int64_t unset = INT64_MIN;

/// A number that a part says. The one that means `unset` becomes its neighbour, which every range refuses as well.
template <std::int64_t Value>
inline constexpr std::int64_t said = Value == unset ? unset + 1 : Value;

}  // namespace shardplan
