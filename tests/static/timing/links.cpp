// SPDX-License-Identifier: BSL-1.0
// Rates of channels: where groups lie as the mesh has it, and which link bounds them.
#include <shardplan/hardware/catalog.hpp>
#include <shardplan/parallel/groups.hpp>
#include <shardplan/parallel/locality.hpp>
#include <shardplan/parallel/mesh.hpp>
#include <shardplan/timing/links.hpp>

namespace sp = shardplan;
using sp::axis;
using sp::channel;

namespace {

constexpr sp::degrees grid_of(std::int64_t world, std::int64_t tp, std::int64_t pp, std::int64_t cp, std::int64_t ep, std::int64_t etp) {
  return {world, tp, pp, world / (tp * pp * cp), cp, ep, etp, tp};
}

// The layout says of every channel what the groups of the mesh say.
constexpr bool agrees(const sp::degrees& grid, sp::rank_orders order, std::int64_t replicas, channel between, axis set) {
  const sp::process_groups groups = sp::groups_of(sp::mesh_of(grid, order, replicas), set);
  const sp::rank_layout ranks = sp::rank_layout_of(grid, order, replicas);
  constexpr std::int64_t domains[] = {1, 2, 4, 8, 16, 72};
  for (const std::int64_t domain : domains) {
    const sp::group_spread spread = sp::spread_of(between, ranks, domain);
    if (spread.ranks != groups.size || spread.inside != sp::stay_inside(groups, domain)) return false;
    if (domain <= 16 && spread.members != sp::spread_over(groups, domain).most_members) return false;
  }
  return true;
}
constexpr bool all_agree(const sp::degrees& grid, sp::rank_orders order, std::int64_t replicas = 1) {
  return agrees(grid, order, replicas, channel::tp, axis::tp) && agrees(grid, order, replicas, channel::cp, axis::cp) &&
         agrees(grid, order, replicas, channel::dp, axis::dp_shard | axis::cp) && agrees(grid, order, replicas, channel::pp, axis::pp) &&
         agrees(grid, order, replicas, channel::replicas, axis::dp_replicate) && agrees(grid, order, replicas, channel::ep, axis::ep) &&
         agrees(grid, order, replicas, channel::etp, axis::etp) && agrees(grid, order, replicas, channel::edp, axis::edp_shard);
}
static_assert(all_agree(grid_of(64, 4, 4, 1, 1, 1), sp::rank_orders::megatron));
static_assert(all_agree(grid_of(64, 2, 4, 2, 8, 1), sp::rank_orders::megatron));
static_assert(all_agree(grid_of(128, 2, 2, 2, 4, 2), sp::rank_orders::torchtitan, 4));
static_assert(all_agree(grid_of(64, 2, 4, 2, 4, 1), sp::rank_orders::llama3));
static_assert(all_agree(grid_of(131'072, 8, 16, 4, 1, 1), sp::rank_orders::megatron));
static_assert(all_agree(grid_of(64, 1, 1, 1, 1, 1), sp::rank_orders::megatron, 8));

constexpr sp::topology hgx = sp::topology_of(sp::devices::h100_sxm_80gb::spec, 8, 16);
constexpr bool is_rate(channel between, const sp::degrees& grid, const sp::topology& where, double gigabytes) {
  const double rate = sp::rate_of(between, sp::rank_layout_of(grid, sp::rank_orders::megatron, 1), where, {}).bytes_per_second;
  return rate > gigabytes * 0.9999e9 && rate < gigabytes * 1.0001e9;
}
// Tensor parallel groups inside the node, replicas across with one NIC each, or with all NICs of a node where they fill it.
constexpr sp::degrees wide = grid_of(128, 8, 4, 1, 1, 1);
static_assert(is_rate(channel::tp, wide, hgx, 0.8 * 450) && is_rate(channel::dp, wide, hgx, 0.9 * 50));
static_assert(is_rate(channel::pp, wide, hgx, 0.9 * 50) && is_rate(channel::host, wide, hgx, 0.8 * 63));
static_assert(is_rate(channel::dp, grid_of(128, 4, 1, 1, 1, 1), hgx, 2 * 0.9 * 50));
static_assert(is_rate(channel::dp, grid_of(128, 1, 1, 1, 1, 1), hgx, 8 * 0.9 * 50));  // as much as the fabric
// A switchless mesh gives a pair one link; a host without a fabric has PCIe; a rack is one domain.
constexpr sp::topology mesh_of_links = sp::topology_of(sp::devices::mi300x::spec, 8, 16);
static_assert(is_rate(channel::tp, grid_of(128, 2, 1, 1, 1, 1), mesh_of_links, 0.8 * 64));
static_assert(is_rate(channel::tp, grid_of(128, 8, 1, 1, 1, 1), mesh_of_links, 0.8 * 448));
static_assert(is_rate(channel::tp, grid_of(64, 4, 1, 1, 1, 1), sp::topology_of(sp::devices::h100_pcie_80gb::spec, 8, 8), 0.8 * 63));
static_assert(is_rate(channel::tp, grid_of(72, 8, 1, 1, 1, 1), sp::topology_of(sp::devices::gb200_nvl72::spec, 4, 18), 0.8 * 900));

}  // namespace
