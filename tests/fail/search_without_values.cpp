// SPDX-License-Identifier: BSL-1.0
// A list without values leaves nothing to try.
// EXPECT: shardplan::list_without_values<shardplan::among<> ?>
// EXPECT-GCC: incomplete type
// EXPECT-CLANG: undefined template
#include <shardplan/model/catalog.hpp>
#include <shardplan/search/best.hpp>
#include <shardplan/shardplan.hpp>

namespace sp = shardplan;

#ifdef SHARDPLAN_TWIN
using tried = sp::among<sp::tp<1>, sp::tp<2>>;
#else
using tried = sp::among<>;
#endif

using answer = sp::best<sp::models::llama2_7b, sp::cluster<sp::devices::a100_sxm_80gb, 8, 1>, sp::sequence<4096>, sp::global_batch<64>,
                        sp::pp<1>, sp::recompute<sp::recomputes::full>, tried>;
static_assert(answer::considered > 0);
