// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/schedule/op.hpp>

#include <cstdint>

namespace shardplan {

/// What a table of operations can break. Each has its own type in messages (schedule/broken.hpp).
enum class invariant : std::uint8_t {
  none,                                   ///< nothing is broken
  no_such_op,                             ///< micro-batch, chunk or slice outside the table's sizes
  runs_twice,                             ///< the same op again
  backward_before_forward,                ///< B or I before its F
  weight_gradient_before_input_gradient,  ///< W before its I
  both_whole_and_split,                   ///< B together with I or W of the same micro-batch and chunk
  overlaps_no_backward,                   ///< the op behind an overlapped one is no backward of another micro-batch
  never_runs,                             ///< an op is missing
  runs_before_its_input,                  ///< an op stands before what it waits for, on its own rank or in a circle of ranks
  arrives_out_of_order,                   ///< sent in another order than it is received in, on one channel
  sends_more_or_less,                     ///< the number of messages is not that of the placement
  keeps_more_than_it_says,                ///< more live activations than the schedule's `in_flight`
  peak_differs_from_closed_form,          ///< live activations, until W or until I, are not those of the schedule's closed form
  gradients_complete_out_of_order,        ///< a lower chunk's gradients are complete before a higher one's (loop and V)
  bubble_differs_from_closed_form,        ///< the simulated makespan bubble is not the schedule's closed form
  faster_than_possible,                   ///< the simulated makespan is below a lower bound
};

/// One broken invariant and its place.
struct broken_invariant {
  invariant what = invariant::none;  ///< which
  int rank = 0;                      ///< where
  op item{};               ///< which op; meaningless for `sends_more_or_less`, `keeps_more_than_it_says`, `peak_differs_from_closed_form`,
                           ///< `bubble_differs_from_closed_form` and `faster_than_possible`
  int other_rank = 0;      ///< the sender, for `arrives_out_of_order`
  std::int64_t says = 0;   ///< what it should be, where there is a number
  std::int64_t found = 0;  ///< what it is

  /// Whether something is broken.
  constexpr explicit operator bool() const { return what != invariant::none; }
};

}  // namespace shardplan
