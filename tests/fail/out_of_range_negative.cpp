// SPDX-License-Identifier: BSL-1.0
// A negative batch is named as it was said, and is not taken for "not said".
// EXPECT: 'shardplan::plan_rejected<shardplan::out_of_range<shardplan::micro_batch<-1>, shardplan::at_least<1>,
// EXPECT: shardplan::at_most<16777216> ?> ?>'
#include <shardplan/shardplan.hpp>

namespace sp = shardplan;

template <class... More>
using run_with = sp::plan<sp::model<sp::models::llama2_7b>, sp::cluster<sp::devices::h100_sxm_80gb, 8, 1>, sp::zero<1>, More...>;

#ifdef SHARDPLAN_TWIN
using run = run_with<sp::micro_batch<1>, sp::global_batch<64>, sp::sequence<4096>>;
#else
using run = run_with<sp::micro_batch<-1>, sp::global_batch<64>, sp::sequence<4096>>;
#endif

static_assert(sp::checked<run>);
