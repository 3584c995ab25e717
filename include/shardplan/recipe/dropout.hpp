// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/part.hpp>

namespace shardplan {

/// Where dropout is on: each keeps a mask of one byte a number. Fused attention draws its mask anew and keeps none.
enum class dropouts : unsigned char {
  none,        ///< nowhere
  hidden,      ///< after the embedding and after attention and feed-forward network of each block
  attention,   ///< on the probabilities of attention
  both,        ///< `hidden` and `attention`
  by_kernels,  ///< not said: as the kernel set has it, which is `none` for nearly all
};

/// Part of a plan (default: what the kernel set says): dropout.
template <dropouts Where>
struct dropout {
  static constexpr part_kind kind = part_kind::dropout;
  template <class Spec>
  static constexpr void apply(Spec& spec) {
    note_part<part_kind::dropout>(spec);
    spec.dropout = Where;
  }
};

}  // namespace shardplan
