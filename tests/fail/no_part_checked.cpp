// SPDX-License-Identifier: BSL-1.0
// A device in the place of `cluster<>`, and the plan is insisted on: no part is called missing that it may stand for, and 32 layers on 3
// stages may wait for what it was meant to be.
// EXPECT: shardplan::no_part_of_a_plan<shardplan::devices::a100_sxm_80gb>
// FORBID: plan_rejected
// MAX-ERRORS-CLANG: 2
#include <shardplan/shardplan.hpp>

namespace sp = shardplan;

template <class... More>
using run_with = sp::plan<sp::model<sp::models::llama2_7b>, sp::zero<3>, sp::pp<3>, sp::micro_batch<1>, sp::global_batch<64>,
                          sp::sequence<4096>, More...>;

#ifdef SHARDPLAN_TWIN
using run = run_with<sp::cluster<sp::devices::a100_sxm_80gb, 8, 3>, sp::layer_split<11, 11, 10>>;
#else
using run = run_with<sp::devices::a100_sxm_80gb>;
#endif

static_assert(sp::checked<run>);
