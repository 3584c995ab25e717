// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/fraction.hpp>
#include <shardplan/schedule/schedule_spec.hpp>
#include <shardplan/schedule/times.hpp>

#include <cstdint>

namespace shardplan {

/// A figure that a formula gives without a table, where there is one.
struct closed_form {
  bool known = false;  ///< whether there is a formula for these sizes and times
  fraction value = 0;  ///< the figure; where it is not known, a lower bound of it, 0 where there is none

  constexpr closed_form() = default;
  /// A known figure.
  constexpr closed_form(fraction figure) : known(true), value(figure) {}  // NOLINT(google-explicit-constructor): a figure is one
  /// A figure that is not known but for a lower bound.
  static constexpr closed_form at_least(fraction bound) {
    closed_form form{bound};
    form.known = false;
    return form;
  }
};

/// The makespan bubble of a schedule by its formula (uniform stages, no latency, no overlap): costs nothing at any size. A schedule has a
/// formula when it has a function `makespan_bubble(p, m, times)`.
template <class Schedule>
constexpr closed_form closed_bubble(std::int64_t ranks, std::int64_t micro_batches, const stage_times& times) {
  if constexpr (requires { Schedule::makespan_bubble(ranks, micro_batches, times); }) {
    if (times.transfer == 0 && times.overlapped == 0) return Schedule::makespan_bubble(ranks, micro_batches, times);
  }
  return {};
}

/// m (F + I + W) / (m (F + I + W) + bubble): the efficiency by the formula of the bubble.
template <class Schedule>
constexpr closed_form closed_efficiency(std::int64_t ranks, std::int64_t micro_batches, const stage_times& times) {
  const closed_form bubble = closed_bubble<Schedule>(ranks, micro_batches, times);
  if (!bubble.known) return {};
  const fraction work = (times.forward + times.input_gradient + times.weight_gradient) * micro_batches;
  return work / (work + bubble.value);
}

/// The most activations alive on a rank by formula, 1 being one p-th of the model on one micro-batch: until W, or with `freed_at_input`
/// only until I. A schedule whose ranks keep less until I has a function `in_flight_until_input(p, m, v, rank)`; without one both are the
/// same.
template <class Schedule>
constexpr fraction closed_peak(std::int64_t ranks, std::int64_t micro_batches, std::int64_t rank, bool freed_at_input = false) {
  constexpr std::int64_t chunks = Schedule::spec.chunks;
  constexpr std::int64_t shares = (Schedule::spec.layout == placement::bidirectional ? 1 : chunks) * Schedule::spec.slices;
  if constexpr (requires { Schedule::in_flight_until_input(ranks, micro_batches, chunks, rank); }) {
    if (freed_at_input) return {Schedule::in_flight_until_input(ranks, micro_batches, chunks, rank), shares};
  }
  return {Schedule::spec.in_flight(ranks, micro_batches, chunks, rank), shares};
}

/// What a schedule says of its live activations beside `in_flight`, for the proof of a table. A schedule whose `in_flight` is no bound but
/// exactly what each rank keeps says `static constexpr bool in_flight_is_exact = true`.
struct peak_form {
  bool exact = false;        ///< `in_flight` is what is kept until W, not a bound of it
  bool until_input = false;  ///< whether there is a form of what is kept until I
  /// That form, in chunks of one micro-batch.
  std::int64_t (*value)(std::int64_t ranks, std::int64_t micro_batches, std::int64_t chunks,
                        std::int64_t rank) = &detail::in_flight_not_said;
};

/// Of a schedule.
template <class Schedule>
constexpr peak_form peak_form_of() {
  peak_form form{};
  if constexpr (requires { Schedule::in_flight_is_exact; }) form.exact = Schedule::in_flight_is_exact;
  if constexpr (requires { Schedule::in_flight_until_input(1, 1, 1, 0); }) {
    form.until_input = true;
    form.value = &Schedule::in_flight_until_input;
  }
  return form;
}

namespace detail {
constexpr fraction whole_pass(const stage_times& times) { return times.forward + times.input_gradient + times.weight_gradient; }
// Formulas of orders that split the backward are critical paths through a table: so many F, I and W beyond those of the work. They are
// written as integers, since each operator of a fraction costs every file that reads these headers.

/// F, I and W of a path, each that of one op of the table.
struct path_ops {
  std::int64_t forward, input, weight;
};
/// The longest of `count` paths, when the ops of the table are one of `shares` of a rank's part.
constexpr fraction longest(const path_ops* paths, int count, const stage_times& times, std::int64_t shares) {
  fraction most = 0;
  for (int at = 0; at < count; ++at) {
    const fraction length =
        times.forward * paths[at].forward + times.input_gradient * paths[at].input + times.weight_gradient * paths[at].weight;
    if (at == 0 || most < length) most = length;
  }
  return most / shares;
}
/// F <= W <= I, as layers have it: W is a little longer than F, and what is recomputed runs before I.
constexpr bool are_usual(const stage_times& times) {
  return !(times.weight_gradient < times.forward) && !(times.input_gradient < times.weight_gradient);
}
/// I against `forwards` F and `half_weights` halves of W.
constexpr bool is_input_above(const stage_times& times, std::int64_t forwards, std::int64_t half_weights) {
  return times.forward * (2 * forwards) + times.weight_gradient * half_weights < times.input_gradient * 2;
}

/// The bubble of an order whose ranks wait only for the first and the last micro-batch: p - 1 forwards and backwards of a chunk, and p - m
/// more for each further chunk when there are fewer micro-batches than ranks. (GPipe, 1F1B, interleaved in one group or full ones.)
constexpr fraction drained_bubble(std::int64_t ranks, std::int64_t micro_batches, std::int64_t chunks, const stage_times& times) {
  const std::int64_t short_of = micro_batches < ranks ? (chunks - 1) * (ranks - micro_batches) : 0;
  return whole_pass(times) * fraction{ranks - 1 + short_of, chunks};
}
/// The bubble of ZB-H1 and of its relatives with `alive` micro-batches between F and W.
constexpr fraction split_bubble(std::int64_t ranks, std::int64_t alive, const stage_times& times, std::int64_t shares = 1) {
  const std::int64_t path = ranks - 1, missing = alive < ranks ? ranks - alive : 0;
  const path_ops paths[] = {{missing, path, 0}, {path, missing, 0}, {path, path, 1 - alive}};
  return longest(paths, 3, times, shares);
}
/// The same with `alive` from p to 2 p - 1 and as many more forwards before the first I.
constexpr fraction wide_split_bubble(std::int64_t ranks, std::int64_t alive, const stage_times& times) {
  const std::int64_t path = ranks - 1;
  const path_ops paths[] = {{path, 0, 0}, {ranks - alive, path, 0}, {path, path, 1 - alive}};
  return longest(paths, 3, times, 1);
}
/// k max(F, B) - (k - 1) min(F, B), times `path`.
constexpr fraction alternating_bubble(std::int64_t path, std::int64_t turns, const stage_times& times, std::int64_t shares = 1) {
  const std::int64_t more = path * turns, less = path * (1 - turns);
  const path_ops paths[] = {{less, more, more}, {more, less, less}};
  return longest(paths, 2, times, shares);
}
}  // namespace detail

}  // namespace shardplan
