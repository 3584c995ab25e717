// SPDX-License-Identifier: BSL-1.0
// Megatron-LM: "When using MoE and tensor parallelism, sequence parallelism must be used".
// EXPECT: 'shardplan::plan_rejected<shardplan::not_supported<shardplan::feature::experts_in_tp_without_sequence_parallel,
// shardplan::try_<shardplan::sequence_parallel<true> ?> ?> ?>'
#include <shardplan/shardplan.hpp>

namespace sp = shardplan;

template <class... More>
using run_with =
    sp::plan<sp::model<sp::models::mixtral_8x7b>, sp::cluster<sp::devices::h100_sxm_80gb, 8, 8>, sp::tp<2>, sp::ep<8>, sp::zero<1>,
             sp::micro_batch<1>, sp::global_batch<64>, sp::sequence<4096>, sp::framework<sp::frameworks::megatron>, More...>;

#ifdef SHARDPLAN_TWIN
using run = run_with<sp::sequence_parallel<true>>;
#else
using run = run_with<sp::sequence_parallel<false>>;
#endif

static_assert(sp::checked<run>);
