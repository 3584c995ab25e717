// SPDX-License-Identifier: BSL-1.0
// However often a rejected plan is used, the verdict is said once.
// EXPECT: 'shardplan::plan_rejected<shardplan::does_not_divide<shardplan::tp<3>, shardplan::device_count<8>,
// EXPECT: shardplan::try_<shardplan::tp<2> ?>, shardplan::try_<shardplan::tp<4> ?> ?>, shardplan::does_not_divide<shardplan::tp<3>,
// EXPECT: shardplan::heads<32> ?>, shardplan::does_not_divide<shardplan::tp<3>, shardplan::hidden<4096> ?>,
// EXPECT: shardplan::does_not_divide<shardplan::tp<3>, shardplan::ffn<11008> ?>, shardplan::does_not_divide<shardplan::tp<3>,
// EXPECT: shardplan::vocabulary<32000> ?>, shardplan::does_not_divide<shardplan::tp<3>, shardplan::sequence<4096> ?> ?>'
#include <shardplan/shardplan.hpp>

namespace sp = shardplan;

#ifdef SHARDPLAN_TWIN
using degree = sp::tp<2>;
#else
using degree = sp::tp<3>;
#endif
using run = sp::checked_plan<sp::model<sp::models::llama2_7b>, sp::cluster<sp::devices::a100_sxm_80gb, 8, 1>, degree, sp::zero<1>,
                             sp::micro_batch<1>, sp::global_batch<64>, sp::sequence<4096>>;

inline constexpr auto peak = run::peak_memory;
inline constexpr auto world = run::world_size;
inline constexpr auto first = run::memory[0];

template <class Plan>
constexpr auto batches() {
  return Plan::micro_batches;
}
inline constexpr auto count = batches<run>();
