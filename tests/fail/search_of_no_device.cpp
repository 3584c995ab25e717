// SPDX-License-Identifier: BSL-1.0
// The devices of a cluster are of a kind.
// EXPECT: smallest_cluster
// EXPECT-GCC: template constraint failure
// EXPECT-CLANG: constraints not satisfied
// NOTE: device
// FORBID: count_search|smallest_of_types
#include <shardplan/search/smallest_cluster.hpp>
#include <shardplan/shardplan.hpp>

namespace sp = shardplan;

#ifdef SHARDPLAN_TWIN
using devices_of_cluster = sp::devices::a100_sxm_80gb;
#else
using devices_of_cluster = sp::models::llama2_7b;
#endif
static_assert(
    sp::smallest_cluster<sp::models::llama2_7b, devices_of_cluster, sp::sequence<4096>, sp::global_batch<64>, sp::micro_batch<1>>::devices >
    0);
