// SPDX-License-Identifier: BSL-1.0
// An empty plan: each needed part is named.
// EXPECT: 'shardplan::plan_rejected<shardplan::missing_part<shardplan::part_kind::model>,
// EXPECT: shardplan::missing_part<shardplan::part_kind::cluster>, shardplan::missing_part<shardplan::part_kind::sequence>,
// EXPECT: shardplan::missing_part<shardplan::part_kind::micro_batch>, shardplan::missing_part<shardplan::part_kind::global_batch> ?>'
#include <shardplan/shardplan.hpp>

namespace sp = shardplan;

#ifdef SHARDPLAN_TWIN
using run = sp::plan<sp::model<sp::models::llama2_7b>, sp::cluster<sp::devices::h100_sxm_80gb, 8, 1>, sp::zero<1>, sp::sequence<4096>,
                     sp::micro_batch<1>, sp::global_batch<64>>;
#else
using run = sp::plan<>;
#endif

static_assert(sp::checked<run>);
