// SPDX-License-Identifier: BSL-1.0
// Weights leave the device as shards only: below ZeRO-3 each rank needs them whole.
// EXPECT: 'shardplan::plan_rejected<shardplan::not_supported<shardplan::feature::weights_off_without_zero_3,
// shardplan::try_<shardplan::zero<3> ?> ?> ?>'
#include <shardplan/shardplan.hpp>

namespace sp = shardplan;

template <int Stage>
using run_with = sp::plan<sp::model<sp::models::llama2_7b>, sp::cluster<sp::devices::h100_sxm_80gb, 8, 1>, sp::zero<Stage>,
                          sp::offload<sp::weights_to<sp::storage::host>>, sp::micro_batch<1>, sp::global_batch<64>, sp::sequence<4096>>;

#ifdef SHARDPLAN_TWIN
using run = run_with<3>;
#else
using run = run_with<2>;
#endif

static_assert(sp::checked<run>);
