// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/size.hpp>
#include <shardplan/memory/rank_layout.hpp>
#include <shardplan/memory/shares.hpp>
#include <shardplan/parallel/shard_piece.hpp>
#include <shardplan/plan/rules/check.hpp>
#include <shardplan/plan/verdict.hpp>
#include <shardplan/spec/derived.hpp>
#include <shardplan/spec/plan_spec.hpp>

#include <cstdint>

namespace shardplan {

/// The run-time twin of `shard_map` (constexpr too): lays the states of pipeline rank `stage` out. Writes a `shard_piece` for each tensor
/// of the rank to `out`, which has room for all of them, or nothing when `out` is null: `rank_buffers::pieces` says how many there are. All
/// zero, and nothing is written, when the spec breaks a rule of the first two tiers or there is no such stage. The lengths are those that
/// `memory` accounts for: what is not sharded has the whole buffer on each rank, what is sharded has one shard of it. `place_of` and
/// `slice_of` say what lies on which rank of a shard group.
template <class Spec = plan_spec>
constexpr rank_buffers shard_map_of(const Spec& spec, std::int64_t stage, shard_piece* out = nullptr) {
  if (stage < 0 || stage >= spec.pp || !detail::is_computable(spec)) return {};
  const derived facts = derive(spec);
  return lay_out_rank(spec, facts, list_parameters(spec, facts), stage, spec.schedule.chunks, out);
}

/// The same into anything with `resize` and `data`, as `std::vector<shard_piece>`.
template <class List, class Spec = plan_spec>
constexpr rank_buffers shard_map_of(const Spec& spec, std::int64_t stage, List& list) {
  list.resize(static_cast<std::size_t>(shard_map_of(spec, stage).pieces));
  return shard_map_of(spec, stage, list.data());
}

namespace detail {
template <std::int64_t Count>
struct piece_array {
  shard_piece pieces[Count == 0 ? 1 : Count]{};
};
template <class Plan, std::int64_t Stage>
inline constexpr rank_buffers buffers_of_plan = shard_map_of(Plan::spec, Stage);
template <class Plan, std::int64_t Stage>
constexpr auto make_pieces() {
  piece_array<buffers_of_plan<Plan, Stage>.pieces> list{};
  shard_map_of(Plan::spec, Stage, list.pieces);
  return list;
}
template <class Plan, std::int64_t Stage>
inline constexpr auto pieces_of_plan = make_pieces<Plan, Stage>();
}  // namespace detail

/// Where each tensor of pipeline rank `Stage` lies, as constants that a framework allocates from. No pieces, and buffers of length zero,
/// when the plan breaks a rule of the first two tiers.
template <plan_type Plan, std::int64_t Stage = 0>
struct shard_map {
  /// How many pieces there are.
  static constexpr int size = static_cast<int>(detail::buffers_of_plan<detail::asked_plan<Plan>, Stage>.pieces);
  /// The pieces in the order in which they lie: dense and routed ones mixed, as layers come.
  static constexpr const shard_piece (&pieces)[size == 0 ? 1 : size] = detail::pieces_of_plan<detail::asked_plan<Plan>, Stage>.pieces;
  /// The buffer of all tensors but routed experts.
  static constexpr shard_buffer dense = detail::buffers_of_plan<detail::asked_plan<Plan>, Stage>.dense;
  /// The buffer of routed experts.
  static constexpr shard_buffer routed = detail::buffers_of_plan<detail::asked_plan<Plan>, Stage>.routed;
};

}  // namespace shardplan
