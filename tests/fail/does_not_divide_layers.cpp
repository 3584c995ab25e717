// SPDX-License-Identifier: BSL-1.0
// 32 layers over 3 pipeline stages: nothing is rounded.
// EXPECT: 'shardplan::plan_rejected<shardplan::does_not_divide<shardplan::pp<3>, shardplan::layers<32>, shardplan::try_<shardplan::pp<2> ?>, shardplan::try_<shardplan::pp<4> ?>,
// EXPECT: shardplan::try_<shardplan::layer_split<11, 11, 10> ?> ?> ?>'
#include <shardplan/shardplan.hpp>

namespace sp = shardplan;

template <class... More>
using run_with = sp::plan<sp::model<sp::models::llama2_7b>, sp::cluster<sp::devices::h100_sxm_80gb, 8, 3>, sp::pp<3>, sp::zero<1>,
                          sp::micro_batch<1>, sp::global_batch<64>, sp::sequence<4096>, More...>;

#ifdef SHARDPLAN_TWIN
using run = run_with<sp::layer_split<10, 11, 11>>;
#else
using run = run_with<>;
#endif

static_assert(sp::checked<run>);
