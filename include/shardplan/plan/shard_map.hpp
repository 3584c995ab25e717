// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/parallel/rank_layout.hpp>
#include <shardplan/parallel/shard_piece.hpp>
#include <shardplan/plan/rules/check.hpp>
#include <shardplan/plan/verdict.hpp>
#include <shardplan/spec/derived.hpp>
#include <shardplan/spec/plan_spec.hpp>

#include <cstddef>
#include <cstdint>

namespace shardplan {

/// The run-time twin of `shard_map` (constexpr too): lays the states of pipeline rank `stage` out and appends a `shard_piece` for each
/// tensor of the rank to `list`: anything with `push_back`, `size` and `operator[]`, as `std::vector<shard_piece>`, or a `piece_counter`.
/// Returns the length of the two buffers; all zero, and nothing is appended, when the spec breaks a rule of the first two tiers or there is
/// no such stage. The lengths are those that `memory` accounts for: weights, gradients and optimizer state that are not sharded have the
/// whole buffer on each rank, those that are one shard of it. `place_of` and `slice_of` say what lies on which rank of a shard group.
template <class List, class Spec = plan_spec>
constexpr rank_buffers shard_map_of(const Spec& spec, std::int64_t stage, List& list) {
  if (stage < 0 || stage >= spec.pp || !detail::is_computable(spec)) return {};
  return lay_out_rank(spec, derive(spec), stage, list);
}

namespace detail {
// An array of exactly the pieces that there are, which `lay_out_rank` can fill.
template <std::size_t Count>
struct piece_array {
  shard_piece pieces[Count == 0 ? 1 : Count]{};
  std::size_t length = 0;
  rank_buffers buffers{};

  constexpr std::size_t size() const { return length; }
  constexpr void push_back(const shard_piece& piece) { pieces[length++] = piece; }
  constexpr shard_piece& operator[](std::size_t at) { return pieces[at]; }
};
template <class Plan, std::int64_t Stage>
constexpr std::size_t count_pieces() {
  piece_counter counter{};
  shard_map_of(Plan::spec, Stage, counter);
  return counter.count;
}
template <class Plan, std::int64_t Stage>
constexpr auto make_pieces() {
  piece_array<count_pieces<Plan, Stage>()> list{};
  list.buffers = shard_map_of(Plan::spec, Stage, list);
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
  static constexpr std::size_t size = detail::pieces_of_plan<detail::asked_plan<Plan>, Stage>.length;
  /// The pieces in the order in which they lie: dense and routed ones mixed, as layers come.
  static constexpr const shard_piece (&pieces)[size == 0 ? 1 : size] = detail::pieces_of_plan<detail::asked_plan<Plan>, Stage>.pieces;
  /// The buffer of all tensors but routed experts.
  static constexpr shard_buffer dense = detail::pieces_of_plan<detail::asked_plan<Plan>, Stage>.buffers.dense;
  /// The buffer of routed experts.
  static constexpr shard_buffer routed = detail::pieces_of_plan<detail::asked_plan<Plan>, Stage>.buffers.routed;
};

}  // namespace shardplan
