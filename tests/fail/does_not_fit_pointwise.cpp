// SPDX-License-Identifier: BSL-1.0
// What goes number by number is cheap to compute again, and enough here.
// EXPECT: 'shardplan::plan_rejected<shardplan::does_not_fit<shardplan::stage<0>, shardplan::needs<shardplan::GiB<99, 3> ?>,
// EXPECT: shardplan::has<shardplan::GiB<80, 0> ?>, shardplan::largest<shardplan::component::activations, shardplan::GiB<74, 2> ?>,
// EXPECT: shardplan::try_<shardplan::recompute<shardplan::recomputes::layernorm, shardplan::recomputes::mlp_act> ?> ?> ?>'
#include <shardplan/shardplan.hpp>

namespace sp = shardplan;

template <class... More>
using run_with = sp::plan<sp::model<sp::models::llama3_2_1b>, sp::cluster<sp::devices::a100_sxm_80gb, 8, 1>, sp::global_batch<256>,
                          sp::zero<1>, sp::micro_batch<8>, sp::sequence<8192>, More...>;

#ifdef SHARDPLAN_TWIN
using run = run_with<sp::recompute<sp::recomputes::layernorm, sp::recomputes::mlp_act>>;
#else
using run = run_with<>;
#endif

static_assert(sp::checked<run>);
