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

// A makespan; 0 where it is not exact, or where a rank waits for ever. `rest`: how many micro-batches more must be played for it.
struct played_makespan {
  fraction value = 0;
  std::int64_t rest = 0;
};
// The makespan for `MicroBatches`, `Played` of which are played.
template <class Schedule, std::int64_t Ranks, std::int64_t MicroBatches, std::int64_t Played>
constexpr played_makespan makespan_from(const stage_times* times) {
  if constexpr (!Schedule::spec.drains) {
    return {steady_static<Schedule, Ranks, MicroBatches>(times, false), 0};
  } else {
    using table_type = playable<Schedule, Ranks, Played>;
    const table_type table{};
    if (!table_type::ends) return {};
    const std::int64_t in_one = tick_unit_of(table.shape, times, false).in_one;
    if constexpr (Played == MicroBatches) {
      return {{play(table, times, false).makespan, in_one}, 0};
    } else {
      typename table_type::played_ends end = table_type::new_ends();
      const std::int64_t makespan = play(table, times, false, 1, &end).makespan;
      static_cuts<Ranks> cut{};
      const found_period period = period_of_times(table, end, Schedule::spec.repeats_after(Ranks), cut);
      if (period.micro_batches == 0) return {};
      const std::int64_t left = MicroBatches - Played;
      if (left % period.micro_batches != 0) return {0, left % period.micro_batches};
      return {{checked_add(makespan, checked_multiply(left / period.micro_batches, period.ticks)), in_one}, 0};
    }
  }
}

// All of these are constants of templates: what is a constant of a function, compilers compute once more wherever it is called.
template <class Asked, int At>
inline constexpr auto listed_times = times_of_listed<Asked, At>(
    make_index_pack<static_cast<int>((listed_spec<Asked, At>.schedule.stages(listed_spec<Asked, At>.pp) + stages_a_piece - 1) /
                                     stages_a_piece)>{});
template <class Asked, int At, std::int64_t Played>
inline constexpr played_makespan makespan_with = makespan_from<typename listed_schedule<Asked, At>::type, listed_at<Asked, At>.pp,
                                                               listed_at<Asked, At>.micro_batches, Played>(listed_times<Asked, At>.of);

inline constexpr played_makespan never_played{};
template <class Asked, int At, std::int64_t Played>
inline constexpr bool is_small = passes_of_table(listed_at<Asked, At>.schedule, listed_at<Asked, At>.pp,
                                                 Played) <= Asked::setup.simulated_passes;
template <class Asked, int At, std::int64_t Played, bool MayGrow>
constexpr const played_makespan* choose_makespan() {
  constexpr std::int64_t all = listed_at<Asked, At>.micro_batches;
  if constexpr (!is_small<Asked, At, Played>) {
    return &never_played;
  } else if constexpr (Played == all || makespan_with<Asked, At, Played>.value != 0) {
    return &makespan_with<Asked, At, Played>;
  } else if constexpr (MayGrow && makespan_with<Asked, At, Played>.rest != 0 &&
                       is_small<Asked, At, Played + makespan_with<Asked, At, Played>.rest>) {
    return choose_makespan<Asked, At, Played + makespan_with<Asked, At, Played>.rest, false>();
  } else {
    return choose_makespan<Asked, At, all, false>();
  }
}

// Seconds of a step with the schedule played; 0 where it was not.
template <class Asked, int At>
constexpr double played_step_of() {
  constexpr const listed_plan& found = listed_at<Asked, At>;
  if constexpr (found.pp != 1 && found.step > 0 && can_be_played(found.schedule, found.pp, found.micro_batches)) {
    constexpr std::int64_t fewer = shortened(found.schedule, found.pp, found.micro_batches);
    constexpr const played_makespan* makespan = choose_makespan<Asked, At, fewer, true>();
    if constexpr (makespan->value != 0) {
      const plan_spec& spec = listed_spec<Asked, At>;
      const traffic_layout& layout = listed_layout<Asked, At>;
      const timing_report formula = timing_of(spec, layout);
      return with_makespan(formula, makespan->value, pair_seconds(spec, layout, default_timing_constants)).step;
    }
  }
  return 0;
}
template <class Asked, int At>
inline constexpr double played_step = played_step_of<Asked, At>();

}  // namespace shardplan::detail
