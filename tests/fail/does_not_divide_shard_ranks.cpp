// SPDX-License-Identifier: BSL-1.0
// Shard groups of 12 do not tile 16 replicas.
// EXPECT: 'shardplan::plan_rejected<shardplan::does_not_divide<shardplan::shard_ranks<12>, shardplan::dp_x_cp<16>, shardplan::try_<shardplan::shard_ranks<8> ?>, shardplan::try_<shardplan::shard_ranks<16> ?> ?> ?>'
#include <shardplan/shardplan.hpp>

namespace sp = shardplan;

template <int Ranks>
using run_of = sp::plan<sp::model<sp::models::llama2_7b>, sp::cluster<sp::devices::h100_sxm_80gb, 8, 2>, sp::hsdp<Ranks>,
                        sp::micro_batch<1>, sp::global_batch<64>, sp::sequence<4096>>;

#ifdef SHARDPLAN_TWIN
using run = run_of<8>;
#else
using run = run_of<12>;
#endif

static_assert(sp::checked<run>);
