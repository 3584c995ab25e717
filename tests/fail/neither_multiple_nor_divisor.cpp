// SPDX-License-Identifier: BSL-1.0
// 6 key/value heads over 4 ranks: some ranks would hold one and a half.
// EXPECT: 'shardplan::plan_rejected<shardplan::neither_multiple_nor_divisor<shardplan::kv_heads<6>, shardplan::tp<4>,
// EXPECT: shardplan::try_<shardplan::tp<2> ?> ?> ?>'
#include <shardplan/shardplan.hpp>

namespace sp = shardplan;

struct six_kv_heads {
  static constexpr sp::transformer shape{.layers = 24, .hidden = 3072, .heads = 24, .kv_heads = 6, .ffn = 8192, .vocab = 32000};
};
template <int Tp>
using run_of = sp::plan<sp::model<six_kv_heads>, sp::cluster<sp::devices::h100_sxm_80gb, 8, 1>, sp::tp<Tp>, sp::micro_batch<1>,
                        sp::global_batch<64>, sp::sequence<4096>>;

#ifdef SHARDPLAN_TWIN
using run = run_of<2>;
#else
using run = run_of<4>;
#endif

static_assert(sp::checked<run>);
