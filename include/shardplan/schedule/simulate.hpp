// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/fraction.hpp>
#include <shardplan/schedule/play.hpp>
#include <shardplan/schedule/table.hpp>
#include <shardplan/schedule/times.hpp>

#include <cstdint>

namespace shardplan {

/// "Bubble" has several meanings; say which one. With uneven stages, work is the mean over the ranks.
enum class bubble_kind {
  makespan,     ///< makespan - work, the mean idle time of a rank: what one step costs when the optimizer is a barrier
  span,         ///< the largest (last end - first start) - busy over the ranks, as zero-bubble papers report it
  steady,       ///< period - work when steps follow each other without a barrier
  of_makespan,  ///< makespan bubble / makespan, below 1
  of_work,      ///< makespan bubble / work, the "(p - 1) / m" of the Megatron papers
};

namespace detail {

template <std::int64_t Ranks>
struct simulation_arrays {
  fraction busy[Ranks]{};              ///< time that each rank computes
  fraction idle[Ranks]{};              ///< makespan - busy
  fraction span_idle[Ranks]{};         ///< idle between the first start and the last end of the rank
  fraction peak_activations[Ranks]{};  ///< most alive; 1 is one p-th of the model on one micro-batch
};
}  // namespace detail

/// What a simulation found, rank by rank (`busy`, `idle`, `span_idle`, `peak_activations`) and in all. Times in the unit of its
/// `stage_times`. `simulation<0>` is that of an `op_table` (schedule/simulate_table.hpp).
template <std::int64_t Ranks>
struct simulation : detail::simulation_arrays<Ranks> {
  fraction makespan = 0;  ///< from the first start to the last end
  fraction work = 0;      ///< busy time of a rank, the mean over the ranks
  fraction span = 0;      ///< the largest last end - first start of a rank
};

namespace detail {

template <class Simulation, class Table, class Played>
constexpr void summarize(Simulation& result, const Table& table, const tick_unit& unit, const Played& all, fraction kept) {
  if (kept < 0 || kept > 1) argument_out_of_range();
  const table_shape shape = table.shape;
  result.makespan = {all.makespan, unit.in_one};
  std::int64_t work = 0;
  std::int64_t longest = 0;
  for (int rank = 0; rank < shape.ranks; ++rank) {
    const std::int64_t busy = busy_ticks(table, unit, rank) - all.saved[rank];
    work = checked_add(work, busy);
    const std::int64_t span = all.clock[rank] - all.first[rank];
    longest = later(longest, span);
    result.busy[rank] = {busy, unit.in_one};
    result.idle[rank] = {all.makespan - busy, unit.in_one};
    result.span_idle[rank] = {span - busy, unit.in_one};
    result.peak_activations[rank] = {peak_alive(table, rank, kept.numerator, kept.denominator),
                                     checked_multiply(kept.denominator, shape.shares())};
  }
  result.span = {longest, unit.in_one};
  result.work = {work, checked_multiply(unit.in_one, shape.ranks)};
}

template <class Schedule, std::int64_t Ranks, std::int64_t MicroBatches>
struct playable : static_table<Schedule, Ranks, MicroBatches> {
  using own = static_table<Schedule, Ranks, MicroBatches>;
  using costs_type = cost_arrays<Ranks, 4 * own::shape.chunks>;
  using played_type = played<rank_times<Ranks>>;
  using played_ends = end_arrays<Ranks, own::most_ops>;
  struct next_type {
    int of[Ranks]{};
  };
  struct pairs_type {
    int of[Ranks * Ranks]{};
  };
  struct programs_type {
    int of[Ranks][2 * own::most_ops]{};  // an op sends at most once and receives at most once
  };
  static constexpr pairs_type new_pairs() { return {}; }
  static constexpr programs_type new_programs() { return {}; }
  static constexpr costs_type new_costs() { return {}; }
  static constexpr played_type new_played() { return {}; }
  static constexpr played_ends new_ends() { return {}; }
  static constexpr next_type new_next() { return {}; }
};

template <class Schedule, std::int64_t Ranks, std::int64_t MicroBatches>
constexpr simulation<Ranks> simulate_static(const stage_times* times, bool uniform, fraction kept) {
  simulation<Ranks> result{};
  const playable<Schedule, Ranks, MicroBatches> table{};
  const auto all = play(table, times, uniform);
  summarize(result, table, tick_unit_of(table.shape, times, uniform), all, kept);
  return result;
}

template <class Schedule, std::int64_t Ranks, std::int64_t MicroBatches>
constexpr fraction steady_static(const stage_times* times, bool uniform) {
  if constexpr (!Schedule::spec.drains) {
    return simulate_static<Schedule, Ranks, 3 * MicroBatches>(times, uniform, 1).makespan -
           simulate_static<Schedule, Ranks, 2 * MicroBatches>(times, uniform, 1).makespan;
  } else {
    const playable<Schedule, Ranks, MicroBatches> table{};
    const auto all = play(table, times, uniform, 3);
    return {all.makespan - all.makespan_before, tick_unit_of(table.shape, times, uniform).in_one};
  }
}

template <class Simulation>
constexpr fraction bubble_of(const Simulation& result, int ranks, bubble_kind kind) {
  switch (kind) {
    case bubble_kind::makespan: return result.makespan - result.work;
    case bubble_kind::of_makespan: return result.makespan == 0 ? fraction{0} : (result.makespan - result.work) / result.makespan;
    case bubble_kind::of_work: return (result.makespan - result.work) / result.work;
    default: break;
  }
  fraction most = 0;
  for (int rank = 0; rank < ranks; ++rank)
    if (result.span_idle[rank] > most) most = result.span_idle[rank];
  return most;
}

}  // namespace detail

/// Plays schedule `Schedule` on p ranks with m micro-batches a step, exactly. `kept` is the share of an activation that stays from I until
/// W (1: all of it, 0: none). Errors: `schedule_never_ends` for a table that is not `proven`, `argument_out_of_range`,
/// `result_leaves_63_bits`.
template <class Schedule, std::int64_t Ranks, std::int64_t MicroBatches>
constexpr simulation<Ranks> simulate(const stage_times& times, fraction kept = 1) {
  return detail::simulate_static<Schedule, Ranks, MicroBatches>(&times, true, kept);
}
/// The same with the times of each stage, p * v of them in the order of the model (p where the placement is bidirectional).
template <class Schedule, std::int64_t Ranks, std::int64_t MicroBatches, int Stages>
constexpr simulation<Ranks> simulate(const stage_times (&times)[Stages], fraction kept = 1) {
  static_assert(Stages == detail::shape_for<Schedule, Ranks, MicroBatches>.stages(), "one entry for each stage of the model");
  return detail::simulate_static<Schedule, Ranks, MicroBatches>(times, false, kept);
}

/// Time between the ends of two steps that follow each other without a barrier: the makespan of three less that of two. (A schedule that
/// does not drain runs three times and two times m micro-batches.)
template <class Schedule, std::int64_t Ranks, std::int64_t MicroBatches>
constexpr fraction steady_period(const stage_times& times) {
  return detail::steady_static<Schedule, Ranks, MicroBatches>(&times, true);
}
/// The same with the times of each stage.
template <class Schedule, std::int64_t Ranks, std::int64_t MicroBatches, int Stages>
constexpr fraction steady_period(const stage_times (&times)[Stages]) {
  static_assert(Stages == detail::shape_for<Schedule, Ranks, MicroBatches>.stages(), "one entry for each stage of the model");
  return detail::steady_static<Schedule, Ranks, MicroBatches>(times, false);
}

/// The bubble of that name, simulated.
template <class Schedule, std::int64_t Ranks, std::int64_t MicroBatches>
constexpr fraction bubble(const stage_times& times, bubble_kind kind) {
  const simulation<Ranks> result = simulate<Schedule, Ranks, MicroBatches>(times);
  if (kind == bubble_kind::steady) return steady_period<Schedule, Ranks, MicroBatches>(times) - result.work;
  return detail::bubble_of(result, Ranks, kind);
}
/// The same with the times of each stage.
template <class Schedule, std::int64_t Ranks, std::int64_t MicroBatches, int Stages>
constexpr fraction bubble(const stage_times (&times)[Stages], bubble_kind kind) {
  const simulation<Ranks> result = simulate<Schedule, Ranks, MicroBatches>(times);
  if (kind == bubble_kind::steady) return steady_period<Schedule, Ranks, MicroBatches>(times) - result.work;
  return detail::bubble_of(result, Ranks, kind);
}

/// Work / makespan, simulated: the share of its time that a rank computes, the mean over the ranks.
template <class Schedule, std::int64_t Ranks, std::int64_t MicroBatches>
constexpr fraction efficiency(const stage_times& times) {
  const simulation<Ranks> result = simulate<Schedule, Ranks, MicroBatches>(times);
  return result.work / result.makespan;
}
/// The same with the times of each stage.
template <class Schedule, std::int64_t Ranks, std::int64_t MicroBatches, int Stages>
constexpr fraction efficiency(const stage_times (&times)[Stages]) {
  const simulation<Ranks> result = simulate<Schedule, Ranks, MicroBatches>(times);
  return result.work / result.makespan;
}

}  // namespace shardplan
