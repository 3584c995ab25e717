// SPDX-License-Identifier: BSL-1.0
// torchtitan: "MTP does not support pipeline parallelism yet."
// EXPECT: 'shardplan::plan_rejected<shardplan::not_supported<shardplan::feature::next_token_layers_in_pipeline,
// EXPECT: shardplan::try_<shardplan::pp<1> ?> ?> ?>'
#include <shardplan/shardplan.hpp>

namespace sp = shardplan;

struct predicting {
  static constexpr sp::transformer shape = [] {
    sp::transformer model = sp::models::llama3_8b::shape;
    model.next_token_layers = 1;
    return model;
  }();
};
template <class Model>
using run_of = sp::plan<sp::model<Model>, sp::cluster<sp::devices::h100_sxm_80gb, 8, 1>, sp::pp<2>, sp::fsdp<>,
                        sp::framework<sp::frameworks::torchtitan>, sp::micro_batch<1>, sp::global_batch<64>, sp::sequence<4096>>;

#ifdef SHARDPLAN_TWIN
using run = run_of<sp::models::llama3_8b>;
#else
using run = run_of<predicting>;
#endif

static_assert(sp::checked<run>);
