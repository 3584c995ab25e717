// SPDX-License-Identifier: BSL-1.0
// Activations are the largest component: the advice is to recompute them. 4 x 16.1 GiB are kept.
// EXPECT: 'shardplan::plan_rejected<shardplan::does_not_fit<shardplan::stage<0>, shardplan::needs<shardplan::GiB<102, 5> ?>,
// EXPECT: shardplan::has<shardplan::GiB<80, 0> ?>, shardplan::largest<shardplan::component::activations, shardplan::GiB<64, 4> ?>,
// EXPECT: shardplan::try_<shardplan::recompute<shardplan::recomputes::full> ?> ?> ?>'
#include <shardplan/shardplan.hpp>

namespace sp = shardplan;

template <class... More>
using run_with = sp::plan<sp::model<sp::models::llama2_7b>, sp::cluster<sp::devices::a100_sxm_80gb, 8, 1>, sp::zero<1>, sp::micro_batch<4>,
                          sp::global_batch<64>, sp::sequence<4096>, More...>;

#ifdef SHARDPLAN_TWIN
using run = run_with<sp::recompute<sp::recomputes::full>>;
#else
using run = run_with<>;
#endif

static_assert(sp::checked<run>);
