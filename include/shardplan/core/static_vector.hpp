// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/checked.hpp>

#include <cstddef>
#include <cstdint>

namespace shardplan {

/// A vector in place with room for `Capacity` values: what a constexpr function returns where a run-time one would return std::vector.
/// Only the first `size()` values are compared. Error: pushing beyond the capacity is `capacity_exceeded`, nothing is dropped.
template <class Value, std::size_t Capacity>
struct static_vector {
  Value values[Capacity]{};
  std::size_t length = 0;

  constexpr std::size_t size() const { return length; }
  constexpr bool empty() const { return length == 0; }
  static constexpr std::size_t capacity() { return Capacity; }
  constexpr const Value* data() const { return values; }
  constexpr const Value* begin() const { return values; }
  constexpr const Value* end() const { return values + length; }
  constexpr Value* begin() { return values; }
  constexpr Value* end() { return values + length; }

  /// Error: `index_out_of_range` when `index` is not below `size()`.
  constexpr const Value& operator[](std::size_t index) const {
    if (index >= length) index_out_of_range();
    return values[index];
  }
  constexpr Value& operator[](std::size_t index) {
    if (index >= length) index_out_of_range();
    return values[index];
  }

  constexpr void push_back(const Value& value) {
    if (length == Capacity) capacity_exceeded();
    values[length++] = value;
  }

  friend constexpr bool operator==(const static_vector& left, const static_vector& right) {
    if (left.length != right.length) return false;
    for (std::size_t i = 0; i < left.length; ++i)
      if (!(left.values[i] == right.values[i])) return false;
    return true;
  }
  friend constexpr bool operator!=(const static_vector& left, const static_vector& right) { return !(left == right); }
};

}  // namespace shardplan
