// SPDX-License-Identifier: BSL-1.0
// What stands in a list of a sweep must be a part.
// EXPECT: shardplan::no_part_of_a_plan<int>
#include <shardplan/search/sweep.hpp>
#include <shardplan/shardplan.hpp>

namespace sp = shardplan;

#ifdef SHARDPLAN_TWIN
using grid = sp::sweep<sp::zero<1>, sp::list<sp::tp<2>, sp::tp<4>>>;
#else
using grid = sp::sweep<sp::zero<1>, sp::list<sp::tp<2>, int>>;
#endif
