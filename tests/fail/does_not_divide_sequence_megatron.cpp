// SPDX-License-Identifier: BSL-1.0
// Megatron-LM's context parallelism deals each rank two pieces of a sequence: cp x lcm(2, tp) must divide it.
// EXPECT: 'shardplan::plan_rejected<shardplan::does_not_divide<shardplan::cp_x_lcm_2_tp<8>, shardplan::sequence<4100>,
// EXPECT: shardplan::try_<shardplan::sequence<4096> ?>, shardplan::try_<shardplan::sequence<4104> ?> ?> ?>'
#include <shardplan/shardplan.hpp>

namespace sp = shardplan;

template <class... More>
using run_with = sp::plan<sp::model<sp::models::llama2_7b>, sp::cluster<sp::devices::h100_sxm_80gb, 8, 1>, sp::cp<4>, sp::zero<1>,
                          sp::micro_batch<1>, sp::global_batch<64>, sp::sequence<4100>, More...>;

#ifdef SHARDPLAN_TWIN
using run = run_with<>;
#else
using run = run_with<sp::framework<sp::frameworks::megatron>>;
#endif

static_assert(sp::checked<run>);
