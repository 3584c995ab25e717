// SPDX-License-Identifier: BSL-1.0
// No single change is enough, two are, each as small as it can be: all gradients are not needed on every rank, all weights are. The twin
// makes them.
// EXPECT: 'shardplan::plan_rejected<shardplan::does_not_fit<shardplan::stage<0>, shardplan::needs<shardplan::GiB<158, 8> ?>,
// EXPECT: shardplan::has<shardplan::GiB<40, 0> ?>, shardplan::largest<shardplan::component::optimizer, shardplan::GiB<59, 9> ?>,
// EXPECT: shardplan::try_<shardplan::recompute<shardplan::recomputes::full>, shardplan::zero<2> ?> ?> ?>'
#include <shardplan/shardplan.hpp>

namespace sp = shardplan;

template <class... More>
using run_with = sp::plan<sp::model<sp::models::llama3_8b>, sp::cluster<sp::devices::a100_sxm_40gb, 8, 1>, sp::micro_batch<1>,
                          sp::global_batch<64>, sp::sequence<8192>, sp::dp<8>, More...>;

#ifdef SHARDPLAN_TWIN
using run = run_with<sp::zero<2>, sp::recompute<sp::recomputes::full>>;
#else
using run = run_with<>;
#endif

static_assert(sp::checked<run>);
