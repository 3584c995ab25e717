// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/part.hpp>

namespace shardplan {

/// What backward computes again instead of keeping it from forward.
enum class recomputes {
  none,  ///< every tensor that backward reads is kept
  full,  ///< each block keeps its input only and runs forward again (one block at a time)
};

/// Part of a plan (default `recomputes::none`): activation recomputation, also called checkpointing.
template <recomputes What>
struct recompute {
  static constexpr part_kind kind = part_kind::recompute;
  template <class Spec>
  static constexpr void apply(Spec& spec) {
    note_part<part_kind::recompute>(spec);
    spec.recompute = What;
  }
};

}  // namespace shardplan
