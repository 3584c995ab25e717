// SPDX-License-Identifier: BSL-1.0
// All three batch numbers of a DeepSpeed file: 4 x 8 on one rank are 32, not 256 (bigcode-project/starcoder issue 41).
// EXPECT: 'shardplan::plan_rejected<shardplan::does_not_match<shardplan::micro_batch_x_accumulation_x_dp<32>,
// EXPECT: shardplan::global_batch<256>, shardplan::try_<shardplan::accumulation<64> ?> ?> ?>'
#include <shardplan/shardplan.hpp>

namespace sp = shardplan;

template <class... More>
using run_with =
    sp::plan<sp::model<sp::models::gpt2>, sp::micro_batch<4>, sp::accumulation<8>, sp::global_batch<256>, sp::sequence<1024>, More...>;

#ifdef SHARDPLAN_TWIN
using run = run_with<sp::cluster<sp::devices::h100_sxm_80gb, 8, 1>>;
#else
using run = run_with<sp::cluster<sp::devices::h100_sxm_80gb, 1, 1>>;
#endif

static_assert(sp::checked<run>);
