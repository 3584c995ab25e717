// SPDX-License-Identifier: BSL-1.0
// torchtitan makes chunks by layers a stage: of 18 layers, embedding and head included, none makes 16 stages on 4 ranks.
// EXPECT: 'shardplan::plan_rejected<shardplan::does_not_match<shardplan::pp_x_chunks<16>, shardplan::virtual_stages<9>,
// shardplan::try_<shardplan::pp<1> ?> ?> ?>'
#include <shardplan/shardplan.hpp>

namespace sp = shardplan;

struct untied {
  static constexpr sp::transformer shape = [] {
    sp::transformer model = sp::models::llama3_2_1b::shape;
    model.tied_embeddings = false;
    return model;
  }();
};
template <int Chunks>
using run_of = sp::plan<sp::model<untied>, sp::cluster<sp::devices::h200_sxm_141gb, 8, 8>, sp::micro_batch<1>, sp::global_batch<256>,
                        sp::sequence<1024>, sp::framework<sp::frameworks::torchtitan>, sp::fsdp<>, sp::pp<4>,
                        sp::schedule<sp::schedules::interleaved<Chunks, sp::groups::torch>>>;

#ifdef SHARDPLAN_TWIN
using run = run_of<2>;
#else
using run = run_of<4>;
#endif
static_assert(sp::checked<run>);
