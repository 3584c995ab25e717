// SPDX-License-Identifier: BSL-1.0
// FP8 kernels take multiples of 16 tokens on each context parallel rank.
// EXPECT: 'shardplan::plan_rejected<shardplan::does_not_divide<shardplan::cp_x_16<32>, shardplan::sequence<4104>,
// EXPECT: shardplan::try_<shardplan::sequence<4096> ?>, shardplan::try_<shardplan::sequence<4128> ?> ?> ?>'
#include <shardplan/shardplan.hpp>

namespace sp = shardplan;

template <class... More>
using run_with = sp::plan<sp::model<sp::models::llama3_8b>, sp::cluster<sp::devices::h100_sxm_80gb, 8, 1>, sp::zero<1>, sp::cp<2>,
                          sp::tp<2>, sp::micro_batch<1>, sp::global_batch<64>, sp::precision<sp::precisions::fp8_compute>, More...>;

#ifdef SHARDPLAN_TWIN
using run = run_with<sp::sequence<4096>>;
#else
using run = run_with<sp::sequence<4104>>;
#endif

static_assert(sp::checked<run>);
