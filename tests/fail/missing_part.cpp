// SPDX-License-Identifier: BSL-1.0
// Three of the five needed parts were not said.
// EXPECT: 'shardplan::plan_rejected<shardplan::missing_part<shardplan::part_kind::cluster>,
// EXPECT: shardplan::missing_part<shardplan::part_kind::sequence>, shardplan::missing_part<shardplan::part_kind::global_batch> ?>'
#include <shardplan/shardplan.hpp>

namespace sp = shardplan;

#ifdef SHARDPLAN_TWIN
using run = sp::plan<sp::model<sp::models::llama2_7b>, sp::micro_batch<1>, sp::zero<1>, sp::cluster<sp::devices::h100_sxm_80gb, 8, 1>,
                     sp::sequence<4096>, sp::global_batch<64>>;
#else
using run = sp::plan<sp::model<sp::models::llama2_7b>, sp::micro_batch<1>, sp::zero<1>>;
#endif

static_assert(sp::checked<run>);
