// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>
#include <string>

namespace shardplan::report {

/// Seconds with three decimals and a point in every locale.
inline std::string seconds_in_words(double seconds) {
  if (!(seconds < 1e12)) return "more than 10^12";
  const auto thousandths = static_cast<std::int64_t>(seconds * 1000 + 0.5);
  const std::string decimals = std::to_string(1000 + thousandths % 1000);
  return std::to_string(thousandths / 1000) + "." + decimals.substr(1);
}

namespace detail {
// A figure before and after a change.
inline std::string from_to(const std::string& before, const std::string& after) {
  return before == after ? after : before + " -> " + after;
}
}  // namespace detail

}  // namespace shardplan::report
