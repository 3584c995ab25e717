// SPDX-License-Identifier: BSL-1.0
// All-to-alls among 4 ranks do not tile 6 context parallel ranks.
// EXPECT: 'shardplan::plan_rejected<shardplan::does_not_divide<shardplan::inner_all_to_all<4>, shardplan::cp<6>, shardplan::try_<shardplan::inner_all_to_all<3> ?>, shardplan::try_<shardplan::inner_all_to_all<6> ?> ?> ?>'
#include <shardplan/shardplan.hpp>

namespace sp = shardplan;

template <int Ranks>
using run_of = sp::plan<sp::model<sp::models::llama2_7b>, sp::cluster<sp::devices::h100_sxm_80gb, 8, 3>, sp::cp<6>, sp::zero<3>,
                        sp::context_exchange<sp::context_exchanges::ring>, sp::communication<sp::inner_all_to_all<Ranks>>,
                        sp::micro_batch<1>, sp::global_batch<64>, sp::sequence<6144>>;

#ifdef SHARDPLAN_TWIN
using run = run_of<3>;
#else
using run = run_of<4>;
#endif

static_assert(sp::checked<run>);
