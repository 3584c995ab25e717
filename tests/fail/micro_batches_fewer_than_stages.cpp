// SPDX-License-Identifier: BSL-1.0
// DualPipe on 4 ranks, 8 stages of two directions, with 6 micro-batches.
// EXPECT: 'shardplan::plan_rejected<shardplan::micro_batches_fewer_than_stages<shardplan::micro_batches<6>, shardplan::pp_x_chunks<8>, shardplan::try_<shardplan::global_batch<8> ?> ?> ?>'
#include <shardplan/shardplan.hpp>

namespace sp = shardplan;

template <class Batch>
using run_of = sp::plan<sp::model<sp::models::llama3_2_1b>, sp::cluster<sp::devices::h100_sxm_80gb, 4, 1>, sp::pp<4>,
                        sp::schedule<sp::schedules::dual_pipe>, sp::micro_batch<1>, sp::sequence<4096>, Batch>;

#ifdef SHARDPLAN_TWIN
using run = run_of<sp::global_batch<8>>;
#else
using run = run_of<sp::global_batch<6>>;
#endif

static_assert(sp::checked<run>);
