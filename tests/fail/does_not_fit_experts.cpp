// SPDX-License-Identifier: BSL-1.0
// Experts are most of the weights: more expert parallelism is enough.
// EXPECT: 'shardplan::plan_rejected<shardplan::does_not_fit<shardplan::stage<0>, shardplan::needs<shardplan::GiB<116, 4> ?>,
// EXPECT: shardplan::has<shardplan::GiB<80, 0> ?>, shardplan::largest<shardplan::component::weights, shardplan::GiB<43, 5> ?>,
// EXPECT: shardplan::try_<shardplan::ep<8> ?> ?> ?>'
#include <shardplan/shardplan.hpp>

namespace sp = shardplan;

template <class... More>
using run_with = sp::plan<sp::model<sp::models::mixtral_8x7b>, sp::cluster<sp::devices::a100_sxm_80gb, 8, 2>, sp::global_batch<256>,
                          sp::zero<2>, sp::pp<2>, sp::micro_batch<1>, sp::sequence<4096>, More...>;

#ifdef SHARDPLAN_TWIN
using run = run_with<sp::ep<8>>;
#else
using run = run_with<>;
#endif

static_assert(sp::checked<run>);
