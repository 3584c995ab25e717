// SPDX-License-Identifier: BSL-1.0
// More rows than a compiler is asked to compute.
// EXPECT: shardplan::sweep_too_large<shardplan::candidates<2000>, shardplan::at_most<1024> ?>
// EXPECT-GCC: incomplete type
// EXPECT-CLANG: undefined template
#include <shardplan/search/sweep.hpp>
#include <shardplan/shardplan.hpp>

namespace sp = shardplan;

#ifdef SHARDPLAN_TWIN
// A single row of it may be asked for.
template <class Sweep>
constexpr auto first = Sweep::template row<0>.world_size;
#else
template <class Sweep>
constexpr auto first = sp::rows_of<Sweep>[0].world_size;
#endif

using ten = sp::list<sp::tp<1>, sp::tp<2>, sp::tp<4>, sp::tp<8>, sp::pp<2>, sp::pp<4>, sp::pp<8>, sp::cp<2>, sp::cp<4>, sp::cp<8>>;
using grid = sp::sweep<sp::model<sp::models::llama2_7b>, sp::cluster<sp::devices::a100_sxm_80gb, 8, 1>, sp::sequence<4096>,
                       sp::micro_batch<1>, sp::global_batch<64>, sp::zero<1>, ten, ten, ten, sp::list<sp::headroom<0>, sp::headroom<512>>>;
static_assert(grid::size == 2000 && first<grid> >= 0);
