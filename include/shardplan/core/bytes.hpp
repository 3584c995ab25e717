// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/checked.hpp>

#include <cstdint>

namespace shardplan {

/// An exact, signed amount of memory or traffic in bytes. 63 bits hold 8 EiB; every operation is checked (core/checked.hpp), so an
/// overflow is an error and never a wrap. Comparisons and arithmetic work in CUDA device code with no flag but -std=c++20.
/// The comparisons are written by hand because <compare> alone would cost half as much as the rest of the core.
struct bytes {
  std::int64_t count = 0;  ///< bytes

  friend constexpr SHARDPLAN_HOST_DEVICE bool operator==(bytes left, bytes right) { return left.count == right.count; }
  friend constexpr SHARDPLAN_HOST_DEVICE bool operator!=(bytes left, bytes right) { return left.count != right.count; }
  friend constexpr SHARDPLAN_HOST_DEVICE bool operator<(bytes left, bytes right) { return left.count < right.count; }
  friend constexpr SHARDPLAN_HOST_DEVICE bool operator>(bytes left, bytes right) { return left.count > right.count; }
  friend constexpr SHARDPLAN_HOST_DEVICE bool operator<=(bytes left, bytes right) { return left.count <= right.count; }
  friend constexpr SHARDPLAN_HOST_DEVICE bool operator>=(bytes left, bytes right) { return left.count >= right.count; }

  friend constexpr SHARDPLAN_HOST_DEVICE bytes operator+(bytes left, bytes right) { return {checked_add(left.count, right.count)}; }
  friend constexpr SHARDPLAN_HOST_DEVICE bytes operator-(bytes left, bytes right) { return {checked_subtract(left.count, right.count)}; }
  friend constexpr SHARDPLAN_HOST_DEVICE bytes operator*(bytes left, std::int64_t right) { return {checked_multiply(left.count, right)}; }
  friend constexpr SHARDPLAN_HOST_DEVICE bytes operator*(std::int64_t left, bytes right) { return {checked_multiply(left, right.count)}; }
  /// Truncates, as an integer division does; error when `right` is 0. Use `ceil_divide` on `.count` to size a shard.
  friend constexpr SHARDPLAN_HOST_DEVICE bytes operator/(bytes left, std::int64_t right) { return {checked_divide(left.count, right)}; }

  /// Adds in place. Error: `result_leaves_63_bits`.
  constexpr SHARDPLAN_HOST_DEVICE bytes& operator+=(bytes right) { return *this = *this + right; }
  /// Subtracts in place. Error: `result_leaves_63_bits`.
  constexpr SHARDPLAN_HOST_DEVICE bytes& operator-=(bytes right) { return *this = *this - right; }
};

/// An amount in tenths of a GiB, rounded up (what is needed) or down (what there is).
constexpr std::int64_t tenths_of_gib(bytes amount, bool up) {
  const std::int64_t whole = amount.count >> 30;
  const std::int64_t rest = (amount.count - (whole << 30)) * 10;
  return whole * 10 + (rest >> 30) + (up && (rest & ((std::int64_t{1} << 30) - 1)) != 0 ? 1 : 0);
}

namespace detail {
constexpr bytes scaled(unsigned long long count, std::int64_t unit) {
  if (count > static_cast<unsigned long long>(INT64_MAX)) result_leaves_63_bits();
  return {checked_multiply(static_cast<std::int64_t>(count), unit)};
}
}  // namespace detail

/// `80_GiB` (2^30), `512_MiB`, `4_KiB`, and the decimal `14_GB` (10^9), `7_MB`, `1_TB`, `3_TiB`, `1_B`. Whole numbers only: a fraction of a
/// unit does not compile, an amount beyond 63 bits is an error.
inline namespace literals {

constexpr bytes operator""_B(unsigned long long count) { return detail::scaled(count, 1); }                        ///< 1 byte each
constexpr bytes operator""_KiB(unsigned long long count) { return detail::scaled(count, std::int64_t{1} << 10); }  ///< 2^10 bytes each
constexpr bytes operator""_MiB(unsigned long long count) { return detail::scaled(count, std::int64_t{1} << 20); }  ///< 2^20 bytes each
constexpr bytes operator""_GiB(unsigned long long count) { return detail::scaled(count, std::int64_t{1} << 30); }  ///< 2^30 bytes each
constexpr bytes operator""_TiB(unsigned long long count) { return detail::scaled(count, std::int64_t{1} << 40); }  ///< 2^40 bytes each
constexpr bytes operator""_KB(unsigned long long count) { return detail::scaled(count, 1'000); }                   ///< 10^3 bytes each
constexpr bytes operator""_MB(unsigned long long count) { return detail::scaled(count, 1'000'000); }               ///< 10^6 bytes each
constexpr bytes operator""_GB(unsigned long long count) { return detail::scaled(count, 1'000'000'000); }           ///< 10^9 bytes each
constexpr bytes operator""_TB(unsigned long long count) { return detail::scaled(count, 1'000'000'000'000); }       ///< 10^12 bytes each

}  // namespace literals

}  // namespace shardplan
