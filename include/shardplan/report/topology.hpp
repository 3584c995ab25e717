// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/size.hpp>
#include <shardplan/parallel/axis.hpp>
#include <shardplan/parallel/groups.hpp>
#include <shardplan/parallel/mesh.hpp>
#include <shardplan/parallel/rank_order.hpp>
#include <shardplan/parallel/topology.hpp>
#include <shardplan/plan/rules/ranges.hpp>
#include <shardplan/report/text.hpp>
#include <shardplan/spec/mesh_of.hpp>
#include <shardplan/spec/plan_spec.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace shardplan::report {

/// Nodes that a picture shows; of a larger cluster the first ones.
inline constexpr std::int64_t nodes_in_a_picture = 16;
/// Devices of a node that a picture shows; of a larger node the first ones.
inline constexpr std::int64_t devices_in_a_picture = 128;

/// Ranks of the largest cluster that a picture is made of: 4,194,304.
inline constexpr std::int64_t ranks_of_a_picture = std::int64_t{1} << 22;

namespace detail {

// Why there is no picture; empty where there is one. How groups lie over nodes and fabrics may take a step for every rank.
inline std::string why_no_picture(const mesh& ranks, const topology& where) {
  if (ranks.world == 0) return "no mesh";
  if (where.devices_per_node > limits::devices_per_node)
    return "no picture of more than " + std::to_string(limits::devices_per_node) + " devices a node";
  return ranks.world <= ranks_of_a_picture ? "" : "no picture of more than " + std::to_string(ranks_of_a_picture) + " ranks";
}
// Whether the mesh of a spec can be asked for: an order that names an axis twice, or none, has none.
inline mesh drawn_mesh_of(const plan_spec& spec) { return names_all_axes(spec.rank_order) ? mesh_of(spec) : mesh{}; }
inline std::int64_t shown_of(std::int64_t all, std::int64_t most) { return all < most ? all : most; }

// The axes that have more than one rank, in the order that readers look for.
inline std::vector<axis> drawn_axes(const mesh& ranks) {
  std::vector<axis> drawn;
  for (const axis which : {axis::tp, axis::cp, axis::dp, axis::pp, axis::etp, axis::ep, axis::edp}) {
    const bool of_experts = which == axis::etp || which == axis::ep || which == axis::edp;
    const bool has_experts = size_along(ranks, axis::tensor_and_expert) > 1;
    if (size_along(ranks, which) > 1 && (!of_experts || has_experts)) drawn.push_back(which);
  }
  return drawn;
}

// "stage 0" or "stages 0 to 3" of the ranks [first, first + count); empty when there is but one in all.
inline std::string span_along(const mesh& ranks, axis which, const char* word, std::int64_t first, std::int64_t count) {
  if (size_along(ranks, which) == 1) return "";
  std::int64_t least = size_along(ranks, which);
  std::int64_t most = 0;
  for (std::int64_t rank = first; rank < first + count; ++rank) {
    const std::int64_t index = index_along(ranks, which, rank);
    if (index < least) least = index;
    if (index > most) most = index;
  }
  if (least == most) return std::string{", "} + word + " " + std::to_string(least);
  return std::string{", "} + word + "s " + std::to_string(least) + " to " + std::to_string(most);
}

inline std::string members(const process_groups& groups, std::int64_t group) {
  std::string out = "{";
  for (std::int64_t member = 0; member < groups.size; ++member) {
    if (member == 4 && groups.size > 5) {
      out += ", .., " + std::to_string(groups.rank(group, groups.size - 1));
      break;
    }
    out += (member == 0 ? "" : ", ") + std::to_string(groups.rank(group, member));
  }
  return out + "}";
}

inline std::string title_of(const mesh& ranks, const topology& where) {
  std::string out = std::to_string(ranks.world) + " ranks on " + std::to_string(where.nodes) + " nodes of " +
                    std::to_string(where.devices_per_node) + ":";
  for (const axis which : drawn_axes(ranks)) out += std::string{" "} + name_of(which) + " " + std::to_string(size_along(ranks, which));
  return out;
}

// How the groups of one axis lie, in words.
inline std::string reach_of(const axis_link& link) {
  const std::int64_t most = link.over_nodes.most_domains;
  if (most <= 1) return "every group inside one node";
  std::string out =
      link.over_nodes.inside == 0 ? "no group inside one node" : std::to_string(link.over_nodes.inside) + " groups inside one node";
  return out + ", up to " + std::to_string(most) + " nodes a group";
}

}  // namespace detail

/// Which rank sits where, and in which group of each axis it is: two devices with the same number in a row talk to each other. The first
/// `nodes_in_a_picture` nodes and of each the first `devices_in_a_picture` devices, then for each axis its groups, the link that they use
/// and the first of them. Axes of size 1 are left out. "no mesh" when the degrees do not multiply to the devices, "no
/// picture" of more than `limits::devices_per_node` devices a node or `ranks_of_a_picture` in all. Error: `argument_out_of_range` when
/// `where` has more ranks than the mesh.
inline std::string topology_text(const mesh& ranks, const topology& where) {
  const std::string why = detail::why_no_picture(ranks, where);
  if (!why.empty()) return why + "\n";
  const std::vector<axis> axes = detail::drawn_axes(ranks);
  std::string out = detail::title_of(ranks, where) + "\n";
  const std::size_t width = std::to_string(ranks.world - 1).size() + 1;
  const std::int64_t shown = detail::shown_of(where.nodes, nodes_in_a_picture);
  const std::int64_t columns = detail::shown_of(where.devices_per_node, devices_in_a_picture);
  for (std::int64_t node = 0; node < shown; ++node) {
    const std::int64_t first = node * where.devices_per_node;
    out += "\nnode " + std::to_string(node) + detail::span_along(ranks, axis::pp, "stage", first, where.devices_per_node) +
           detail::span_along(ranks, axis::dp, "replica", first, where.devices_per_node) + "\n  rank      ";
    for (std::int64_t rank = first; rank < first + columns; ++rank) out += detail::padded(std::to_string(rank), width);
    for (const axis which : axes) {
      std::string head = std::string{"  "} + name_of(which) + " group";
      head.resize(12, ' ');
      out += "\n" + head;
      const process_groups groups = groups_of(ranks, which);
      for (std::int64_t rank = first; rank < first + columns; ++rank) out += detail::padded(std::to_string(groups.group_of(rank)), width);
    }
    out += "\n";
    if (columns < where.devices_per_node) out += "  .. " + std::to_string(where.devices_per_node - columns) + " devices more\n";
  }
  if (shown < where.nodes) out += "\n.. " + std::to_string(where.nodes - shown) + " nodes more\n";
  out += "\n";
  for (const axis which : axes) {
    const axis_link link = link_of(ranks, where, which);
    const process_groups groups = groups_of(ranks, which);
    std::string head = name_of(which);
    head.resize(4, ' ');
    out += head + std::to_string(groups.count) + " groups of " + std::to_string(groups.size) + ", the first " + detail::members(groups, 0) +
           "; " + name_of(link.kind) + ", " + detail::reach_of(link) + "\n";
  }
  return out;
}

/// The same of a plan, whatever it says: one without a mesh, or whose order of ranks is none, has "no mesh".
inline std::string topology_text(const plan_spec& spec) { return topology_text(detail::drawn_mesh_of(spec), topology_of(spec)); }

}  // namespace shardplan::report
