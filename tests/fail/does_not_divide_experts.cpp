// SPDX-License-Identifier: BSL-1.0
// 8 experts cannot be dealt evenly to 3 expert parallel ranks.
// EXPECT: 'shardplan::plan_rejected<shardplan::does_not_divide<shardplan::ep<3>, shardplan::expert_count<8>,
// EXPECT: shardplan::try_<shardplan::ep<2> ?>, shardplan::try_<shardplan::ep<4> ?> ?> ?>'
#include <shardplan/shardplan.hpp>

namespace sp = shardplan;

template <int Ep>
using run_of = sp::plan<sp::model<sp::models::mixtral_8x7b>, sp::cluster<sp::devices::h200_sxm_141gb, 8, 3>, sp::ep<Ep>, sp::zero<1>,
                        sp::micro_batch<1>, sp::global_batch<72>, sp::sequence<4096>>;

#ifdef SHARDPLAN_TWIN
using run = run_of<8>;
#else
using run = run_of<3>;
#endif

static_assert(sp::checked<run>);
