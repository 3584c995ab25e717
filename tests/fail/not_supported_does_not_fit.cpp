// SPDX-License-Identifier: BSL-1.0
// A plan that DeepSpeed refuses and that does not fit: what makes it fit was tried with what makes it supported. The twin makes both.
// EXPECT: 'shardplan::plan_rejected<shardplan::not_supported<shardplan::feature::sharded_gradients_in_pipeline,
// EXPECT: shardplan::try_<shardplan::zero<1> ?> ?>, shardplan::does_not_fit<shardplan::stage<0>,
// EXPECT: shardplan::try_<shardplan::tp<8> ?> ?> ?>'
#include <shardplan/shardplan.hpp>

namespace sp = shardplan;

template <class... More>
using run_of = sp::plan<sp::model<sp::models::llama3_70b>, sp::cluster<sp::devices::h100_sxm_80gb, 8, 4>, sp::pp<4>,
                        sp::framework<sp::frameworks::deepspeed>, sp::micro_batch<1>, sp::global_batch<128>, sp::sequence<8192>, More...>;

#ifdef SHARDPLAN_TWIN
using run = run_of<sp::zero<1>, sp::tp<8>>;
#else
using run = run_of<sp::zero<2>>;
#endif

static_assert(sp::checked<run>);
