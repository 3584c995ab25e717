// SPDX-License-Identifier: BSL-1.0
// No head width is given and 12 heads do not divide 1000.
// EXPECT: 'shardplan::plan_rejected<shardplan::does_not_divide<shardplan::heads<12>, shardplan::hidden<1000> ?> ?>'
#include <shardplan/shardplan.hpp>

namespace sp = shardplan;

struct no_head_width {
  static constexpr sp::transformer shape{.layers = 12, .hidden = 1000, .heads = 12, .ffn = 4000, .vocab = 32000};
};
struct head_width {
  static constexpr sp::transformer shape{.layers = 12, .hidden = 1000, .heads = 12, .head_dim = 64, .ffn = 4000, .vocab = 32000};
};
template <class Model>
using run_of =
    sp::plan<sp::model<Model>, sp::cluster<sp::devices::h100_sxm_80gb, 8, 1>, sp::micro_batch<1>, sp::global_batch<64>, sp::sequence<4096>>;

#ifdef SHARDPLAN_TWIN
using run = run_of<head_width>;
#else
using run = run_of<no_head_width>;
#endif

static_assert(sp::checked<run>);
