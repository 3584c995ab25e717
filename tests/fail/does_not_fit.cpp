// SPDX-License-Identifier: BSL-1.0
// The handbook's 7B on A100 80 GB without ZeRO. 8 bytes of optimizer state for each of 6,738,415,616 parameters are 50.2 GiB, rounded
// up 50.3. The twin follows the advice.
// EXPECT: 'shardplan::plan_rejected<shardplan::does_not_fit<shardplan::stage<0>, shardplan::needs<shardplan::GiB<93, 9> ?>,
// EXPECT: shardplan::has<shardplan::GiB<80, 0> ?>, shardplan::largest<shardplan::component::optimizer, shardplan::GiB<50, 3> ?>,
// EXPECT: shardplan::try_<shardplan::zero<1> ?> ?> ?>'
#include <shardplan/shardplan.hpp>

namespace sp = shardplan;

template <int Stage>
using run_of = sp::plan<sp::model<sp::models::llama2_7b>, sp::cluster<sp::devices::a100_sxm_80gb, 8, 1>, sp::zero<Stage>,
                        sp::precision<sp::precisions::handbook_bf16>, sp::micro_batch<1>, sp::global_batch<64>, sp::sequence<4096>>;

#ifdef SHARDPLAN_TWIN
using run = run_of<1>;
#else
using run = run_of<0>;
#endif

static_assert(sp::checked<run>);
