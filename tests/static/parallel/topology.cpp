// SPDX-License-Identifier: BSL-1.0
// Which groups stay inside a domain, and which link an axis uses.
#include <shardplan/hardware/catalog.hpp>
#include <shardplan/parallel/groups.hpp>
#include <shardplan/parallel/locality.hpp>
#include <shardplan/parallel/mesh.hpp>
#include <shardplan/parallel/topology.hpp>

#include "../handbook/refused.hpp"

#include <cstdint>

using namespace shardplan;

constexpr degrees grid_of(std::int64_t tp, std::int64_t cp, std::int64_t dp, std::int64_t pp, std::int64_t ep = 1, std::int64_t etp = 1) {
  return {.world = tp * cp * dp * pp, .tp = tp, .pp = pp, .dp = dp, .cp = cp, .ep = ep, .etp = etp};
}
constexpr bool is(const domain_spread& found, std::int64_t groups, std::int64_t size, std::int64_t inside, std::int64_t most_domains,
                  std::int64_t fewest, std::int64_t most) {
  return found == domain_spread{groups, size, inside, most_domains, fewest, most};
}

// rank_groups.json: 405B on 8,192, DeepSeek-V3 on 2,048, domains of 8.
constexpr mesh llama = mesh_of(grid_of(8, 1, 64, 16), rank_orders::llama3);
static_assert(is(spread_over(groups_of(llama, axis::tp), 8), 1'024, 8, 1'024, 1, 8, 8));
static_assert(is(spread_over(groups_of(llama, axis::dp), 8), 128, 64, 0, 64, 1, 1));
static_assert(is(spread_over(groups_of(llama, axis::pp), 8), 512, 16, 0, 16, 1, 1));
constexpr mesh deepseek = mesh_of(grid_of(1, 1, 128, 16, 64));
static_assert(is(spread_over(groups_of(deepseek, axis::ep), 8), 32, 64, 0, 8, 8, 8));
static_assert(is(spread_over(groups_of(deepseek, axis::edp), 8), 1'024, 2, 0, 2, 1, 1));

// tp 4 dp 16 pp 4 on racks of 72: tp stays whole, it is dp that straddles, 12 groups of 16; of 64 used devices none does.
constexpr mesh rack = mesh_of(grid_of(4, 1, 16, 4));
static_assert(stay_inside(groups_of(rack, axis::tp), 72) && !stay_inside(groups_of(rack, axis::dp), 72) &&
              spread_over(groups_of(rack, axis::dp), 72).astride() == 12 && stay_inside(groups_of(rack, axis::dp), 64));
// tp 16 on nodes of 8, tp 3 on nodes of 8, and a world that is one domain.
static_assert(spread_over(groups_of(mesh_of(grid_of(16, 1, 4, 1)), axis::tp), 8) == domain_spread{4, 16, 0, 2, 8, 8});
static_assert(spread_over(groups_of(mesh_of(grid_of(3, 1, 8, 1)), axis::tp), 8) == domain_spread{8, 3, 6, 2, 1, 3});
static_assert(stay_inside(groups_of(mesh_of(grid_of(3, 1, 2, 1)), axis::tp), 8));
static_assert(spread_over(groups_of(mesh{}, axis::tp), 8) == domain_spread{});
static_assert(refused([] { return stay_inside(process_groups{}, 0); }) && refused([] { return spread_over(process_groups{}, 0); }));

// 131,072 ranks cost no more: the same constants in one evaluation.
constexpr mesh huge = mesh_of(grid_of(8, 4, 256, 16));
static_assert(is(spread_over(groups_of(huge, axis::dp_cp), 72), 128, 1'024, 0, 115, 1, 9));

// 8 hosts of 8 H100: tp 4 over NVLink, dp and pp over the network.
constexpr topology hosts = topology_of(devices::h100_sxm_80gb::spec, 8, 8);
constexpr mesh ranks = mesh_of(grid_of(4, 1, 4, 4));
static_assert(hosts.ranks_in(domain::node) == 8 && hosts.ranks_in(domain::fabric) == 8);
static_assert(link_of(ranks, hosts, axis::tp).kind == link_kind::fabric &&
              link_of(ranks, hosts, axis::tp).bytes_per_second == 450'000'000'000);
static_assert(link_of(ranks, hosts, axis::dp).kind == link_kind::network &&
              link_of(ranks, hosts, axis::dp).bytes_per_second == 50'000'000'000 &&
              is(link_of(ranks, hosts, axis::dp).over_nodes, 16, 4, 0, 2, 2, 2));
static_assert(link_of(ranks, hosts, axis::cp).kind == link_kind::none && link_of(ranks, hosts, axis::cp).bytes_per_second == 0);
static_assert(link_of(mesh{}, hosts, axis::tp).kind == link_kind::none);

// A fabric ends at its host, unless it is a rack's.
static_assert(topology_of(devices::h100_sxm_80gb::spec, 4, 2).fabric_domain == 4 &&
              topology_of(devices::gb200_nvl72::spec, 4, 18).fabric_domain == 72);
// A job lies evenly on racks, so that groups of a power of two stay inside: 128 of 144 devices as 64 and 64; 33 hosts cannot.
constexpr auto in_a_rack = [](std::int64_t nodes) { return topology_of(devices::gb200_nvl72::spec, 4, nodes).fabric_domain; };
static_assert(in_a_rack(16) == 72 && in_a_rack(32) == 64 && in_a_rack(36) == 72 && in_a_rack(64) == 64 && in_a_rack(33) == 72);
static_assert(in_a_rack(0) == 72 && topology_of(devices::gb200_nvl72::spec, 0, 32).fabric_domain == 72);
static_assert(link_of(ranks, topology_of(devices::gb200_nvl72::spec, 4, 16), axis::pp).kind == link_kind::fabric);
// Bridged pairs: tp 2 over the bridge, tp 4 through the host.
constexpr topology bridged = topology_of(devices::h100_pcie_80gb::spec, 8, 1);
static_assert(link_of(mesh_of(grid_of(2, 1, 4, 1)), bridged, axis::tp).kind == link_kind::fabric);
static_assert(link_of(mesh_of(grid_of(4, 1, 2, 1)), bridged, axis::tp).kind == link_kind::host &&
              link_of(mesh_of(grid_of(4, 1, 2, 1)), bridged, axis::tp).bytes_per_second == 63'000'000'000);

// A switchless mesh: a pair has one link of 64 GB/s, four devices three, eight all seven; the odd sum of a datasheet is the most.
constexpr topology meshed = topology_of(devices::mi300x::spec, 8, 2);
constexpr std::int64_t rate(std::int64_t tp) { return link_of(mesh_of(grid_of(tp, 1, 16 / tp, 1)), meshed, axis::tp).bytes_per_second; }
static_assert(rate(2) == 64'000'000'000 && rate(4) == 192'000'000'000 && rate(8) == 448'000'000'000 && rate(16) == 50'000'000'000);
static_assert(link_of(mesh_of(grid_of(8, 1, 2, 1)), topology_of(devices::mi250x::spec, 8, 2), axis::tp).bytes_per_second ==
              175'000'000'000);
static_assert(devices::mi325x::spec.fabric_pair == 64'000'000'000 &&
              devices::mi355x::spec.fabric_pair * 7 == devices::mi355x::spec.fabric.bytes_per_second &&
              devices::gaudi2::spec.fabric_pair == 37'500'000'000 && devices::gaudi3::spec.fabric_pair == 75'000'000'000 &&
              devices::ascend_910b_64gb::spec.fabric_pair * 7 == devices::ascend_910b_64gb::spec.fabric.bytes_per_second &&
              devices::h100_sxm_80gb::spec.fabric_pair == 0 && devices::gb300_nvl72::spec.fabric_spans_hosts);
