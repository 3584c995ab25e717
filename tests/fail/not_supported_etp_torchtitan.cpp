// SPDX-License-Identifier: BSL-1.0
// torchtitan: "Currently we only support ETP=TP or ETP=1".
// EXPECT: 'shardplan::plan_rejected<shardplan::not_supported<shardplan::feature::etp_apart_from_tp,
// EXPECT: shardplan::try_<shardplan::etp<1> ?> ?> ?>'
#include <shardplan/shardplan.hpp>

namespace sp = shardplan;

template <int Ranks>
using run_of =
    sp::plan<sp::model<sp::models::mixtral_8x7b>, sp::cluster<sp::devices::h200_sxm_141gb, 8, 4>, sp::tp<4>, sp::ep<4>, sp::etp<Ranks>,
             sp::fsdp<>, sp::framework<sp::frameworks::torchtitan>, sp::micro_batch<1>, sp::global_batch<64>, sp::sequence<4096>>;

#ifdef SHARDPLAN_TWIN
using run = run_of<4>;
#else
using run = run_of<2>;
#endif

static_assert(sp::checked<run>);
