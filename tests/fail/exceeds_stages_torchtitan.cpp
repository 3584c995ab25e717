// SPDX-License-Identifier: BSL-1.0
// torchtitan deals 16 layers, the embedding and the head out: there is nothing left for 32 stages.
// EXPECT: 'shardplan::plan_rejected<shardplan::exceeds<shardplan::pp<32>, shardplan::layers_and_slots<18>,
// shardplan::try_<shardplan::pp<16> ?> ?> ?>'
#include <shardplan/shardplan.hpp>

namespace sp = shardplan;

struct untied {
  static constexpr sp::transformer shape = [] {
    sp::transformer model = sp::models::llama3_2_1b::shape;
    model.tied_embeddings = false;
    return model;
  }();
};
template <int Stages>
using run_of = sp::plan<sp::model<untied>, sp::cluster<sp::devices::h200_sxm_141gb, 8, 8>, sp::micro_batch<1>, sp::global_batch<256>,
                        sp::sequence<1024>, sp::framework<sp::frameworks::torchtitan>, sp::fsdp<>, sp::pp<Stages>>;

#ifdef SHARDPLAN_TWIN
using run = run_of<16>;
#else
using run = run_of<32>;
#endif
static_assert(sp::checked<run>);
