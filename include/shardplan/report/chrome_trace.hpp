// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/checked.hpp>
#include <shardplan/report/timeline.hpp>
#include <shardplan/schedule/op.hpp>

#include <cstdint>
#include <string>

namespace shardplan::report {

namespace detail {

// Ticks as microseconds with three decimals, rounded down.
inline std::string microseconds(std::int64_t ticks, std::int64_t ticks_in_one, std::int64_t microseconds_in_one) {
  const std::int64_t nanoseconds = checked_multiply(checked_multiply(ticks, microseconds_in_one), 1000) / ticks_in_one;
  std::string rest = std::to_string(nanoseconds % 1000);
  rest.insert(0, 3 - rest.size(), '0');
  return std::to_string(nanoseconds / 1000) + "." + rest;
}

inline void add_trace_event(std::string& out, const timeline_picture& picture, const timeline_entry& entry, op item, std::size_t rank,
                            std::int64_t microseconds_in_one) {
  const op_look look = look_of(item.kind);
  // The name is letter and number: Perfetto colours by the name without its digits, so each kind has one colour there too.
  out += ",\n{\"name\":\"" + std::string(1, look.letter) + " " + std::to_string(item.micro_batch) + "\",\"cat\":\"" + look.meaning +
         "\",\"ph\":\"X\",\"ts\":" + microseconds(entry.start, picture.ticks_in_one, microseconds_in_one) +
         ",\"dur\":" + microseconds(entry.end - entry.start, picture.ticks_in_one, microseconds_in_one) +
         ",\"pid\":0,\"tid\":" + std::to_string(rank) + ",\"cname\":\"" + look.trace_name +
         "\",\"args\":{\"micro_batch\":" + std::to_string(item.micro_batch) + ",\"chunk\":" + std::to_string(item.chunk) +
         ",\"slice\":" + std::to_string(item.slice) + "}}";
}

// A string in JSON: quotes, backslashes and control characters as escapes.
inline std::string json_text(const std::string& text) {
  std::string out = "\"";
  for (const char letter : text) {
    if (letter == '"' || letter == '\\') {
      out += '\\';
      out += letter;
    } else if (static_cast<unsigned char>(letter) < 0x20) {
      constexpr const char* digits = "0123456789abcdef";
      out += "\\u00";
      out += digits[static_cast<unsigned char>(letter) >> 4];
      out += digits[static_cast<unsigned char>(letter) & 15];
    } else {
      out += letter;
    }
  }
  return out + "\"";
}

}  // namespace detail

/// A timeline as Chrome trace JSON, which https://ui.perfetto.dev and chrome://tracing open: one process named `title`, a thread a rank, a
/// slice an op with its micro-batch, chunk and slice as arguments (both halves of an overlapped block, one inside the other). One unit of
/// the stage times is shown as `microseconds_in_one`. Format: "Trace Event Format", Google, complete events "X" and metadata "M".
/// Errors: `result_leaves_63_bits` for times beyond some 292 years.
inline std::string chrome_trace_of(const timeline_picture& picture, const std::string& title = "pipeline",
                                   std::int64_t microseconds_in_one = 1000) {
  std::string out = "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":0,\"args\":{\"name\":" +
                    detail::json_text(title) + "}}";
  for (std::size_t rank = 0; rank < picture.ranks.size(); ++rank) {
    const std::string number = std::to_string(rank);
    out += ",\n{\"name\":\"thread_name\",\"ph\":\"M\",\"pid\":0,\"tid\":" + number + ",\"args\":{\"name\":\"rank " + number + "\"}}";
    out += ",\n{\"name\":\"thread_sort_index\",\"ph\":\"M\",\"pid\":0,\"tid\":" + number + ",\"args\":{\"sort_index\":" + number + "}}";
    for (const timeline_entry& entry : picture.ranks[rank]) {
      detail::add_trace_event(out, picture, entry, entry.what, rank, microseconds_in_one);
      if (entry.is_block) detail::add_trace_event(out, picture, entry, entry.with, rank, microseconds_in_one);
    }
  }
  return out + "\n]}\n";
}

}  // namespace shardplan::report
