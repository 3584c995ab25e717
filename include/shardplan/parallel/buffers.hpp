// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/checked.hpp>
#include <shardplan/parallel/shard_piece.hpp>

#include <cstddef>
#include <cstdint>

namespace shardplan {

/// Megatron-LM's rules for the buffers of its distributed optimizer (megatron/core/distributed/param_and_grad_buffer.py @ d98e8a64).
/// Parameters lie in the reverse order of the forward pass, each chunk of the model in buffers of its own.
namespace megatron {
/// Elements that the start of each parameter is a multiple of.
inline constexpr std::int64_t parameter_alignment = 64;
/// Elements that the end of each bucket is a multiple of, beside the ranks.
inline constexpr std::int64_t bucket_alignment = 128;

/// Elements after which a bucket is closed, on the first pipeline rank's first chunk with overlapped gradient reduction. Elsewhere a buffer
/// is one bucket.
constexpr std::int64_t bucket_size(std::int64_t ranks) { return ranks > 40 ? 1'000'000 * ranks : 40'000'000; }

/// The least common multiple of the ranks and of `bucket_alignment`.
constexpr std::int64_t bucket_multiple(std::int64_t ranks) {
  std::int64_t common = bucket_alignment;
  while (ranks % common != 0) common /= 2;  // a power of two: the greatest one that divides both
  return ranks / common * bucket_alignment;
}
}  // namespace megatron

/// A sink for pieces that only counts them.
struct piece_counter {
  std::size_t count = 0;  ///< pieces so far

  /// Counts one.
  constexpr void push_back(const shard_piece&) { ++count; }
};

/// One of a rank's two buffers while tensors are laid into it.
struct buffer_cursor {
  shard_buffer totals{};           ///< what was laid out so far
  bool routed = false;             ///< which of the two
  std::int64_t alignment = 1;      ///< elements that each start is a multiple of
  std::int64_t end_multiple = 1;   ///< elements that each bucket's length is a multiple of
  std::int64_t bucket_size = 0;    ///< closes a bucket as soon as it has so many elements; 0: only when told
  std::int64_t bucket_offset = 0;  ///< where the open bucket begins
  std::int64_t first_open = -1;    ///< index in the list of the first piece of the open bucket; -1: it is empty
  std::int64_t last_open = -1;     ///< and of the last one
};

namespace detail {
// What is known of a piece only later is written to it then: what it is padded with, and its bucket's length.
template <class List>
constexpr void pad_piece(List& list, std::int64_t at, std::int64_t padding) {
  list[static_cast<std::size_t>(at)].padding += padding;
}
constexpr void pad_piece(piece_counter&, std::int64_t, std::int64_t) {}
template <class List>
constexpr void end_bucket(List& list, const buffer_cursor& buffer, std::int64_t length) {
  for (std::int64_t at = buffer.first_open; at <= buffer.last_open; ++at) {
    shard_piece& piece = list[static_cast<std::size_t>(at)];
    if (piece.routed == buffer.routed) piece.bucket_length = length;
  }
}
constexpr void end_bucket(piece_counter&, const buffer_cursor&, std::int64_t) {}
template <class List>
constexpr std::int64_t pieces_in(const List& list) {
  return static_cast<std::int64_t>(list.size());
}
constexpr std::int64_t pieces_in(const piece_counter& list) { return static_cast<std::int64_t>(list.count); }
}  // namespace detail

/// Ends the open bucket, if anything is in it, and pads it to `end_multiple` elements.
template <class List>
constexpr void close_bucket(List& list, buffer_cursor& buffer) {
  if (buffer.first_open < 0) return;
  const std::int64_t used = buffer.totals.length - buffer.bucket_offset;
  const std::int64_t length = ceil_divide(used, buffer.end_multiple) * buffer.end_multiple;
  detail::pad_piece(list, buffer.last_open, length - used);
  detail::end_bucket(list, buffer, length);
  buffer.bucket_offset += length;
  buffer.totals.length = buffer.bucket_offset;
  ++buffer.totals.buckets;
  buffer.first_open = -1;
}

/// Lays `copies` tensors of `length` elements behind what is in the buffer; a piece of `list` for each bucket that they touch.
template <class List>
constexpr void lay_out(List& list, buffer_cursor& buffer, const char* name, std::int64_t layer, std::int64_t length, std::int64_t copies) {
  if (length == 0) return;
  const std::int64_t stride = ceil_divide(length, buffer.alignment) * buffer.alignment;
  for (std::int64_t done = 0; done < copies;) {
    const std::int64_t start = ceil_divide(buffer.totals.length, buffer.alignment) * buffer.alignment;
    std::int64_t now = copies - done;
    bool full = false;
    if (buffer.bucket_size > 0) {
      const std::int64_t missing = buffer.bucket_size - (start - buffer.bucket_offset) - length;
      const std::int64_t until = missing <= 0 ? 1 : 1 + ceil_divide(missing, stride);
      full = until <= now;
      if (full) now = until;
    }
    if (buffer.first_open >= 0) detail::pad_piece(list, buffer.last_open, start - buffer.totals.length);
    buffer.last_open = detail::pieces_in(list);
    if (buffer.first_open < 0) buffer.first_open = buffer.last_open;
    shard_piece piece{name, buffer.routed, layer, done, now, length, start, stride, (stride - length) * (now - 1)};
    piece.bucket = buffer.totals.buckets;
    piece.bucket_offset = buffer.bucket_offset;
    list.push_back(piece);
    buffer.totals.elements += length * now;
    buffer.totals.length = start + stride * (now - 1) + length;
    done += now;
    if (full) close_bucket(list, buffer);
  }
}

}  // namespace shardplan
