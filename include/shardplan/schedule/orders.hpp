// SPDX-License-Identifier: BSL-1.0
#pragma once

namespace shardplan::detail {

constexpr int least(int left, int right) { return left < right ? left : right; }

/// Goes through micro-batches and chunks as interleaving does: in groups, all of a group through one chunk before the next chunk. The last
/// group may be smaller.
struct interleaved_place {
  int micro_batches;
  int chunks;
  int group;
  int first = 0;  // of the group
  int inside = 0;
  int chunk = 0;
  int size = least(group, micro_batches);  // of the group

  constexpr void next() {
    if (++inside < size) return;
    inside = 0;
    if (++chunk < chunks) return;
    chunk = 0;
    first += size;
    size = least(group, micro_batches - first);
  }
};

/// "F then pairs": `warm_up` forwards, pairs of a forward and a backward, the backwards that are left. Chunks forward in order and backward
/// in reverse, micro-batches in groups.
template <class Out>
constexpr void fill_interleaved(Out& out, int micro_batches, int chunks, int group, int warm_up) {
  const int all = micro_batches * chunks;
  interleaved_place forward{micro_batches, chunks, group};
  interleaved_place backward{micro_batches, chunks, group};
  for (int count = 0; count < all + warm_up; ++count) {
    if (count < all) {
      out.forward(forward.first + forward.inside, forward.chunk);
      forward.next();
    }
    if (count >= warm_up) {
      out.backward(backward.first + backward.inside, chunks - 1 - backward.chunk);
      backward.next();
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
