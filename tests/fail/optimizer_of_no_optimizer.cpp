// SPDX-License-Identifier: BSL-1.0
// A precision is no optimizer, although both have a `spec`.
// EXPECT-GCC: template constraint failure for '.*struct shardplan::optimizer'
// NOTE-GCC: optimizer_algorithm.*shardplan::precisions::fp32
// EXPECT-CLANG: constraints not satisfied for class template 'optimizer' .with .*shardplan::precisions::fp32
// NOTE-CLANG: 'shardplan::precisions::fp32' does not satisfy 'optimizer_algorithm'
// MAX-ERRORS-GCC: 2
#include <shardplan/shardplan.hpp>

namespace sp = shardplan;

#ifdef SHARDPLAN_TWIN
using chosen = sp::optimizer<sp::optimizers::lion>;
#else
using chosen = sp::optimizer<sp::precisions::fp32>;
#endif
