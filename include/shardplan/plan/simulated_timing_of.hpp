// SPDX-License-Identifier: BSL-1.0
#pragma once

/// `simulated_timing` of a spec: the run-time twin, which finds the schedule by what the spec says of it. Asked for by name, because it
/// brings the tables of all built-in schedules along.
#include <shardplan/core/fraction.hpp>
#include <shardplan/core/owned_array.hpp>
#include <shardplan/memory/memory.hpp>
#include <shardplan/plan/rules/check.hpp>
#include <shardplan/plan/simulated_timing.hpp>
#include <shardplan/schedule/catalog.hpp>
#include <shardplan/schedule/op_table.hpp>
#include <shardplan/schedule/schedule_spec.hpp>
#include <shardplan/schedule/times.hpp>
#include <shardplan/spec/plan_spec.hpp>
#include <shardplan/timing/timing.hpp>
#include <shardplan/traffic/held.hpp>

#include <cstdint>

namespace shardplan {

/// `timing_report` of a step whose schedule was played, or of the closed form where it could not be.
struct played_timing : timing_report {
  /// Whether the schedule was played. Without a pipeline there is nothing to play; false too for a schedule that is not known here, for one
  /// that never ends at these sizes, and for a plan that broke a rule of the first two tiers.
  bool played = false;
};

namespace detail {

// Chunks, slices or waves of a family of schedules that are tried.
inline constexpr int most_numbers_tried = 16;

template <int Number>
struct number_tag {
  static constexpr int value = Number;
};

// A schedule with another first number: of chunks, slices, or waves.
template <class Schedule>
struct schedule_family {
  static constexpr bool has_numbers = false;
};
template <template <int...> class Family, int First, int... More>
struct schedule_family<Family<First, More...>> {
  static constexpr bool has_numbers = true;
  template <int Number>
  using with = Family<Number, More...>;
};

template <class Schedule, int... Numbers>
constexpr bool fill_member(op_table& table, const schedule_spec& said, index_pack<int, Numbers...>) {
  // A copy of the spec whose chunks were changed keeps the functions of `Schedule`.
  schedule_spec copy = Schedule::spec;
  copy.chunks = said.chunks;
  copy.slices = said.slices;
  const bool is_copy = copy == said;
  const auto fills = [&](auto number) {
    using member = typename schedule_family<Schedule>::template with<decltype(number)::value>;
    const bool as_many = member::spec.chunks == said.chunks && member::spec.slices == said.slices;
    if (!as_many || !(is_copy || member::spec == said)) return false;
    table.fill<member>();
    return true;
  };
  return (fills(number_tag<Numbers + 1>{}) || ...);
}

// Whether `Schedule`, or one of its family, is the one that is said; then its order is in the table.
template <class Schedule>
constexpr bool fill_if_said(op_table& table, const schedule_spec& said) {
  if constexpr (schedule_family<Schedule>::has_numbers) {
    return fill_member<Schedule>(table, said, make_index_pack<most_numbers_tried>{});
  } else {
    if (!(Schedule::spec == said)) return false;
    table.fill<Schedule>();
    return true;
  }
}
template <class... Own, class... Known>
constexpr bool fill_said(op_table& table, const schedule_spec& said, const boost::hana::basic_tuple<Known...>*) {
  return (fill_if_said<Own>(table, said) || ...) || (fill_if_said<Known>(table, said) || ...);
}

// The makespan of so many micro-batches, in ticks of `tick_unit_of`; 0: the schedule is not known, or a rank of it waits for ever.
template <class... Own>
constexpr std::int64_t ticks_of_spec(const schedule_spec& said, const table_shape& shape, const stage_times* times) {
  op_table table{shape};
  if (!fill_said<Own...>(table, said, static_cast<const schedules::built_in*>(nullptr))) return 0;
  table.close();
  return table.ends ? play(table, times, false).makespan : 0;
}

// What an op and a table can say (`shape_of`, `op_table`).
constexpr bool can_be_played(const schedule_spec& order, std::int64_t ranks, std::int64_t micro_batches) {
  const std::int64_t most = (order.drains ? 1 : 3) * micro_batches;
  const std::int64_t ops = 3 * most * order.chunks * order.slices;
  return ranks <= most_ranks && most <= packed_op::most_micro_batches && order.chunks <= packed_op::most_chunks &&
         order.slices <= packed_op::most_slices && ops < wait_code::most_ops &&
         (order.layout != placement::bidirectional || micro_batches % 2 == 0);
}

}  // namespace detail

/// Estimate: `simulated_timing` of a spec, equal to that of a plan type. The schedule is looked for among `Own` and the built-in ones,
/// those with numbers with up to 16 chunks, slices or waves: `simulated_timing_of<my_schedule>(spec)`. It is constexpr; in a constant only
/// small tables stay inside a compiler's limits (p = 16, m = 64, v = 4: 8,192 ops), `simulated_timing<run>` has no such limit. No error is
/// possible (but what a schedule of one's own throws).
template <class... Own, class Spec>
constexpr played_timing simulated_timing_of(const Spec& spec, const timing_constants& constants = default_timing_constants,
                                            const traffic_options& options = default_traffic_options) {
  if (!detail::is_computable(spec)) return {};
  const traffic_layout layout = traffic_layout_of(spec);
  const timing_report formula = timing_of(spec, layout, constants, options);
  const std::int64_t micro_batches = layout.facts.micro_batches;
  if (formula.step == 0 || spec.pp == 1 || !detail::can_be_played(spec.schedule, spec.pp, micro_batches)) return {formula, false};
  const std::int64_t stages = spec.schedule.stages(spec.pp);
  owned_array<stage_times> times(static_cast<std::size_t>(stages));
  detail::fill_nanoseconds(times, spec, layout, constants, options);
  table_shape shape = detail::shape_of(spec.schedule, spec.pp, micro_batches);
  // Where steps run into each other, the time from one end to the next: three steps less two.
  if (!spec.schedule.drains) shape.micro_batches *= 3;
  std::int64_t ticks = detail::ticks_of_spec<Own...>(spec.schedule, shape, times.begin());
  if (ticks == 0) return {formula, false};
  if (!spec.schedule.drains) {
    shape.micro_batches = shape.micro_batches / 3 * 2;
    ticks -= detail::ticks_of_spec<Own...>(spec.schedule, shape, times.begin());
  }
  const fraction step{ticks, detail::tick_unit_of(shape, times.begin(), false).in_one};
  return {detail::with_makespan(formula, step, detail::pair_seconds(spec, layout, constants)), true};
}

}  // namespace shardplan
