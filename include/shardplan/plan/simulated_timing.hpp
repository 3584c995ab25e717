// SPDX-License-Identifier: BSL-1.0
#pragma once

/// The time of a step with the schedule played op by op, each stage in its own time. Costs a compiler what a simulation costs, so that the
/// umbrella does not include it; `run::timing` takes the schedule's closed form and the slowest stage.
#include <shardplan/core/fraction.hpp>
#include <shardplan/core/index_pack.hpp>
#include <shardplan/memory/memory.hpp>
#include <shardplan/plan/plan.hpp>
#include <shardplan/schedule/schedule_spec.hpp>
#include <shardplan/schedule/simulate.hpp>
#include <shardplan/schedule/times.hpp>
#include <shardplan/spec/plan_spec.hpp>
#include <shardplan/timing/timing.hpp>
#include <shardplan/traffic/held.hpp>
#include <shardplan/traffic/traffic.hpp>

#include <cstdint>

namespace shardplan {

/// Estimate: the times of one stage (position in the model, of `spec.schedule.stages(pp)`) on one micro-batch, in whole nanoseconds, up:
/// its computation and what stays visible of tensor, context and expert parallel transfers; a transfer to the next stage as latency.
/// Backward is half gradients of inputs, before which recomputation runs. Only for a spec that broke no rule of the first two tiers.
template <class Spec = plan_spec>
constexpr stage_times nanoseconds_of_stage(const Spec& spec, const traffic_layout& layout, std::int64_t stage,
                                           const timing_constants& constants = default_timing_constants,
                                           const traffic_options& options = default_traffic_options) {
  // The same stages, each a rank of its own, of which only what a micro-batch does is asked.
  Spec apart = spec;
  apart.pp = spec.schedule.stages(spec.pp);
  apart.schedule = {};
  apart.zero = 0;
  apart.sharding = {};
  apart.offload = {};
  const stage_extent extent = extent_of_stage(apart, layout.facts, stage);
  const compute_seconds one =
      compute_of(apart, layout, extent, forward_flops_of(spec.model, spec.sequence, layout.facts.vocabulary), constants);
  if (one.total() == 0) return {0, 0, 0, 0, 0};
  const rank_layout ranks = rank_layout_of(layout.facts.grid, spec.rank_order, 1);
  const topology where = topology_of(spec.device, spec.devices_per_node, spec.nodes);
  detail::transfer_clock clock{ranks, where, constants};
  add_traffic_of_extent(clock, apart, layout, extent, detail::held_by(apart, layout, extent), options);
  const double steps = static_cast<double>(layout.facts.micro_batches);
  double seen[channel_count]{};
  const double visible = detail::visible_inside(apart, clock, steps * one.total(), steps * one.attention, false, seen) / steps;
  const double slower = 1 + visible / one.total();
  const auto whole = [](double seconds) { return fraction{static_cast<std::int64_t>(seconds * 1e9) + 1}; };
  stage_times times{};
  times.forward = whole(one.forward * slower);
  times.input_gradient = whole((one.backward / 2 + one.recompute) * slower);
  times.weight_gradient = whole(one.backward / 2 * slower);
  const double sent = clock.seconds[static_cast<int>(channel::pp)] / (2 * steps);
  if (sent > 0) times.transfer = whole(sent * (1 - detail::share_of(spec.overlap.pp)));
  return times;
}

namespace detail {
template <class... Parts>
struct scheduled_by {
  using type = schedules::one_f_one_b;
};
template <class Schedule, class... More>
struct scheduled_by<schedule<Schedule>, More...> {
  using type = Schedule;
};
template <class First, class... More>
struct scheduled_by<First, More...> : scheduled_by<More...> {};
template <class... Parts>
scheduled_by<Parts...> find_schedule(const plan<Parts...>*);
template <class Plan>
using schedule_of_plan = typename decltype(find_schedule(static_cast<const Plan*>(nullptr)))::type;

template <class Plan>
inline constexpr traffic_layout layout_to_simulate = traffic_layout_of(Plan::spec);
// One constant a stage: each is a budget of its own.
template <class Plan, int Stage>
inline constexpr stage_times simulated_times = nanoseconds_of_stage(Plan::spec, layout_to_simulate<Plan>, Stage);

template <class Plan, class Stages>
struct makespan_of_plan;
template <class Plan, int... Stages>
struct makespan_of_plan<Plan, index_pack<int, Stages...>> {
  static constexpr stage_times times[] = {simulated_times<Plan, Stages>...};
  static constexpr fraction value = simulate<schedule_of_plan<Plan>, Plan::spec.pp, Plan::micro_batches>(times).makespan;
};

template <class Plan>
constexpr timing_report simulated_timing_of() {
  timing_report report = Plan::timing;
  if constexpr (Plan::timing.step > 0 && Plan::spec.pp > 1) {
    constexpr int stages = static_cast<int>(Plan::spec.schedule.stages(Plan::spec.pp));
    constexpr fraction makespan = makespan_of_plan<Plan, make_index_pack<stages>>::value;
    constexpr int between = static_cast<int>(channel::pp);
    // What the schedule hides of transfers between stages, and what it does not, is in the makespan.
    const double inside = report.compute() + report.exposed_over(channel::tp) + report.exposed_over(channel::cp) +
                          report.exposed_over(channel::ep) + report.exposed_over(channel::etp);
    const double waits = to_double(makespan) / 1e9 - inside;
    const double step = report.step - report.bubble - report.exposed[between] + waits;
    report.exposed[between] = 0;
    report.bubble = waits;
    report.tokens_per_second *= report.step / step;
    report.mfu *= report.step / step;
    report.hfu *= report.step / step;
    report.step = step;
  }
  return report;
}
}  // namespace detail

/// Estimate: `run::timing` with the plan's schedule played: `bubble` is what the slowest rank waits, for other stages, for transfers
/// between them and at both ends of the step. Without a pipeline it is `run::timing`. Errors: those of `simulate`.
template <class Plan>
inline constexpr timing_report simulated_timing = detail::simulated_timing_of<Plan>();

}  // namespace shardplan
