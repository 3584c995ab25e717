// SPDX-License-Identifier: BSL-1.0
// No three changes are enough, and on the same devices another layout is: one degree goes up and one down. The twin makes it.
// EXPECT: 'shardplan::plan_rejected<shardplan::does_not_fit<shardplan::stage<0>,.*shardplan::try_<shardplan::tp<4>, shardplan::cp<1>,
// EXPECT: shardplan::recompute<shardplan::recomputes::full>, shardplan::micro_batch<1> ?> ?> ?>'
#include <shardplan/shardplan.hpp>

namespace sp = shardplan;

template <class... More>
using run_of = sp::plan<sp::model<sp::models::llama3_70b>, sp::cluster<sp::devices::h100_sxm_80gb, 8, 2>,
                        sp::framework<sp::frameworks::deepspeed>, sp::global_batch<128>, sp::sequence<8192>, More...>;

#ifdef SHARDPLAN_TWIN
using run = run_of<sp::micro_batch<1>, sp::pp<4>, sp::tp<4>, sp::cp<1>, sp::recompute<sp::recomputes::full>>;
#else
using run = run_of<sp::micro_batch<4>, sp::pp<4>, sp::cp<2>>;
#endif

static_assert(sp::checked<run>);
