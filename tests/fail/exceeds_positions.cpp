// SPDX-License-Identifier: BSL-1.0
// GPT-2 has learned 1024 positions.
// EXPECT: 'shardplan::plan_rejected<shardplan::exceeds<shardplan::sequence<2048>, shardplan::positions<1024>,
// EXPECT: shardplan::try_<shardplan::sequence<1024> ?> ?> ?>'
#include <shardplan/shardplan.hpp>

namespace sp = shardplan;

template <int Tokens>
using run_of = sp::plan<sp::model<sp::models::gpt2>, sp::cluster<sp::devices::h100_sxm_80gb, 8, 1>, sp::micro_batch<1>,
                        sp::global_batch<64>, sp::sequence<Tokens>>;

#ifdef SHARDPLAN_TWIN
using run = run_of<1024>;
#else
using run = run_of<2048>;
#endif

static_assert(sp::checked<run>);
