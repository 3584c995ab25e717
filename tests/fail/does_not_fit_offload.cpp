// SPDX-License-Identifier: BSL-1.0
// 70B on one node: only the host has room for the optimizer state. 8 bytes x 70,553,706,496 / 8 are 65.8 GiB a device.
// EXPECT: 'shardplan::plan_rejected<shardplan::does_not_fit<shardplan::stage<0>, shardplan::needs<shardplan::GiB<149, 5> ?>,
// EXPECT: shardplan::has<shardplan::GiB<79, 6> ?>, shardplan::largest<shardplan::component::optimizer, shardplan::GiB<65, 8> ?>,
// EXPECT: shardplan::try_<shardplan::offload<shardplan::states_to<shardplan::storage::host> ?> ?> ?> ?>'
#include <shardplan/shardplan.hpp>

namespace sp = shardplan;

template <class... More>
using run_with = sp::plan<sp::model<sp::models::llama3_70b>, sp::cluster<sp::devices::h100_sxm_80gb, 8, 1>, sp::zero<3>,
                          sp::recompute<sp::recomputes::full>, sp::micro_batch<1>, sp::global_batch<64>, sp::sequence<4096>, More...>;

#ifdef SHARDPLAN_TWIN
using run = run_with<sp::offload<sp::states_to<sp::storage::host>>>;
#else
using run = run_with<>;
#endif

static_assert(sp::checked<run>);
