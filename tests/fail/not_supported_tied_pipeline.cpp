// SPDX-License-Identifier: BSL-1.0
// torchtitan: "Weight tying is not supported with Pipeline Parallel."
// EXPECT: 'shardplan::plan_rejected<shardplan::not_supported<shardplan::feature::tied_embeddings_in_pipeline,
// EXPECT: shardplan::try_<shardplan::pp<1> ?> ?> ?>'
#include <shardplan/shardplan.hpp>

namespace sp = shardplan;

template <class Model>
using run_of = sp::plan<sp::model<Model>, sp::cluster<sp::devices::h100_sxm_80gb, 8, 1>, sp::pp<2>, sp::fsdp<>,
                        sp::framework<sp::frameworks::torchtitan>, sp::micro_batch<1>, sp::global_batch<64>, sp::sequence<4096>>;

#ifdef SHARDPLAN_TWIN
using run = run_of<sp::models::llama3_8b>;
#else
using run = run_of<sp::models::llama3_2_1b>;
#endif

static_assert(sp::checked<run>);
