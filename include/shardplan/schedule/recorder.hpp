// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/schedule/invariant.hpp>
#include <shardplan/schedule/op.hpp>
#include <shardplan/schedule/shape.hpp>

namespace shardplan::detail {

/// Storage of a rank's ops at compile time.
template <int Capacity, int Keys>
struct rank_arrays {
  int ops[Capacity]{};      // packed
  int forward_at[Keys]{};   // index + 1 of the F of a key, 0: not there
  int backward_at[Keys]{};  // of its B or I
  int weight_at[Keys]{};    // of its W
};

/// What a schedule writes the ops of one rank into, in the order in which the rank runs them. It checks on the way all that concerns one
/// rank alone: each op once, in range, F before B or I before W, slices in order; and counts live activations.
template <class Arrays>
struct rank_recorder : Arrays {
  table_shape shape{};
  int each = 0;  // micro-batches of a chunk
  int size = 0;
  int forwards = 0;           // F so far
  int inputs = 0;             // I and B
  int weights = 0;            // W and B
  int blocks = 0;             // overlapped pairs
  int peak_until_weight = 0;  // most alive when an activation stays until W (or B)
  int peak_until_input = 0;   // most alive when it is freed at I (or B)
  // Notes for a schedule that looks for its order moment by moment; only it writes them.
  int planned = 0;                            // what runs now
  int forwards_of[packed_op::most_chunks]{};  // F so far of each chunk
  int inputs_of[packed_op::most_chunks]{};    // I and B
  int weights_of[packed_op::most_chunks]{};   // W
  int complete_at[packed_op::most_chunks]{};  // index + 1 of the last B or W of each chunk
  bool halted = false;                        // stopped, or a block is open: the usual op asks for both at once
  int open_block = 0;                         // key + 1 of the forward that waits for its other half
  bool stopped = false;                       // whether `broken` says why; comparing that costs every file that reads this
  invariant broken = invariant::none;
  int broken_op = 0;

  constexpr void begin(const table_shape& sizes) {
    shape = sizes;
    each = sizes.micro_batches_a_chunk();
  }

  // These three write out what helper functions would say: constant evaluation pays for every call, once an op.

  /// F of a micro-batch.
  constexpr void forward(int micro_batch, int chunk = 0, int slice = 0) {
    const int key = (chunk * shape.slices + slice) * each + micro_batch;
    if (halted || micro_batch < 0 || micro_batch >= each || chunk < 0 || chunk >= shape.chunks || slice < 0 || slice >= shape.slices ||
        this->forward_at[key] != 0 || (slice > 0 && this->forward_at[key - each] == 0))
      return refuse_forward(micro_batch, chunk, slice);
    this->ops[size] = micro_batch << 15 | slice << 9 | chunk << 2;
    this->forward_at[key] = ++size;
    if (++forwards - weights > peak_until_weight) peak_until_weight = forwards - weights;
    if (forwards - inputs > peak_until_input) peak_until_input = forwards - inputs;
  }
  /// B of a micro-batch: the whole backward.
  constexpr void backward(int micro_batch, int chunk = 0, int slice = 0) {
    if (!add_backward(op_kind::backward, micro_batch, chunk, slice)) return;
    complete_at[chunk] = size;
    ++weights;
  }
  /// I of a micro-batch: the gradient of the input.
  constexpr void input_gradient(int micro_batch, int chunk = 0, int slice = 0) {
    add_backward(op_kind::input_gradient, micro_batch, chunk, slice);
  }
  /// W of a micro-batch: the gradient of the weights.
  constexpr void weight_gradient(int micro_batch, int chunk = 0, int slice = 0) {
    const int key = key_of(micro_batch, chunk, slice);
    if (halted || !inside(micro_batch, chunk, slice) || this->weight_at[key] != 0 || this->backward_at[key] == 0 ||
        packed_op::kind(this->ops[this->backward_at[key] - 1]) == op_kind::backward)
      return refuse_weight(micro_batch, chunk, slice);
    this->ops[size] = packed_op::of(op_kind::weight_gradient, micro_batch, chunk, slice);
    this->weight_at[key] = ++size;
    complete_at[chunk] = size;
    ++weights;
  }
  /// A block of F and B that run at once.
  constexpr void overlapped(int forward_micro_batch, int forward_chunk, int backward_micro_batch, int backward_chunk) {
    forward(forward_micro_batch, forward_chunk);
    open();
    backward(backward_micro_batch, backward_chunk);
  }
  /// Any op, as a value.
  constexpr void add(op item) {
    switch (item.kind) {
      case op_kind::forward: forward(item.micro_batch, item.chunk, item.slice); break;
      case op_kind::backward: backward(item.micro_batch, item.chunk, item.slice); break;
      case op_kind::input_gradient: input_gradient(item.micro_batch, item.chunk, item.slice); break;
      case op_kind::weight_gradient: weight_gradient(item.micro_batch, item.chunk, item.slice); break;
    }
    if (item.overlaps_next) open();
  }
  /// After the last op: nothing may be missing.
  constexpr void finish() {
    if (stopped) return;
    if (open_block != 0) return refuse_packed(invariant::overlaps_no_backward, this->ops[size - 1]);
    // Nothing ran twice, so when everything alive has ended and all forwards are there, all ops are.
    if (weights == forwards && forwards == shape.forwards()) return;
    find_missing();
  }

private:
  constexpr void find_missing() {
    for (int key = 0; key < shape.forwards(); ++key) {
      const int micro_batch = key % each, slice = key / each % shape.slices, chunk = key / each / shape.slices;
      if (this->forward_at[key] == 0) return refuse(invariant::never_runs, op_kind::forward, micro_batch, chunk, slice);
      if (this->backward_at[key] == 0) return refuse(invariant::never_runs, op_kind::backward, micro_batch, chunk, slice);
      if (this->weight_at[key] == 0 && packed_op::kind(this->ops[this->backward_at[key] - 1]) == op_kind::input_gradient)
        return refuse(invariant::never_runs, op_kind::weight_gradient, micro_batch, chunk, slice);
    }
  }
  constexpr void open() {
    if (stopped) return;
    const int last = this->ops[size - 1];
    if (packed_op::kind(last) != op_kind::forward) return refuse_packed(invariant::overlaps_no_backward, last);
    this->ops[size - 1] = last | packed_op::overlap_bit;
    open_block = key_of(packed_op::micro_batch(last), packed_op::chunk(last), packed_op::slice(last)) + 1;
    halted = true;
    ++blocks;
  }
  constexpr int key_of(int micro_batch, int chunk, int slice) const { return (chunk * shape.slices + slice) * each + micro_batch; }
  constexpr bool inside(int micro_batch, int chunk, int slice) const {
    return micro_batch >= 0 && micro_batch < each && chunk >= 0 && chunk < shape.chunks && slice >= 0 && slice < shape.slices;
  }
  constexpr bool add_backward(op_kind kind, int micro_batch, int chunk, int slice) {
    const int key = (chunk * shape.slices + slice) * each + micro_batch;
    if ((halted && (stopped || open_block == key + 1)) || micro_batch < 0 || micro_batch >= each || chunk < 0 || chunk >= shape.chunks ||
        slice < 0 || slice >= shape.slices || this->backward_at[key] != 0 || this->forward_at[key] == 0 ||
        (slice + 1 < shape.slices && this->backward_at[key + each] == 0)) {
      refuse_backward(kind, micro_batch, chunk, slice);
      return false;
    }
    if (halted) {
      open_block = 0;
      halted = false;
    }
    this->ops[size] = micro_batch << 15 | slice << 9 | chunk << 2 | static_cast<int>(kind);
    this->backward_at[key] = ++size;
    ++inputs;
    return true;
  }

