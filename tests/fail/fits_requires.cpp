// SPDX-License-Identifier: BSL-1.0
// `fits` as a constraint asks and does not insist: the call has no candidate, and the plan itself is no error.
// EXPECT-GCC: no matching function for call to
// EXPECT-CLANG: no matching function for call to
// NOTE: fits
// NOTE: does_not_fit<(shardplan::)?stage<0>, (shardplan::)?needs<(shardplan::)?GiB<119, 0>
// NOTE: has<(shardplan::)?GiB<80, 0>
// FORBID: plan_rejected
// FORBID: sizeof
#include <shardplan/shardplan.hpp>

namespace sp = shardplan;

template <int Stage>
using run_of = sp::plan<sp::model<sp::models::llama2_7b>, sp::cluster<sp::devices::a100_sxm_80gb, 8, 1>, sp::zero<Stage>,
                        sp::micro_batch<1>, sp::global_batch<64>, sp::sequence<4096>>;

template <sp::fits Run>
constexpr int train() {
  return 0;
}

#ifdef SHARDPLAN_TWIN
using run = run_of<1>;
#else
using run = run_of<0>;
#endif

inline constexpr int code = train<run>();
