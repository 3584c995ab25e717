// SPDX-License-Identifier: BSL-1.0
// torchtitan's tp within ep, and too little memory: the value that is named was tried with the remedy, which moves to the host what
// torchtitan's enable_cpu_offload moves. The twin makes both.
// EXPECT: 'shardplan::plan_rejected<shardplan::exceeds<shardplan::tp<8>, shardplan::ep<4>, shardplan::try_<shardplan::tp<4> ?> ?>,
// EXPECT: shardplan::try_<shardplan::fsdp<>, shardplan::offload<shardplan::states_to<shardplan::storage::host>,
// EXPECT: shardplan::gradients_to<shardplan::storage::host>, shardplan::weights_to<shardplan::storage::host> ?> ?> ?> ?>'
#include <shardplan/shardplan.hpp>

namespace sp = shardplan;

template <class... More>
using run_of =
    sp::plan<sp::model<sp::models::mixtral_8x7b>, sp::cluster<sp::devices::h100_sxm_80gb, 8, 1>, sp::framework<sp::frameworks::torchtitan>,
             sp::micro_batch<1>, sp::global_batch<16>, sp::sequence<8192>, sp::ep<4>, More...>;

#ifdef SHARDPLAN_TWIN
using run = run_of<sp::tp<4>, sp::fsdp<>,
                   sp::offload<sp::states_to<sp::storage::host>, sp::gradients_to<sp::storage::host>, sp::weights_to<sp::storage::host>>>;
#else
using run = run_of<sp::tp<8>>;
#endif

static_assert(sp::checked<run>);
