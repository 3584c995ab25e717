// SPDX-License-Identifier: BSL-1.0
// More candidates than a compiler is asked to judge: said by name, and nothing is searched.
// EXPECT: search_space_too_large<shardplan::candidates<24192>, shardplan::at_most<20000> ?>
// EXPECT-GCC: incomplete type
// EXPECT-CLANG: undefined template
#include <shardplan/model/catalog.hpp>
#include <shardplan/schedule/gpipe.hpp>
#include <shardplan/search/best.hpp>
#include <shardplan/shardplan.hpp>

namespace sp = shardplan;

#ifdef SHARDPLAN_TWIN
using first = sp::tp<8>;
#else
using first = sp::among<sp::tp<1>, sp::tp<2>, sp::tp<3>, sp::tp<4>, sp::tp<5>, sp::tp<6>, sp::tp<7>, sp::tp<8>, sp::pp<1>, sp::pp<2>,
                        sp::pp<3>, sp::pp<4>, sp::pp<5>, sp::pp<6>, sp::pp<7>, sp::micro_batch<1>, sp::micro_batch<2>, sp::micro_batch<3>,
                        sp::micro_batch<4>, sp::micro_batch<5>, sp::micro_batch<6>, sp::micro_batch<7>, sp::micro_batch<8>,
                        sp::micro_batch<9>, sp::cp<1>, sp::cp<2>, sp::cp<3>>;
#endif

using answer = sp::best<sp::models::llama2_70b, sp::cluster<sp::devices::h100_sxm_80gb, 8, 8>, sp::sequence<4096>, sp::global_batch<256>,
                        sp::recompute<sp::recomputes::full>, first>;
static_assert(answer::considered > 0);
