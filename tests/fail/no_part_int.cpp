// SPDX-License-Identifier: BSL-1.0
// Neither is an `int`, in a `checked_plan` too.
// EXPECT-GCC: template constraint failure for '.*struct shardplan::checked_plan'
// NOTE-GCC: Parts = {shardplan::tp<2>, int}
// EXPECT-CLANG: constraints not satisfied for class template 'checked_plan' .with Parts = <shardplan::tp<2>, int>
// MAX-ERRORS-GCC: 2
#include <shardplan/shardplan.hpp>

namespace sp = shardplan;

#ifdef SHARDPLAN_TWIN
using run = sp::checked_plan<sp::tp<2>, sp::pp<4>>;
#else
using run = sp::checked_plan<sp::tp<2>, int>;
#endif
