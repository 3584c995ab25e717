// SPDX-License-Identifier: BSL-1.0
// Numbers beyond 2^31 and 2^32 arrive whole: nothing is cut on the way.
// EXPECT: 'shardplan::plan_rejected<shardplan::out_of_range<shardplan::sequence<9000000000000000000>, shardplan::at_least<1>,
// EXPECT: shardplan::at_most<2147483648> ?>, shardplan::out_of_range<shardplan::global_batch<4294967297>, shardplan::at_least<1>,
// EXPECT: shardplan::at_most<4294967296> ?> ?>'
#include <shardplan/shardplan.hpp>

namespace sp = shardplan;

template <class... More>
using run_with = sp::plan<sp::model<sp::models::llama2_7b>, sp::cluster<sp::devices::h100_sxm_80gb, 8, 1>, sp::zero<1>, More...>;

#ifdef SHARDPLAN_TWIN
using run = run_with<sp::micro_batch<1>, sp::global_batch<64>, sp::sequence<4096>>;
#else
using run = run_with<sp::micro_batch<1>, sp::global_batch<4'294'967'297>, sp::sequence<9'000'000'000'000'000'000>>;
#endif

static_assert(sp::checked<run>);
