// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/checked.hpp>
#include <shardplan/core/unset.hpp>
#include <shardplan/parallel/axis.hpp>
#include <shardplan/parallel/groups.hpp>
#include <shardplan/parallel/locality.hpp>
#include <shardplan/parallel/mesh.hpp>
#include <shardplan/parallel/topology.hpp>
#include <shardplan/spec/plan_spec.hpp>

#include <cstdint>

namespace shardplan {

/// What the ranks of `spec` are placed on.
template <class Spec = plan_spec>
constexpr topology topology_of(const Spec& spec) {
  return topology_of(spec.device, spec.devices_per_node, spec.nodes);
}

/// The mesh of `spec`: its degrees in its rank order, with `dp_replicate` groups that hold the same states. `mesh{}` (world 0) when the
/// degrees do not multiply to the devices, or those of the experts do not divide them: rules of the first two tiers say why.
template <class Spec = plan_spec>
constexpr mesh mesh_of(const Spec& spec, std::int64_t dp_replicate = 1) {
  const std::int64_t said[] = {spec.devices_per_node, spec.nodes, spec.tp, spec.pp, spec.cp, spec.ep, spec.etp, dp_replicate};
  for (const std::int64_t degree : said)
    if (degree < 1 || degree > (std::int64_t{1} << 30)) return {};
  degrees grid{};
  grid.world = spec.devices_per_node * spec.nodes;
  grid.tp = spec.tp;
  grid.pp = spec.pp;
  grid.cp = spec.cp;
  grid.ep = spec.ep;
  grid.etp = spec.etp;
  const std::int64_t stage = saturating_multiply(saturating_multiply(spec.tp, spec.cp), spec.pp);
  const std::int64_t expert = saturating_multiply(saturating_multiply(saturating_multiply(spec.etp, spec.ep), spec.pp), dp_replicate);
  if (grid.world % stage != 0 || grid.world % expert != 0) return {};
  grid.dp = grid.world / stage;
  const bool ep_is_dense = (static_cast<std::uint32_t>(spec.rank_order) & detail::ep_is_dense) != 0;
  if ((spec.dp != unset && spec.dp != grid.dp) || grid.dp % (dp_replicate * (ep_is_dense ? spec.ep : 1)) != 0) return {};
  return mesh_of(grid, spec.rank_order, dp_replicate);
}

/// The mesh of a plan type.
template <class Plan>
inline constexpr mesh mesh_of_plan = mesh_of(Plan::spec);

/// All groups of a plan over one axis or a set: `rank_groups<run, axis::tp>`, `rank_groups<run, axis::dp | axis::cp>`; `.count`, `.size`,
/// `.rank(group, member)`. A plan for 131,072 devices pays what one for 8 pays. Error: `argument_out_of_range` when no grid has all axes.
template <class Plan, axis Set>
inline constexpr process_groups rank_groups = groups_of(mesh_of_plan<Plan>, Set);

/// Whether every group of a plan over `Set` lies inside one domain (also for a plan without a mesh): `static_assert(stays_inside<run,
/// axis::tp, domain::fabric>)`.
template <class Plan, axis Set, domain Domain = domain::fabric>
inline constexpr bool stays_inside = rank_groups<Plan, Set>.count == 0 ||
                                     stay_inside(rank_groups<Plan, Set>, topology_of(Plan::spec).ranks_in(Domain));

/// Which link the groups of a plan over `Set` use, and how they lie over hosts and fabric domains.
template <class Plan, axis Set>
inline constexpr axis_link link_of_axis = link_of(mesh_of_plan<Plan>, topology_of(Plan::spec), Set);

}  // namespace shardplan
