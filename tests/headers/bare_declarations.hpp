// SPDX-License-Identifier: BSL-1.0
// For the test of doc_comments.cmake: it must find exactly the lines that say so. Not included anywhere.
#pragma once

/// A comment of the namespace is not one of the first type in it.
namespace shardplan {

struct no_comment {  // bare
  int field = 0;  // bare
  int said = 0;   ///< said
  long goes_on =
      0;  ///< said at the end
  static constexpr int kind = 0;
  constexpr no_comment() = default;
  constexpr int size() const { return field; }  // bare
  /// Said.
  constexpr int twice() const {
    const int inner = 2 * field;
    return inner;
  }

  /// Said, and the next one is not.
  constexpr int first() const { return field; }
  constexpr int second() const { return field; }  // bare

  template <class Type>
  requires(sizeof(Type) == 1)
  friend constexpr bool operator==(const Type&, const Type&) {
    return true;
  }
};

enum class kind { one, two };  // bare

/// Said.
enum class color {
  red,    ///< said
  green,  // bare
};

/// Said.
template <class Type>
concept anything = requires {
  sizeof(Type);
};

template <class Type>
concept something = anything<Type>;  // bare

template <class Type>
using alias = Type;  // bare

/// Said, once above two declarations.
inline constexpr int one = 1;
inline constexpr int two = 2;  // bare
inline constexpr int three = 3;  ///< said

namespace detail {
struct hidden {
  int field = 0;
};
}  // namespace detail

constexpr int longer(int first,  // bare
                     int second) {
  const int third = first + second;
  return third;
}

/// Said.
template <class Type>
requires(sizeof(Type) > 1) struct large;

template <class Type>
struct forward;  // bare

}  // namespace shardplan
