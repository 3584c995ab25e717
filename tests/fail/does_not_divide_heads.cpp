// SPDX-License-Identifier: BSL-1.0
// 20 heads over 8 tensor parallel ranks.
// EXPECT: 'shardplan::plan_rejected<shardplan::does_not_divide<shardplan::tp<8>, shardplan::heads<20>,
// EXPECT: shardplan::try_<shardplan::tp<4> ?> ?> ?>'
#include <shardplan/shardplan.hpp>

namespace sp = shardplan;

struct twenty_heads {
  static constexpr sp::transformer shape{.layers = 30, .hidden = 2560, .heads = 20, .ffn = 6912, .vocab = 64000};
};
template <int Tp>
using run_of = sp::plan<sp::model<twenty_heads>, sp::cluster<sp::devices::h100_sxm_80gb, 8, 1>, sp::tp<Tp>, sp::micro_batch<1>,
                        sp::global_batch<64>, sp::sequence<4096>>;

#ifdef SHARDPLAN_TWIN
using run = run_of<4>;
#else
using run = run_of<8>;
#endif

static_assert(sp::checked<run>);
