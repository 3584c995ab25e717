// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/checked.hpp>
#include <shardplan/core/size.hpp>
#include <shardplan/parallel/axis.hpp>
#include <shardplan/parallel/degrees.hpp>
#include <shardplan/parallel/rank_order.hpp>

#include <cstdint>

namespace shardplan {

/// One axis in its grid.
struct mesh_axis {
  axis name = axis::none;   ///< which
  std::int64_t size = 1;    ///< ranks along it
  std::int64_t stride = 1;  ///< difference between the numbers of neighbours along it: the product of the sizes of all faster axes
};

/// The axes of one grid, fastest first.
struct mesh_axes {
  mesh_axis values[6]{};   ///< the first `length` count
  std::size_t length = 0;  ///< axes
};

/// The grid of ranks, twice: by the axes of the dense weights and by those of the routed experts. It says everything in two lists of axes,
/// whatever the world: rank = sum of index x stride over the axes of either list.
struct mesh {
  std::int64_t world = 0;  ///< ranks; 0: no mesh
  mesh_axes dense{};       ///< tp, cp, dp_shard, dp_replicate, pp in some order; nanotron has ep too
  mesh_axes expert{};      ///< etp, ep, edp_shard, dp_replicate, pp in some order
};

namespace detail {

// An axis that is not there has size 1.
template <class Axes>
constexpr mesh_axis find_axis(const Axes& axes, axis name) {
  for (std::size_t at = 0; at < axes.length; ++at)
    if (axes.values[at].name == name) return axes.values[at];
  return {};
}

template <class Axes>
constexpr axis names_of(const Axes& axes) {
  axis all = axis::none;
  for (std::size_t at = 0; at < axes.length; ++at) all = all | axes.values[at].name;
  return all;
}

// The grid that has all axes of `set`, the dense one if both have.
template <class Mesh>
constexpr const mesh_axes& axes_with(const Mesh& ranks, axis set) {
  if (contains(names_of(ranks.dense), set)) return ranks.dense;
  if (!contains(names_of(ranks.expert), set)) argument_out_of_range();
  return ranks.expert;
}

// `Asked` is the type that the caller was given: a call that depends on it instantiates nothing before somebody asks.
template <class Asked>
constexpr void add_axis(mesh_axes& axes, axis name, std::int64_t size, std::int64_t& stride) {
  axes.values[axes.length++] = {name, size, stride};
  stride *= size;
}

}  // namespace detail

/// The mesh of `grid` (`sequence_shards` is not read) with `dp_replicate` groups that hold the same states.
/// Errors: `argument_out_of_range` when tp x cp x dp x pp is not the world, `division_leaves_a_rest` when the experts' axes do not divide
/// it.
template <class Grid = degrees>
requires(detail::same<Grid, degrees>) constexpr mesh
    mesh_of(const Grid& grid, rank_orders order = rank_orders::megatron, std::int64_t dp_replicate = 1) {
  const std::int64_t sizes[] = {grid.tp, grid.cp, grid.dp, grid.pp, grid.ep, grid.etp};
  for (const std::int64_t size : sizes)
    if (size < 1) argument_out_of_range();
  if (checked_multiply(checked_multiply(grid.tp, grid.cp), checked_multiply(grid.dp, grid.pp)) != grid.world) argument_out_of_range();
  const auto packed = static_cast<std::uint32_t>(order);
  const bool ep_is_dense = (packed & detail::ep_is_dense) != 0;
  const std::int64_t dp_shard = exact_divide(exact_divide(grid.dp, dp_replicate), ep_is_dense ? grid.ep : 1);
  const std::int64_t edp = exact_divide(grid.world, checked_multiply(checked_multiply(grid.etp, grid.ep), grid.pp));
  const std::int64_t edp_shard = exact_divide(edp, dp_replicate);

  mesh result{};
  result.world = grid.world;
  std::int64_t dense = 1;
  std::int64_t expert = 1;
  for (std::uint32_t place = 0; place < 4 * detail::ordered_axes; place += 4) {
    switch (packed >> place & 15) {
      case 1:
        detail::add_axis<Grid>(result.dense, axis::tp, grid.tp, dense);
        detail::add_axis<Grid>(result.expert, axis::etp, grid.etp, expert);
        break;
      case 2: detail::add_axis<Grid>(result.dense, axis::cp, grid.cp, dense); break;
      case 3:
        if (ep_is_dense) detail::add_axis<Grid>(result.dense, axis::ep, grid.ep, dense);
        detail::add_axis<Grid>(result.expert, axis::ep, grid.ep, expert);
        break;
      case 4:
        detail::add_axis<Grid>(result.dense, axis::dp_shard, dp_shard, dense);
        detail::add_axis<Grid>(result.expert, axis::edp_shard, edp_shard, expert);
        break;
      case 5:
        detail::add_axis<Grid>(result.dense, axis::dp_replicate, dp_replicate, dense);
        detail::add_axis<Grid>(result.expert, axis::dp_replicate, dp_replicate, expert);
        break;
      case 6:
        detail::add_axis<Grid>(result.dense, axis::pp, grid.pp, dense);
        detail::add_axis<Grid>(result.expert, axis::pp, grid.pp, expert);
        break;
      default: argument_out_of_range();
    }
  }
  return result;
}

/// Ranks along all axes of `set`: the size of its groups. Error: `argument_out_of_range` when no grid has all of them.
template <class Mesh = mesh>
constexpr std::int64_t size_along(const Mesh& ranks, axis set) {
  const mesh_axes& axes = detail::axes_with(ranks, set);
  std::int64_t size = 1;
  for (std::size_t at = 0; at < axes.length; ++at)
    if (contains(set, axes.values[at].name)) size *= axes.values[at].size;
  return size;
}

/// The index of `rank` along the axes of `set`, the faster axis counting faster: for one axis its coordinate, for a set the place of the
/// rank among the members of its group. Errors: `argument_out_of_range` when no grid has all of them, or there is no such rank.
template <class Mesh = mesh>
constexpr std::int64_t index_along(const Mesh& ranks, axis set, std::int64_t rank) {
  if (rank < 0 || rank >= ranks.world) argument_out_of_range();
  const mesh_axes& axes = detail::axes_with(ranks, set);
  std::int64_t index = 0;
  std::int64_t weight = 1;
  for (std::size_t at = 0; at < axes.length; ++at) {
    const mesh_axis& along = axes.values[at];
    if (!contains(set, along.name)) continue;
    index += rank / along.stride % along.size * weight;
    weight *= along.size;
  }
  return index;
}

/// Whether both grids have the same pipeline groups, so that a stage of the dense weights is a stage of the experts: a question for models
/// with routed experts. They always do when pp is the last word of the order; otherwise tp x cp and etp decide. (Megatron-LM asserts it,
/// and refuses more: an order that does not end with pp needs edp = dp.)
template <class Mesh = mesh>
constexpr bool grids_agree(const Mesh& ranks) {
  const mesh_axis dense = detail::find_axis(ranks.dense, axis::pp);
  return dense.size == 1 || dense.stride == detail::find_axis(ranks.expert, axis::pp).stride;
}

/// Where a rank stands, 0-based along each axis of both grids.
struct rank_coordinates {
  std::int64_t tp = 0;            ///< along `axis::tp`
  std::int64_t cp = 0;            ///< along `axis::cp`
  std::int64_t dp_shard = 0;      ///< along `axis::dp_shard`
  std::int64_t dp_replicate = 0;  ///< along `axis::dp_replicate`
  std::int64_t pp = 0;            ///< the stage
  std::int64_t etp = 0;           ///< along `axis::etp`
  std::int64_t ep = 0;            ///< along `axis::ep`
  std::int64_t edp_shard = 0;     ///< along `axis::edp_shard`

