// SPDX-License-Identifier: BSL-1.0
// The schedule of a spec played in a constant: equal to that of the plan type.
#include <shardplan/plan/simulated_timing_of.hpp>
#include <shardplan/shardplan.hpp>

namespace sp = shardplan;

namespace {

template <class... More>
using run = sp::plan<sp::model<sp::models::llama3_70b>, sp::cluster<sp::devices::h100_sxm_80gb, 8, 16>, sp::sequence<8192>,
                     sp::micro_batch<1>, sp::global_batch<64>, sp::zero<1>, sp::tp<8>, More...>;
template <class Plan>
constexpr bool same() {
  constexpr sp::played_timing found = sp::simulated_timing_of(Plan::spec);
  return found.played && found.step == sp::simulated_timing<Plan>.step && found.bubble == sp::simulated_timing<Plan>.bubble;
}
static_assert(same<run<sp::pp<4>>>());
static_assert(same<run<sp::pp<4>, sp::schedule<sp::schedules::interleaved<2>>>>());
static_assert(same<run<sp::pp<4>, sp::schedule<sp::schedules::interleaved<5>>>>());
static_assert(same<run<sp::pp<4>, sp::schedule<sp::schedules::dual_pipe>>>());
static_assert(same<run<sp::pp<4>, sp::schedule<sp::schedules::pipedream>>>());

// Both ranks of a bidirectional pipeline that hold a pair of stages sum its gradients, outside of the schedule.
using both_ways = run<sp::pp<4>, sp::schedule<sp::schedules::dual_pipe>>;
static_assert(sp::simulated_timing<both_ways>.exposed_over(sp::channel::pp) > 0 &&
              sp::simulated_timing<both_ways>.exposed_over(sp::channel::pp) < both_ways::timing.exposed_over(sp::channel::pp));
// A pipeline that never drains has no fill and no drain in a step: its ranks wait for the slowest stage alone.
using endless = run<sp::pp<4>, sp::schedule<sp::schedules::pipedream>>;
static_assert(sp::simulated_timing<endless>.bubble < sp::simulated_timing<run<sp::pp<4>>>.bubble / 4);

static_assert(!sp::simulated_timing_of(run<sp::pp<3>>::spec).played && sp::simulated_timing_of(run<sp::pp<3>>::spec).step == 0);

}  // namespace
