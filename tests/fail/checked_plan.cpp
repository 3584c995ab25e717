// SPDX-License-Identifier: BSL-1.0
// A `checked_plan` insists by itself, at the first use of a figure.
// EXPECT: 'shardplan::plan_rejected<shardplan::does_not_divide<shardplan::tp<2>, shardplan::sequence<8193>,
// EXPECT: shardplan::try_<shardplan::sequence<8192> ?>, shardplan::try_<shardplan::sequence<8194> ?> ?> ?>'
#include <shardplan/shardplan.hpp>

namespace sp = shardplan;

template <int Tp>
using run_of = sp::checked_plan<sp::model<sp::models::llama3_2_1b>, sp::cluster<sp::devices::h100_sxm_80gb, 8, 1>, sp::tp<Tp>,
                                sp::micro_batch<1>, sp::global_batch<64>, sp::sequence<8193>>;

#ifdef SHARDPLAN_TWIN
using run = run_of<1>;
#else
using run = run_of<2>;
#endif

inline constexpr auto peak = run::peak_memory;
