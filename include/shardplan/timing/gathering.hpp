// SPDX-License-Identifier: BSL-1.0
#pragma once

/// FSDP against ZeRO-3 as numbers: what the unit of gathering costs in memory, in bytes and in time that nothing hides.
#include <shardplan/core/bytes.hpp>
#include <shardplan/core/checked.hpp>
#include <shardplan/memory/memory.hpp>
#include <shardplan/memory/units.hpp>
#include <shardplan/memory/working_set.hpp>
#include <shardplan/parallel/sharding.hpp>
#include <shardplan/spec/derived.hpp>
#include <shardplan/spec/plan_spec.hpp>
#include <shardplan/timing/compute.hpp>
#include <shardplan/timing/constants.hpp>
#include <shardplan/timing/flops.hpp>
#include <shardplan/timing/links.hpp>
#include <shardplan/timing/timing.hpp>
#include <shardplan/traffic/data_parallel.hpp>
#include <shardplan/traffic/held.hpp>
#include <shardplan/traffic/message.hpp>
#include <shardplan/traffic/traffic.hpp>

#include <cstdint>

namespace shardplan {

/// The price of a unit, for a rank of stage 0. Bytes are exact, seconds an estimate.
struct gathering {
  std::int64_t units = 0;  ///< gathered one after another in one pass; by module blocks are counted
  bytes largest_unit{};    ///< weights of the largest unit as they travel; by module the largest module's
  bytes peak{};            ///< gathered weights alive at once, the most: the unit and what is gathered ahead, or all that stays; estimate
  bytes gathered{};        ///< received by all-gathers in one step
  bytes reduced{};         ///< sent by reduce-scatters in one step, or by the all-to-alls in their place
  bytes needless{};        ///< of `gathered`: what had just been there, freed after forward and needed first in backward
  double gather_seconds = 0;    ///< estimate: all-gather of one block
  double forward_seconds = 0;   ///< estimate: forward of one block
  double exposed_forward = 0;   ///< estimate: of the gather of a block, what forward of a block does not hide
  double exposed_backward = 0;  ///< estimate: of its gather and reduction, what backward does not hide
  double exposed_step = 0;      ///< estimate: of one step
};

namespace detail {
// Sums what gathers and what reduces. Of what backward gathers, `kept` elements are in place.
struct gather_sums {
  std::int64_t kept = 0;
  bytes gathered{};
  bytes reduced{};

