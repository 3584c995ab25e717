// SPDX-License-Identifier: BSL-1.0
// Something that is no part, and a number that is wrong by itself: both are said. (Clang takes no plan with it at all.)
// EXPECT: shardplan::no_part_of_a_plan<int>
// EXPECT-GCC: 'shardplan::plan_rejected<shardplan::out_of_range<shardplan::zero<4>, shardplan::at_least<0>, shardplan::at_most<3> ?> ?>'
// MAX-ERRORS: 2
#include <shardplan/shardplan.hpp>

namespace sp = shardplan;

template <class... More>
using run_with = sp::plan<sp::model<sp::models::llama2_7b>, sp::micro_batch<1>, sp::global_batch<64>, sp::sequence<4096>, More...>;

#ifdef SHARDPLAN_TWIN
using run = run_with<sp::zero<3>, sp::cluster<sp::devices::a100_sxm_80gb, 8, 1>>;
#else
using run = run_with<sp::zero<4>, int>;
#endif

enum : bool { is_checked = sp::checked<run> };
