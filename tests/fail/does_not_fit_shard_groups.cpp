// SPDX-License-Identifier: BSL-1.0
// Eight ranks share the states of 70B; all sixteen are enough.
// EXPECT: 'shardplan::plan_rejected<shardplan::does_not_fit<shardplan::stage<0>, shardplan::needs<shardplan::GiB<142, 1> ?>,
// EXPECT: shardplan::has<shardplan::GiB<80, 0> ?>, shardplan::largest<shardplan::component::optimizer, shardplan::GiB<64, 3> ?>,
// EXPECT: shardplan::try_<shardplan::shard_ranks<16> ?> ?> ?>'
#include <shardplan/shardplan.hpp>

namespace sp = shardplan;

template <class... More>
using run_with = sp::plan<sp::model<sp::models::llama2_70b>, sp::cluster<sp::devices::a100_sxm_80gb, 8, 2>, sp::global_batch<256>,
                          sp::micro_batch<1>, sp::sequence<1024>, sp::recompute<sp::recomputes::full>, More...>;

#ifdef SHARDPLAN_TWIN
using run = run_with<sp::hsdp<16>>;
#else
using run = run_with<sp::hsdp<8>>;
#endif

static_assert(sp::checked<run>);
