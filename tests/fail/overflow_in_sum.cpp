// SPDX-License-Identifier: BSL-1.0
// Each amount is right, their sum leaves 63 bits.
// EXPECT-GCC: result_leaves_63_bits
// EXPECT-CLANG: must be initialized by a constant expression
// NOTE: result_leaves_63_bits
// NOTE-CLANG: checked_add.8796093022208000000, 8796093022208000000
#include <shardplan/shardplan.hpp>

namespace sp = shardplan;

using namespace sp::literals;

#ifdef SHARDPLAN_TWIN
inline constexpr sp::bytes sum = 4'000'000_TiB + 4'000'000_TiB;
#else
inline constexpr sp::bytes sum = 8'000'000_TiB + 8'000'000_TiB;
#endif
