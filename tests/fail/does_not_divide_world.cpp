// SPDX-License-Identifier: BSL-1.0
// 3 x 4 ranks of a model do not fill 64 devices.
// EXPECT: 'shardplan::plan_rejected<shardplan::does_not_divide<shardplan::tp_x_pp_x_cp<12>, shardplan::device_count<64>,
// EXPECT: shardplan::try_<shardplan::tp<2> ?>, shardplan::try_<shardplan::tp<4> ?> ?> ?>'
#include <shardplan/shardplan.hpp>

namespace sp = shardplan;

struct wide {
  static constexpr sp::transformer shape{.layers = 24, .hidden = 3072, .heads = 24, .ffn = 9216, .vocab = 96000};
};
template <int Tp>
using run_of = sp::plan<sp::model<wide>, sp::cluster<sp::devices::h100_sxm_80gb, 8, 8>, sp::tp<Tp>, sp::pp<4>, sp::micro_batch<1>,
                        sp::global_batch<64>, sp::sequence<3072>>;

#ifdef SHARDPLAN_TWIN
using run = run_of<4>;
#else
using run = run_of<3>;
#endif

static_assert(sp::checked<run>);
