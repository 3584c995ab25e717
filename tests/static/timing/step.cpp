// SPDX-License-Identifier: BSL-1.0
// Laws of the estimate: parts add up, more never costs less, links are those of the topology.
#include <shardplan/shardplan.hpp>

namespace sp = shardplan;

namespace {

template <class... More>
using run = sp::plan<sp::model<sp::models::llama3_70b>, sp::cluster<sp::devices::h100_sxm_80gb, 8, 16>, sp::sequence<8192>,
                     sp::micro_batch<1>, sp::global_batch<256>, sp::zero<1>, More...>;
using base = run<sp::tp<8>, sp::pp<4>>;

constexpr bool near(double left, double right) { return left - right < 1e-8 * right && right - left < 1e-8 * right; }
template <class Plan>
constexpr bool adds_up = near(Plan::timing.step,
                              Plan::timing.compute() + Plan::timing.communication() + Plan::timing.bubble + Plan::timing.optimizer) &&
                         near(Plan::timing.tokens_per_second* Plan::timing.step, 256.0 * 8192) && Plan::timing.mfu > 0.1 &&
                         Plan::timing.mfu < 1 && Plan::timing.hfu >= Plan::timing.mfu;

using recomputed = run<sp::tp<8>, sp::pp<4>, sp::recompute<sp::recomputes::full>>;
using across = run<sp::tp<16>, sp::pp<4>>;
using waiting = run<sp::tp<8>, sp::pp<4>, sp::overlap<sp::hidden_tp<0>, sp::hidden_dp<0>>>;
using hiding = run<sp::tp<8>, sp::pp<4>, sp::overlap<sp::hidden_tp<100>, sp::hidden_pp<100>>>;
using sharded = sp::plan<sp::model<sp::models::llama3_70b>, sp::cluster<sp::devices::h100_sxm_80gb, 8, 16>, sp::sequence<8192>,
                         sp::micro_batch<1>, sp::global_batch<256>, sp::fsdp<>, sp::tp<8>>;
using in_groups = sp::plan<sp::model<sp::models::llama3_70b>, sp::cluster<sp::devices::h100_sxm_80gb, 8, 16>, sp::sequence<8192>,
                           sp::micro_batch<1>, sp::global_batch<256>, sp::hsdp<8>, sp::tp<8>>;
static_assert(adds_up<base> && adds_up<recomputed> && adds_up<across> && adds_up<waiting> && adds_up<hiding> && adds_up<sharded> &&
              adds_up<in_groups>);
static_assert(near(recomputed::timing.mfu * recomputed::timing.step, base::timing.mfu* base::timing.step));
static_assert(recomputed::timing.step > base::timing.step && recomputed::timing.hfu > recomputed::timing.mfu);
static_assert(base::timing.hfu == base::timing.mfu && base::timing.recompute == 0);
static_assert(across::timing.exposed_over(sp::channel::tp) >
              2 * base::timing.exposed_over(sp::channel::tp));  // twice the micro-batches, dearer steps
static_assert(waiting::timing.step > base::timing.step && hiding::timing.step < base::timing.step);
static_assert(hiding::timing.exposed_over(sp::channel::tp) == 0);
static_assert(in_groups::timing.exposed_over(sp::channel::replicas) > 0 && sharded::timing.exposed_over(sp::channel::replicas) == 0);
static_assert(sharded::timing.bubble == 0);

// Weights are gathered unit by unit: each of 32 blocks more than one unit starts three collectives of n - 1 ring steps more. A small step
// hides them on 128 devices, and not on 8,192 (Ultra-Scale Playbook: from 512 devices on no ZeRO-3 alone).
template <std::int64_t Nodes, class... More>
using one_sequence = sp::plan<sp::model<sp::models::llama3_8b>, sp::cluster<sp::devices::h100_sxm_80gb, 8, Nodes>, sp::sequence<8192>,
                              sp::micro_batch<1>, sp::global_batch<8 * Nodes>, sp::fsdp<>, More...>;
constexpr double gathered_in(sp::plan_spec spec, sp::gather_unit unit) {
  spec.sharding.unit = unit;
  return sp::step_timing(spec).exposed_over(sp::channel::dp);
}
constexpr sp::plan_spec bare = one_sequence<1024, sp::overlap<sp::hidden_dp<0>>>::spec;
constexpr double ring_step = 3.4e-6 + (14.0e-6 - 3.4e-6) / 8;
static_assert(near(gathered_in(bare, sp::gather_unit::block) - gathered_in(bare, sp::gather_unit::model),
                   3 * 32 * (8.4e-6 + 8191 * ring_step)));
static_assert(near(gathered_in(bare, sp::gather_unit::module) - gathered_in(bare, sp::gather_unit::model),
                   3 * 7 * 32 * (8.4e-6 + 8191 * ring_step)));
static_assert(one_sequence<16>::timing.exposed_over(sp::channel::dp) < 0.1 * one_sequence<16>::timing.step);
static_assert(one_sequence<1024>::timing.exposed_over(sp::channel::dp) > 0.5 * one_sequence<1024>::timing.step);

// The bubble is (p - 1) / (v m) of the work: 3 / 64 here.
static_assert(sp::bubble_over_work(4, 1, 64) == sp::fraction(3, 64) && sp::bubble_over_work(8, 2, 32) == sp::fraction(7, 64));
static_assert(near(base::timing.bubble,
                   (base::timing.compute() + base::timing.exposed_over(sp::channel::tp) + base::timing.exposed_over(sp::channel::pp)) * 3 /
                       64));

// Each schedule waits as its formula says: interleaving halves, split backward hides, several slices divide; GPipe waits as 1F1B does.
template <class Schedule>
using scheduled = run<sp::tp<8>, sp::pp<4>, sp::schedule<Schedule>>;
template <class Schedule>
constexpr double waits = scheduled<Schedule>::timing.bubble;
static_assert(waits<sp::schedules::gpipe> == base::timing.bubble && waits<sp::schedules::eager_1f1b> == base::timing.bubble);
static_assert(near(waits<sp::schedules::interleaved<5>>,
                   (base::timing.bubble + (scheduled<sp::schedules::interleaved<5>>::timing.exposed_over(sp::channel::pp) -
                                           base::timing.exposed_over(sp::channel::pp)) *
                                              3 / 64) /
                       5));
static_assert(near(waits<sp::schedules::seq_1f1b<2>>, base::timing.bubble / 2));
static_assert(waits<sp::schedules::zb_h1> < 0.75 * base::timing.bubble && waits<sp::schedules::zb_h2> < waits<sp::schedules::zb_h1>);
static_assert(waits<sp::schedules::pipedream> == 0);
// Half of 1F1B's activations, and it idles less by its own form as well.
static_assert(waits<sp::schedules::v_half> > 0 && waits<sp::schedules::v_half> < 0.75 * base::timing.bubble);
constexpr double with_five_chunks() {
  sp::plan_spec spec = scheduled<sp::schedules::interleaved<2>>::spec;
  spec.schedule.chunks = 5;
  return sp::step_timing(spec).bubble;
}
static_assert(near(with_five_chunks(), waits<sp::schedules::interleaved<5>>));

// What is broken has no time, and what has no rate neither.
using broken = run<sp::tp<7>, sp::pp<4>>;
static_assert(broken::timing.step == 0 && broken::traffic[0].sent() == sp::bytes{});
using no_rate = sp::plan<sp::model<sp::models::llama3_8b>, sp::cluster<sp::devices::v100_sxm_32gb, 8, 4>, sp::sequence<8192>,
                         sp::micro_batch<1>, sp::global_batch<256>>;
static_assert(no_rate::timing.step == 0);

// FP8 products run faster by what best products of H100 have, on a device that has them.
constexpr double gain = sp::eight_bit_gain(sp::precisions::fp8_compute::spec, sp::devices::h100_sxm_80gb::spec, sp::timing_constants{});
static_assert(gain > 1.76 && gain < 1402.6 / 794.5);
static_assert(sp::eight_bit_gain(sp::precisions::fp8_compute::spec, sp::devices::a100_sxm_80gb::spec, sp::timing_constants{}) == 1 &&
              sp::eight_bit_gain(sp::precisions::fp32::spec, sp::devices::h100_sxm_80gb::spec, sp::timing_constants{}) == 1);

// Traffic of a plan is that of its spec.
static_assert(base::traffic[1] == sp::traffic_of_stage(base::spec, sp::traffic_layout_of(base::spec), 1));
static_assert(base::traffic[0].sent(sp::channel::pp) == base::traffic[0].received(sp::channel::pp));

}  // namespace
