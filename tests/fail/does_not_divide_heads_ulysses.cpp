// SPDX-License-Identifier: BSL-1.0
// Under DeepSpeed cp is the Ulysses degree: 40 heads do not go on 16 ranks.
// EXPECT: 'shardplan::plan_rejected<shardplan::does_not_divide<shardplan::cp<16>, shardplan::heads<40>,
// EXPECT: shardplan::try_<shardplan::cp<8> ?> ?> ?>'
#include <shardplan/shardplan.hpp>

namespace sp = shardplan;

template <class... More>
using run_with = sp::plan<sp::model<sp::models::qwen2_5_14b>, sp::cluster<sp::devices::h100_sxm_80gb, 8, 2>, sp::zero<3>,
                          sp::micro_batch<1>, sp::global_batch<64>, sp::sequence<4096>, sp::framework<sp::frameworks::deepspeed>, More...>;

#ifdef SHARDPLAN_TWIN
using run = run_with<sp::cp<8>>;
#else
using run = run_with<sp::cp<16>>;
#endif

static_assert(sp::checked<run>);
