// SPDX-License-Identifier: BSL-1.0
// 405B on 16 nodes: three changes together are enough, no two are. The twin makes them.
// EXPECT: 'shardplan::plan_rejected<shardplan::does_not_fit<shardplan::stage<0>, shardplan::needs<shardplan::GiB<6562, 6> ?>,
// EXPECT: shardplan::has<shardplan::GiB<79, 6> ?>, shardplan::largest<shardplan::component::optimizer, shardplan::GiB<3023, 9> ?>,
// EXPECT: shardplan::try_<shardplan::recompute<shardplan::recomputes::full>, shardplan::zero<3>, shardplan::tp<4> ?> ?> ?>'
#include <shardplan/shardplan.hpp>

namespace sp = shardplan;

template <class... More>
using run_with = sp::plan<sp::model<sp::models::llama3_1_405b>, sp::cluster<sp::devices::h100_sxm_80gb, 8, 16>, sp::micro_batch<1>,
                          sp::global_batch<1024>, sp::sequence<8192>, More...>;

#ifdef SHARDPLAN_TWIN
using run = run_with<sp::recompute<sp::recomputes::full>, sp::zero<3>, sp::tp<4>>;
#else
using run = run_with<>;
#endif

static_assert(sp::checked<run>);
