// SPDX-License-Identifier: BSL-1.0
// DeepSpeed's pipeline engine shards the optimizer at most; elsewhere it is legal.
// EXPECT: 'shardplan::plan_rejected<shardplan::not_supported<shardplan::feature::sharded_gradients_in_pipeline,
// shardplan::try_<shardplan::zero<1> ?> ?> ?>'
#include <shardplan/shardplan.hpp>

namespace sp = shardplan;

template <class... More>
using run_with = sp::plan<sp::model<sp::models::llama2_7b>, sp::cluster<sp::devices::h100_sxm_80gb, 8, 1>, sp::pp<2>, sp::zero<2>,
                          sp::micro_batch<1>, sp::global_batch<64>, sp::sequence<4096>, More...>;

#ifdef SHARDPLAN_TWIN
using run = run_with<sp::framework<sp::frameworks::generic>>;
#else
using run = run_with<sp::framework<sp::frameworks::deepspeed>>;
#endif

static_assert(sp::checked<run>);
