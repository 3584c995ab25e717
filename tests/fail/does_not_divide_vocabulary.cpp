// SPDX-License-Identifier: BSL-1.0
// GPT-2's 50257 rows over 2 ranks: the vocabulary is padded only where the plan says so.
// EXPECT: 'shardplan::plan_rejected<shardplan::does_not_divide<shardplan::tp<2>, shardplan::vocabulary<50257>,
// EXPECT: shardplan::try_<shardplan::vocabulary_multiple<2> ?> ?> ?>'
#include <shardplan/shardplan.hpp>

namespace sp = shardplan;

template <class... More>
using run_with = sp::plan<sp::model<sp::models::gpt2_medium>, sp::cluster<sp::devices::h100_sxm_80gb, 8, 1>, sp::tp<2>, sp::micro_batch<1>,
                          sp::global_batch<64>, sp::sequence<1024>, More...>;

#ifdef SHARDPLAN_TWIN
using run = run_with<sp::vocabulary_multiple<128 * 2>>;
#else
using run = run_with<>;
#endif

static_assert(sp::checked<run>);
