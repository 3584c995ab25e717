// SPDX-License-Identifier: BSL-1.0
// FSDP has no stages of ZeRO to try: weights that stay gathered are freed after forward.
// EXPECT: 'shardplan::plan_rejected<shardplan::does_not_fit<shardplan::stage<0>, shardplan::needs<shardplan::GiB<84, 0> ?>,
// EXPECT: shardplan::has<shardplan::GiB<80, 0> ?>, shardplan::largest<shardplan::component::activations, shardplan::GiB<68, 1> ?>,
// EXPECT: shardplan::try_<shardplan::reshard_after_forward<true> ?> ?> ?>'
#include <shardplan/shardplan.hpp>

namespace sp = shardplan;

template <class... More>
using run_with = sp::plan<sp::model<sp::models::llama3_8b>, sp::cluster<sp::devices::a100_sxm_80gb, 8, 4>, sp::global_batch<256>, sp::pp<2>,
                          sp::micro_batch<2>, sp::sequence<8192>, More...>;

#ifdef SHARDPLAN_TWIN
using run = run_with<sp::fsdp<>>;
#else
using run = run_with<sp::fsdp<sp::reshard_after_forward<false>>>;
#endif

static_assert(sp::checked<run>);
