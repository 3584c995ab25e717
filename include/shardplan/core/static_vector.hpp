// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/checked.hpp>
#include <shardplan/core/size.hpp>

#include <cstdint>

namespace shardplan {

/// A vector in place with room for `Capacity` values: what a constexpr function returns where a run-time one would return std::vector.
/// Only the first `size()` values are compared. Error: pushing beyond the capacity is `capacity_exceeded`, nothing is dropped.
template <class Value, std::size_t Capacity>
struct static_vector {
  Value values[Capacity]{};  ///< all slots; only the first `length` count
  std::size_t length = 0;    ///< values that were pushed

  /// Values in it.
  constexpr std::size_t size() const { return length; }
  /// Whether there is none.
  constexpr bool empty() const { return length == 0; }
  static constexpr std::size_t capacity() { return Capacity; }
  /// The first value; in front of `size()` of them.
  constexpr const Value* data() const { return values; }
  /// The first value.
  constexpr const Value* begin() const { return values; }
  /// Behind the last value.
  constexpr const Value* end() const { return values + length; }
  /// The first value, to be changed.
  constexpr Value* begin() { return values; }
  /// Behind the last value.
  constexpr Value* end() { return values + length; }

  /// Error: `index_out_of_range` when `index` is not below `size()`.
  constexpr const Value& operator[](std::size_t index) const {
    if (index >= length) index_out_of_range();
    return values[index];
  }
  /// The same, to be changed. Error: `index_out_of_range`.
  constexpr Value& operator[](std::size_t index) {
    if (index >= length) index_out_of_range();
    return values[index];
  }

  /// Adds a value at the end. Error: `capacity_exceeded` when `Capacity` values are there.
  constexpr void push_back(const Value& value) {
    if (length == Capacity) capacity_exceeded();
    values[length++] = value;
  }

  friend constexpr bool operator==(const static_vector& left, const static_vector& right) {
    if (left.length != right.length) return false;
    for (std::size_t at = 0; at < left.length; ++at)
      if (!(left.values[at] == right.values[at])) return false;
    return true;
  }
  friend constexpr bool operator!=(const static_vector& left, const static_vector& right) { return !(left == right); }
};

}  // namespace shardplan
