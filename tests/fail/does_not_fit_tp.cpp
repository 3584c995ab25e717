// SPDX-License-Identifier: BSL-1.0
// One sequence of 65,536 tokens: neither ZeRO nor the micro-batch can help, dividing the layers can. 2 x 65,536 x 5120 bytes x 40
// layers of block inputs are 25.0 GiB. tp<2> would not be enough.
// EXPECT: 'shardplan::plan_rejected<shardplan::does_not_fit<shardplan::stage<0>, shardplan::needs<shardplan::GiB<68, 5> ?>,
// EXPECT: shardplan::has<shardplan::GiB<40, 0> ?>, shardplan::largest<shardplan::component::activations, shardplan::GiB<25, 0> ?>,
// EXPECT: shardplan::try_<shardplan::tp<4> ?> ?> ?>'
#include <shardplan/shardplan.hpp>

namespace sp = shardplan;

template <int Tp>
using run_of = sp::plan<sp::model<sp::models::llama2_13b>, sp::cluster<sp::devices::a100_sxm_40gb, 8, 1>, sp::tp<Tp>, sp::zero<3>,
                        sp::recompute<sp::recomputes::full>, sp::micro_batch<1>, sp::global_batch<8>, sp::sequence<65536>>;

#ifdef SHARDPLAN_TWIN
using run = run_of<4>;
#else
using run = run_of<1>;
#endif

static_assert(sp::checked<run>);
