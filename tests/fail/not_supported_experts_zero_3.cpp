// SPDX-License-Identifier: BSL-1.0
// DeepSpeed: "MoE not supported with Stage 3".
// EXPECT: 'shardplan::plan_rejected<shardplan::not_supported<shardplan::feature::expert_parallel_with_zero_3,
// shardplan::try_<shardplan::zero<2> ?> ?> ?>'
#include <shardplan/shardplan.hpp>

namespace sp = shardplan;

template <class... More>
using run_with = sp::plan<sp::model<sp::models::mixtral_8x7b>, sp::cluster<sp::devices::h100_sxm_80gb, 8, 8>, sp::ep<8>, sp::micro_batch<1>,
                          sp::global_batch<64>, sp::sequence<4096>, sp::framework<sp::frameworks::deepspeed>, More...>;

#ifdef SHARDPLAN_TWIN
using run = run_with<sp::zero<2>>;
#else
using run = run_with<sp::zero<3>>;
#endif

static_assert(sp::checked<run>);
