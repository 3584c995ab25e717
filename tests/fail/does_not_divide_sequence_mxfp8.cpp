// SPDX-License-Identifier: BSL-1.0
// MXFP8 quantises whole blocks of 32 tokens on each rank.
// EXPECT: 'shardplan::plan_rejected<shardplan::does_not_divide<shardplan::cp_x_tp_x_block<128>, shardplan::sequence<4160>,
// EXPECT: shardplan::try_<shardplan::sequence<4096> ?>, shardplan::try_<shardplan::sequence<4224> ?> ?> ?>'
#include <shardplan/shardplan.hpp>

namespace sp = shardplan;

template <int Sequence>
using run_of = sp::plan<sp::model<sp::models::llama3_8b>, sp::cluster<sp::devices::b200_sxm_192gb, 8, 1>, sp::zero<1>, sp::tp<4>,
                        sp::micro_batch<1>, sp::global_batch<64>, sp::precision<sp::precisions::mxfp8_weights>, sp::sequence<Sequence>>;

#ifdef SHARDPLAN_TWIN
using run = run_of<4096>;
#else
using run = run_of<4160>;
#endif

static_assert(sp::checked<run>);
