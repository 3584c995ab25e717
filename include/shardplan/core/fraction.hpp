// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/checked.hpp>
#include <shardplan/core/divisor.hpp>

#include <cstdint>

namespace shardplan {

/// An exact rational number, always reduced, with a positive denominator. It is a structural type. Bubbles, efficiencies and shares of
/// memory are fractions, so two readers get the same digits. Operations are checked: an overflow or a zero denominator is an error.
struct fraction {
  std::int64_t numerator = 0;    ///< carries the sign
  std::int64_t denominator = 1;  ///< always > 0

  constexpr fraction() = default;
  /// A whole number.
  constexpr fraction(std::int64_t whole) : numerator(whole) {}  // NOLINT(google-explicit-constructor): an integer is a fraction
  /// Reduces. Errors: `division_by_zero` when `below` is 0, `result_leaves_63_bits` when the reduced value does not fit.
  constexpr fraction(std::int64_t above, std::int64_t below) {
    if (below == 0) division_by_zero();
    if (below == 1) {
      numerator = above;
      return;
    }
    // Through unsigned, where the most negative number has an absolute value.
    const std::uint64_t common = common_divisor(magnitude(above), magnitude(below));
    const std::uint64_t above_part = magnitude(above) / common;
    const std::uint64_t below_part = magnitude(below) / common;
    const bool negative = above != 0 && (above < 0) != (below < 0);
    const std::uint64_t most = static_cast<std::uint64_t>(detail::int64_max);
    if (below_part > most || above_part > most + (negative ? 1u : 0u)) result_leaves_63_bits();
    numerator = negative ? static_cast<std::int64_t>(~above_part + 1) : static_cast<std::int64_t>(above_part);
    denominator = static_cast<std::int64_t>(below_part);
  }

  friend constexpr SHARDPLAN_HOST_DEVICE bool operator==(fraction left, fraction right) {
    return left.numerator == right.numerator && left.denominator == right.denominator;
  }
  friend constexpr SHARDPLAN_HOST_DEVICE bool operator!=(fraction left, fraction right) { return !(left == right); }
  friend constexpr SHARDPLAN_HOST_DEVICE bool operator<(fraction left, fraction right) { return less(left, right); }
  friend constexpr SHARDPLAN_HOST_DEVICE bool operator>(fraction left, fraction right) { return less(right, left); }
  friend constexpr SHARDPLAN_HOST_DEVICE bool operator<=(fraction left, fraction right) { return !less(right, left); }
  friend constexpr SHARDPLAN_HOST_DEVICE bool operator>=(fraction left, fraction right) { return !less(left, right); }

  friend constexpr fraction operator+(fraction left, fraction right) {
    if (left.denominator == 1 && right.denominator == 1) return checked_add(left.numerator, right.numerator);
    const auto common = static_cast<std::int64_t>(common_divisor(magnitude(left.denominator), magnitude(right.denominator)));
    const std::int64_t scale = right.denominator / common;
    return {checked_add(checked_multiply(left.numerator, scale), checked_multiply(right.numerator, left.denominator / common)),
            checked_multiply(left.denominator, scale)};
  }
  friend constexpr fraction operator-(fraction value) { return {checked_subtract(0, value.numerator), value.denominator}; }
  friend constexpr fraction operator-(fraction left, fraction right) { return left + -right; }
  friend constexpr fraction operator*(fraction left, fraction right) {
    if (left.denominator == 1 && right.denominator == 1) return checked_multiply(left.numerator, right.numerator);
    // Reduce crosswise first, so that a result that fits never overflows on the way.
    const fraction first{left.numerator, right.denominator};
    const fraction second{right.numerator, left.denominator};
    return {checked_multiply(first.numerator, second.numerator), checked_multiply(first.denominator, second.denominator)};
  }
  /// Error: `division_by_zero` when `right` is 0.
  friend constexpr fraction operator/(fraction left, fraction right) { return left * fraction{right.denominator, right.numerator}; }

private:
  static constexpr std::uint64_t magnitude(std::int64_t value) {
    return value < 0 ? ~static_cast<std::uint64_t>(value) + 1 : static_cast<std::uint64_t>(value);
  }
  static constexpr std::uint64_t common_divisor(std::uint64_t left, std::uint64_t right) {
    const std::uint64_t common = detail::greatest_divisor(left, right);
    return common == 0 ? 1 : common;  // of a denominator that somebody set to 0: the result says so
  }
  // Compares the integer parts, then the reciprocals of what is left, as in Euclid's algorithm: exact and free of overflow.
  static constexpr SHARDPLAN_HOST_DEVICE bool less(fraction left, fraction right) {
    std::int64_t left_above = left.numerator, left_below = left.denominator, right_above = right.numerator, right_below = right.denominator;
    while (true) {
      std::int64_t left_whole = left_above / left_below, left_rest = left_above % left_below;
      std::int64_t right_whole = right_above / right_below, right_rest = right_above % right_below;
      if (left_rest < 0) {
        left_rest += left_below;
        --left_whole;
      }
      if (right_rest < 0) {
        right_rest += right_below;
        --right_whole;
      }
      if (left_whole != right_whole) return left_whole < right_whole;
      if (left_rest == 0 || right_rest == 0) return left_rest == 0 && right_rest != 0;
      // left_rest / left_below < right_rest / right_below  <=>  right_below / right_rest < left_below / left_rest
      const std::int64_t old_left_below = left_below;
      left_above = right_below;
      left_below = right_rest;
      right_above = old_left_below;
      right_below = left_rest;
    }
  }
};

/// The nearest double, for printing and for `timing`.
constexpr double to_double(fraction value) { return static_cast<double>(value.numerator) / static_cast<double>(value.denominator); }

}  // namespace shardplan
