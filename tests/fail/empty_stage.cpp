// SPDX-License-Identifier: BSL-1.0
// Stage 1 is given no layer.
// EXPECT: 'shardplan::plan_rejected<shardplan::empty_stage<shardplan::stage<1> ?> ?>'
#include <shardplan/shardplan.hpp>

namespace sp = shardplan;

template <class Split>
using run_of = sp::plan<sp::model<sp::models::llama2_7b>, sp::cluster<sp::devices::h100_sxm_80gb, 8, 1>, sp::tp<2>, sp::pp<4>, Split,
                        sp::micro_batch<1>, sp::global_batch<64>, sp::sequence<4096>>;

#ifdef SHARDPLAN_TWIN
using run = run_of<sp::layer_split<10, 2, 10, 10>>;
#else
using run = run_of<sp::layer_split<12, 0, 10, 10>>;
#endif

static_assert(sp::checked<run>);
