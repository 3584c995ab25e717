// SPDX-License-Identifier: BSL-1.0
// torchtitan deals a sequence out to 2 x cp x tp.
// EXPECT: 'shardplan::plan_rejected<shardplan::does_not_divide<shardplan::cp_x_2_tp<16>, shardplan::sequence<4104>,
// EXPECT: shardplan::try_<shardplan::sequence<4096> ?>, shardplan::try_<shardplan::sequence<4112> ?> ?> ?>'
#include <shardplan/shardplan.hpp>

namespace sp = shardplan;

template <class... More>
using run_with = sp::plan<sp::model<sp::models::llama3_8b>, sp::cluster<sp::devices::h100_sxm_80gb, 8, 1>, sp::fsdp<>, sp::tp<4>, sp::cp<2>,
                          sp::micro_batch<1>, sp::global_batch<64>, sp::framework<sp::frameworks::torchtitan>, More...>;

#ifdef SHARDPLAN_TWIN
using run = run_with<sp::sequence<4112>>;
#else
using run = run_with<sp::sequence<4104>>;
#endif

static_assert(sp::checked<run>);
