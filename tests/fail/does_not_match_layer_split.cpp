// SPDX-License-Identifier: BSL-1.0
// The stages hold 31 layers of 32.
// EXPECT: 'shardplan::plan_rejected<shardplan::does_not_match<shardplan::layer_split_sum<31>, shardplan::layers<32> ?> ?>'
#include <shardplan/shardplan.hpp>

namespace sp = shardplan;

template <class Split>
using run_of = sp::plan<sp::model<sp::models::llama2_7b>, sp::cluster<sp::devices::h100_sxm_80gb, 8, 1>, sp::tp<2>, sp::pp<4>, Split,
                        sp::micro_batch<1>, sp::global_batch<64>, sp::sequence<4096>>;

#ifdef SHARDPLAN_TWIN
using run = run_of<sp::layer_split<7, 9, 9, 7>>;
#else
using run = run_of<sp::layer_split<7, 9, 8, 7>>;
#endif

static_assert(sp::checked<run>);
