// SPDX-License-Identifier: BSL-1.0
// There is no ZeRO stage 4.
// EXPECT: 'shardplan::plan_rejected<shardplan::out_of_range<shardplan::zero<4>, shardplan::at_least<0>, shardplan::at_most<3> ?> ?>'
#include <shardplan/shardplan.hpp>

namespace sp = shardplan;

template <int Stage>
using run_with = sp::plan<sp::model<sp::models::llama2_7b>, sp::cluster<sp::devices::h100_sxm_80gb, 8, 1>, sp::zero<Stage>,
                          sp::micro_batch<1>, sp::global_batch<64>, sp::sequence<4096>>;

#ifdef SHARDPLAN_TWIN
using run = run_with<3>;
#else
using run = run_with<4>;
#endif

static_assert(sp::checked<run>);
