// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/parallel/axis.hpp>
#include <shardplan/parallel/degrees.hpp>
#include <shardplan/parallel/groups.hpp>
#include <shardplan/parallel/locality.hpp>
#include <shardplan/parallel/mesh.hpp>
#include <shardplan/parallel/rank_order.hpp>

#include <cstdint>

namespace shardplan {

/// Ranks of a group over `set` in one node of `node` consecutive ranks, where groups leave the node and every node that one touches has as
/// many of it; else 1. `replicas`: groups that hold the same states.
template <class Grid = degrees>
constexpr std::int64_t ranks_inside_node(const Grid& grid, rank_orders order, std::int64_t replicas, axis set, std::int64_t node) {
  const bool ep_is_dense = (static_cast<std::uint32_t>(order) & detail::ep_is_dense) != 0;
  if (grid.dp % (replicas * (ep_is_dense ? grid.ep : 1)) != 0 || grid.expert_shards() % replicas != 0) return 1;
  Grid placed = grid;
  if (grid.world % (grid.etp * grid.ep * grid.pp) != 0) placed.etp = placed.ep = 1;  // a dense model: nobody asked its grid of experts
  const auto ranks = mesh_of(placed, order, replicas);
  const auto spread = spread_over(groups_of(ranks, set), node);
  const bool even = spread.astride() > 0 && spread.fewest_members == spread.most_members;
  return even && spread.size % spread.most_members == 0 ? spread.most_members : 1;
}

}  // namespace shardplan
