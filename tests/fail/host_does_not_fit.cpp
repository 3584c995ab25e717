// SPDX-License-Identifier: BSL-1.0
// 70B with master weights and moments on the host: 12 bytes x 70,553,706,496 parameters and a copy of the updated weights, 920.0 GiB, and 8
// processes of 1.96 GiB: rounded up 935.7 GiB.
// EXPECT: 'shardplan::plan_rejected<shardplan::host_does_not_fit<shardplan::needs<shardplan::GiB<935, 7> ?>,
// EXPECT: shardplan::has<shardplan::GiB<512, 0> ?>, shardplan::try_<shardplan::offload<shardplan::states_to<shardplan::storage::nvme> ?> ?> ?> ?>'
#include <shardplan/shardplan.hpp>

namespace sp = shardplan;

template <sp::storage Where>
using run_of = sp::plan<sp::model<sp::models::llama3_70b>, sp::cluster<sp::devices::h100_sxm_80gb, 8, 1>, sp::zero<3>, sp::host_memory<512>,
                        sp::offload<sp::states_to<Where>>, sp::recompute<sp::recomputes::full>, sp::micro_batch<1>, sp::global_batch<64>,
                        sp::sequence<4096>>;

#ifdef SHARDPLAN_TWIN
using run = run_of<sp::storage::nvme>;
#else
using run = run_of<sp::storage::host>;
#endif

static_assert(sp::checked<run>);
