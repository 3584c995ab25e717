// SPDX-License-Identifier: BSL-1.0
// The schedule played with every stage's own times, against its closed form.
#include <shardplan/plan/simulated_timing.hpp>
#include <shardplan/shardplan.hpp>

namespace sp = shardplan;

namespace {

template <class... More>
using run = sp::plan<sp::model<sp::models::llama3_70b>, sp::cluster<sp::devices::h100_sxm_80gb, 8, 16>, sp::sequence<8192>,
                     sp::micro_batch<1>, sp::global_batch<64>, sp::zero<1>, sp::tp<8>, More...>;
constexpr bool within(double left, double right, double share) { return left - right < share * right && right - left < share * right; }

// Parts add up, and only waiting changes.
template <class Plan>
constexpr bool adds_up() {
  const sp::timing_report& played = sp::simulated_timing<Plan>;
  const sp::timing_report& formula = Plan::timing;
  return within(played.step, played.compute() + played.communication() + played.bubble + played.optimizer, 1e-9) &&
         played.compute() == formula.compute() && played.bubble > 0 &&
         within(played.tokens_per_second * played.step, formula.tokens_per_second * formula.step, 1e-9) &&
         within(played.mfu * played.step, formula.mfu * formula.step, 1e-9);
}
using base = run<sp::pp<4>>;
using halves = run<sp::pp<4>, sp::schedule<sp::schedules::interleaved<2>>>;
using split = run<sp::pp<4>, sp::schedule<sp::schedules::zb_h1>>;
using both_ways = run<sp::pp<4>, sp::schedule<sp::schedules::dual_pipe>>;
static_assert(adds_up<base>() && adds_up<halves>() && adds_up<split>() && adds_up<both_ways>());

// The last stage also has the head, so that the others wait for it: the closed form, which takes all to be as slow, is never below.
static_assert(sp::simulated_timing<base>.step < base::timing.step && within(sp::simulated_timing<base>.step, base::timing.step, 0.05));
static_assert(sp::simulated_timing<halves>.bubble < sp::simulated_timing<base>.bubble);
static_assert(sp::simulated_timing<split>.bubble < sp::simulated_timing<base>.bubble);

// Equal stages and no latency: the closed form, to the nanosecond.
struct no_head {
  static constexpr sp::transformer shape{.layers = 80, .hidden = 8192, .heads = 64, .kv_heads = 8, .ffn = 28672, .vocab = 8};
};
template <class... More>
using even = sp::plan<sp::model<no_head>, sp::cluster<sp::devices::h100_sxm_80gb, 8, 4>, sp::sequence<8192>, sp::micro_batch<1>,
                      sp::global_batch<16>, sp::tp<8>, sp::pp<4>, sp::overlap<sp::hidden_tp<100>, sp::hidden_pp<100>>, More...>;
template <class Schedule>
constexpr bool same = within(sp::simulated_timing<even<sp::schedule<Schedule>>>.bubble, even<sp::schedule<Schedule>>::timing.bubble, 2e-3);
static_assert(same<sp::schedules::one_f_one_b> && same<sp::schedules::gpipe> && same<sp::schedules::interleaved<2>> &&
              same<sp::schedules::zb_h1> && same<sp::schedules::zb_h2>);

// A short last stage shortens the step.
using uneven = run<sp::pp<4>, sp::layer_split<21, 21, 21, 17>>;
static_assert(sp::simulated_timing<uneven>.step < sp::simulated_timing<run<sp::pp<4>, sp::layer_split<17, 21, 21, 21>>>.step);

// Without a pipeline there is nothing to play, and no time of what is broken.
using flat = sp::plan<sp::model<sp::models::llama3_8b>, sp::cluster<sp::devices::h100_sxm_80gb, 8, 1>, sp::sequence<8192>,
                      sp::micro_batch<1>, sp::global_batch<64>, sp::fsdp<>>;
static_assert(sp::simulated_timing<flat>.step == flat::timing.step);
static_assert(sp::simulated_timing<run<sp::pp<3>>>.step == 0);

}  // namespace
