// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/part.hpp>

namespace shardplan {

/// How attention is computed: what it keeps besides queries, keys and values.
enum class attentions : unsigned char {
  by_kernels,        ///< not said: as the kernel set has it
  flash,             ///< output, token by token as a GPU kernel writes it, and fp32 log-sum-exp: no score is kept
  flash_head_major,  ///< the same, but the output lies head by head: the output projection keeps a copy of its own
  materialised,      ///< probabilities of every pair of tokens; keys and values are repeated for all query heads
};

/// Part of a plan (default: what the kernel set says): the attention kernel. It is never guessed from the model.
template <attentions Kernel>
struct attention {
  static constexpr part_kind kind = part_kind::attention;
  template <class Spec>
  static constexpr void apply(Spec& spec) {
    note_part<part_kind::attention>(spec);
    spec.attention = Kernel;
  }
};

}  // namespace shardplan
