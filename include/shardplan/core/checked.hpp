// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/device_code.hpp>

#include <cstdint>
#if !defined(__cpp_exceptions) || defined(__CUDA_ARCH__)
#include <cstdlib>
#endif

namespace shardplan {

/// Thrown at run time when an exact figure leaves 63 bits or a divisor is zero. In a constant expression the same operation is a compile
/// error whose text names `arithmetic_overflow`. A result never wraps and is never rounded in silence.
struct arithmetic_overflow {
  const char* operation;  ///< which operation failed: "add", "subtract", "multiply", "divide"

  /// The same word, for code that handles it as it handles `std::exception` (which the core does not include: it would double its cost).
  constexpr const char* what() const noexcept { return operation; }
};

namespace detail {

/// Not constexpr on purpose: reaching it stops a constant evaluation.
[[noreturn]] inline SHARDPLAN_HOST_DEVICE void fail_arithmetic_overflow([[maybe_unused]] const char* operation) {
#if defined(__CUDA_ARCH__)
  __trap();
#elif defined(__cpp_exceptions)
  throw arithmetic_overflow{operation};
#else
  std::abort();
#endif
}

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

/// left + right, exact. Error: `arithmetic_overflow` when the sum leaves 63 bits.
constexpr SHARDPLAN_HOST_DEVICE std::int64_t checked_add(std::int64_t left, std::int64_t right) {
  if (detail::add_overflows(left, right)) detail::fail_arithmetic_overflow("add");
  return left + right;
}

/// left - right, exact. Error: `arithmetic_overflow` when the difference leaves 63 bits.
constexpr SHARDPLAN_HOST_DEVICE std::int64_t checked_subtract(std::int64_t left, std::int64_t right) {
  if (right > 0 ? left < detail::int64_min + right : left > detail::int64_max + right) detail::fail_arithmetic_overflow("subtract");
  return left - right;
}

/// left * right, exact. Error: `arithmetic_overflow` when the product leaves 63 bits.
constexpr SHARDPLAN_HOST_DEVICE std::int64_t checked_multiply(std::int64_t left, std::int64_t right) {
  if (detail::multiply_overflows(left, right)) detail::fail_arithmetic_overflow("multiply");
  return left * right;
}

/// left / right, truncated towards zero as in C++. Error: `arithmetic_overflow` when right is 0 or the quotient leaves 63 bits.
constexpr SHARDPLAN_HOST_DEVICE std::int64_t checked_divide(std::int64_t left, std::int64_t right) {
  if (right == 0 || (left == detail::int64_min && right == -1)) detail::fail_arithmetic_overflow("divide");
  return left / right;
}

/// count / divisor where nothing may be left over: a floor would drop layers or columns without a word.
/// Error: `arithmetic_overflow` ("divide exactly") when the divisor is not positive or does not divide.
constexpr SHARDPLAN_HOST_DEVICE std::int64_t exact_divide(std::int64_t count, std::int64_t divisor) {
  if (divisor <= 0 || count % divisor != 0) detail::fail_arithmetic_overflow("divide exactly");
  return count / divisor;
}

/// The least number of shards of size `divisor` that hold `count` (both not negative): count / divisor rounded up.
/// Error: `arithmetic_overflow` when the divisor is not positive.
constexpr SHARDPLAN_HOST_DEVICE std::int64_t ceil_divide(std::int64_t count, std::int64_t divisor) {
  if (divisor <= 0) detail::fail_arithmetic_overflow("divide");
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
