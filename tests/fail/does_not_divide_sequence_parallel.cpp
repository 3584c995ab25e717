// SPDX-License-Identifier: BSL-1.0
// Sequence parallelism shares out what context parallelism has left: cp x tp must divide the sequence.
// EXPECT: 'shardplan::plan_rejected<shardplan::does_not_divide<shardplan::cp_x_tp<8>, shardplan::sequence<2052>,
// EXPECT: shardplan::try_<shardplan::sequence<2048> ?>, shardplan::try_<shardplan::sequence<2056> ?> ?> ?>'
#include <shardplan/shardplan.hpp>

namespace sp = shardplan;

template <class... More>
using run_with = sp::plan<sp::model<sp::models::llama2_7b>, sp::cluster<sp::devices::h100_sxm_80gb, 8, 1>, sp::cp<2>, sp::tp<4>,
                          sp::micro_batch<1>, sp::global_batch<64>, sp::sequence<2052>, More...>;

#ifdef SHARDPLAN_TWIN
using run = run_with<sp::sequence_parallel<false>>;
#else
using run = run_with<>;
#endif

static_assert(sp::checked<run>);
