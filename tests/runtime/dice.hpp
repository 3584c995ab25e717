// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>

/// Pseudo-random numbers that are the same everywhere: Knuth's linear congruential generator.
struct dice {
  std::uint64_t state = 20261130;
  /// 0 to most - 1.
  std::int64_t below(std::int64_t most) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<std::int64_t>((state >> 33) % static_cast<std::uint64_t>(most));
  }
  /// Once in so many times.
  bool one_in(std::int64_t many) { return below(many) == 0; }
  /// One of the values.
  template <class Value, std::size_t Count>
  Value of(const Value (&values)[Count]) {
    return values[below(Count)];
  }
};
