// SPDX-License-Identifier: BSL-1.0
// Megatron-LM: "pipeline-model-parallel size should be greater than 1 with interleaved schedule".
// EXPECT: 'shardplan::plan_rejected<shardplan::not_supported<shardplan::feature::interleaving_without_pipeline,
// EXPECT: shardplan::try_<shardplan::schedule<shardplan::schedules::one_f_one_b> ?> ?> ?>'
#include <shardplan/shardplan.hpp>

namespace sp = shardplan;

template <int Ranks>
using run_of = sp::plan<sp::model<sp::models::llama2_7b>, sp::cluster<sp::devices::h100_sxm_80gb, 8, 1>, sp::pp<Ranks>, sp::zero<1>,
                        sp::schedule<sp::schedules::interleaved<2>>, sp::framework<sp::frameworks::megatron>, sp::micro_batch<1>,
                        sp::global_batch<64>, sp::sequence<4096>>;

#ifdef SHARDPLAN_TWIN
using run = run_of<2>;
#else
using run = run_of<1>;
#endif

static_assert(sp::checked<run>);
