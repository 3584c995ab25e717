// SPDX-License-Identifier: BSL-1.0
// What stands in a search is a part of a plan or an option of the search.
// EXPECT: shardplan::no_part_of_a_plan<int>
// EXPECT-GCC: incomplete type
// EXPECT-CLANG: undefined template
#include <shardplan/model/catalog.hpp>
#include <shardplan/search/best.hpp>
#include <shardplan/shardplan.hpp>

namespace sp = shardplan;

#ifdef SHARDPLAN_TWIN
using answer =
    sp::best<sp::models::llama2_7b, sp::cluster<sp::devices::a100_sxm_80gb, 8, 1>, sp::sequence<4096>, sp::global_batch<64>, sp::tp<2>>;
#else
using answer =
    sp::best<sp::models::llama2_7b, sp::cluster<sp::devices::a100_sxm_80gb, 8, 1>, sp::sequence<4096>, sp::global_batch<64>, int>;
#endif
