// SPDX-License-Identifier: BSL-1.0
// torch cuts the key/value projections by heads: two heads do not go on four ranks (pytorch/torchtitan issue 2574).
// EXPECT: 'shardplan::plan_rejected<shardplan::does_not_divide<shardplan::tp<4>, shardplan::kv_heads<2>,
// EXPECT: shardplan::try_<shardplan::tp<2> ?> ?> ?>'
#include <shardplan/shardplan.hpp>

namespace sp = shardplan;

template <class... More>
using run_with = sp::plan<sp::model<sp::models::qwen2_5_3b>, sp::cluster<sp::devices::h100_sxm_80gb, 8, 1>, sp::fsdp<>, sp::micro_batch<1>,
                          sp::global_batch<64>, sp::sequence<4096>, sp::framework<sp::frameworks::torchtitan>, More...>;

#ifdef SHARDPLAN_TWIN
using run = run_with<sp::tp<2>>;
#else
using run = run_with<sp::tp<4>>;
#endif

static_assert(sp::checked<run>);
