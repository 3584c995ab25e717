// SPDX-License-Identifier: BSL-1.0
// More values of one kind than a search has room for.
// EXPECT: shardplan::too_many_values<shardplan::values<33>, shardplan::at_most<32> ?>
// EXPECT-GCC: incomplete type
// EXPECT-CLANG: undefined template
#include <shardplan/model/catalog.hpp>
#include <shardplan/search/best.hpp>
#include <shardplan/shardplan.hpp>

namespace sp = shardplan;

#ifdef SHARDPLAN_TWIN
using tried =
    sp::among<sp::micro_batch<1>, sp::micro_batch<2>, sp::micro_batch<3>, sp::micro_batch<4>, sp::micro_batch<5>, sp::micro_batch<6>,
              sp::micro_batch<7>, sp::micro_batch<8>, sp::micro_batch<9>, sp::micro_batch<10>, sp::micro_batch<11>, sp::micro_batch<12>,
              sp::micro_batch<13>, sp::micro_batch<14>, sp::micro_batch<15>, sp::micro_batch<16>, sp::micro_batch<17>, sp::micro_batch<18>,
              sp::micro_batch<19>, sp::micro_batch<20>, sp::micro_batch<21>, sp::micro_batch<22>, sp::micro_batch<23>, sp::micro_batch<24>,
              sp::micro_batch<25>, sp::micro_batch<26>, sp::micro_batch<27>, sp::micro_batch<28>, sp::micro_batch<29>, sp::micro_batch<30>,
              sp::micro_batch<31>, sp::micro_batch<32>>;
#else
using tried =
    sp::among<sp::micro_batch<1>, sp::micro_batch<2>, sp::micro_batch<3>, sp::micro_batch<4>, sp::micro_batch<5>, sp::micro_batch<6>,
              sp::micro_batch<7>, sp::micro_batch<8>, sp::micro_batch<9>, sp::micro_batch<10>, sp::micro_batch<11>, sp::micro_batch<12>,
              sp::micro_batch<13>, sp::micro_batch<14>, sp::micro_batch<15>, sp::micro_batch<16>, sp::micro_batch<17>, sp::micro_batch<18>,
              sp::micro_batch<19>, sp::micro_batch<20>, sp::micro_batch<21>, sp::micro_batch<22>, sp::micro_batch<23>, sp::micro_batch<24>,
              sp::micro_batch<25>, sp::micro_batch<26>, sp::micro_batch<27>, sp::micro_batch<28>, sp::micro_batch<29>, sp::micro_batch<30>,
              sp::micro_batch<31>, sp::micro_batch<32>, sp::micro_batch<33>>;
#endif

using answer = sp::best<sp::models::llama2_7b, sp::cluster<sp::devices::a100_sxm_80gb, 8, 1>, sp::sequence<4096>, sp::global_batch<64>,
                        sp::pp<1>, sp::recompute<sp::recomputes::full>, tried>;
static_assert(answer::considered > 0);
