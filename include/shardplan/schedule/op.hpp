// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/checked.hpp>

#include <cstdint>

namespace shardplan {

/// What a pipeline rank computes. `B = I; W`: a full backward is the gradient of the input, then the gradient of the weights. (The
/// zero-bubble code calls `I` "B" and the full backward "BW".)
enum class op_kind : std::uint8_t {
  forward,          ///< F
  backward,         ///< B: gradient of input and weights in one
  input_gradient,   ///< I: gradient of the input only, what the stage before waits for
  weight_gradient,  ///< W: gradient of the weights only
};

/// One operation of a rank. All numbers count from 0.
struct op {
  op_kind kind = op_kind::forward;  ///< F, B, I or W
  std::uint16_t micro_batch = 0;    ///< of its direction, where the placement is bidirectional
  std::uint8_t chunk = 0;           ///< on its rank; the direction, where the placement is bidirectional
  std::uint8_t slice = 0;           ///< part of the sequence
  bool overlaps_next = false;       ///< this forward and the backward behind it are one block that runs at once (F&B)

  friend constexpr bool operator==(op left, op right) {
    return int(left.kind) == int(right.kind) && left.micro_batch == right.micro_batch && left.chunk == right.chunk &&
           left.slice == right.slice && left.overlaps_next == right.overlaps_next;
  }
  friend constexpr bool operator!=(op left, op right) { return !(left == right); }
};
static_assert(sizeof(op) <= 8);

namespace detail {

/// An op as one integer, which constant evaluation handles several times faster than a struct. From the lowest bit: kind 2, chunk 6,
/// overlaps_next 1, slice 6, micro-batch 16. The low eight bits alone say what an op costs.
struct packed_op {
  static constexpr int most_micro_batches = 1 << 16;
  static constexpr int most_chunks = 1 << 6;
  static constexpr int most_slices = 1 << 6;
  static constexpr int cost_mask = 0xff;
  static constexpr int overlap_bit = 1 << 8;

  static constexpr int of(op_kind kind, int micro_batch, int chunk, int slice) {
    return micro_batch << 15 | slice << 9 | chunk << 2 | static_cast<int>(kind);
  }
  static constexpr int of(op item) {
    return of(item.kind, item.micro_batch, item.chunk, item.slice) | (item.overlaps_next ? overlap_bit : 0);
  }
  static constexpr op_kind kind(int packed) { return static_cast<op_kind>(packed & 3); }
  static constexpr int chunk(int packed) { return packed >> 2 & 63; }
  static constexpr int slice(int packed) { return packed >> 9 & 63; }
  static constexpr int micro_batch(int packed) { return packed >> 15; }
  static constexpr bool overlaps_next(int packed) { return (packed & overlap_bit) != 0; }
  static constexpr op unpack(int packed) {
    return {kind(packed), static_cast<std::uint16_t>(micro_batch(packed)), static_cast<std::uint8_t>(chunk(packed)),
            static_cast<std::uint8_t>(slice(packed)), overlaps_next(packed)};
  }
};

}  // namespace detail

}  // namespace shardplan
