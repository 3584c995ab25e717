// SPDX-License-Identifier: BSL-1.0
// A ZeRO stage is one number.
// EXPECT-GCC: wrong number of template arguments .2, should be 1
// EXPECT-CLANG: too many template arguments for class template .zero
// MAX-ERRORS-GCC: 2
#include <shardplan/shardplan.hpp>

namespace sp = shardplan;

#ifdef SHARDPLAN_TWIN
using sharding = sp::zero<1>;
#else
using sharding = sp::zero<1, 2>;
#endif
