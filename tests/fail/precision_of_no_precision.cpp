// SPDX-License-Identifier: BSL-1.0
// A number of bits is no precision layout.
// EXPECT-GCC: template constraint failure for '.*struct shardplan::precision'
// NOTE-GCC: precision_layout.*bits_16
// EXPECT-CLANG: constraints not satisfied for class template 'precision' .with .*bits_16
// NOTE-CLANG: 'bits_16' does not satisfy 'precision_layout'
// MAX-ERRORS-GCC: 2
#include <shardplan/shardplan.hpp>

namespace sp = shardplan;

struct bits_16 {
  static constexpr int bits = 16;
};

#ifdef SHARDPLAN_TWIN
using chosen = sp::precision<sp::precisions::pure_bf16>;
#else
using chosen = sp::precision<bits_16>;
#endif
