// SPDX-License-Identifier: BSL-1.0
// The mesh of a plan: the part that says its order, the groups as constants, the links.
#include <shardplan/shardplan.hpp>

#include <cstdint>

using namespace shardplan;

template <class Device, std::int64_t Nodes, class... Parts>
using run =
    plan<model<models::llama2_7b>, cluster<Device, 8, Nodes>, sequence<4096>, micro_batch<1>, global_batch<16384>, zero<1>, Parts...>;
using hopper = devices::h100_sxm_80gb;

// The default and every way to say an order; each is a part like others.
using plain = run<hopper, 8, tp<4>, pp<4>>;
static_assert(plain::spec.rank_order == rank_orders::megatron && plan_spec{}.rank_order == rank_orders::megatron);
static_assert(run<hopper, 8, rank_order<rank_orders::llama3>>::spec.rank_order == rank_orders::llama3);
static_assert(run<hopper, 8, rank_order<axis::tp, axis::cp, axis::pp, axis::ep, axis::dp>>::spec.rank_order == rank_orders::llama3);
static_assert(part<rank_order<rank_orders::nanotron>> && valid<run<hopper, 8, tp<4>, rank_order<rank_orders::torchtitan>>>);
using said_twice = run<hopper, 8, rank_order<rank_orders::llama3>, rank_order<rank_orders::llama3>>;
static_assert(!valid<said_twice> && said_twice::found.items[0].broken == rule::repeated_part);
// The order changes no memory.
static_assert(run<hopper, 8, tp<4>, pp<4>, rank_order<rank_orders::llama3>>::peak_memory == plain::peak_memory);

// The handbook's 64 devices: stage s is ranks 16 s to 16 s + 15, two tensor parallel groups a node.
static_assert(rank_groups<plain, axis::tp>.count == 16 && rank_groups<plain, axis::tp>.rank(1, 3) == 7);
static_assert(rank_groups<plain, axis::dp>.rank(0, 3) == 12 && rank_groups<plain, axis::pp>.rank(0, 3) == 48);
static_assert(coordinates_of(mesh_of_plan<plain>, 16) == rank_coordinates{.pp = 1, .edp_shard = 0});
static_assert(stays_inside<plain, axis::tp> && stays_inside<plain, axis::tp, domain::node> && !stays_inside<plain, axis::dp, domain::node>);
static_assert(link_of_axis<plain, axis::tp>.kind == link_kind::fabric && link_of_axis<plain, axis::pp>.kind == link_kind::network);
// tp 16 spans two hosts of 8: both of them, each with 8 members.
using wide = run<hopper, 8, tp<16>>;
static_assert(!stays_inside<wide, axis::tp> && link_of_axis<wide, axis::tp>.kind == link_kind::network &&
              link_of_axis<wide, axis::tp>.over_nodes == domain_spread{4, 16, 0, 2, 8, 8});

// 131,072 devices.
using huge = run<hopper, 16'384, tp<8>, pp<16>, dp<1024>>;
static_assert(rank_groups<huge, axis::dp>.count == 128 && rank_groups<huge, axis::dp>.rank(127, 1023) == 131'071 &&
              stays_inside<huge, axis::tp, domain::node>);

// Replicas of whole sharding groups, and a spec that a program fills in.
static_assert(size_along(mesh_of(plain::spec, 2), axis::dp_shard) == 2 && size_along(mesh_of(plain::spec, 2), axis::dp_replicate) == 2);

// A plan that breaks a rule of division has no mesh, and that is no error.
constexpr mesh broken(std::int64_t plan_spec::*field, std::int64_t value, std::int64_t replicas = 1,
                      rank_orders order = rank_orders::megatron) {
  plan_spec spec = plain::spec;
  spec.*field = value;
  spec.rank_order = order;
  return mesh_of(spec, replicas);
}
static_assert(broken(&plan_spec::tp, 4).world == 64);
static_assert(broken(&plan_spec::tp, 3).world == 0 && broken(&plan_spec::tp, 0).world == 0 && broken(&plan_spec::cp, -1).world == 0 &&
              broken(&plan_spec::tp, INT64_MAX).world == 0 && broken(&plan_spec::nodes, unset).world == 0 &&
              broken(&plan_spec::dp, 5).world == 0 && broken(&plan_spec::dp, 4).world == 64 && broken(&plan_spec::ep, 3).world == 0 &&
              broken(&plan_spec::etp, 5).world == 0 && broken(&plan_spec::tp, 4, 3).world == 0 && broken(&plan_spec::tp, 4, 0).world == 0);
static_assert(broken(&plan_spec::ep, 8).world == 64 && broken(&plan_spec::ep, 8, 1, rank_orders::nanotron).world == 0 &&
              broken(&plan_spec::ep, 4, 1, rank_orders::nanotron).world == 64);
static_assert(broken(&plan_spec::ep, 8, 4).world == 0);
static_assert(rank_groups<run<hopper, 8, tp<3>>, axis::tp>.count == 0 && stays_inside<run<hopper, 8, tp<3>>, axis::tp>);
using nowhere = plan<model<models::llama2_7b>, tp<2>>;
static_assert(stays_inside<nowhere, axis::tp, domain::node> && link_of_axis<nowhere, axis::tp>.kind == link_kind::none);
