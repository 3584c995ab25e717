// SPDX-License-Identifier: BSL-1.0
// Expert parallelism was asked of a model without experts.
// EXPECT: 'shardplan::plan_rejected<shardplan::exceeds<shardplan::ep<8>, shardplan::expert_count<0>, shardplan::try_<shardplan::ep<1> ?> ?> ?>'
#include <shardplan/shardplan.hpp>

namespace sp = shardplan;

template <class Model>
using run_of = sp::plan<sp::model<Model>, sp::cluster<sp::devices::h200_sxm_141gb, 8, 1>, sp::ep<8>, sp::zero<1>, sp::micro_batch<1>,
                        sp::global_batch<64>, sp::sequence<2048>>;

#ifdef SHARDPLAN_TWIN
using run = run_of<sp::models::mixtral_8x7b>;
#else
using run = run_of<sp::models::llama2_7b>;
#endif

static_assert(sp::checked<run>);
