// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>

namespace shardplan {

/// Where a tensor lies in the buffers of one rank of the model-parallel grid, which the ranks of a shard group divide. Two buffers are
/// counted apart: dense and routed. A buffer is a row of buckets; each bucket has a length that the shards divide, and each rank holds one
/// equal slice of each bucket, one behind the other. Elements unless said.
struct shard_piece {
  const char* name = "";           ///< as in `tensors`; a parameter that holds several (query, key, value) has the name of the first
  bool routed = false;             ///< in the buffer of routed experts, else in the dense one
  std::int64_t layer = -1;         ///< index of the block in the model, next-token blocks behind the last; -1: outside the blocks
  std::int64_t copy = 0;           ///< the rank's first expert that this piece holds
  std::int64_t copies = 1;         ///< experts in this piece, one behind the other
  std::int64_t length = 0;         ///< of one copy
  std::int64_t offset = 0;         ///< of the first copy in the buffer
  std::int64_t stride = 0;         ///< from one copy to the next
  std::int64_t padding = 0;        ///< unused elements between its copies, and behind it up to the next piece or the bucket's end
  std::int64_t bucket = 0;         ///< number of its bucket in the buffer
  std::int64_t bucket_offset = 0;  ///< where that begins
  std::int64_t bucket_length = 0;  ///< and how long it is, padding counted
};

/// Totals of one of the two buffers.
struct shard_buffer {
  std::int64_t length = 0;    ///< elements of all tensors and all padding
  std::int64_t elements = 0;  ///< elements of all tensors
  std::int64_t shards = 1;    ///< ranks that divide each bucket
  std::int64_t buckets = 0;   ///< how many there are

  /// Elements that each rank holds.
  constexpr std::int64_t shard_length() const { return length / shards; }
};

/// The two buffers of a rank.
struct rank_buffers {
  shard_buffer dense{};     ///< all but routed experts
  shard_buffer routed{};    ///< routed experts
  std::int64_t pieces = 0;  ///< pieces of both
};

/// An element's home.
struct shard_place {
  std::int64_t rank = 0;    ///< in the shard group
  std::int64_t offset = 0;  ///< in that rank's shard of the buffer
};

/// The rank that holds element `element` of copy `copy` (0: the first of the piece) and where it lies in its shard.
constexpr shard_place place_of(const shard_piece& piece, std::int64_t shards, std::int64_t copy, std::int64_t element) {
  const std::int64_t slice = piece.bucket_length / shards;
  const std::int64_t inside = piece.offset + copy * piece.stride + element - piece.bucket_offset;
  return {inside / slice, piece.bucket_offset / shards + inside % slice};
}

/// What one rank holds of one copy of a piece.
struct shard_slice {
  std::int64_t first = 0;   ///< first element of the copy that the rank holds
  std::int64_t length = 0;  ///< elements that it holds; 0: none
  std::int64_t offset = 0;  ///< where they begin in the rank's shard of the buffer
};

/// The slice of copy `copy` of a piece that rank `rank` of its shard group holds.
constexpr shard_slice slice_of(const shard_piece& piece, std::int64_t shards, std::int64_t copy, std::int64_t rank) {
  const std::int64_t slice = piece.bucket_length / shards;
  const std::int64_t begin = piece.offset + copy * piece.stride - piece.bucket_offset;
  const std::int64_t from = begin > rank * slice ? begin : rank * slice;
  const std::int64_t end = begin + piece.length < (rank + 1) * slice ? begin + piece.length : (rank + 1) * slice;
  if (end <= from) return {};
  return {from - begin, end - from, piece.bucket_offset / shards + from - rank * slice};
}

}  // namespace shardplan
