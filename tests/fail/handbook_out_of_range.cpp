// SPDX-License-Identifier: BSL-1.0
// The handbook's formulas refuse a zero too.
// EXPECT-GCC: argument_out_of_range
// EXPECT-CLANG: must be initialized by a constant expression
// NOTE: argument_out_of_range
// NOTE-CLANG: pipeline_efficiency.0, 8
#include <shardplan/shardplan.hpp>

namespace sp = shardplan;

#ifdef SHARDPLAN_TWIN
inline constexpr sp::fraction share = sp::handbook::pipeline_efficiency(4, 8);
#else
inline constexpr sp::fraction share = sp::handbook::pipeline_efficiency(0, 8);
#endif
