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
    if (value.numerator < 0) argument_out_of_range();
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

/// The times of one stage in ticks.
struct stage_ticks {
  std::int64_t forward = 0;
  std::int64_t input_gradient = 0;
  std::int64_t weight_gradient = 0;
  std::int64_t transfer = 0;
  std::int64_t overlapped = 0;  // 0: the sum

  constexpr std::int64_t pass() const { return forward + input_gradient + weight_gradient; }
};
constexpr stage_ticks ticks_of(const tick_unit& unit, int stage) {
  const stage_times& times = unit.of(stage);
  const stage_ticks ticks{unit.part(times.forward), unit.part(times.input_gradient), unit.part(times.weight_gradient),
                          unit.ticks(times.transfer), unit.part(times.overlapped)};
  // The sums that are formed of them.
  checked_add(checked_add(checked_add(ticks.forward, ticks.input_gradient), checked_add(ticks.weight_gradient, ticks.transfer)),
              ticks.overlapped);
  return ticks;
}

/// Ticks of each op of a rank, by the low bits of the packed op; those of its transfer and of its block where a stage has such times (the
/// arrays are 0 before).
template <class Costs>
constexpr void fill_costs(const table_shape& shape, const tick_unit& unit, Costs& costs) {
  stage_ticks ticks = ticks_of(unit, 0);
  for (int rank = 0; rank < shape.ranks; ++rank)
    for (int chunk = 0; chunk < shape.chunks; ++chunk) {
      if (!unit.uniform) ticks = ticks_of(unit, stage_of(shape, rank, chunk));
      costs.of[rank][4 * chunk] = ticks.forward;
      costs.of[rank][4 * chunk + 1] = ticks.input_gradient + ticks.weight_gradient;
      costs.of[rank][4 * chunk + 2] = ticks.input_gradient;
      costs.of[rank][4 * chunk + 3] = ticks.weight_gradient;
      if (ticks.transfer != 0) costs.immediate = false;
      if (ticks.transfer != 0 || ticks.overlapped != 0)
        for (int kind = 0; kind < 4; ++kind) {
          costs.transfer[rank][4 * chunk + kind] = ticks.transfer;
          costs.together[rank][4 * chunk + kind] = ticks.overlapped;
        }
      if (ticks.pass() + ticks.transfer + ticks.overlapped > costs.longest)
        costs.longest = ticks.pass() + ticks.transfer + ticks.overlapped;
    }
}

}  // namespace detail

}  // namespace shardplan
