// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/memory/optimizer_state.hpp>
#include <shardplan/memory/report.hpp>
#include <shardplan/memory/units.hpp>
#include <shardplan/parallel/sharding.hpp>
#include <shardplan/recipe/offload.hpp>
#include <shardplan/spec/derived.hpp>
#include <shardplan/spec/plan_spec.hpp>

#include <cstdint>

namespace shardplan {

/// The exact states of one rank, wherever they live.
struct rank_states {
  std::int64_t weights = 0;    ///< bytes of the weights that layers read
  std::int64_t gradients = 0;  ///< bytes of the gradients and of their accumulator
  std::int64_t master = 0;     ///< bytes of the optimizer's own copy of the weights
  std::int64_t optimizer = 0;  ///< bytes of moments, factors and code tables
};

/// Weights, gradients, master copy and optimizer state of the fullest rank of a stage, in bytes, exact: `held` is everything the stage
/// holds on one rank of the model-parallel grid. Facts: ZeRO, arXiv 1910.02054 section 5; dense shards dp x cp, expert shards world / (etp
/// x ep x pp) as in NVIDIA/Megatron-LM megatron/core/optimizer. One rounding up for dense, one for routed parameters.
constexpr rank_states states_of(const plan_spec& spec, const derived& facts, const unit& held) {
  const precision_spec& precision = spec.precision;
  const std::int64_t whole = held.elements();
  rank_states states{precision.weight * whole, (precision.gradient + precision.accumulator) * whole, precision.master * whole,
                     held.state_bytes};
  if (spec.zero >= 1) {
    const std::int64_t dense_shards = facts.grid.dense_shards();
    const std::int64_t routed_shards = held.routed > 0 ? facts.grid.expert_shards() : 1;
    const std::int64_t share = flat_shard(held.dense, dense_shards) + flat_shard(held.routed, routed_shards);
    states.master = precision.master * share;
    states.optimizer = flat_state_bytes(spec.optimizer, precision.moment, held.dense, held.dense_hidden, dense_shards);
    if (held.routed > 0)
      states.optimizer += flat_state_bytes(spec.optimizer, precision.moment, held.routed, held.routed_hidden, routed_shards);
    if (spec.zero >= 2) states.gradients = (precision.gradient + precision.accumulator) * share;
    if (spec.zero >= 3) states.weights = precision.weight * share;
  }
  states.optimizer += spec.optimizer.table_bytes;
  return states;
}

}  // namespace shardplan
