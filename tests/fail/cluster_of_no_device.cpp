// SPDX-License-Identifier: BSL-1.0
// A cluster is made of devices, not of models.
// EXPECT-GCC: template constraint failure for '.*struct shardplan::cluster'
// NOTE-GCC: device.*shardplan::models::llama2_7b
// EXPECT-CLANG: constraints not satisfied for class template 'cluster' .with .*shardplan::models::llama2_7b
// NOTE-CLANG: 'shardplan::models::llama2_7b' does not satisfy 'device'
// MAX-ERRORS-GCC: 2
#include <shardplan/shardplan.hpp>

namespace sp = shardplan;

#ifdef SHARDPLAN_TWIN
using chosen = sp::cluster<sp::devices::h100_sxm_80gb, 8, 1>;
#else
using chosen = sp::cluster<sp::models::llama2_7b, 8, 1>;
#endif
