// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/device_code.hpp>

#include <cstdint>
#if !defined(__cpp_exceptions) || defined(__CUDA_ARCH__)
#include <cstdlib>
#endif

namespace shardplan {

/// Thrown at run time by exact arithmetic and by the containers of this folder. In a constant expression the same mistake is a compile
/// error whose text names the function that would have thrown: `result_leaves_63_bits`, `division_by_zero` and so on. A result never wraps,
/// is never rounded in silence, and nothing is dropped. (It is no `std::exception`, whose header the core does not include.)
struct arithmetic_error {
  const char* reason;  ///< the name of the function that threw

  /// The same words, under the name that handlers look for.
  constexpr const char* what() const noexcept { return reason; }
};

// Not constexpr on purpose: reaching one stops a constant evaluation, and its name is all that GCC then prints.

namespace detail {
[[noreturn]] inline SHARDPLAN_HOST_DEVICE void stop([[maybe_unused]] const char* reason) {
#if defined(__CUDA_ARCH__)
  __trap();
#elif defined(__cpp_exceptions)
  throw arithmetic_error{reason};
#else
  std::abort();
#endif
}
}  // namespace detail

/// Throws: an exact figure does not fit a signed 64-bit integer.
[[noreturn]] inline SHARDPLAN_HOST_DEVICE void result_leaves_63_bits() { detail::stop("result_leaves_63_bits"); }
/// Throws: a divisor is zero, or not positive where only a positive one makes sense.
[[noreturn]] inline SHARDPLAN_HOST_DEVICE void division_by_zero() { detail::stop("division_by_zero"); }
/// Throws: a division that must be exact leaves a rest.
[[noreturn]] inline SHARDPLAN_HOST_DEVICE void division_leaves_a_rest() { detail::stop("division_leaves_a_rest"); }
/// Throws: an argument lies outside the range that its function states, or is a number that was cast to an enumeration without such an
/// enumerator, where a function looks up what an enumerator stands for (`name_of(static_cast<symptom>(99))`).
[[noreturn]] inline SHARDPLAN_HOST_DEVICE void argument_out_of_range() { detail::stop("argument_out_of_range"); }
/// Throws: an index is not below the size.
[[noreturn]] inline SHARDPLAN_HOST_DEVICE void index_out_of_range() { detail::stop("index_out_of_range"); }
/// Throws: a container of fixed capacity is full.
[[noreturn]] inline SHARDPLAN_HOST_DEVICE void capacity_exceeded() { detail::stop("capacity_exceeded"); }

namespace detail {

inline constexpr std::int64_t int64_max = INT64_MAX;
inline constexpr std::int64_t int64_min = INT64_MIN;

// Division tests instead of __builtin_*_overflow: nvcc's front end does not evaluate the builtins in constants.
constexpr SHARDPLAN_HOST_DEVICE bool add_overflows(std::int64_t left, std::int64_t right) {
  return right > 0 ? left > int64_max - right : left < int64_min - right;
}
constexpr SHARDPLAN_HOST_DEVICE bool multiply_overflows(std::int64_t left, std::int64_t right) {
  if (left >= -0x7fffffff && left <= 0x7fffffff && right >= -0x7fffffff && right <= 0x7fffffff) return false;
  if (left == 0 || right == 0) return false;
  if (left == -1) return right == int64_min;
  if (right == -1) return left == int64_min;
  return right > 0 ? (left > int64_max / right || left < int64_min / right)
                   : (left > 0 ? right < int64_min / left : left < int64_max / right);
}

}  // namespace detail

namespace detail {
// What stands in a table for an enumerator. Any number can be cast to one: `argument_out_of_range` where the table has none for it.
template <class Value, decltype(sizeof 0) Count>
constexpr const Value& nth_of(const Value (&table)[Count], int at) {
  if (static_cast<decltype(sizeof 0)>(at) >= Count) argument_out_of_range();  // of a negative number too
  return table[at];
}
}  // namespace detail

/// left + right, exact. Error: `result_leaves_63_bits` when the sum leaves 63 bits.
constexpr SHARDPLAN_HOST_DEVICE std::int64_t checked_add(std::int64_t left, std::int64_t right) {
  if (detail::add_overflows(left, right)) result_leaves_63_bits();
  return left + right;
}

/// left - right, exact. Error: `result_leaves_63_bits` when the difference leaves 63 bits.
constexpr SHARDPLAN_HOST_DEVICE std::int64_t checked_subtract(std::int64_t left, std::int64_t right) {
  if (right > 0 ? left < detail::int64_min + right : left > detail::int64_max + right) result_leaves_63_bits();
  return left - right;
}

/// left * right, exact. Error: `result_leaves_63_bits` when the product leaves 63 bits.
constexpr SHARDPLAN_HOST_DEVICE std::int64_t checked_multiply(std::int64_t left, std::int64_t right) {
  if (detail::multiply_overflows(left, right)) result_leaves_63_bits();
  return left * right;
}

/// left / right, truncated towards zero as in C++. Errors: `division_by_zero`, and `result_leaves_63_bits` for the
/// one quotient that does.
constexpr SHARDPLAN_HOST_DEVICE std::int64_t checked_divide(std::int64_t left, std::int64_t right) {
  if (right == 0) division_by_zero();
  if (left == detail::int64_min && right == -1) result_leaves_63_bits();
  return left / right;
}

/// count / divisor where nothing may be left over: a floor would drop layers or columns without a word.
/// Errors: `division_by_zero` when the divisor is not positive, `division_leaves_a_rest` when it does not divide.
constexpr SHARDPLAN_HOST_DEVICE std::int64_t exact_divide(std::int64_t count, std::int64_t divisor) {
  if (divisor <= 0) division_by_zero();
  if (count % divisor != 0) division_leaves_a_rest();
  return count / divisor;
}

/// The least number of shards of size `divisor` that hold `count` (both not negative): count / divisor rounded up.
/// Error: `division_by_zero` when the divisor is not positive.
constexpr SHARDPLAN_HOST_DEVICE std::int64_t ceil_divide(std::int64_t count, std::int64_t divisor) {
  if (divisor <= 0) division_by_zero();
  return count / divisor + (count % divisor > 0 ? 1 : 0);
}

/// left * right, or the largest 63-bit integer where the product does not fit; for asking "is it too large?" without an error.
/// Both factors must not be negative.
constexpr SHARDPLAN_HOST_DEVICE std::int64_t saturating_multiply(std::int64_t left, std::int64_t right) {
  return detail::multiply_overflows(left, right) ? detail::int64_max : left * right;
}

/// left + right, or the largest 63-bit integer where the sum does not fit. Both must not be negative.
constexpr SHARDPLAN_HOST_DEVICE std::int64_t saturating_add(std::int64_t left, std::int64_t right) {
  return detail::add_overflows(left, right) ? detail::int64_max : left + right;
}

}  // namespace shardplan
