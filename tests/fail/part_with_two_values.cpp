// SPDX-License-Identifier: BSL-1.0
// A degree is one number.
// EXPECT-GCC: wrong number of template arguments .2, should be 1
// EXPECT-CLANG: too many template arguments for class template .tp
// MAX-ERRORS-GCC: 2
#include <shardplan/shardplan.hpp>

namespace sp = shardplan;

#ifdef SHARDPLAN_TWIN
using degree = sp::tp<1>;
#else
using degree = sp::tp<1, 2>;
#endif
