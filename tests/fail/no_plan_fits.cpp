// SPDX-License-Identifier: BSL-1.0
// A search that found nothing: insisting on its plan says how many candidates there were and what stands in the way.
// EXPECT: plan_rejected<shardplan::no_plan_fits<shardplan::candidates<[0-9]+>, shardplan::because<shardplan::rule::does_not_fit> ?> ?>
// EXPECT-GCC: incomplete type
// EXPECT-CLANG: undefined template
#include <shardplan/model/catalog.hpp>
#include <shardplan/search/best.hpp>
#include <shardplan/shardplan.hpp>

namespace sp = shardplan;

#ifdef SHARDPLAN_TWIN
using model = sp::models::llama2_7b;
#else
using model = sp::models::llama2_70b;
#endif

using answer = sp::best<model, sp::cluster<sp::devices::a100_sxm_80gb, 8, 1>, sp::sequence<4096>, sp::global_batch<64>, sp::tp<8>>;
static_assert(sp::checked<answer::plan>);
