// SPDX-License-Identifier: BSL-1.0
#pragma once

/// The time of a step with the schedule played op by op, each stage in its own time. Costs a compiler what a simulation costs, so that the
/// umbrella does not include it; `run::timing` takes the schedule's closed form and the slowest stage. Of a spec:
/// plan/simulated_timing_of.hpp.
#include <shardplan/core/fraction.hpp>
#include <shardplan/core/index_pack.hpp>
#include <shardplan/memory/memory.hpp>
#include <shardplan/plan/plan.hpp>
#include <shardplan/schedule/op.hpp>
#include <shardplan/schedule/order.hpp>
#include <shardplan/schedule/schedule_spec.hpp>
#include <shardplan/schedule/shape.hpp>
#include <shardplan/schedule/simulate.hpp>
#include <shardplan/schedule/times.hpp>
#include <shardplan/spec/plan_spec.hpp>
#include <shardplan/timing/timing.hpp>
#include <shardplan/traffic/held.hpp>
#include <shardplan/traffic/traffic.hpp>

#include <cstdint>

namespace shardplan {

namespace detail {
// What an op and a table can say (`shape_of`, `op_table`).
constexpr bool can_be_played(const schedule_spec& order, std::int64_t ranks, std::int64_t micro_batches) {
  const std::int64_t most = (order.drains ? 1 : 3) * micro_batches;
  const std::int64_t ops = 3 * most * order.chunks * order.slices;
  return ranks <= most_ranks && most <= packed_op::most_micro_batches && order.chunks <= packed_op::most_chunks &&
         order.slices <= packed_op::most_slices && ops < wait_code::most_ops &&
         (order.layout != placement::bidirectional || micro_batches % 2 == 0);
}

// In nanoseconds, and in ticks of all its parts, what is shorter fits into 63 bits.
inline constexpr double most_played_seconds = 1e6;

// The same stages, each a rank of its own, of which only what a micro-batch does is asked.
template <class Spec>
constexpr Spec stages_apart(const Spec& spec) {
  Spec apart = spec;
  apart.pp = spec.schedule.stages(spec.pp);
  apart.schedule = {};
  apart.zero = 0;
  apart.sharding = {};
  apart.offload = {};
  return apart;
}

template <class Spec>
constexpr stage_times nanoseconds_of_extent(const Spec& spec, const Spec& apart, const traffic_layout& layout, const stage_extent& extent,
                                            const timing_constants& constants, const traffic_options& options) {
  const compute_seconds one =
      compute_of(apart, layout, extent, forward_flops_of(spec.model, spec.sequence, layout.facts.vocabulary), constants);
  if (one.total() == 0) return {0, 0, 0, 0, 0};
  const rank_layout ranks = rank_layout_of(layout.facts.grid, spec.rank_order, 1);
  const topology where = topology_of(spec.device, spec.devices_per_node, spec.nodes);
  const timing_constants own = constants_with(spec.link_efficiency, constants);
  transfer_clock clock{ranks, where, own};
  add_traffic_of_extent(clock, apart, layout, extent, held_by(apart, layout, extent), options);
  const double steps = static_cast<double>(layout.facts.micro_batches);
  double seen[channel_count]{};
  const double visible = visible_inside(apart, clock, steps * one.total(), steps * one.attention, false, seen) / steps;
  const double slower = 1 + visible / one.total();
  // What does not fit is cut off: a device may say any rate.
  const auto whole = [](double seconds) {
    return fraction{seconds < most_played_seconds ? (seconds > 0 ? static_cast<std::int64_t>(seconds * 1e9) : 0) + 1
                                                  : std::int64_t{1'000'000'000'000'000}};
  };
  stage_times times{};
  times.forward = whole(one.forward * slower);
  times.input_gradient = whole((one.backward / 2 + one.recompute) * slower);
  times.weight_gradient = whole(one.backward / 2 * slower);
  const double sent = clock.seconds[static_cast<int>(channel::pp)] / (2 * steps);
  if (sent > 0) times.transfer = whole(sent * (1 - share_of(spec.overlap.pp)));
  return times;
}
}  // namespace detail

/// Estimate: the times of one stage (position in the model, of `spec.schedule.stages(pp)`) on one micro-batch, in whole nanoseconds, up:
/// its computation and what stays visible of tensor, context and expert parallel transfers; a transfer to the next stage as latency.
/// Backward is half gradients of inputs, before which recomputation runs. Only for a spec that broke no rule of the first two tiers.
template <class Spec = plan_spec>
constexpr stage_times nanoseconds_of_stage(const Spec& spec, const traffic_layout& layout, std::int64_t stage,
                                           const timing_constants& constants, const traffic_options& options) {
  const Spec apart = detail::stages_apart(spec);
  return detail::nanoseconds_of_extent(spec, apart, layout, extent_of_stage(apart, layout.facts, stage), constants, options);
}
/// The same with what the plan says of bytes (`communication<>`).
template <class Spec = plan_spec>
constexpr stage_times nanoseconds_of_stage(const Spec& spec, const traffic_layout& layout, std::int64_t stage,
                                           const timing_constants& constants = default_timing_constants) {
  return nanoseconds_of_stage(spec, layout, stage, constants, spec.communication);
}

namespace detail {
// Writes the times of `count` stages from `first` on. Neighbours that hold as much take as long.
template <class Times, class Spec>
constexpr void fill_nanoseconds(Times& times, const Spec& spec, const traffic_layout& layout, const timing_constants& constants,
                                const traffic_options& options, std::int64_t first, std::int64_t count) {
  const Spec apart = stages_apart(spec);
  stage_extent before{};
  for (std::int64_t stage = 0; stage < count; ++stage) {
    const stage_extent extent = extent_of_stage(apart, layout.facts, first + stage);
    const bool alike = stage > 0 && extent.layers == before.layers && extent.dense_layers == before.dense_layers &&
                       extent.is_first == before.is_first && extent.is_last == before.is_last &&
                       extent.has_next_token == before.has_next_token && extent.recomputed.layers == before.recomputed.layers &&
                       extent.recomputed.dense_layers == before.recomputed.dense_layers;
    times[stage] = alike ? times[stage - 1] : nanoseconds_of_extent(spec, apart, layout, extent, constants, options);
    before = extent;
  }
}

// The times of all stages.
template <class Times, class Spec>
constexpr void fill_nanoseconds(Times& times, const Spec& spec, const traffic_layout& layout, const timing_constants& constants,
                                const traffic_options& options) {
  fill_nanoseconds(times, spec, layout, constants, options, 0, spec.schedule.stages(spec.pp));
}

// What the two ranks that hold the same stages of a bidirectional placement need to sum their gradients: once a step, outside of the
// schedule.
template <class Spec>
constexpr double pair_seconds(const Spec& spec, const traffic_layout& layout, const timing_constants& constants) {
  if (spec.schedule.layout != placement::bidirectional) return 0;
  const forward_flops count = forward_flops_of(spec.model, spec.sequence, layout.facts.vocabulary);
  compute_seconds one{};
  const stage_extent extent = busiest_extent(spec, layout, count, constants, one);
  const sharded_elements held = held_by(spec, layout, extent);
  const std::int64_t all = held.dense + held.routed;
  const std::int64_t bits = (spec.precision.accumulator != 0 ? spec.precision.accumulator : spec.precision.gradient) * 8;
  const rank_layout ranks = rank_layout_of(layout.facts.grid, spec.rank_order, 1);
  const timing_constants own = constants_with(spec.link_efficiency, constants);
  const channel_rate rate = rate_of(channel::pp, ranks, topology_of(spec.device, spec.devices_per_node, spec.nodes), own);
  const double seconds = seconds_of({channel::pp, cargo::gradients, collective::all_reduce, 2, all, all, bits, 1, 1}, rate, own);
  return seconds * (1 - share_of(spec.overlap.pp));
}

// `report` with the makespan of the schedule in the place of its closed form, `pairs` seconds of `pair_seconds`. What the schedule hides of
// transfers between stages, and what it does not, is in the makespan.
constexpr timing_report with_makespan(timing_report report, fraction nanoseconds, double pairs) {
  constexpr int between = static_cast<int>(channel::pp);
  const double inside = report.compute() + report.exposed_over(channel::tp) + report.exposed_over(channel::cp) +
                        report.exposed_over(channel::ep) + report.exposed_over(channel::etp);
  const double waits = to_double(nanoseconds) / 1e9 - inside;
  const double step = report.step - report.bubble - report.exposed[between] + waits + pairs;
  report.exposed[between] = pairs;
  report.bubble = waits;
  report.tokens_per_second *= report.step / step;
  report.mfu *= report.step / step;
  report.hfu *= report.step / step;
  report.step = step;
  return report;
}

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
  static constexpr stage_times times[sizeof...(Stages)] = {simulated_times<Plan, Stages>...};
  using schedule_type = schedule_of_plan<Plan>;
  static constexpr fraction of_step() {
    // Where steps run into each other, the time from one end to the next.
    if constexpr (!schedule_type::spec.drains) return steady_period<schedule_type, Plan::spec.pp, Plan::micro_batches>(times);
    return simulate<schedule_type, Plan::spec.pp, Plan::micro_batches>(times).makespan;
  }
  static constexpr fraction value = of_step();
};

template <class Plan>
constexpr timing_report simulated_timing_of_plan() {
  if constexpr (Plan::timing.step > 0 && Plan::spec.pp > 1) {
    constexpr int stages = static_cast<int>(Plan::spec.schedule.stages(Plan::spec.pp));
    constexpr fraction makespan = makespan_of_plan<Plan, make_index_pack<stages>>::value;
    return with_makespan(Plan::timing, makespan, pair_seconds(Plan::spec, layout_to_simulate<Plan>, default_timing_constants));
  } else {
    return Plan::timing;
  }
}
}  // namespace detail

/// Estimate: `run::timing` with the plan's schedule played: `bubble` is what the slowest rank waits, for other stages, for transfers
/// between them and at both ends of the step. Without a pipeline it is `run::timing`. Errors: those of `simulate`.
template <class Plan>
inline constexpr timing_report simulated_timing = detail::simulated_timing_of_plan<Plan>();

}  // namespace shardplan
