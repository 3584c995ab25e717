// SPDX-License-Identifier: BSL-1.0
// torchtitan: the tensor parallel ranks of a block are ranks of its experts as well.
// EXPECT: 'shardplan::plan_rejected<shardplan::exceeds<shardplan::tp<8>, shardplan::ep<4>, shardplan::try_<shardplan::tp<4> ?> ?> ?>'
#include <shardplan/shardplan.hpp>

namespace sp = shardplan;

template <class... More>
using run_with = sp::plan<sp::model<sp::models::mixtral_8x7b>, sp::cluster<sp::devices::h100_sxm_80gb, 8, 8>, sp::tp<8>, sp::fsdp<>,
                          sp::micro_batch<1>, sp::global_batch<64>, sp::sequence<4096>, sp::framework<sp::frameworks::torchtitan>, More...>;

#ifdef SHARDPLAN_TWIN
using run = run_with<sp::ep<8>>;
#else
using run = run_with<sp::ep<4>>;
#endif

static_assert(sp::checked<run>);
