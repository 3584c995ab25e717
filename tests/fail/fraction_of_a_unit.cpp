// SPDX-License-Identifier: BSL-1.0
// A unit takes whole numbers only.
// EXPECT-GCC: unable to find numeric literal operator .operator""_GiB
// EXPECT-CLANG: no matching literal operator for call to 'operator""_GiB'
#include <shardplan/shardplan.hpp>

namespace sp = shardplan;

using namespace sp::literals;

#ifdef SHARDPLAN_TWIN
inline constexpr sp::bytes amount = 1536_MiB;
#else
inline constexpr sp::bytes amount = 1.5_GiB;
#endif
