// SPDX-License-Identifier: BSL-1.0
// 60 sequences cannot be shared evenly by 8 replicas that take 2 at a time.
// EXPECT: 'shardplan::plan_rejected<shardplan::does_not_divide<shardplan::micro_batch_x_dp<16>, shardplan::global_batch<60>,
// EXPECT: shardplan::try_<shardplan::global_batch<48> ?>, shardplan::try_<shardplan::global_batch<64> ?> ?> ?>'
#include <shardplan/shardplan.hpp>

namespace sp = shardplan;

template <int Batch>
using run_of = sp::plan<sp::model<sp::models::llama2_7b>, sp::cluster<sp::devices::h100_sxm_80gb, 8, 1>, sp::zero<1>, sp::micro_batch<2>,
                        sp::global_batch<Batch>, sp::sequence<4096>>;

#ifdef SHARDPLAN_TWIN
using run = run_of<64>;
#else
using run = run_of<60>;
#endif

static_assert(sp::checked<run>);
