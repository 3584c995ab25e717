// SPDX-License-Identifier: BSL-1.0
#pragma once

namespace shardplan::detail {

// The greatest common divisor of two numbers that are not negative; the other one where one is 0 (Euclid).
template <class Integer>
constexpr Integer greatest_divisor(Integer left, Integer right) {
  while (right != 0) {
    const Integer rest = left % right;
    left = right;
    right = rest;
  }
  return left;
}

}  // namespace shardplan::detail
