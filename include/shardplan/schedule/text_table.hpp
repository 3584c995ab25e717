// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/checked.hpp>
#include <shardplan/schedule/op.hpp>

namespace shardplan {

/// Throws: a text is no table of operations.
[[noreturn]] inline void text_is_no_table() { detail::stop("text_is_no_table"); }

namespace detail {

struct table_text {
  const char* rest;

  constexpr void skip_blanks() {
    while (*rest == ' ' || *rest == '\t') ++rest;
  }
  constexpr void skip_line() {
    while (*rest != '\0' && *rest != '\n') ++rest;
    if (*rest == '\n') ++rest;
  }
  constexpr bool at_end_of_line() const { return *rest == '\0' || *rest == '\n' || *rest == '\r'; }
  constexpr bool skip(const char* word) {
    const char* at = rest;
    for (; *word != '\0'; ++word, ++at)
      if (*at != *word) return false;
    rest = at;
    return true;
  }
  constexpr int number() {
    if (*rest < '0' || *rest > '9') text_is_no_table();
    int value = 0;
    for (; *rest >= '0' && *rest <= '9'; ++rest) {
      value = 10 * value + (*rest - '0');
      if (value > 0xffff) text_is_no_table();
    }
    return value;
  }
  // KIND MB[:SLICE][.CHUNK]
  constexpr op item() {
    op read{};
    if (*rest == 'F') {
      read.kind = op_kind::forward;
    } else if (*rest == 'B') {
      read.kind = op_kind::backward;
    } else if (*rest == 'I') {
      read.kind = op_kind::input_gradient;
    } else if (*rest == 'W') {
      read.kind = op_kind::weight_gradient;
    } else {
      text_is_no_table();
    }
    ++rest;
    read.micro_batch = static_cast<decltype(read.micro_batch)>(number());
    if (*rest == ':') {
      ++rest;
      read.slice = small_number();
    }
    if (*rest == '.') {
      ++rest;
      read.chunk = small_number();
    }
    if (*rest == '&') {
      ++rest;
      read.overlaps_next = true;
    }
    return read;
  }
  constexpr decltype(op::chunk) small_number() {
    const int value = number();
    if (value >= packed_op::most_chunks) text_is_no_table();
    return static_cast<decltype(op::chunk)>(value);
  }
};

}  // namespace detail

/// Fills `out` with the ops of one rank of a text table: lines `rank 0: F0 F1.1 B0:2.1 I3 W3 F4&B1`, an op being a kind (F, B, I, W), the
/// micro-batch, `:slice` and `.chunk` where they are not 0; `&` joins an overlapped block. Other lines are skipped.
/// A schedule may be a text: its `fill` calls this. Error: `text_is_no_table`, also when there is no such rank.
template <class Out>
constexpr void fill_from_text(Out& out, const char* text, int rank) {
  detail::table_text line{text};
  while (*line.rest != '\0') {
    if (line.skip("rank ") && line.number() == rank) {
      if (!line.skip(":")) text_is_no_table();
      line.skip_blanks();
      while (!line.at_end_of_line()) {
        out.add(line.item());
        line.skip_blanks();
      }
      return;
    }
    line.skip_line();
  }
  text_is_no_table();
}

}  // namespace shardplan
