// SPDX-License-Identifier: BSL-1.0
// The first stage has eight blocks fewer than a share of six.
// EXPECT: 'shardplan::plan_rejected<shardplan::exceeds<shardplan::first_stage_less<8>, shardplan::layers_a_stage<6> ?> ?>'
#include <shardplan/shardplan.hpp>

namespace sp = shardplan;

struct untied {
  static constexpr sp::transformer shape = [] {
    sp::transformer model = sp::models::llama3_2_1b::shape;
    model.tied_embeddings = false;
    return model;
  }();
};
template <int Layers>
using run_of = sp::plan<sp::model<untied>, sp::cluster<sp::devices::h200_sxm_141gb, 8, 8>, sp::micro_batch<1>, sp::global_batch<256>,
                        sp::sequence<1024>, sp::framework<sp::frameworks::torchtitan>, sp::fsdp<>, sp::pp<4>,
                        sp::pipeline_slots<sp::first_stage_less<Layers>>>;

#ifdef SHARDPLAN_TWIN
using run = run_of<4>;
#else
using run = run_of<8>;
#endif
static_assert(sp::checked<run>);
