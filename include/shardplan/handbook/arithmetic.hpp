// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/bytes.hpp>
#include <shardplan/core/checked.hpp>
#include <shardplan/core/fraction.hpp>

#include <cstdint>

namespace shardplan::handbook::detail {

// The handbook's formulas are for counts of things that exist: a zero or a negative one is a slip of the caller, and no formula hides it.
constexpr std::int64_t positive(std::int64_t value) {
  if (value <= 0) argument_out_of_range();
  return value;
}
constexpr fraction positive(fraction value) {
  if (value.numerator <= 0) argument_out_of_range();
  return value;
}

// The whole bytes that hold an amount which is not negative.
constexpr bytes rounded_up(fraction amount) { return {ceil_divide(amount.numerator, amount.denominator)}; }

}  // namespace shardplan::handbook::detail
