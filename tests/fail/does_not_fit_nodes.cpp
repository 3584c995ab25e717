// SPDX-License-Identifier: BSL-1.0
// Only more nodes help.
// EXPECT: 'shardplan::plan_rejected<shardplan::does_not_fit<shardplan::stage<0>, shardplan::needs<shardplan::GiB<38, 4> ?>,
// EXPECT: shardplan::has<shardplan::GiB<31, 7> ?>, shardplan::largest<shardplan::component::weights, shardplan::GiB<16, 5> ?>,
// EXPECT: shardplan::try_<shardplan::nodes<2> ?> ?> ?>'
#include <shardplan/shardplan.hpp>

namespace sp = shardplan;

template <class... More>
using run_with = sp::plan<sp::model<sp::models::llama3_70b>, sp::zero<3>, sp::recompute<sp::recomputes::full>, sp::tp<8>,
                          sp::micro_batch<1>, sp::global_batch<64>, sp::sequence<8192>, sp::offload<sp::states_to<sp::storage::host>>,
                          sp::optimizer<sp::optimizers::adamw_8bit>, More...>;

#ifdef SHARDPLAN_TWIN
using run = run_with<sp::cluster<sp::devices::v100_sxm_32gb, 8, 2>>;
#else
using run = run_with<sp::cluster<sp::devices::v100_sxm_32gb, 8, 1>>;
#endif

static_assert(sp::checked<run>);
