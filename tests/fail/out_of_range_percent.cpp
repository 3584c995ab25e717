// SPDX-License-Identifier: BSL-1.0
// More than all of a transfer cannot hide, and no link is faster than its rate: neither is taken for 100.
// EXPECT: 'shardplan::plan_rejected<shardplan::out_of_range<shardplan::hidden_dp<110>, shardplan::at_least<0>, shardplan::at_most<100> ?>,
// EXPECT: shardplan::out_of_range<shardplan::of_fabric<0>, shardplan::at_least<1>, shardplan::at_most<100> ?> ?>'
#include <shardplan/shardplan.hpp>

namespace sp = shardplan;

template <int Hidden, int Reached>
using run_with = sp::plan<sp::model<sp::models::llama2_7b>, sp::cluster<sp::devices::h100_sxm_80gb, 8, 1>, sp::zero<1>,
                          sp::overlap<sp::hidden_dp<Hidden>>, sp::link_efficiency<sp::of_fabric<Reached>>, sp::micro_batch<1>,
                          sp::global_batch<64>, sp::sequence<4096>>;

#ifdef SHARDPLAN_TWIN
using run = run_with<100, 1>;
#else
using run = run_with<110, 0>;
#endif

static_assert(sp::checked<run>);
