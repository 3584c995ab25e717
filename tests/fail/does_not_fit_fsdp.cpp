// SPDX-License-Identifier: BSL-1.0
// torchtitan has no stages of ZeRO: its word is fsdp<>.
// EXPECT: 'shardplan::plan_rejected<shardplan::does_not_fit<shardplan::stage<0>, shardplan::needs<shardplan::GiB<119, 0> ?>,
// EXPECT: shardplan::has<shardplan::GiB<80, 0> ?>, shardplan::largest<shardplan::component::optimizer, shardplan::GiB<50, 3> ?>,
// EXPECT: shardplan::try_<shardplan::fsdp<> ?> ?> ?>'
#include <shardplan/shardplan.hpp>

namespace sp = shardplan;

template <class... Sharding>
using run_of = sp::plan<sp::model<sp::models::llama2_7b>, sp::cluster<sp::devices::a100_sxm_80gb, 8, 1>, sp::micro_batch<1>,
                        sp::global_batch<64>, sp::sequence<4096>, sp::framework<sp::frameworks::torchtitan>, Sharding...>;

#ifdef SHARDPLAN_TWIN
using run = run_of<sp::fsdp<>>;
#else
using run = run_of<>;
#endif

static_assert(sp::checked<run>);
