// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/part.hpp>

namespace shardplan {

/// How context parallel ranks come by the keys and values of the other tokens; it matters when cp > 1.
enum class context_exchanges : unsigned char {
  all_to_all,  ///< heads for tokens and back (Ulysses, arXiv 2309.14509): the output before the way back is kept too
  ring,        ///< keys and values go round (arXiv 2310.01889): each rank keeps its own
  all_gather,  ///< keys and values are gathered, and again in backward: each rank keeps its own
};

/// Part of a plan (default `context_exchanges::all_to_all`).
template <context_exchanges How>
struct context_exchange {
  static constexpr part_kind kind = part_kind::context_exchange;
  template <class Spec>
  static constexpr void apply(Spec& spec) {
    note_part<part_kind::context_exchange>(spec);
    spec.context_exchange = How;
  }
};

}  // namespace shardplan
