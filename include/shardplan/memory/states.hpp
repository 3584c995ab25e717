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
  std::int64_t owned = 0;      ///< elements of which it keeps master copy and optimizer state

  /// Bytes of all of them.
  constexpr std::int64_t total() const { return weights + gradients + master + optimizer; }
};

namespace detail {
// What is more than bytes of the layout times elements, in place of what `states_of` counted so.
template <class Spec>
constexpr void account_by_tensor(const Spec& spec, const unit& held, std::int64_t dense_shards, std::int64_t routed_shards,
                                 std::int64_t share, std::int64_t stage, rank_states& states) {
  const auto& optimizer = spec.optimizer;
  const auto& precision = spec.precision;
  const auto shared = [&](std::int64_t dense, std::int64_t routed) {
    return ceil_divide(dense, dense_shards) + ceil_divide(routed, routed_shards);
  };
  const bool by_pieces = spec.sharding.layout == shard_layout::tensors;  // the bytes are of shards already
  // What needs rows and columns cannot lie in a flat buffer.
  if (by_pieces) {
    states.optimizer = held.dense_state_bytes + held.routed_state_bytes;
  } else if (stage == 0 || optimizer.matrices > matrix_rule::factored) {
    states.optimizer = shared(held.dense_state_bytes, held.routed_state_bytes);
  } else if (spec.sharding.layout != shard_layout::flat) {
    states.optimizer =
        flat_state_bytes(optimizer, precision, held.dense_share, flat_shard(held.dense_ruled, dense_shards), 1) +
        (held.routed == 0 ? 0 : flat_state_bytes(optimizer, precision, held.routed_share, flat_shard(held.routed_ruled, routed_shards), 1));
  } else {
    states.optimizer = flat_state_bytes(optimizer, precision, held.dense, held.dense_ruled, dense_shards);
    if (held.routed > 0) states.optimizer += flat_state_bytes(optimizer, precision, held.routed, held.routed_ruled, routed_shards);
  }
  if (has_linear_rule(precision))
    states.weights = stage >= 3 && !by_pieces ? shared(held.dense_weight_bytes, held.routed_weight_bytes)
                                              : held.dense_weight_bytes + held.routed_weight_bytes;
  states.gradients += precision.gradient_copy * share;
  if (optimizer.fused_step) states.gradients = (precision.gradient + precision.accumulator + precision.gradient_copy) * held.largest;
}
}  // namespace detail

/// Weights, gradients, master copy and optimizer state of the fullest rank of a stage, in bytes, exact: `held` is everything the stage
/// holds on one rank of the model-parallel grid. Facts: ZeRO, arXiv 1910.02054 section 5; dense shards dp x cp, expert shards world / (etp
/// x ep x pp) as in NVIDIA/Megatron-LM megatron/core/optimizer. One rounding up for dense, one for routed parameters. State that needs rows
/// and columns, and weights with scales, are shared out byte by byte, rounded up in the same way: what an implementation that deals out
/// tensors or blocks holds at best. `padding` are elements that come to a whole buffer.
template <class Spec = plan_spec>
constexpr rank_states states_of(const Spec& spec, const derived& facts, const unit& held, bool by_tensor, std::int64_t padding = 0) {
  const auto& precision = spec.precision;
  const std::int64_t whole = held.elements() + padding;
  std::int64_t share = whole;
  if (spec.sharding.layout != shard_layout::flat) {
    share = held.dense_share + held.routed_share;
  } else if (facts.stage >= 1) {
    share = flat_shard(held.dense, facts.dense_shards) + (held.routed > 0 ? flat_shard(held.routed, facts.expert_shards) : 0);
  }
  // Reduced in the last micro-step, they are whole until then (PyTorch `no_sync`; pytorch/torchtitan issue 1057).
  const bool is_late = facts.stage >= 3 && spec.communication.late_sync && facts.micro_batches > 1;
  rank_states states{precision.weight * (facts.stage >= 3 ? share : whole),
                     (precision.gradient + precision.accumulator) * (facts.stage >= 2 && !is_late ? share : whole),
                     precision.master * share, spec.optimizer.moments * precision.moment * share, share};
  if (by_tensor) detail::account_by_tensor(spec, held, facts.dense_shards, facts.expert_shards, share, facts.stage, states);
  states.optimizer += spec.optimizer.table_bytes;
  return states;
}

}  // namespace shardplan
