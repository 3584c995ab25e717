// SPDX-License-Identifier: BSL-1.0
// A dense model has no experts to deal out; a token cannot visit more experts than there are.
// EXPECT: 'shardplan::plan_rejected<shardplan::exceeds<shardplan::top_k<9>, shardplan::expert_count<8> ?> ?>'
#include <shardplan/shardplan.hpp>

namespace sp = shardplan;

template <int TopK>
struct mixture {
  static constexpr sp::transformer shape{
      .layers = 16, .hidden = 2048, .heads = 16, .ffn = 1024, .vocab = 32000, .experts = {.count = 8, .top_k = TopK}};
};
template <int TopK>
using run_of = sp::plan<sp::model<mixture<TopK>>, sp::cluster<sp::devices::h100_sxm_80gb, 8, 1>, sp::ep<8>, sp::micro_batch<1>,
                        sp::global_batch<64>, sp::sequence<4096>>;

#ifdef SHARDPLAN_TWIN
using run = run_of<2>;
#else
using run = run_of<9>;
#endif

static_assert(sp::checked<run>);
