// SPDX-License-Identifier: BSL-1.0
// A number that is no symptom is refused where it is said, and not deep in the table of causes.
// EXPECT: diagnose
// EXPECT-GCC: symptom_beyond
// EXPECT-CLANG: constraints not satisfied
// NOTE: is_known
// FORBID: cause_table|nth_of
#include <shardplan/doctor/diagnose.hpp>
#include <shardplan/shardplan.hpp>

namespace sp = shardplan;

#ifdef SHARDPLAN_TWIN
inline constexpr int number = 0;
#else
inline constexpr int number = 99;
#endif
struct symptom_beyond {
  static constexpr sp::symptom value = static_cast<sp::symptom>(number);
};
using run = sp::plan<sp::model<sp::models::llama2_7b>, sp::cluster<sp::devices::a100_sxm_80gb, 8, 1>, sp::zero<3>, sp::micro_batch<1>,
                     sp::global_batch<64>, sp::sequence<4096>>;
static_assert(sp::diagnose<run, symptom_beyond>.size() > 0);
