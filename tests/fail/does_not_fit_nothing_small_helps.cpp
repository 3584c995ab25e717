// SPDX-License-Identifier: BSL-1.0
// 405B on one node: no single change is enough, and none is invented. The twin has 32 nodes and more.
// EXPECT: 'shardplan::plan_rejected<shardplan::does_not_fit<shardplan::stage<0>, shardplan::needs<shardplan::GiB<822, 2> ?>,
// EXPECT: shardplan::has<shardplan::GiB<79, 6> ?>, shardplan::largest<shardplan::component::optimizer, shardplan::GiB<378, 1> ?>,
// EXPECT: shardplan::nothing_small_helps> ?>'
#include <shardplan/shardplan.hpp>

namespace sp = shardplan;

template <int Nodes, class... More>
using run_with = sp::plan<sp::model<sp::models::llama3_1_405b>, sp::cluster<sp::devices::h100_sxm_80gb, 8, Nodes>, sp::tp<8>,
                          sp::micro_batch<1>, sp::global_batch<64>, sp::sequence<8192>, More...>;

#ifdef SHARDPLAN_TWIN
using run = run_with<32, sp::pp<16>, sp::layer_split<7, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 7>, sp::zero<1>,
                     sp::recompute<sp::recomputes::full>>;
#else
using run = run_with<1>;
#endif

static_assert(sp::checked<run>);
