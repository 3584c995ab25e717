// SPDX-License-Identifier: BSL-1.0
// A zero degree is reported alone: what must divide is not asked while a divisor is out of its range.
// EXPECT: 'shardplan::plan_rejected<shardplan::out_of_range<shardplan::tp<0>, shardplan::at_least<1>, shardplan::at_most<4096> ?> ?>'
#include <shardplan/shardplan.hpp>

namespace sp = shardplan;

template <int Tp, int Batch>
using run_of = sp::plan<sp::model<sp::models::llama3_8b>, sp::cluster<sp::devices::h100_sxm_80gb, 8, 1>, sp::tp<Tp>, sp::micro_batch<1>,
                        sp::global_batch<Batch>, sp::sequence<8192>>;

#ifdef SHARDPLAN_TWIN
using run = run_of<4, 64>;
#else
using run = run_of<0, 63>;
#endif

static_assert(sp::checked<run>);
