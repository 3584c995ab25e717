// SPDX-License-Identifier: BSL-1.0
// Each rank of a shared sequence quantises its own part: 16,368 tokens on 4 ranks are 4092, no multiple of 8.
// EXPECT: 'shardplan::plan_rejected<shardplan::does_not_divide<shardplan::cp_x_tp_x_8<32>, shardplan::sequence<16368>,
// EXPECT: shardplan::try_<shardplan::sequence<16352> ?>, shardplan::try_<shardplan::sequence<16384> ?> ?> ?>'
#include <shardplan/shardplan.hpp>

namespace sp = shardplan;

template <int Sequence>
using run_of = sp::plan<sp::model<sp::models::llama3_8b>, sp::cluster<sp::devices::h100_sxm_80gb, 8, 1>, sp::zero<1>, sp::tp<4>,
                        sp::recompute<sp::recomputes::full>, sp::micro_batch<1>, sp::global_batch<64>,
                        sp::precision<sp::precisions::fp8_compute>, sp::sequence<Sequence>>;

#ifdef SHARDPLAN_TWIN
using run = run_of<16384>;
#else
using run = run_of<16368>;
#endif

static_assert(sp::checked<run>);
