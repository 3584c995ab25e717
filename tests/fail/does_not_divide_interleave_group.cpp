// SPDX-License-Identifier: BSL-1.0
// Groups of 4 micro-batches in the interleaved order, and 9 micro-batches: with four chunks a rest of 1 makes ranks wait for each other.
// EXPECT: 'shardplan::plan_rejected<shardplan::does_not_divide<shardplan::interleave_group<4>, shardplan::micro_batches<9>, shardplan::try_<shardplan::global_batch<8> ?>, shardplan::try_<shardplan::global_batch<10> ?> ?> ?>'
#include <shardplan/shardplan.hpp>

namespace sp = shardplan;

template <class Batch>
using run_of = sp::plan<sp::model<sp::models::llama3_2_1b>, sp::cluster<sp::devices::h100_sxm_80gb, 4, 1>, sp::pp<4>,
                        sp::schedule<sp::schedules::interleaved<4>>, sp::micro_batch<1>, sp::sequence<4096>, Batch>;

#ifdef SHARDPLAN_TWIN
using run = run_of<sp::global_batch<12>>;
#else
using run = run_of<sp::global_batch<9>>;
#endif

static_assert(sp::checked<run>);
