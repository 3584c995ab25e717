// SPDX-License-Identifier: BSL-1.0
// A number that names tp six times is no order of ranks.
// EXPECT: 'shardplan::plan_rejected<shardplan::malformed_part<shardplan::part_kind::rank_order> ?>'
#include <shardplan/shardplan.hpp>

namespace sp = shardplan;

template <sp::rank_orders Order>
using run_with = sp::plan<sp::model<sp::models::llama2_7b>, sp::cluster<sp::devices::h100_sxm_80gb, 8, 1>, sp::zero<1>,
                          sp::rank_order<Order>, sp::micro_batch<1>, sp::global_batch<64>, sp::sequence<4096>>;

#ifdef SHARDPLAN_TWIN
using run = run_with<sp::rank_orders{0x543621}>;
#else
using run = run_with<sp::rank_orders{0x111111}>;
#endif

static_assert(sp::checked<run>);