  // By hand: a defaulted one costs a compiler ten times as much.
  friend constexpr bool operator==(const rank_coordinates& left, const rank_coordinates& right) {
    return left.tp == right.tp && left.cp == right.cp && left.dp_shard == right.dp_shard && left.dp_replicate == right.dp_replicate &&
           left.pp == right.pp && left.etp == right.etp && left.ep == right.ep && left.edp_shard == right.edp_shard;
  }
};

/// Where `rank` stands; dp_replicate and pp are those of the dense grid. Error: `argument_out_of_range` when there is no such rank.
template <class Mesh = mesh>
constexpr rank_coordinates coordinates_of(const Mesh& ranks, std::int64_t rank) {
  return {index_along(ranks, axis::tp, rank),           index_along(ranks, axis::cp, rank),       index_along(ranks, axis::dp_shard, rank),
          index_along(ranks, axis::dp_replicate, rank), index_along(ranks, axis::pp, rank),       index_along(ranks, axis::etp, rank),
          index_along(ranks, axis::ep, rank),           index_along(ranks, axis::edp_shard, rank)};
}

namespace detail {
constexpr std::int64_t coordinate_along(const rank_coordinates& where, axis name) {
  switch (name) {
    case axis::tp: return where.tp;
    case axis::cp: return where.cp;
    case axis::ep: return where.ep;
    case axis::dp_shard: return where.dp_shard;
    case axis::dp_replicate: return where.dp_replicate;
    case axis::pp: return where.pp;
    case axis::etp: return where.etp;
    default: return where.edp_shard;
  }
}
template <class Axes>
constexpr std::int64_t rank_in(const Axes& axes, const rank_coordinates& where) {
  std::int64_t rank = 0;
  for (std::size_t at = 0; at < axes.length; ++at) {
    const std::int64_t index = coordinate_along(where, axes.values[at].name);
    if (index < 0 || index >= axes.values[at].size) argument_out_of_range();
    rank += index * axes.values[at].stride;
  }
  return rank;
}
}  // namespace detail

/// The rank that stands there in the dense grid. Error: `argument_out_of_range` when a coordinate is not below the size of its axis.
template <class Mesh = mesh>
constexpr std::int64_t rank_at(const Mesh& ranks, const rank_coordinates& where) {
  return detail::rank_in(ranks.dense, where);
}
/// The rank that stands there in the grid of the routed experts (etp, ep, edp_shard, dp_replicate, pp). Error: as `rank_at`.
template <class Mesh = mesh>
constexpr std::int64_t expert_rank_at(const Mesh& ranks, const rank_coordinates& where) {
  return detail::rank_in(ranks.expert, where);
}

}  // namespace shardplan
