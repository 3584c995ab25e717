// SPDX-License-Identifier: BSL-1.0
#pragma once

/// `simulated_timing` of a spec: the run-time twin, which finds the schedule by what the spec says of it. Asked for by name, because it
/// brings the tables of all built-in schedules along.
#include <shardplan/core/checked.hpp>
#include <shardplan/core/fraction.hpp>
#include <shardplan/core/owned_array.hpp>
#include <shardplan/memory/memory.hpp>
#include <shardplan/plan/rules/check.hpp>
#include <shardplan/plan/simulated_timing.hpp>
#include <shardplan/schedule/catalog.hpp>
#include <shardplan/schedule/extended_play.hpp>
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
  /// that never ends at these sizes, for a step of more than a million seconds, and for a plan that broke a rule of the first two tiers.
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

// What is played, and how long it takes.
struct spec_to_play {
  const schedule_spec& said;
  std::int64_t ranks = 1;
  std::int64_t micro_batches = 1;
  const stage_times* times = nullptr;
  // Forward passes of a table that may be played, where a long step is timed by a short one if that is exact; -1: all of it is played.
  std::int64_t most_passes = -1;
  std::int64_t ticks = 0;  // of `tick_unit_of`; 0: not known, or a rank waits for ever
};
struct dynamic_cuts {
  owned_array<cut_place> of;
};
// The ticks of the whole step from those of fewer micro-batches; 0 where that is not exact. `rest`: how many more must be played for it.
constexpr std::int64_t extended_ticks(const op_table& table, const spec_to_play& game, std::int64_t& rest) {
  rest = 0;
  if (!table.ends) return 0;
  auto end = table.new_ends();
  const std::int64_t makespan = play(table, game.times, false, 1, &end).makespan;
  dynamic_cuts cut{owned_array<cut_place>(static_cast<std::size_t>(game.ranks))};
  const found_period period = period_of_times(table, end, game.said.repeats_after(game.ranks), cut);
  if (period.micro_batches == 0) return 0;
  const std::int64_t left = game.micro_batches - table.shape.micro_batches;
  rest = left % period.micro_batches;
  return rest != 0 ? 0 : checked_add(makespan, checked_multiply(left / period.micro_batches, period.ticks));
}
template <class Schedule>
constexpr void play_schedule(spec_to_play& game) {
  const auto is_small = [&](std::int64_t played) { return passes_of_table(game.said, game.ranks, played) <= game.most_passes; };
  if (game.most_passes >= 0) {
    const std::int64_t fewer = shortened(game.said, game.ranks, game.micro_batches);
    if (!is_small(fewer)) return;
    if (fewer < game.micro_batches) {
      std::int64_t rest = 0;
      game.ticks = extended_ticks(op_table::of<Schedule>(game.ranks, fewer), game, rest);
      if (rest != 0 && is_small(fewer + rest)) {
        const std::int64_t more = fewer + rest;
        game.ticks = extended_ticks(op_table::of<Schedule>(game.ranks, more), game, rest);
      }
    }
    if (game.ticks != 0 || !is_small(game.micro_batches)) return;
  }
  const op_table table = op_table::of<Schedule>(game.ranks, game.micro_batches);
  if (table.ends) game.ticks = play(table, game.times, false).makespan;
}

template <class Schedule, int... Numbers>
constexpr bool play_member(spec_to_play& game, index_pack<int, Numbers...>) {
  // A copy of the spec whose chunks were changed keeps the functions of `Schedule`.
  schedule_spec copy = Schedule::spec;
  copy.chunks = game.said.chunks;
  copy.slices = game.said.slices;
  const bool is_copy = copy == game.said;
  const auto plays = [&](auto number) {
    using member = typename schedule_family<Schedule>::template with<decltype(number)::value>;
    const bool as_many = member::spec.chunks == game.said.chunks && member::spec.slices == game.said.slices;
    if (!as_many || !(is_copy || member::spec == game.said)) return false;
    play_schedule<member>(game);
    return true;
  };
  return (plays(number_tag<Numbers + 1>{}) || ...);
}

// Whether `Schedule`, or one of its family, is the one that is said; then it was played.
template <class Schedule>
constexpr bool play_if_said(spec_to_play& game) {
  if constexpr (schedule_family<Schedule>::has_numbers) {
    return play_member<Schedule>(game, make_index_pack<most_numbers_tried>{});
  } else {
    if (!(Schedule::spec == game.said)) return false;
    play_schedule<Schedule>(game);
    return true;
  }
}
template <class... Own, class... Known>
constexpr std::int64_t ticks_of(spec_to_play game, const boost::hana::basic_tuple<Known...>*) {
  static_cast<void>((play_if_said<Own>(game) || ...) || (play_if_said<Known>(game) || ...));
  return game.ticks;
}

// What `simulated_timing_of` says. `most_passes` as in `spec_to_play`.
template <class... Own, class Spec>
constexpr played_timing played_timing_of(const Spec& spec, const timing_constants& constants, const traffic_options& options,
                                         std::int64_t most_passes) {
  if (!is_computable(spec)) return {};
  const traffic_layout layout = traffic_layout_of(spec);
  const timing_report formula = timing_of(spec, layout, constants, options);
  const std::int64_t micro_batches = layout.facts.micro_batches;
  if (!(formula.step > 0 && formula.step < most_played_seconds) || spec.pp == 1 || !can_be_played(spec.schedule, spec.pp, micro_batches))
    return {formula, false};
  const std::int64_t stages = spec.schedule.stages(spec.pp);
  owned_array<stage_times> times(static_cast<std::size_t>(stages));
  fill_nanoseconds(times, spec, layout, constants, options);
  // Where steps run into each other, the time from one end to the next: three steps less two.
  constexpr const schedules::built_in* known = nullptr;
  const std::int64_t steps = spec.schedule.drains ? 1 : 3;
  std::int64_t ticks = ticks_of<Own...>({spec.schedule, spec.pp, steps * micro_batches, times.begin(), most_passes}, known);
  if (ticks == 0) return {formula, false};
  if (steps == 3) ticks -= ticks_of<Own...>({spec.schedule, spec.pp, 2 * micro_batches, times.begin(), -1}, known);
  const table_shape shape = shape_of(spec.schedule, spec.pp, micro_batches);
  const fraction step{ticks, tick_unit_of(shape, times.begin(), false).in_one};
  return {with_makespan(formula, step, pair_seconds(spec, layout, constants)), true};
}

}  // namespace detail

/// Estimate: `simulated_timing` of a spec, equal to that of a plan type. The schedule is looked for among `Own` and the built-in ones,
/// those with numbers with up to 16 chunks, slices or waves: `simulated_timing_of<my_schedule>(spec)`. It is constexpr; in a constant only
/// small tables stay inside a compiler's limits (p = 16, m = 64, v = 4: 8,192 ops), `simulated_timing<run>` has no such limit. No error is
/// possible (but what a schedule of one's own throws).
template <class... Own, class Spec>
constexpr played_timing simulated_timing_of(const Spec& spec, const timing_constants& constants, const traffic_options& options) {
  return detail::played_timing_of<Own...>(spec, constants, options, -1);
}
/// The same with what the plan says of bytes (`communication<>`).
template <class... Own, class Spec>
constexpr played_timing simulated_timing_of(const Spec& spec, const timing_constants& constants = default_timing_constants) {
  return simulated_timing_of<Own...>(spec, constants, spec.communication);
}

}  // namespace shardplan
