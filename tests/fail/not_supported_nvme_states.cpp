// SPDX-License-Identifier: BSL-1.0
// DeepSpeed moves states to NVMe under ZeRO-3 only: below it they stay on the device without a word.
// EXPECT: 'shardplan::plan_rejected<shardplan::not_supported<shardplan::feature::states_to_nvme_without_zero_3,
// EXPECT: shardplan::try_<shardplan::zero<3> ?> ?> ?>'
#include <shardplan/shardplan.hpp>

namespace sp = shardplan;

template <int Stage>
using run_of = sp::plan<sp::model<sp::models::gpt2>, sp::cluster<sp::devices::h100_sxm_80gb, 8, 1>, sp::zero<Stage>,
                        sp::offload<sp::states_to<sp::storage::nvme>, sp::gradients_to<sp::storage::host>>,
                        sp::framework<sp::frameworks::deepspeed>, sp::micro_batch<1>, sp::global_batch<64>, sp::sequence<1024>>;

#ifdef SHARDPLAN_TWIN
using run = run_of<3>;
#else
using run = run_of<2>;
#endif

static_assert(sp::checked<run>);
