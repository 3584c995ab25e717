// SPDX-License-Identifier: BSL-1.0
#pragma once

namespace shardplan::detail {

constexpr int least(int left, int right) { return left < right ? left : right; }

/// Interleaving: micro-batches go through the chunks in groups, all of a group through one chunk before the next chunk.
struct interleaved_place {
  int micro_batch;
  int chunk;
};
/// The `count`-th (from 0) forward of `micro_batches` in groups of `group` through `chunks` chunks; the last group may be smaller.
constexpr interleaved_place interleaved_forward(int count, int micro_batches, int chunks, int group) {
  const int first = count / (group * chunks) * group;
  const int size = least(group, micro_batches - first);
  const int inside = count - first * chunks;
  return {first + inside % size, inside / size};
}

/// "F then pairs": `warm_up` forwards, pairs of a forward and a backward, the backwards that are left. Chunks forward in order and backward
/// in reverse, micro-batches in groups.
template <class Out>
constexpr void fill_interleaved(Out& out, int micro_batches, int chunks, int group, int warm_up) {
  const int all = micro_batches * chunks;
  for (int count = 0; count < all + warm_up; ++count) {
    if (count < all) {
      const interleaved_place place = interleaved_forward(count, micro_batches, chunks, group);
      out.forward(place.micro_batch, place.chunk);
    }
    if (count >= warm_up) {
      const interleaved_place place = interleaved_forward(count - warm_up, micro_batches, chunks, group);
      out.backward(place.micro_batch, chunks - 1 - place.chunk);
    }
  }
}
/// The same for one chunk.
template <class Out>
constexpr void fill_one_f_one_b(Out& out, int micro_batches, int warm_up) {
  for (int count = 0; count < micro_batches + warm_up; ++count) {
    if (count < micro_batches) out.forward(count);
    if (count >= warm_up) out.backward(count - warm_up);
  }
}

}  // namespace shardplan::detail
