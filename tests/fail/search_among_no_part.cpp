// SPDX-License-Identifier: BSL-1.0
// What stands in `among` must be a part.
// EXPECT: shardplan::no_part_of_a_plan<int>
// EXPECT-GCC: incomplete type
// EXPECT-CLANG: undefined template
#include <shardplan/model/catalog.hpp>
#include <shardplan/search/best.hpp>
#include <shardplan/shardplan.hpp>

namespace sp = shardplan;

#ifdef SHARDPLAN_TWIN
using tried = sp::among<sp::tp<2>, sp::zero<1>>;
#else
using tried = sp::among<sp::tp<2>, int>;
#endif
