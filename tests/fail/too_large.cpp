// SPDX-License-Identifier: BSL-1.0
// Every field is inside its range, but their product leaves 63 bits.
// EXPECT: 'shardplan::plan_rejected<shardplan::too_large<shardplan::parameters_bound<[0-9]+>, shardplan::at_most<4503599627370496> ?>,
// EXPECT: shardplan::too_large<shardplan::activation_bytes_bound<[0-9]+>, shardplan::at_most<2305843009213693952> ?> ?>'
#include <shardplan/shardplan.hpp>

namespace sp = shardplan;

struct colossal {
  static constexpr sp::transformer shape{.layers = 16384, .hidden = 16777216, .heads = 65536, .ffn = 16777216, .vocab = 32000};
};
template <class Model, long Sequence>
using run_of = sp::plan<sp::model<Model>, sp::cluster<sp::devices::h100_sxm_80gb, 8, 1>, sp::zero<1>, sp::micro_batch<1>,
                        sp::global_batch<64>, sp::sequence<Sequence>>;

#ifdef SHARDPLAN_TWIN
using run = run_of<sp::models::llama2_7b, 4096>;
#else
using run = run_of<colossal, 1'000'000'000>;
#endif

static_assert(sp::checked<run>);
