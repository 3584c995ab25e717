// SPDX-License-Identifier: BSL-1.0
// All degrees were said, and they are not the devices there are.
// EXPECT: 'shardplan::plan_rejected<shardplan::does_not_match<shardplan::tp_x_pp_x_cp_x_dp<32>, shardplan::device_count<64>,
// EXPECT: shardplan::try_<shardplan::dp<4> ?> ?> ?>'
#include <shardplan/shardplan.hpp>

namespace sp = shardplan;

template <int Dp>
using run_of = sp::plan<sp::model<sp::models::llama2_7b>, sp::cluster<sp::devices::h100_sxm_80gb, 8, 8>, sp::tp<4>, sp::pp<4>, sp::dp<Dp>,
                        sp::micro_batch<1>, sp::global_batch<64>, sp::sequence<4096>>;

#ifdef SHARDPLAN_TWIN
using run = run_of<4>;
#else
using run = run_of<2>;
#endif

static_assert(sp::checked<run>);
