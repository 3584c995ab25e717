// SPDX-License-Identifier: BSL-1.0
// FSDP shards everything: a ZeRO stage beside it contradicts it.
// EXPECT: 'shardplan::plan_rejected<shardplan::not_supported<shardplan::feature::fsdp_with_zero, shardplan::try_<shardplan::zero<0> ?> ?>
// ?>'
#include <shardplan/shardplan.hpp>

namespace sp = shardplan;

template <class... Sharding>
using run_of = sp::plan<sp::model<sp::models::llama2_7b>, sp::cluster<sp::devices::h100_sxm_80gb, 8, 2>, sp::micro_batch<1>,
                        sp::global_batch<64>, sp::sequence<4096>, Sharding...>;

#ifdef SHARDPLAN_TWIN
using run = run_of<sp::fsdp<>>;
#else
using run = run_of<sp::fsdp<>, sp::zero<2>>;
#endif

static_assert(sp::checked<run>);
