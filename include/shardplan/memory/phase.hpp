// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/checked.hpp>
#include <shardplan/memory/report.hpp>

#include <cstdint>

namespace shardplan {

/// The phases of a training step on one rank, as far as they differ in memory. A rank's peak is the largest of them, never a sum.
enum class phase {
  parameter_gather,      ///< start of forward: weights are there (under ZeRO-3 and FSDP those of the first units), nothing is kept yet
  block_backward,        ///< end of forward and start of backward: everything is kept, the gradients of one block's activations are there
  loss,                  ///< head and loss of the last stage
  head_backward,         ///< the last stage: the gradient of the logits becomes those of the head's weight and input
  first_block_backward,  ///< FSDP: backward of the first block that backward reaches, root and two blocks gathered
  last_block_backward,   ///< FSDP: backward of the last one: nothing else is kept, all gradients are there
  optimizer_step,        ///< the optimizer and its temporaries
  first_step,            ///< the largest forward or backward phase of the first step, when the optimizer has no state yet
};
/// Phases there are.
inline constexpr int phase_count = static_cast<int>(phase::first_step) + 1;

/// The phase as one writes it in a plan.
constexpr const char* name_of(phase which) {
  constexpr const char* names[] = {"parameter_gather",     "block_backward",      "loss",           "head_backward",
                                   "first_block_backward", "last_block_backward", "optimizer_step", "first_step"};
  static_assert(sizeof names / sizeof names[0] == phase_count);
  return detail::nth_of(names, static_cast<int>(which));
}

/// The memory of one rank in each phase.
struct phase_reports {
  memory_report at[phase_count]{};     ///< by `phase`; all zero for a phase that the rank does not have
  phase peak = phase::block_backward;  ///< the phase with the largest `total()`, the first of equals: `memory[stage]` is its report

  /// The report of one phase.
  constexpr const memory_report& operator[](phase which) const { return detail::nth_of(at, static_cast<int>(which)); }
};

}  // namespace shardplan
