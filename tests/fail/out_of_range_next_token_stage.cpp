// SPDX-License-Identifier: BSL-1.0
// A pipeline of two stages has no stage 2 for the next-token layer.
// EXPECT: 'shardplan::plan_rejected<shardplan::out_of_range<shardplan::next_token_stage<2>, shardplan::at_least<0>, shardplan::at_most<1> ?> ?>'
#include <shardplan/shardplan.hpp>

namespace sp = shardplan;

struct predicts_two {
  static constexpr sp::transformer shape{.layers = 4, .hidden = 1024, .heads = 8, .ffn = 4096, .vocab = 32000, .next_token_layers = 1};
};
template <int Stage>
using run_of = sp::plan<sp::model<predicts_two>, sp::cluster<sp::devices::h100_sxm_80gb, 8, 1>, sp::pp<2>,
                        sp::pipeline_slots<sp::next_token_stage<Stage>>, sp::micro_batch<1>, sp::global_batch<64>, sp::sequence<4096>>;

#ifdef SHARDPLAN_TWIN
using run = run_of<0>;
#else
using run = run_of<2>;
#endif

static_assert(sp::checked<run>);
