// SPDX-License-Identifier: BSL-1.0
// A list without values leaves no row.
// EXPECT: shardplan::list_without_values<shardplan::list<> ?>
// EXPECT-GCC: incomplete type
// EXPECT-CLANG: undefined template
#include <shardplan/search/sweep.hpp>
#include <shardplan/shardplan.hpp>

namespace sp = shardplan;

#ifdef SHARDPLAN_TWIN
using tried = sp::list<sp::tp<1>, sp::tp<2>>;
#else
using tried = sp::list<>;
#endif

using grid = sp::sweep<sp::model<sp::models::llama2_7b>, sp::cluster<sp::devices::a100_sxm_80gb, 8, 1>, sp::sequence<4096>,
                       sp::micro_batch<1>, sp::global_batch<64>, sp::zero<1>, tried>;
static_assert(sp::rows_of<grid>[0].world_size == 8 && sp::fastest_row<grid> >= 0);
