// SPDX-License-Identifier: BSL-1.0
// 4096 tokens over 3 context parallel ranks.
// EXPECT: 'shardplan::plan_rejected<shardplan::does_not_divide<shardplan::cp<3>, shardplan::sequence<4096>,
// EXPECT: shardplan::try_<shardplan::sequence<4095> ?>, shardplan::try_<shardplan::sequence<4098> ?> ?> ?>'
#include <shardplan/shardplan.hpp>

namespace sp = shardplan;

template <int Tokens>
using run_of = sp::plan<sp::model<sp::models::llama2_7b>, sp::cluster<sp::devices::h100_sxm_80gb, 6, 1>, sp::cp<3>, sp::zero<1>,
                        sp::micro_batch<1>, sp::global_batch<64>, sp::sequence<Tokens>>;

#ifdef SHARDPLAN_TWIN
using run = run_of<4098>;
#else
using run = run_of<4096>;
#endif

static_assert(sp::checked<run>);
