// SPDX-License-Identifier: BSL-1.0
// 5 key/value heads cannot serve 16 query heads evenly.
// EXPECT: 'shardplan::plan_rejected<shardplan::does_not_divide<shardplan::kv_heads<5>, shardplan::heads<16> ?> ?>'
#include <shardplan/shardplan.hpp>

namespace sp = shardplan;

template <int KvHeads>
struct grouped {
  static constexpr sp::transformer shape{.layers = 24, .hidden = 2048, .heads = 16, .kv_heads = KvHeads, .ffn = 5632, .vocab = 32000};
};
template <int KvHeads>
using run_of = sp::plan<sp::model<grouped<KvHeads>>, sp::cluster<sp::devices::h100_sxm_80gb, 8, 1>, sp::micro_batch<1>,
                        sp::global_batch<64>, sp::sequence<4096>>;

#ifdef SHARDPLAN_TWIN
using run = run_of<4>;
#else
using run = run_of<5>;
#endif

static_assert(sp::checked<run>);