  constexpr void add(message item) {
    if (item.between == channel::replicas) return;
    if (item.what == cargo::gradients) {
      reduced = reduced + sent(item);
      return;
    }
    if (item.what == cargo::weights_backward && kept > 0) {
      if (kept >= item.useful) return;
      item.useful -= kept;
      item.pieces = rounded_up_to(item.useful, item.ranks);
    }
    gathered = gathered + received(item);
  }
};

// Seconds of one gather, or of one reduction, of so many elements. No lambda: Clang before 19 refuses a clock in one.
constexpr double seconds_of_pass(data_parallel_work work, std::int64_t elements, bool reduces, const rank_layout& places,
                                 const topology& where, const timing_constants& constants, const traffic_options& options) {
  if (work.ranks == 1) return 0;
  transfer_clock clock{places, where, constants};
  work.parameters = work.padded = elements;
  if (reduces) {
    add_reduction(clock, work, options, 1);
  } else {
    add_among(clock, work,
              {work.between, cargo::weights_forward, collective::all_gather, work.ranks, elements, elements, work.weight_bits, 1, 1});
  }
  return clock.forward_weights + clock.gradients;
}
}  // namespace detail

/// The price of gathering by `unit` under `spec`, which shards weights (`fsdp`, `zero<3>`) or is taken as if it did; whether weights are
/// freed after forward and how much is gathered ahead is `spec.sharding`'s. Under `module` DeepSpeed keeps what comes again within
/// `reuse_distance`, so that nothing is gathered needlessly; a plan's `traffic` counts every gather. Bits of what travels, late reductions,
/// secondary copies and algorithms are the plan's (`communication<>`, `hpz<>`, `collectives<>`). For dense models; only for a spec that
/// broke no rule of the first two tiers. Error: `result_leaves_63_bits`.
template <class Spec = plan_spec>
constexpr gathering gathering_of(const Spec& said, gather_unit unit, const zero_3_limits& limits,
                                 const timing_constants& constants = default_timing_constants) {
  Spec spec = said;
  if (!shards_weights(spec)) spec.zero = 3;
  if (unit == gather_unit::by_framework) unit = gather_unit_of(spec);
  const traffic_layout layout = traffic_layout_of(spec);
  const derived& facts = layout.facts;
  const stage_extent extent = extent_of_stage(spec, facts, 0);
  const traffic_options& options = spec.communication;
  const std::int64_t bytes_each = spec.precision.compute < spec.precision.weight ? spec.precision.compute : spec.precision.weight;
  const std::int64_t weight_bits = options.weight_bits != 0 ? options.weight_bits : 8 * bytes_each;
  const std::int64_t block = layout[place::every_block].dense + layout[place::dense_block].dense;
  const std::int64_t input = extent.is_first ? layout[place::input].dense : 0;
  const std::int64_t output = extent.is_last ? layout[place::output].dense : 0;
  const sharded_elements held = detail::held_by(spec, layout, extent);
  const std::int64_t all = held.dense;
  const std::int64_t steps = facts.micro_batches;
  const std::int64_t ranks = facts.dense_shards;
  const bool frees = spec.sharding.reshard_after_forward && unit != gather_unit::model;
  const std::int64_t gradient = spec.precision.accumulator != 0 ? spec.precision.accumulator : spec.precision.gradient;

  data_parallel_work work{};
  work.kind = frees ? replication::weights_sharded : replication::weights_kept_gathered;
  work.ranks = ranks;
  work.secondary = spec.sharding.secondary == unset ? 1 : spec.sharding.secondary;
  work.parameters = all;
  work.padded = held.padded_dense;
  work.weight_bits = weight_bits;
  work.gradient_bits = 8 * gradient;
  work.micro_batches = steps;
  work.by = spec.collectives.dp;
  const std::int64_t replicas = facts.grid.dense_shards() / ranks;
  if (work.by == algorithm::hierarchical)
    work.inside = ranks_inside_node(facts.grid, spec.rank_order, replicas, axis::fsdp, spec.devices_per_node);

  gathering result{};
  std::int64_t largest = unit == gather_unit::model ? all : block;
  if (input > largest) largest = input;
  if (output > largest) largest = output;
  result.units = unit == gather_unit::model ? 1 : extent.layers + (input > 0) + (output > 0);
  const auto in_bytes = [&](std::int64_t elements) { return bytes{checked_multiply(elements, bytes_each)}; };
  detail::gather_sums sums{};
  switch (unit) {
    case gather_unit::by_framework:
    case gather_unit::model: result.peak = in_bytes(all); break;
    case gather_unit::block: {
      const std::int64_t ahead = spec.sharding.prefetch * block;
      result.peak = in_bytes(!frees || largest + ahead > all ? all : largest + ahead);
      break;
    }
    case gather_unit::module: {
      sums.kept = limits.reuse_distance / 2 < all ? limits.reuse_distance / 2 : all;  // there and back
      largest = gathered_by(units_of(spec, facts), true, false, extent.is_first, extent.is_last, extent.has_next_token, extent.copies_head)
                    .largest_module;
      result.peak = in_bytes(frees ? gathered_at_once(limits, largest, all) : all);
      break;
    }
  }
  result.largest_unit = {bytes_of_pieces(largest, weight_bits)};
  add_data_parallel(sums, work, options);
  result.gathered = sums.gathered;
  result.reduced = sums.reduced;
  if (frees && unit == gather_unit::block) {
    const std::int64_t first = output > 0 ? output : block;
    result.needless = received({work.between, cargo::weights_backward, collective::all_gather, ranks, detail::rounded_up_to(first, ranks),
                                first, weight_bits, steps, steps});
  }

  const forward_flops count = forward_flops_of(spec.model, spec.sequence, facts.vocabulary);
  const stage_extent one{.layers = 1, .dense_layers = 1};
  const compute_seconds computed = compute_of(spec, layout, one, count, constants);
  if (computed.total() == 0) return result;
  const rank_layout places = rank_layout_of(facts.grid, spec.rank_order, replicas);
  const timing_constants own = constants_with(spec.link_efficiency, constants);
  const topology where = topology_of(spec.device, spec.devices_per_node, spec.nodes);
  const auto time_of = [&](std::int64_t elements, bool reduces) {
    return detail::seconds_of_pass(work, elements, reduces, places, where, own, options);
  };
  const double linears = unit == gather_unit::module ? 7 * constants.ring_base : 0;  // a call for each linear
  result.gather_seconds = time_of(block, false) + linears;
  result.forward_seconds = computed.forward;
  const double count_of_steps = static_cast<double>(steps);
  const double reductions = options.late_sync ? 1 : count_of_steps;
  if (unit == gather_unit::model) {  // nothing is computed before all is there
    result.exposed_forward = time_of(all, false);
    result.exposed_backward = time_of(all, true);
    result.exposed_step = count_of_steps * result.exposed_forward + reductions * result.exposed_backward;
    return result;
  }
  const double behind = computed.backward + computed.recompute;
  const double again = frees ? result.gather_seconds : 0;
  result.exposed_forward = detail::exposed(result.gather_seconds, computed.forward, spec.overlap.dp);
  result.exposed_backward = detail::exposed(again + time_of(block, true), behind, spec.overlap.dp);
  // The first unit of a pass waits for its weights.
  const double blocks = static_cast<double>(extent.layers);
  result.exposed_step =
      count_of_steps * (result.gather_seconds + blocks * result.exposed_forward) +
      blocks * (reductions * result.exposed_backward + (count_of_steps - reductions) * detail::exposed(again, behind, spec.overlap.dp));
  return result;
}

/// The same with the plan's own limits (`gather_modules<>`).
template <class Spec = plan_spec>
constexpr gathering gathering_of(const Spec& spec, gather_unit unit) {
  return gathering_of(spec, unit, spec.sharding.limits);
}

/// The same for the unit that the plan gathers by (`gather_unit_of`).
template <class Spec = plan_spec>
constexpr gathering gathering_of(const Spec& spec) {
  return gathering_of(spec, gather_unit::by_framework, spec.sharding.limits);
}

}  // namespace shardplan
