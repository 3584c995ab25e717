// SPDX-License-Identifier: BSL-1.0
// No fraction has a denominator of zero.
// EXPECT-GCC: division_by_zero
// EXPECT-CLANG: must be initialized by a constant expression
// NOTE: division_by_zero
// NOTE-CLANG: fraction.1, 0
#include <shardplan/shardplan.hpp>

namespace sp = shardplan;

using namespace sp::literals;

#ifdef SHARDPLAN_TWIN
inline constexpr sp::fraction half{1, 2};
#else
inline constexpr sp::fraction half{1, 0};
#endif
