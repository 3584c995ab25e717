// SPDX-License-Identifier: BSL-1.0
// No engine sends gradients to NVMe.
// EXPECT: 'shardplan::plan_rejected<shardplan::not_supported<shardplan::feature::gradients_to_nvme,
// EXPECT: shardplan::try_<shardplan::offload<shardplan::states_to<shardplan::storage::nvme>,
// shardplan::gradients_to<shardplan::storage::host> ?> ?> ?> ?>'
#include <shardplan/shardplan.hpp>

namespace sp = shardplan;

template <sp::storage Where>
using run_of = sp::plan<sp::model<sp::models::llama2_7b>, sp::cluster<sp::devices::h100_sxm_80gb, 8, 1>, sp::zero<2>,
                        sp::offload<sp::states_to<sp::storage::nvme>, sp::gradients_to<Where>>, sp::micro_batch<1>, sp::global_batch<64>,
                        sp::sequence<4096>>;

#ifdef SHARDPLAN_TWIN
using run = run_of<sp::storage::host>;
#else
using run = run_of<sp::storage::nvme>;
#endif

static_assert(sp::checked<run>);
