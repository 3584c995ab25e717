// SPDX-License-Identifier: BSL-1.0
// Beyond one host a search takes whole hosts.
// EXPECT: shardplan::no_whole_hosts<shardplan::device_count<12>, shardplan::devices_per_node<8> ?>
// EXPECT-GCC: incomplete type
// EXPECT-CLANG: undefined template
#include <shardplan/model/catalog.hpp>
#include <shardplan/search/best.hpp>
#include <shardplan/shardplan.hpp>

namespace sp = shardplan;

#ifdef SHARDPLAN_TWIN
using tried = sp::device_counts<4, 16>;
#else
using tried = sp::device_counts<4, 12>;
#endif

using answer = sp::best<sp::models::llama2_7b, sp::cluster<sp::devices::a100_sxm_80gb, 8, 1>, sp::sequence<4096>, sp::global_batch<64>,
                        sp::pp<1>, sp::recompute<sp::recomputes::full>, tried>;
static_assert(answer::considered > 0);
