// SPDX-License-Identifier: BSL-1.0
// A shape without heads and with a negative vocabulary: the model's own fields are held to their ranges too.
// EXPECT: 'shardplan::plan_rejected<shardplan::out_of_range<shardplan::heads<0>, shardplan::at_least<1>, shardplan::at_most<65536> ?>,
// EXPECT: shardplan::out_of_range<shardplan::vocabulary<-32000>, shardplan::at_least<1>, shardplan::at_most<2147483648> ?> ?>'
#include <shardplan/shardplan.hpp>

namespace sp = shardplan;

struct half_said {
  static constexpr sp::transformer shape{.layers = 24, .hidden = 2048, .ffn = 5632, .vocab = -32000};
};
struct said {
  static constexpr sp::transformer shape{.layers = 24, .hidden = 2048, .heads = 16, .ffn = 5632, .vocab = 32000};
};
template <class Model>
using run_of =
    sp::plan<sp::model<Model>, sp::cluster<sp::devices::h100_sxm_80gb, 8, 1>, sp::micro_batch<1>, sp::global_batch<64>, sp::sequence<4096>>;

#ifdef SHARDPLAN_TWIN
using run = run_of<said>;
#else
using run = run_of<half_said>;
#endif

static_assert(sp::checked<run>);
