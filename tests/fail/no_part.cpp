// SPDX-License-Identifier: BSL-1.0
// A device alone is no part: it belongs into `cluster<>`.
// EXPECT: shardplan::no_part_of_a_plan<shardplan::devices::a100_sxm_80gb>
#include <shardplan/shardplan.hpp>

namespace sp = shardplan;

#ifdef SHARDPLAN_TWIN
using run = sp::plan<sp::model<sp::models::llama2_7b>, sp::cluster<sp::devices::a100_sxm_80gb, 8, 1>>;
#else
using run = sp::plan<sp::model<sp::models::llama2_7b>, sp::devices::a100_sxm_80gb>;
#endif
