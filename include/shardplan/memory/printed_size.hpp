// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/bytes.hpp>
#include <shardplan/core/checked.hpp>

#include <cstdint>

namespace shardplan {

/// A size as a message printed it: every number of bytes that would have been printed so lies between `least` and `most`.
struct printed_size {
  bytes least{};    ///< the smallest size that is printed so
  bytes most{};     ///< the largest
  bytes nominal{};  ///< what the digits say, rounded to a byte: what closeness is measured from
  /// Whether there is a size at all: a text without one gives none.
  constexpr bool is_known() const { return most.count > 0; }
  /// Whether `size` would have been printed so.
  constexpr bool holds(std::int64_t size) const { return size >= least.count && size <= most.count; }
};

/// The size that is exactly so many bytes.
constexpr printed_size printed_exactly(bytes size) { return {size, size, size}; }

/// A size that was printed as `digits` / `scale` units of `unit` bytes, rounded to that many decimals: 26.44 GiB is
/// `printed_as(2644, 100, 1_GiB)`. Errors: an overflow is an `arithmetic_error`; a scale below 1 is `argument_out_of_range`. Negative
/// digits are no size.
constexpr printed_size printed_as(std::int64_t digits, std::int64_t scale, bytes unit) {
  if (scale < 1) argument_out_of_range();
  if (digits < 0) return {};
  const std::int64_t doubled = checked_multiply(2, digits);
  const std::int64_t lowest = digits == 0 ? 0 : checked_multiply(doubled - 1, unit.count);
  const std::int64_t highest = checked_multiply(doubled + 1, unit.count);
  return {
      {ceil_divide(lowest, 2 * scale)}, {highest / (2 * scale)}, {checked_add(checked_multiply(doubled, unit.count), scale) / (2 * scale)}};
}

namespace detail {
constexpr bool is_digit(char character) { return character >= '0' && character <= '9'; }

// The bytes of a unit that stands at `text`; 0 when none does.
constexpr std::int64_t unit_at(const char* text) {
  constexpr const char* prefixes = "KMGT";
  for (int at = 0; at < 4; ++at) {
    if (text[0] != prefixes[at]) continue;
    if (text[1] == 'i' && text[2] == 'B') return std::int64_t{1} << (10 * (at + 1));
    if (text[1] != 'B') return 0;
    std::int64_t decimal = 1;
    for (int step = 0; step <= at; ++step) decimal *= 1000;
    return decimal;
  }
  return 0;
}

// A number and a unit at `text`; not known when something else stands there. Fewer than two decimals are read as two.
constexpr printed_size size_at(const char* text) {
  constexpr std::int64_t most_digits = 1'000'000'000;
  std::int64_t digits = 0;
  std::int64_t scale = 1;
  if (!is_digit(*text)) return {};
  for (; is_digit(*text); ++text) {
    if (digits >= most_digits) return {};
    digits = digits * 10 + (*text - '0');
  }
  if (text[0] == '.' && is_digit(text[1]))
    for (++text; is_digit(*text); ++text) {
      if (digits >= most_digits || scale >= 1'000'000) return {};
      digits = digits * 10 + (*text - '0');
      scale *= 10;
    }
  while (*text == ' ') ++text;
  const std::int64_t unit = unit_at(text);
  if (unit == 0) {
    const char* const word = "bytes";
    for (int at = 0; at < 5; ++at)
      if (text[at] != word[at]) return {};
    return scale == 1 ? printed_exactly({digits}) : printed_size{};
  }
  for (; scale < 100; scale *= 10) digits *= 10;
  return printed_as(digits, scale, {unit});
}
}  // namespace detail

/// The size that a message of PyTorch's allocator asks for ("Tried to allocate 26.44 GiB (GPU 0; 79.15 GiB total capacity; ..."): the first
/// one after the word "allocate", or, where that word is missing, the first one of the text. Up to six decimals (fewer than two are read as
/// two) and KiB, MiB, GiB, TiB (or powers of 1000: KB to TB), or whole "bytes". Not known (`is_known()`) when there is none. Error: a size
/// beyond 63 bits is an `arithmetic_error`.
constexpr printed_size printed_in(const char* message) {
  constexpr const char* word = "allocate ";
  const char* from = message;
  for (const char* start = message; *start != '\0'; ++start) {
    const char* here = start;
    const char* expected = word;
    while (*expected != '\0' && *here == *expected) ++here, ++expected;
    if (*expected == '\0') {
      from = start;
      break;
    }
  }
  for (bool inside_number = false; *from != '\0'; ++from) {
    if (!inside_number) {
      const printed_size size = detail::size_at(from);
      if (size.is_known()) return size;
    }
    inside_number = detail::is_digit(*from) || *from == '.';
  }
  return {};
}

/// What PyTorch's allocator asks the device for when a tensor of `size` bytes finds no room, and so what its message prints: 2 MiB for
/// at most 1 MiB, 20 MiB below 10 MiB, else rounded up to 2 MiB. Source: pytorch/pytorch c10/cuda/CUDACachingAllocator.cpp
/// `get_allocation_size`. Error: an overflow is an `arithmetic_error`.
constexpr bytes allocation_of(bytes size) {
  constexpr std::int64_t mebibyte = std::int64_t{1} << 20;
  if (size.count <= mebibyte) return {2 * mebibyte};
  if (size.count < 10 * mebibyte) return {20 * mebibyte};
  return {checked_multiply(ceil_divide(size.count, 2 * mebibyte), 2 * mebibyte)};
}

}  // namespace shardplan
