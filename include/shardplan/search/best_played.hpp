// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/checked.hpp>
#include <shardplan/core/fraction.hpp>
#include <shardplan/core/index_pack.hpp>
#include <shardplan/plan/simulated_timing.hpp>
#include <shardplan/schedule/extended_play.hpp>
#include <shardplan/schedule/one_f_one_b.hpp>
#include <shardplan/schedule/play.hpp>
#include <shardplan/schedule/schedule_spec.hpp>
#include <shardplan/schedule/simulate.hpp>
#include <shardplan/schedule/times.hpp>
#include <shardplan/search/best_asked.hpp>
#include <shardplan/search/best_listed.hpp>
#include <shardplan/search/best_result.hpp>
#include <shardplan/spec/plan_spec.hpp>
#include <shardplan/timing/timing.hpp>
#include <shardplan/traffic/held.hpp>

#include <cstdint>

// `simulated_timing` of a plan of the list: by values, since a plan type for each would cost more than its schedule, and from a short step
// where that is exact.

namespace shardplan::detail {

// The schedule of a plan of the list.
template <class List>
struct scheduled_in;
template <class... Parts>
struct scheduled_in<part_list<Parts...>> : scheduled_by<Parts...> {};
template <class Asked, int At, bool Said = (Asked::said & bit_of(part_kind::schedule)) != 0>
struct listed_schedule : scheduled_in<typename Asked::parts> {};
template <class Asked, int At>
struct listed_schedule<Asked, At, false>
    : scheduled_in<typename only_type<only_if<!(listed_at<Asked, At>.schedule == schedules::one_f_one_b::spec),
                                              schedule_part<typename Asked::listed, Asked, At>>>::type> {};

template <class Asked, int At>
inline constexpr plan_spec listed_spec = spec_of_listed(Asked::fixed, listed_at<Asked, At>);
template <class Asked, int At>
inline constexpr traffic_layout listed_layout = traffic_layout_of(listed_spec<Asked, At>);

// The times of its stages, some in a constant: each is a budget of its own.
inline constexpr int stages_a_piece = 16;
template <int Stages>
struct stage_times_array {
  stage_times of[Stages]{};
};
template <class Asked, int At, int Piece>
constexpr stage_times_array<stages_a_piece> times_of_piece() {
  const plan_spec& spec = listed_spec<Asked, At>;
  const std::int64_t first = Piece * stages_a_piece;
  const std::int64_t left = spec.schedule.stages(spec.pp) - first;
  stage_times_array<stages_a_piece> times{};
  fill_nanoseconds(times.of, spec, listed_layout<Asked, At>, default_timing_constants, spec.communication, first,
                   left < stages_a_piece ? left : stages_a_piece);
  return times;
}
template <class Asked, int At, int Piece>
inline constexpr stage_times_array<stages_a_piece> times_piece = times_of_piece<Asked, At, Piece>();
template <class Asked, int At, int... Pieces>
constexpr auto times_of_listed(index_pack<int, Pieces...>) {
  stage_times_array<stages_a_piece * sizeof...(Pieces)> all{};
  const auto add = [&](const stage_times_array<stages_a_piece>& some, int piece) {
    for (int stage = 0; stage < stages_a_piece; ++stage) all.of[piece * stages_a_piece + stage] = some.of[stage];
  };
  (add(times_piece<Asked, At, Pieces>, Pieces), ...);
  return all;
}

template <std::int64_t Ranks>
struct static_cuts {
  cut_place of[Ranks]{};
};

// The makespan for `MicroBatches`, `Played` of which are played; 0 where that is not exact, or where a rank waits for ever.
template <class Schedule, std::int64_t Ranks, std::int64_t MicroBatches, std::int64_t Played>
constexpr fraction makespan_from(const stage_times* times) {
  if constexpr (!Schedule::spec.drains) {
    return steady_static<Schedule, Ranks, MicroBatches>(times, false);
  } else {
    using table_type = playable<Schedule, Ranks, Played>;
    const table_type table{};
    if (!table_type::ends) return 0;
    const std::int64_t in_one = tick_unit_of(table.shape, times, false).in_one;
    if constexpr (Played == MicroBatches) {
      return {play(table, times, false).makespan, in_one};
    } else {
      typename table_type::played_ends end = table_type::new_ends();
      const std::int64_t makespan = play(table, times, false, 1, &end).makespan;
      constexpr std::int64_t period = Schedule::spec.repeats_after(Ranks);
      static_cuts<Ranks> cut{};
      const std::int64_t more = ticks_of_a_period(table, end, static_cast<int>(period), cut);
      if (more == 0) return 0;
      return {checked_add(makespan, checked_multiply((MicroBatches - Played) / period, more)), in_one};
    }
  }
}

// All of these are constants of templates: what is a constant of a function, compilers compute once more wherever it is called.
template <class Asked, int At>
inline constexpr auto listed_times = times_of_listed<Asked, At>(
    make_index_pack<static_cast<int>((listed_spec<Asked, At>.schedule.stages(listed_spec<Asked, At>.pp) + stages_a_piece - 1) /
                                     stages_a_piece)>{});
template <class Asked, int At, std::int64_t Played>
inline constexpr fraction makespan_with = makespan_from<typename listed_schedule<Asked, At>::type, listed_at<Asked, At>.pp,
                                                        listed_at<Asked, At>.micro_batches, Played>(listed_times<Asked, At>.of);

inline constexpr fraction never_played = 0;
template <class Asked, int At>
constexpr auto choose_makespan() {
  constexpr const listed_plan& found = listed_at<Asked, At>;
  constexpr std::int64_t all = found.micro_batches;
  constexpr std::int64_t fewer = shortened(found.schedule, found.pp, all);
  constexpr bool is_small = passes_of_table(found.schedule, found.pp, all) <= Asked::setup.simulated_passes;
  if constexpr (passes_of_table(found.schedule, found.pp, fewer) > Asked::setup.simulated_passes) {
    return &never_played;
  } else if constexpr (fewer == all || !is_small) {
    return &makespan_with<Asked, At, fewer>;
  } else if constexpr (makespan_with<Asked, At, fewer> == 0) {
    return &makespan_with<Asked, At, all>;
  } else {
    return &makespan_with<Asked, At, fewer>;
  }
}

// Seconds of a step with the schedule played; 0 where it was not.
template <class Asked, int At>
constexpr double played_step_of() {
  constexpr const listed_plan& found = listed_at<Asked, At>;
  if constexpr (found.pp != 1 && found.step > 0 && can_be_played(found.schedule, found.pp, found.micro_batches)) {
    constexpr const fraction* makespan = choose_makespan<Asked, At>();
    if constexpr (*makespan != 0) {
      const plan_spec& spec = listed_spec<Asked, At>;
      const traffic_layout& layout = listed_layout<Asked, At>;
      const timing_report formula = timing_of(spec, layout);
      return with_makespan(formula, *makespan, pair_seconds(spec, layout, default_timing_constants)).step;
    }
  }
  return 0;
}
template <class Asked, int At>
inline constexpr double played_step = played_step_of<Asked, At>();

}  // namespace shardplan::detail
