// SPDX-License-Identifier: BSL-1.0
// So does a product.
// EXPECT-GCC: result_leaves_63_bits
// EXPECT-CLANG: must be initialized by a constant expression
// NOTE: result_leaves_63_bits
// NOTE-CLANG: checked_multiply.85899345920, 1000000000
#include <shardplan/shardplan.hpp>

namespace sp = shardplan;

using namespace sp::literals;

#ifdef SHARDPLAN_TWIN
inline constexpr sp::bytes product = 80_GiB * 1'000'000;
#else
inline constexpr sp::bytes product = 80_GiB * 1'000'000'000;
#endif
