// SPDX-License-Identifier: BSL-1.0
// Nor can an amount be divided by it.
// EXPECT-GCC: division_by_zero
// EXPECT-CLANG: must be initialized by a constant expression
// NOTE: division_by_zero
// NOTE-CLANG: checked_divide.85899345920, 0
#include <shardplan/shardplan.hpp>

namespace sp = shardplan;

using namespace sp::literals;

#ifdef SHARDPLAN_TWIN
inline constexpr sp::bytes share = 80_GiB / 8;
#else
inline constexpr sp::bytes share = 80_GiB / 0;
#endif
