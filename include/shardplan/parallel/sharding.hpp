// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/checked.hpp>
#include <shardplan/core/part.hpp>

#include <cstdint>

namespace shardplan {

/// Part of a plan (default 0): ZeRO stage (arXiv 1910.02054). 0: every replica holds all states. 1: master weights and optimizer state are
/// sharded over dp x cp. 2: gradients too. 3: weights too. Routed experts are sharded over world / (etp x ep x pp).
/// A shard is the flat buffer of a rank divided by the number of sharers, rounded up once for dense and once for expert parameters.
template <std::int64_t Stage>
struct zero {
  static constexpr part_kind kind = part_kind::zero;
  template <class Spec>
  static constexpr void apply(Spec& spec) {
    note_part<part_kind::zero>(spec);
    spec.zero = Stage;
  }
};

/// Elements of the fullest shard of a flat buffer that `sharers` ranks divide: rounded up, so the last shard may end in padding.
constexpr std::int64_t flat_shard(std::int64_t elements, std::int64_t sharers) { return ceil_divide(elements, sharers); }

}  // namespace shardplan
