// SPDX-License-Identifier: BSL-1.0
// Neither is an `int`, in a `checked_plan` too.
// EXPECT: shardplan::no_part_of_a_plan<int>
#include <shardplan/shardplan.hpp>

namespace sp = shardplan;

#ifdef SHARDPLAN_TWIN
using run = sp::checked_plan<sp::tp<2>, sp::pp<4>>;
#else
using run = sp::checked_plan<sp::tp<2>, int>;
#endif
