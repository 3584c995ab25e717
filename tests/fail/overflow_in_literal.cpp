// SPDX-License-Identifier: BSL-1.0
// 9,000,000,000,000 GiB are more than 63 bits of bytes: no wrap, no rounding.
// EXPECT-GCC: result_leaves_63_bits
// EXPECT-CLANG: must be initialized by a constant expression
// NOTE: result_leaves_63_bits
// NOTE-CLANG: checked_multiply.9000000000000, 1073741824
#include <shardplan/shardplan.hpp>

namespace sp = shardplan;

using namespace sp::literals;

#ifdef SHARDPLAN_TWIN
inline constexpr sp::bytes amount = 8'000'000'000_GiB;
#else
inline constexpr sp::bytes amount = 9'000'000'000'000_GiB;
#endif
