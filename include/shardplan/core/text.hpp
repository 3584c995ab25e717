// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/checked.hpp>
#include <shardplan/core/size.hpp>

#include <cstdint>

namespace shardplan {

/// A name inside a spec: a pointer to a string literal that compares by its characters (comparing the pointers of two literals is not a
/// constant expression). It owns nothing; at run time the text must outlive the spec.
struct literal {
  const char* characters = "";  ///< null-terminated; somebody else owns them

  constexpr literal() = default;
  /// Converts, so that a name is written as a plain string. A null pointer is an empty name (at run time; in a constant it is an error).
  constexpr literal(const char* text) : characters(__builtin_is_constant_evaluated() || text != nullptr ? text : "") {}
  /// The characters, null-terminated.
  constexpr const char* c_str() const { return characters; }
  friend constexpr bool operator==(literal left, literal right) {
    const char* first = left.characters;
    const char* second = right.characters;
    for (; *first != '\0' && *first == *second; ++first) ++second;
    return *first == *second;
  }
  friend constexpr bool operator!=(literal left, literal right) { return !(left == right); }
};

/// A text buffer of fixed size that works in constant expressions: what sentences about a plan are written into, at compile time and at
/// run time alike. Always null-terminated. What does not fit is not lost in silence: `truncated` says so.
template <std::size_t Capacity>
struct text {
  char characters[Capacity + 1]{};  ///< null-terminated
  std::size_t length = 0;           ///< characters before the null
  bool truncated = false;           ///< whether something did not fit

  /// The characters, null-terminated.
  constexpr const char* data() const { return characters; }
  /// The characters, null-terminated.
  constexpr const char* c_str() const { return characters; }
  /// Characters before the null.
  constexpr std::size_t size() const { return length; }

  /// Appends a character; one that does not fit is left out and sets `truncated`. No error.
  constexpr text& append(char character) {
    if (length == Capacity) {
      truncated = true;
    } else {
      characters[length++] = character;
      characters[length] = '\0';
    }
    return *this;
  }
  /// Appends a null-terminated string, as far as it fits.
  constexpr text& append(const char* more) {
    for (; *more != '\0'; ++more) append(*more);
    return *this;
  }
  /// Appends a name, as far as it fits.
  constexpr text& append(literal more) { return append(more.characters); }
  /// Appends a number in decimal digits, as far as they fit.
  constexpr text& append(std::int64_t number) {
    char digits[20]{};
    int count = 0;
    // Through unsigned, so that the most negative number has an absolute value.
    auto rest = number < 0 ? ~static_cast<std::uint64_t>(number) + 1 : static_cast<std::uint64_t>(number);
    do {
      digits[count++] = static_cast<char>('0' + rest % 10);
      rest /= 10;
    } while (rest != 0);
    if (number < 0) append('-');
    while (count > 0) append(digits[--count]);
    return *this;
  }

  friend constexpr bool operator==(const text& left, const text& right) { return literal{left.characters} == literal{right.characters}; }
};

}  // namespace shardplan
