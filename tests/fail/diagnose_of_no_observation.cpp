// SPDX-License-Identifier: BSL-1.0
// Observations are a type with a constant of theirs.
// EXPECT: diagnose
// EXPECT-GCC: own_observations
// EXPECT-CLANG: constraints not satisfied
// NOTE: observations_type
#include <shardplan/doctor/diagnose.hpp>
#include <shardplan/shardplan.hpp>

namespace sp = shardplan;

struct own_observations {
#ifdef SHARDPLAN_TWIN
  static constexpr sp::observations value{.timeout_minutes = 10};
#else
  static constexpr int value = 10;
#endif
};
using run = sp::plan<sp::model<sp::models::llama2_7b>, sp::cluster<sp::devices::a100_sxm_80gb, 8, 1>, sp::zero<3>, sp::micro_batch<1>,
                     sp::global_batch<64>, sp::sequence<4096>>;
static_assert(sp::diagnose<run, sp::symptoms::hang, own_observations>.size() > 0);
