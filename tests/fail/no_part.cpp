// SPDX-License-Identifier: BSL-1.0
// A device alone is no part: it belongs into `cluster<>`.
// EXPECT-GCC: template constraint failure for '.*struct shardplan::plan'
// NOTE-GCC: Parts = {.*shardplan::devices::a100_sxm_80gb}
// EXPECT-CLANG: constraints not satisfied for class template 'plan' .with Parts = <.*, shardplan::devices::a100_sxm_80gb>
// NOTE-CLANG: 'shardplan::devices::a100_sxm_80gb' does not satisfy 'part'
// MAX-ERRORS-GCC: 2
#include <shardplan/shardplan.hpp>

namespace sp = shardplan;

#ifdef SHARDPLAN_TWIN
using run = sp::plan<sp::model<sp::models::llama2_7b>, sp::cluster<sp::devices::a100_sxm_80gb, 8, 1>>;
#else
using run = sp::plan<sp::model<sp::models::llama2_7b>, sp::devices::a100_sxm_80gb>;
#endif
