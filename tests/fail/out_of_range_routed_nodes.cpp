// SPDX-License-Identifier: BSL-1.0
// Experts on fewer than no nodes.
// EXPECT: 'shardplan::plan_rejected<shardplan::out_of_range<shardplan::node_limited_routing<-4>, shardplan::at_least<0>,
// EXPECT: shardplan::at_most<1048576> ?> ?>'
#include <shardplan/shardplan.hpp>

namespace sp = shardplan;

template <int Nodes>
using run_with = sp::plan<sp::model<sp::models::mixtral_8x7b>, sp::cluster<sp::devices::h100_sxm_80gb, 8, 2>, sp::fsdp<>, sp::ep<8>,
                          sp::node_limited_routing<Nodes>, sp::recompute<sp::recomputes::full>, sp::micro_batch<1>, sp::global_batch<64>,
                          sp::sequence<4096>>;

#ifdef SHARDPLAN_TWIN
using run = run_with<4>;
#else
using run = run_with<-4>;
#endif

static_assert(sp::checked<run>);
