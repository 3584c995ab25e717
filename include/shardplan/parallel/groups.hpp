// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/checked.hpp>
#include <shardplan/core/size.hpp>
#include <shardplan/parallel/axis.hpp>
#include <shardplan/parallel/mesh.hpp>

#include <cstdint>

namespace shardplan {

/// `size` ranks at a distance of `stride`: one axis, or several that follow each other without a gap.
struct axis_run {
  std::int64_t size = 1;    ///< ranks
  std::int64_t stride = 1;  ///< difference between neighbours
};

/// Runs, fastest first.
struct axis_runs {
  axis_run values[8]{};    ///< the first `length` count
  std::size_t length = 0;  ///< runs
};

/// All process groups over one set of axes, in closed form: nothing here grows with the world. Groups are numbered by the other axes and
/// members by the group's own, the faster axis counting faster in both, as Megatron-LM's and PyTorch's generators do.
struct process_groups {
  std::int64_t count = 0;  ///< groups; 0 for no mesh
  std::int64_t size = 0;   ///< ranks in each
  axis_runs own{};         ///< the axes of the group, sizes of 1 left out and neighbours joined
  axis_runs others{};      ///< the axes that number the groups, likewise

  /// The `member`-th rank of the `group`-th group. Error: `argument_out_of_range` when there is none.
  constexpr std::int64_t rank(std::int64_t group, std::int64_t member) const {
    if (group < 0 || group >= count || member < 0 || member >= size) argument_out_of_range();
    return place(others, group) + place(own, member);
  }
  /// The number of the group that `rank` is in. Error: `argument_out_of_range` when there is no such rank.
  constexpr std::int64_t group_of(std::int64_t rank) const { return index(others, rank); }
  /// The place of `rank` among the members of its group. Error: `argument_out_of_range` when there is no such rank.
  constexpr std::int64_t member_of(std::int64_t rank) const { return index(own, rank); }

private:
  static constexpr std::int64_t place(const axis_runs& runs, std::int64_t at) {
    std::int64_t rank = 0;
    for (std::size_t run = 0; run < runs.length; ++run) {
      rank += at % runs.values[run].size * runs.values[run].stride;
      at /= runs.values[run].size;
    }
    return rank;
  }
  constexpr std::int64_t index(const axis_runs& runs, std::int64_t rank) const {
    if (rank < 0 || rank >= count * size) argument_out_of_range();
    std::int64_t at = 0;
    std::int64_t weight = 1;
    for (std::size_t run = 0; run < runs.length; ++run) {
      at += rank / runs.values[run].stride % runs.values[run].size * weight;
      weight *= runs.values[run].size;
    }
    return at;
  }
};

namespace detail {
// As `add_axis`.
template <class Asked>
constexpr void add_run(axis_runs& runs, std::int64_t size, std::int64_t stride) {
  if (size == 1) return;
  if (runs.length != 0) {
    axis_run& last = runs.values[runs.length - 1];
    if (last.size * last.stride == stride) {
      last.size *= size;
      return;
    }
  }
  runs.values[runs.length++] = {size, stride};
}
}  // namespace detail

/// The groups over the axes of `set`: `groups_of(ranks, axis::tp)`, `groups_of(ranks, axis::dp | axis::cp)`. Axes that both grids have are
/// looked up in the dense one. Error: `argument_out_of_range` when no grid has all of them, as for tp | ep.
template <class Mesh = mesh>
constexpr process_groups groups_of(const Mesh& ranks, axis set) {
  process_groups result{};
  if (ranks.world == 0) return result;
  const mesh_axes& axes = detail::axes_with(ranks, set);
  result.size = 1;
  for (std::size_t at = 0; at < axes.length; ++at) {
    const mesh_axis& along = axes.values[at];
    if (contains(set, along.name)) {
      detail::add_run<Mesh>(result.own, along.size, along.stride);
      result.size *= along.size;
    } else {
      detail::add_run<Mesh>(result.others, along.size, along.stride);
    }
  }
  result.count = ranks.world / result.size;
  return result;
}

/// One level of groups that are split into smaller ones, as hierarchical collectives and Megatron-LM's
/// `hierarchical_context_parallel_sizes` are: `inner` is the product of the sizes of all inner levels, `size` that of this one. 16 ranks as
/// 2 x 2 x 4 are `level_of(groups, 1, 2)`, `level_of(groups, 2, 2)` and `level_of(groups, 4, 4)`. Errors: `division_leaves_a_rest` when
/// inner x size does not divide the groups, `argument_out_of_range` when members have no one distance.
template <class Groups = process_groups>
constexpr process_groups level_of(const Groups& whole, std::int64_t inner, std::int64_t size) {
  if (whole.own.length > 1) argument_out_of_range();
  const std::int64_t stride = whole.own.length == 0 ? 1 : whole.own.values[0].stride;
  const std::int64_t outer = exact_divide(whole.size, checked_multiply(inner, size));
  process_groups result{};
  result.size = size;
  result.count = whole.count * inner * outer;
  detail::add_run<Groups>(result.own, size, stride * inner);
  bool placed = whole.own.length == 0;
  for (std::size_t run = 0; run <= whole.others.length; ++run) {
    if (!placed && (run == whole.others.length || whole.others.values[run].stride > stride)) {
      detail::add_run<Groups>(result.others, inner, stride);
      detail::add_run<Groups>(result.others, outer, stride * inner * size);
      placed = true;
    }
    if (run < whole.others.length) detail::add_run<Groups>(result.others, whole.others.values[run].size, whole.others.values[run].stride);
  }
  return result;
}

}  // namespace shardplan