  // Why an op was not added.
  constexpr bool refuse_any(op_kind kind, int micro_batch, int chunk, int slice) {
    if (stopped) return true;
    if (!inside(micro_batch, chunk, slice)) {
      refuse(invariant::no_such_op, kind, micro_batch & 0xffff, chunk & 63, slice & 63);
    } else if (open_block != 0 &&
               (kind == op_kind::forward || kind == op_kind::weight_gradient || open_block == key_of(micro_batch, chunk, slice) + 1)) {
      refuse_packed(invariant::overlaps_no_backward, this->ops[size - 1]);
    }
    return stopped;
  }
  constexpr void refuse_forward(int micro_batch, int chunk, int slice) {
    if (refuse_any(op_kind::forward, micro_batch, chunk, slice)) return;
    const bool twice = this->forward_at[key_of(micro_batch, chunk, slice)] != 0;
    refuse(twice ? invariant::runs_twice : invariant::runs_before_its_input, op_kind::forward, micro_batch, chunk, slice);
  }
  constexpr void refuse_backward(op_kind kind, int micro_batch, int chunk, int slice) {
    if (refuse_any(kind, micro_batch, chunk, slice)) return;
    const int key = key_of(micro_batch, chunk, slice);
    const int other = this->backward_at[key];
    invariant what = invariant::runs_before_its_input;
    if (other != 0) {
      what = packed_op::kind(this->ops[other - 1]) == kind ? invariant::runs_twice : invariant::both_whole_and_split;
    } else if (this->forward_at[key] == 0) {
      what = invariant::backward_before_forward;
    }
    refuse(what, kind, micro_batch, chunk, slice);
  }
  constexpr void refuse_weight(int micro_batch, int chunk, int slice) {
    if (refuse_any(op_kind::weight_gradient, micro_batch, chunk, slice)) return;
    const int key = key_of(micro_batch, chunk, slice);
    invariant what = invariant::both_whole_and_split;
    if (this->weight_at[key] != 0) {
      what = invariant::runs_twice;
    } else if (this->backward_at[key] == 0) {
      what = invariant::weight_gradient_before_input_gradient;
    }
    refuse(what, op_kind::weight_gradient, micro_batch, chunk, slice);
  }
  constexpr void refuse(invariant what, op_kind kind, int micro_batch, int chunk, int slice) {
    refuse_packed(what, packed_op::of(kind, micro_batch, chunk, slice));
  }
  constexpr void refuse_packed(invariant what, int packed) {
    if (stopped) return;
    stopped = halted = true;
    broken = what;
    broken_op = packed;
  }
};

}  // namespace shardplan::detail
