// SPDX-License-Identifier: BSL-1.0
// Megatron-LM: "--fp8-param-gather only supported with distributed optimizer, torch fsdp2, megatron fsdp".
// EXPECT: 'shardplan::plan_rejected<shardplan::not_supported<shardplan::feature::fp8_weights_of_whole_states,
// EXPECT: shardplan::try_<shardplan::zero<1> ?> ?> ?>'
#include <shardplan/shardplan.hpp>

namespace sp = shardplan;

template <int Stage>
using run_of = sp::plan<sp::model<sp::models::gpt2>, sp::cluster<sp::devices::h100_sxm_80gb, 8, 1>, sp::zero<Stage>,
                        sp::precision<sp::precisions::fp8_weights>, sp::framework<sp::frameworks::megatron>, sp::micro_batch<1>,
                        sp::global_batch<64>, sp::sequence<1024>>;

#ifdef SHARDPLAN_TWIN
using run = run_of<1>;
#else
using run = run_of<0>;
#endif

static_assert(sp::checked<run>);
