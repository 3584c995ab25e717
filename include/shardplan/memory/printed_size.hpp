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
/// digits are no size, and digits as which no whole number of bytes is printed are none either (0.115292 KiB).
constexpr printed_size printed_as(std::int64_t digits, std::int64_t scale, bytes unit) {
  if (scale < 1) argument_out_of_range();
  if (digits < 0) return {};
  const std::int64_t doubled = checked_multiply(2, digits);
  const std::int64_t twice = checked_multiply(2, scale);
  const std::int64_t lowest = digits == 0 ? 0 : checked_multiply(doubled - 1, unit.count);
  const std::int64_t highest = checked_multiply(doubled + 1, unit.count);
  const bytes least{ceil_divide(lowest, twice)};
  const bytes most{highest / twice};
  if (least > most) return {};
  return {least, most, {checked_add(checked_multiply(doubled, unit.count), scale) / twice}};
}

namespace detail {
constexpr bool is_digit(char character) { return character >= '0' && character <= '9'; }

constexpr bool is_letter(char character) { return (character >= 'a' && character <= 'z') || (character >= 'A' && character <= 'Z'); }

// The bytes of a unit that stands at `text`; 0 when none does. A lone letter is binary, as XLA prints it.
constexpr std::int64_t unit_at(const char* text) {
  if (text[0] == 'B' && !is_letter(text[1])) return 1;
  constexpr const char* prefixes = "KMGTPE";
  std::int64_t binary = 1;
  std::int64_t decimal = 1;
  for (int at = 0; at < 6; ++at) {
    binary *= 1024;
    decimal *= 1000;
    if (text[0] != prefixes[at] && !(at == 0 && text[0] == 'k')) continue;
    if (text[1] == 'i' && text[2] == 'B') return binary;
    if (text[1] == 'B') return decimal;
    return is_letter(text[1]) ? 0 : binary;
  }
  return 0;
}

// A number in a text: `digits` / `scale`, up to six decimals; none (`is_number` false) for one with more than 18 digits or for separators
// that make no sense, such as those of a version.
struct read_number {
  bool is_number = false;
  std::int64_t digits = 0;
  std::int64_t scale = 1;
  const char* end = nullptr;  // behind it
};

// "26.44", "26,44" (other locales), "1,234.5", "1.234,5", "1,234,567". One comma before exactly three digits groups them.
constexpr read_number number_at(const char* text) {
  read_number result{};
  const auto is_separator = [](const char* here) { return (*here == '.' || *here == ',') && is_digit(here[1]); };
  int points = 0;
  int commas = 0;
  const char* last = nullptr;
  const char* end = text;
  for (; is_digit(*end) || (end != text && is_separator(end)); ++end) {
    if (is_digit(*end)) continue;
    ++(*end == '.' ? points : commas);
    last = end;
  }
  result.end = end;
  if (end == text) return result;
  const int of_last = last == nullptr ? 0 : *last == '.' ? points : commas;
  const bool groups = last != nullptr && (of_last > 1 || (*last == ',' && points == 0 && end - last == 4));
  if (groups && points > 0 && commas > 0) return result;
  const char* const fraction_from = groups ? nullptr : last;
  const char* group = nullptr;  // where the last separator of thousands stood
  int room = 18;
  int decimals = 0;
  for (const char* here = text; here != end; ++here) {
    if (!is_digit(*here)) {
      if (group != nullptr && here - group != 4) return result;
      if (here != fraction_from)
        group = here;
      else
        group = nullptr;
      continue;
    }
    if (fraction_from != nullptr && here > fraction_from && ++decimals > 6) {
      if (decimals == 7 && *here >= '5') ++result.digits;
      continue;
    }
    if (room-- == 0) return result;
    result.digits = result.digits * 10 + (*here - '0');
    if (decimals > 0) result.scale *= 10;
  }
  if (group != nullptr && end - group != 4) return result;
  result.is_number = true;
  return result;
}

// A number and a unit at `text`; not known when something else stands there, or when the size leaves 63 bits. Fewer than two decimals are
// read as two.
constexpr printed_size size_at(const char* text) {
  read_number number = number_at(text);
  if (!number.is_number) return {};
  text = number.end;
  while (*text == ' ') ++text;
  const std::int64_t unit = unit_at(text);
  if (unit <= 1) {
    const char* const word = "byte";
    for (int at = 0; unit == 0 && at < 4; ++at)
      if (text[at] != word[at]) return {};
    return number.scale == 1 ? printed_exactly({number.digits}) : printed_size{};
  }
  constexpr std::int64_t most = INT64_MAX / 4;
  for (; number.scale < 100; number.scale *= 10) {
    if (number.digits > most / 10) return {};
    number.digits *= 10;
  }
  if (number.digits >= most / unit) return {};
  return printed_as(number.digits, number.scale, {unit});
}

// Where a word ends in a text; nullptr when it is not there.
constexpr const char* behind_word(const char* text, const char* word) {
  for (; *text != '\0'; ++text) {
    const char* here = text;
    const char* expected = word;
    while (*expected != '\0' && *here == *expected) ++here, ++expected;
    if (*expected == '\0') return here;
  }
  return nullptr;
}

constexpr printed_size first_size(const char* text) {
  for (bool inside_number = false; *text != '\0'; ++text) {
    if (!inside_number) {
      const printed_size size = size_at(text);
      if (size.is_known()) return size;
    }
    inside_number = is_digit(*text) || (inside_number && (*text == '.' || *text == ','));
  }
  return {};
}
}  // namespace detail

/// The size that an out-of-memory message asks for ("Tried to allocate 26.44 GiB (GPU 0; 79.15 GiB total capacity; ...", "you tried to
/// allocate 68719476736 bytes", "Attempting to allocate 1.95G"): the first one after the word "allocate", or "allocating", or "alloc", or
/// of the whole text. KiB to EiB, K to E (binary, as XLA prints them), KB to EB (powers of 1000), or whole bytes; a point or a comma before
/// up to six decimals (fewer than two are read as two), and either to group thousands. Not known (`is_known()`) when there is none, or when
/// it leaves 63 bits. No error for any text.
constexpr printed_size printed_in(const char* message) {
  constexpr const char* words[] = {"allocate ", "allocating ", "alloc"};
  for (const char* const word : words) {
    const char* const from = detail::behind_word(message, word);
    if (from == nullptr) continue;
    const printed_size size = detail::first_size(from);
    if (size.is_known()) return size;
  }
  return detail::first_size(message);
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
