// SPDX-License-Identifier: BSL-1.0
// torchtitan: "MoE models require expert_parallel_degree to be greater than or equal to tensor_parallel_degree", without ep too.
// EXPECT: 'shardplan::plan_rejected<shardplan::exceeds<shardplan::tp<2>, shardplan::ep<1>,
// EXPECT: shardplan::try_<shardplan::tp<1> ?> ?> ?>'
#include <shardplan/shardplan.hpp>

namespace sp = shardplan;

template <int Ranks>
using run_of =
    sp::plan<sp::model<sp::models::mixtral_8x7b>, sp::cluster<sp::devices::h200_sxm_141gb, 8, 4>, sp::tp<2>, sp::ep<Ranks>, sp::fsdp<>,
             sp::framework<sp::frameworks::torchtitan>, sp::micro_batch<1>, sp::global_batch<64>, sp::sequence<4096>>;

#ifdef SHARDPLAN_TWIN
using run = run_of<2>;
#else
using run = run_of<1>;
#endif

static_assert(sp::checked<run>);
