// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/fraction.hpp>
#include <shardplan/core/owned_array.hpp>
#include <shardplan/schedule/op_table.hpp>
#include <shardplan/schedule/simulate.hpp>

/// The functions of schedule/simulate.hpp for tables made at run time. Asked for by name, since who only compiles plans does not need it.

namespace shardplan {

namespace detail {

template <>
struct simulation_arrays<0> {
  owned_array<fraction> busy;              ///< time that each rank computes
  owned_array<fraction> idle;              ///< makespan - busy
  owned_array<fraction> span_idle;         ///< idle between the first start and the last end of the rank
  owned_array<fraction> peak_activations;  ///< most alive; 1 is one p-th of the model on one micro-batch
};

}  // namespace detail

namespace detail {

constexpr simulation<0> simulate_dynamic(const op_table& table, const stage_times* times, bool uniform, fraction kept) {
  simulation<0> result{};
  result.busy = owned_array<fraction>(table.rows.size());
  result.idle = owned_array<fraction>(table.rows.size());
  result.span_idle = owned_array<fraction>(table.rows.size());
  result.peak_activations = owned_array<fraction>(table.rows.size());
  const auto all = play(table, times, uniform);
  summarize(result, table, tick_unit_of(table.shape, times, uniform), all, kept);
  return result;
}

}  // namespace detail

/// Plays a table made at run time, by the same function.
constexpr simulation<0> simulate(const op_table& table, const stage_times& times, fraction kept = 1) {
  return detail::simulate_dynamic(table, &times, true, kept);
}
/// The same with the times of each stage; there must be `table.shape.stages()` of them.
constexpr simulation<0> simulate(const op_table& table, const stage_times* times, fraction kept = 1) {
  return detail::simulate_dynamic(table, times, false, kept);
}

/// The same of a table made at run time.
constexpr fraction steady_period(const op_table& table, const stage_times& times) {
  const auto all = detail::play(table, &times, true, 3);
  return {all.makespan - all.makespan_before, detail::tick_unit_of(table.shape, &times, true).in_one};
}
/// The same with the times of each stage.
constexpr fraction steady_period(const op_table& table, const stage_times* times) {
  const auto all = detail::play(table, times, false, 3);
  return {all.makespan - all.makespan_before, detail::tick_unit_of(table.shape, times, false).in_one};
}

/// The same of a table made at run time.
constexpr fraction bubble(const op_table& table, const stage_times& times, bubble_kind kind) {
  const simulation<0> result = simulate(table, times);
  if (kind == bubble_kind::steady) return steady_period(table, times) - result.work;
  return detail::bubble_of(result, table.shape.ranks, kind);
}

/// The same with the times of each stage.
constexpr fraction bubble(const op_table& table, const stage_times* times, bubble_kind kind) {
  const simulation<0> result = simulate(table, times);
  if (kind == bubble_kind::steady) return steady_period(table, times) - result.work;
  return detail::bubble_of(result, table.shape.ranks, kind);
}

/// The same of a table made at run time.
constexpr fraction efficiency(const op_table& table, const stage_times& times) {
  const simulation<0> result = simulate(table, times);
  return result.work / result.makespan;
}
/// The same with the times of each stage.
constexpr fraction efficiency(const op_table& table, const stage_times* times) {
  const simulation<0> result = simulate(table, times);
  return result.work / result.makespan;
}

}  // namespace shardplan
