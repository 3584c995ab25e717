// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/checked.hpp>
#include <shardplan/parallel/shard_piece.hpp>

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

/// Where pieces are written to, in the order in which they come: an array with room for all of them, or nothing when they are only counted.
struct piece_writer {
  shard_piece* out = nullptr;  ///< null: count
  std::int64_t count = 0;      ///< pieces so far
};

/// One of a rank's two buffers while tensors are laid into it.
struct buffer_cursor {
  shard_buffer totals{};           ///< what was laid out so far
  bool routed = false;             ///< which of the two
  std::int64_t alignment = 1;      ///< elements that each start is a multiple of
  std::int64_t end_multiple = 1;   ///< elements that each bucket's length is a multiple of
  std::int64_t bucket_size = 0;    ///< closes a bucket as soon as it has so many elements; 0: only when told
  std::int64_t bucket_offset = 0;  ///< where the open bucket begins
  std::int64_t first_open = -1;    ///< number of the first piece of the open bucket; -1: it is empty
  std::int64_t last_open = -1;     ///< and of the last one
};

/// Ends the open bucket, if anything is in it, and pads it to `end_multiple` elements.
constexpr void close_bucket(piece_writer& pieces, buffer_cursor& buffer) {
  if (buffer.first_open < 0) return;
  const std::int64_t used = buffer.totals.length - buffer.bucket_offset;
  const std::int64_t length = ceil_divide(used, buffer.end_multiple) * buffer.end_multiple;
  if (pieces.out != nullptr) {
    pieces.out[buffer.last_open].padding += length - used;
    for (std::int64_t at = buffer.first_open; at <= buffer.last_open; ++at)
      if (pieces.out[at].routed == buffer.routed) pieces.out[at].bucket_length = length;
  }
  buffer.bucket_offset += length;
  buffer.totals.length = buffer.bucket_offset;
  ++buffer.totals.buckets;
  buffer.first_open = -1;
}

/// Lays `copies` tensors of `length` elements, the first of which is number `first_copy`, behind what is in the buffer: one piece for each
/// bucket that they touch.
constexpr void lay_out(piece_writer& pieces, buffer_cursor& buffer, const char* name, std::int64_t layer, std::int64_t length,
                       std::int64_t first_copy, std::int64_t copies) {
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
    if (pieces.out != nullptr) {
      if (buffer.first_open >= 0) pieces.out[buffer.last_open].padding += start - buffer.totals.length;
      shard_piece& piece = pieces.out[pieces.count];
      piece = {name, buffer.routed, layer, first_copy + done, now, length, start, stride, (stride - length) * (now - 1)};
      piece.bucket = buffer.totals.buckets;
      piece.bucket_offset = buffer.bucket_offset;
    }
    buffer.last_open = pieces.count++;
    if (buffer.first_open < 0) buffer.first_open = buffer.last_open;
    buffer.totals.elements += length * now;
    buffer.totals.length = start + stride * (now - 1) + length;
    done += now;
    if (full) close_bucket(pieces, buffer);
  }
}

}  // namespace shardplan
