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
  fraction value = 0;  ///< the figure

  constexpr closed_form() = default;
  /// A known figure.
  constexpr closed_form(fraction figure) : known(true), value(figure) {}  // NOLINT(google-explicit-constructor): a figure is one
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

namespace detail {
constexpr fraction whole_pass(const stage_times& times) { return times.forward + times.input_gradient + times.weight_gradient; }
constexpr fraction larger(fraction left, fraction right) { return left < right ? right : left; }
}  // namespace detail

}  // namespace shardplan
