// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/checked.hpp>
#include <shardplan/core/fraction.hpp>
#include <shardplan/schedule/op.hpp>
#include <shardplan/schedule/shape.hpp>

#include <cstdint>

namespace shardplan {

/// How long the ops of a stage take, in any unit. Given once, the times are those of one p-th of the model on one micro-batch, and a chunk
/// costs 1 / v of them (the whole where the placement is bidirectional). Given per stage, they are those of the stage itself. A slice of
/// a sequence costs 1 / s of either.
struct stage_times {
  fraction forward = 1;          ///< F
  fraction input_gradient = 1;   ///< I
  fraction weight_gradient = 1;  ///< W; a full backward is I + W
  fraction transfer = 0;         ///< latency of the stage's output to another rank; compute goes on meanwhile. Not divided by v
  fraction overlapped = 0;       ///< an overlapped block F&B; 0: F + I + W
};

namespace detail {

constexpr std::int64_t common_multiple(std::int64_t left, std::int64_t right) {
  return checked_multiply(left, fraction{right, left}.numerator);
}
constexpr std::int64_t common_denominator(const stage_times& times, std::int64_t so_far) {
  so_far = common_multiple(so_far, times.forward.denominator);
  so_far = common_multiple(so_far, times.input_gradient.denominator);
  so_far = common_multiple(so_far, times.weight_gradient.denominator);
  so_far = common_multiple(so_far, times.transfer.denominator);
  return common_multiple(so_far, times.overlapped.denominator);
}

/// Times as whole ticks. `uniform`: one entry for all stages, else one a stage.
struct tick_unit {
  std::int64_t in_one = 1;  // ticks in one unit of time
  const stage_times* times = nullptr;
  bool uniform = true;
  int share = 1;  // of a stage's time in one op

  constexpr const stage_times& of(int stage) const { return times[uniform ? 0 : stage]; }
  constexpr std::int64_t ticks(fraction value) const { return checked_multiply(value.numerator, in_one / value.denominator); }
  constexpr std::int64_t part(fraction value) const {
    if (value < 0) argument_out_of_range();
    return ticks(value) / share;
  }
};
constexpr tick_unit tick_unit_of(const table_shape& shape, const stage_times* times, bool uniform) {
  tick_unit unit{1, times, uniform, uniform ? shape.shares() : shape.slices};
  const int entries = uniform ? 1 : shape.stages();
  for (int at = 0; at < entries; ++at) unit.in_one = common_denominator(times[at], unit.in_one);
  unit.in_one = checked_multiply(unit.in_one, unit.share);
  return unit;
}

/// Ticks of each op of a rank, by the low bits of the packed op.
template <class Costs>
constexpr void fill_costs(const table_shape& shape, const tick_unit& unit, Costs& costs) {
  for (int rank = 0; rank < shape.ranks; ++rank)
    for (int chunk = 0; chunk < shape.chunks; ++chunk) {
      const stage_times& times = unit.of(stage_of(shape, rank, chunk));
      const std::int64_t forward = unit.part(times.forward), input = unit.part(times.input_gradient),
                         weight = unit.part(times.weight_gradient);
      costs.of[rank][4 * chunk] = forward;
      costs.of[rank][4 * chunk + 1] = checked_add(input, weight);
      costs.of[rank][4 * chunk + 2] = input;
      costs.of[rank][4 * chunk + 3] = weight;
    }
}

}  // namespace detail

}  // namespace shardplan
