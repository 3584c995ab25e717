// SPDX-License-Identifier: BSL-1.0
// A token that visits more experts than there are: no change of the plan puts that right, so none is said to make it fit.
// EXPECT: 'shardplan::plan_rejected<shardplan::exceeds<shardplan::top_k<9>, shardplan::expert_count<8> ?>,
// EXPECT: shardplan::does_not_fit<.*, shardplan::other_rules_first> ?>'
#include <shardplan/shardplan.hpp>

namespace sp = shardplan;

template <int TopK>
struct mixture {
  static constexpr sp::transformer shape = [] {
    sp::transformer shape = sp::models::mixtral_8x7b::shape;
    shape.experts.top_k = TopK;
    return shape;
  }();
};

template <int TopK, class... More>
using run_of = sp::plan<sp::model<mixture<TopK>>, sp::cluster<sp::devices::h100_sxm_80gb, 8, 1>, sp::micro_batch<1>, sp::global_batch<16>,
                        sp::sequence<4096>, More...>;

#ifdef SHARDPLAN_TWIN
using run = run_of<8, sp::zero<3>, sp::recompute<sp::recomputes::full>, sp::offload<sp::states_to<sp::storage::host>>>;
#else
using run = run_of<9>;
#endif

static_assert(sp::checked<run>);
