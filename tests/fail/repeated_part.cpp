// SPDX-License-Identifier: BSL-1.0
// Two parts were said twice, one of them twice with the same value.
// EXPECT: 'shardplan::plan_rejected<shardplan::repeated_part<shardplan::part_kind::sequence>,
// EXPECT: shardplan::repeated_part<shardplan::part_kind::tp> ?>'
#include <shardplan/shardplan.hpp>

namespace sp = shardplan;

template <class... More>
using run_with = sp::plan<sp::model<sp::models::llama2_7b>, sp::cluster<sp::devices::h100_sxm_80gb, 8, 1>, sp::micro_batch<1>,
                          sp::global_batch<64>, sp::sequence<4096>, More...>;

#ifdef SHARDPLAN_TWIN
using run = run_with<sp::tp<2>>;
#else
using run = run_with<sp::tp<2>, sp::tp<4>, sp::sequence<4096>>;
#endif

static_assert(sp::checked<run>);
