// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/checked.hpp>
#include <shardplan/core/size.hpp>

namespace shardplan {

/// An array whose length is known only at run time; what static_vector is at compile time. Its values start as zero. It is moved, not
/// copied, and works in a constant evaluation as long as it does not outlive it.
template <class Value>
class owned_array {
public:
  constexpr owned_array() = default;
  /// `value_count` values.
  explicit constexpr owned_array(std::size_t value_count)
      : values(value_count == 0 ? nullptr : new Value[value_count]{}), length(value_count) {}
  /// Takes the values of `taken` and leaves it empty.
  constexpr owned_array(owned_array&& taken) noexcept : values(taken.values), length(taken.length) {
    taken.values = nullptr;
    taken.length = 0;
  }
  /// The two change their values.
  constexpr owned_array& operator=(owned_array&& taken) noexcept {
    Value* const old_values = values;
    const std::size_t old_length = length;
    values = taken.values;
    length = taken.length;
    taken.values = old_values;
    taken.length = old_length;
    return *this;
  }
  /// Frees the values.
  constexpr ~owned_array() { delete[] values; }

  /// Values in it.
  constexpr std::size_t size() const { return length; }
  /// The first value; in front of `size()` of them.
  constexpr const Value* begin() const { return values; }
  /// Behind the last value.
  constexpr const Value* end() const { return values + length; }
  /// The first value, to be changed.
  constexpr Value* begin() { return values; }
  /// Behind the last value.
  constexpr Value* end() { return values + length; }

  /// The value at `index`. Not checked: the index comes from a loop over the table that the array was made for.
  template <class Index>
  constexpr const Value& operator[](Index index) const {
    return values[index];
  }
  /// The same, to be changed.
  template <class Index>
  constexpr Value& operator[](Index index) {
    return values[index];
  }

private:
  Value* values = nullptr;
  std::size_t length = 0;
};

}  // namespace shardplan
