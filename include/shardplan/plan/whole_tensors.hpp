// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/memory/owners.hpp>
#include <shardplan/plan/rules/check.hpp>
#include <shardplan/spec/derived.hpp>
#include <shardplan/spec/plan_spec.hpp>

#include <cstdint>

namespace shardplan {

/// States of one rank when an optimizer keeps whole tensors at one owner, bytes: Megatron-LM's layer-wise distributed optimizer, which Muon
/// runs under (`dist_muon`). Weights and gradients are whole on every rank.
struct whole_tensor_states {
  std::int64_t weights = 0;    ///< of all parameters of the pipeline rank
  std::int64_t gradients = 0;  ///< of all parameters, with their accumulator
  std::int64_t master = 0;     ///< of the parameters that the rank owns
  std::int64_t optimizer = 0;  ///< of the parameters that the rank owns

  /// All of them.
  constexpr std::int64_t total() const { return weights + gradients + master + optimizer; }
};

/// The states of rank `dense_rank` of the dp x cp ranks, and `expert_rank` of those that share routed experts, on pipeline rank `stage`.
/// `memory` shares the same bytes out equally, which no assignment of whole tensors is below. All zero when the spec breaks a rule of the
/// first two tiers or there is no such rank.
template <class Spec = plan_spec>
constexpr whole_tensor_states whole_tensor_states_of(const Spec& spec, std::int64_t stage, std::int64_t dense_rank,
                                                     std::int64_t expert_rank) {
  if (stage < 0 || stage >= spec.pp || !detail::is_computable(spec)) return {};
  const derived facts = derive(spec);
  const std::int64_t dense_owners = facts.grid.dense_shards();
  const std::int64_t expert_owners = spec.model.experts.count > 0 ? facts.grid.expert_shards() : 1;
  if (dense_rank < 0 || dense_rank >= dense_owners || expert_rank < 0 || expert_rank >= expert_owners) return {};
  const rank_model model = megatron_parameters(spec, facts);
  const parameter_classes dense = classes_of_rank(spec, model, stage, false);
  const parameter_classes routed = classes_of_rank(spec, model, stage, true);
  const owned_states all = owned_by(dense, 1, 0);
  const owned_states all_routed = owned_by(routed, 1, 0);
  const owned_states mine = owned_by(dense, dense_owners, dense_rank);
  const owned_states mine_routed = owned_by(routed, expert_owners, expert_rank);
  const auto& precision = spec.precision;
  const std::int64_t whole = all.parameters + all_routed.parameters;
  return {precision.weight * whole, (precision.gradient + precision.accumulator) * whole,
          precision.master * (mine.parameters + mine_routed.parameters),
          mine.optimizer + mine_routed.optimizer + spec.optimizer.table_bytes};
}

}  // namespace shardplan
