// SPDX-License-Identifier: BSL-1.0
// The last stage is the worst: it computes 256,000 logits a token. 2 bytes x 256,000 x 8 x 4096 tokens are 15.7 GiB.
// EXPECT: 'shardplan::plan_rejected<shardplan::does_not_fit<shardplan::stage<3>, shardplan::needs<shardplan::GiB<46, 6> ?>,
// EXPECT: shardplan::has<shardplan::GiB<40, 0> ?>, shardplan::largest<shardplan::component::logits, shardplan::GiB<15, 7> ?>,
// EXPECT: shardplan::try_<shardplan::micro_batch<4> ?> ?> ?>'
#include <shardplan/shardplan.hpp>

namespace sp = shardplan;

template <int Sequences>
using run_of = sp::plan<sp::model<sp::models::gemma_7b>, sp::cluster<sp::devices::a100_sxm_40gb, 8, 1>, sp::pp<4>, sp::zero<1>,
                        sp::recompute<sp::recomputes::full>, sp::micro_batch<Sequences>, sp::global_batch<16>, sp::sequence<4096>>;

#ifdef SHARDPLAN_TWIN
using run = run_of<4>;
#else
using run = run_of<8>;
#endif

static_assert(sp::checked<run>);
