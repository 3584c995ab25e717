// SPDX-License-Identifier: BSL-1.0
// One line, about what is no part: the parts beside it are said, and not missing.
// EXPECT: shardplan::no_part_of_a_plan<int>
// FORBID: missing_part
#include <shardplan/shardplan.hpp>

namespace sp = shardplan;

#ifdef SHARDPLAN_TWIN
using last = sp::tp<1>;
#else
using last = int;
#endif
static_assert(sp::checked<sp::plan<sp::model<sp::models::llama2_7b>, sp::cluster<sp::devices::a100_sxm_80gb, 8, 1>, sp::zero<3>,
                                   sp::micro_batch<1>, sp::global_batch<64>, sp::sequence<4096>, last>>);
