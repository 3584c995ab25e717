// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>

namespace shardplan {

/// The axes of the grid of ranks, one bit each, so that a set of axes is a value too: `axis::tp | axis::pp`. The same ranks stand in two
/// grids: the dense one (tp, cp, dp, pp) and the one of routed experts (etp, ep, edp, pp).
enum class axis : std::uint32_t {
  none = 0,                        ///< the empty set
  tp = 1,                          ///< ranks that share each matrix
  cp = 2,                          ///< ranks that share each sequence
  ep = 4,                          ///< ranks that routed experts are dealt to
  dp_shard = 8,                    ///< replicas that share their states; all replicas unless some are `dp_replicate`
  dp_replicate = 16,               ///< sharding groups that hold the same states (HSDP, Megatron-LM's optimizer instances)
  pp = 32,                         ///< stages
  etp = 64,                        ///< ranks that share each matrix of a routed expert
  edp_shard = 128,                 ///< replicas of a routed expert that share its states
  dp = dp_shard | dp_replicate,    ///< all replicas of the batch
  edp = edp_shard | dp_replicate,  ///< all replicas of a routed expert
  dp_cp = dp | cp,                 ///< ranks that hold the same dense weights: what Megatron-LM and ZeRO shard over
  fsdp = dp_shard | cp,            ///< what torchtitan shards over
  model_parallel = tp | pp,        ///< ranks that hold one copy of the dense weights
  tensor_and_expert = etp | ep,    ///< ranks that hold one copy of a stage's routed experts
};

/// The axes of both sets.
constexpr axis operator|(axis left, axis right) {
  return static_cast<axis>(static_cast<std::uint32_t>(left) | static_cast<std::uint32_t>(right));
}

/// Whether all axes of `which` are in `set`.
constexpr bool contains(axis set, axis which) {
  return (static_cast<std::uint32_t>(set) & static_cast<std::uint32_t>(which)) == static_cast<std::uint32_t>(which);
}

/// The name of one axis, or of `dp` and `edp`; "axes" of any other set.
constexpr const char* name_of(axis which) {
  switch (which) {
    case axis::none: return "none";
    case axis::tp: return "tp";
    case axis::cp: return "cp";
    case axis::ep: return "ep";
    case axis::dp_shard: return "dp_shard";
    case axis::dp_replicate: return "dp_replicate";
    case axis::pp: return "pp";
    case axis::etp: return "etp";
    case axis::edp_shard: return "edp_shard";
    case axis::dp: return "dp";
    case axis::edp: return "edp";
    default: return "axes";
  }
}

}  // namespace shardplan
