// SPDX-License-Identifier: BSL-1.0
#pragma once

/// FSDP against ZeRO-3 as numbers: what the unit of gathering costs in memory, in bytes and in time that nothing hides.
#include <shardplan/core/bytes.hpp>
#include <shardplan/core/checked.hpp>
#include <shardplan/memory/memory.hpp>
#include <shardplan/spec/derived.hpp>
#include <shardplan/spec/plan_spec.hpp>
#include <shardplan/timing/compute.hpp>
#include <shardplan/timing/constants.hpp>
#include <shardplan/timing/flops.hpp>
#include <shardplan/timing/links.hpp>
#include <shardplan/timing/timing.hpp>
#include <shardplan/traffic/message.hpp>
#include <shardplan/traffic/traffic.hpp>

#include <cstdint>

namespace shardplan {

/// What is gathered at once when weights are sharded.
enum class gather_unit {
  model,  ///< everything: FSDP around the model alone
  /// `block`: a transformer block, embedding and head by themselves: FSDP as torchtitan wraps it. `module`: each linear as it is reached,
  /// and a bucket ahead: DeepSpeed ZeRO-3, which follows a trace of the first step. (To nvcc a line that begins with `module` is a
  /// directive.)
  // clang-format off
  block, module
  // clang-format on
};

/// What DeepSpeed's ZeRO-3 keeps gathered (deepspeedai/DeepSpeed runtime/zero/config.py), elements.
struct zero_3_limits {
  std::int64_t prefetch_bucket = 50'000'000;    ///< stage3_prefetch_bucket_size
  std::int64_t max_live = 1'000'000'000;        ///< stage3_max_live_parameters
  std::int64_t reuse_distance = 1'000'000'000;  ///< stage3_max_reuse_distance: what is used again sooner stays
};

/// The price of a unit, for a rank of stage 0. Bytes are exact, seconds an estimate.
struct gathering {
  std::int64_t units = 0;       ///< gathered one after another in one pass
  bytes largest_unit{};         ///< gathered weights of the largest, in the precision they travel in
  bytes peak{};                 ///< gathered weights alive at once, the most: the unit and what is gathered ahead, or all that stays
  bytes gathered{};             ///< received by all-gathers in one step
  bytes reduced{};              ///< sent by reduce-scatters in one step
  bytes needless{};             ///< of `gathered`: what had just been there, freed after forward and needed first in backward
  double gather_seconds = 0;    ///< estimate: all-gather of one block
  double forward_seconds = 0;   ///< estimate: forward of one block
  double exposed_forward = 0;   ///< estimate: of the gather of a block, what forward of a block does not hide
  double exposed_backward = 0;  ///< estimate: of its gather and reduction, what backward does not hide
  double exposed_step = 0;      ///< estimate: of one step
};

/// The price of gathering by `unit` under `spec`, which shards weights (`fsdp`, `zero<3>`) or is taken as if it did; whether weights are
/// freed after forward and how much is gathered ahead is `spec.sharding`'s. Under `module` DeepSpeed keeps what comes again within
/// `reuse_distance`, so that nothing is gathered needlessly. For dense models; only for a spec that broke no rule of the first two tiers.
/// Error: `result_leaves_63_bits`.
template <class Spec = plan_spec>
constexpr gathering gathering_of(const Spec& said, gather_unit unit, const zero_3_limits& limits = {},
                                 const timing_constants& constants = default_timing_constants) {
  Spec spec = said;
  if (!shards_weights(spec)) spec.zero = 3;
  const traffic_layout layout = traffic_layout_of(spec);
  const derived& facts = layout.facts;
  const stage_extent extent = extent_of_stage(spec, facts, 0);
  const std::int64_t bytes_each = spec.precision.compute < spec.precision.weight ? spec.precision.compute : spec.precision.weight;
  const std::int64_t block = layout[place::every_block].dense + layout[place::dense_block].dense;
  const std::int64_t input = extent.is_first ? layout[place::input].dense : 0;
  const std::int64_t output = extent.is_last ? layout[place::output].dense : 0;
  const std::int64_t all = detail::held_by(spec, layout, extent).dense;
  const std::int64_t steps = facts.micro_batches;
  const std::int64_t ranks = facts.dense_shards;
  const bool frees = spec.sharding.reshard_after_forward && unit != gather_unit::model;
  const auto in_bytes = [&](std::int64_t elements) { return bytes{checked_multiply(elements, bytes_each)}; };
  const auto received = [&](std::int64_t elements) {
    return in_bytes(most_ring_sent(collective::all_gather, detail::rounded_up_to(elements, ranks), ranks));
  };

  gathering result{};
  std::int64_t largest = unit == gather_unit::model ? all : block;
  if (input > largest) largest = input;
  if (output > largest) largest = output;
  result.largest_unit = in_bytes(largest);
  result.units = unit == gather_unit::model ? 1 : extent.layers + (input > 0) + (output > 0);
  std::int64_t kept = 0;  // what backward finds in place
  switch (unit) {
    case gather_unit::model: result.peak = in_bytes(all); break;
    case gather_unit::block: {
      const std::int64_t ahead = spec.sharding.prefetch * block;
      result.peak = in_bytes(!frees || largest + ahead > all ? all : largest + ahead);
      break;
    }
    case gather_unit::module: {
      kept = limits.reuse_distance / 2 < all ? limits.reuse_distance / 2 : all;  // there and back
      const std::int64_t alive = limits.max_live + limits.prefetch_bucket;
      result.peak = in_bytes(!frees || alive > all ? all : alive);
      break;
    }
  }
  const std::int64_t again = frees ? all - kept : 0;
  result.gathered = (received(all) + (again > 0 ? received(again) : bytes{})) * steps;
  if (frees && unit == gather_unit::block) result.needless = received(output > 0 ? output : block) * steps;
  const std::int64_t gradient = spec.precision.accumulator != 0 ? spec.precision.accumulator : spec.precision.gradient;
  result.reduced =
      bytes{checked_multiply(most_ring_sent(collective::reduce_scatter, detail::rounded_up_to(all, ranks), ranks), gradient)} * steps;

  const forward_flops count = forward_flops_of(spec.model, spec.sequence, facts.vocabulary);
  const stage_extent one{.layers = 1, .dense_layers = 1};
  const compute_seconds work = compute_of(spec, layout, one, count, constants);
  if (work.total() == 0) return result;
  const rank_layout places = rank_layout_of(facts.grid, spec.rank_order, facts.grid.dense_shards() / ranks);
  const timing_constants own = constants_with(spec.link_efficiency, constants);
  const channel_rate rate = rate_of(channel::dp, places, topology_of(spec.device, spec.devices_per_node, spec.nodes), own);
  const auto seconds = [&](collective how, std::int64_t elements, std::int64_t each) {
    return ranks == 1 ? 0.0
                      : seconds_of({channel::dp, cargo::weights_forward, how, ranks, elements, elements, 8 * each, 1, 1}, rate, constants);
  };
  const double linears = unit == gather_unit::module ? 7 * constants.ring_base : 0;  // a call for each linear
  result.gather_seconds = seconds(collective::all_gather, block, bytes_each) + linears;
  result.forward_seconds = work.forward;
  const double reduce = seconds(collective::reduce_scatter, block, gradient);
  const double whole = seconds(collective::all_gather, all, bytes_each);
  if (unit == gather_unit::model) {  // nothing is computed before all is there
    result.exposed_forward = whole;
    result.exposed_backward = seconds(collective::reduce_scatter, all, gradient);
    result.exposed_step = static_cast<double>(steps) * (result.exposed_forward + result.exposed_backward);
    return result;
  }
  result.exposed_forward = detail::exposed(result.gather_seconds, work.forward, spec.overlap.dp);
  result.exposed_backward = detail::exposed((frees ? result.gather_seconds : 0) + reduce, work.backward + work.recompute, spec.overlap.dp);
  // The first unit of a pass waits for its weights.
  result.exposed_step = static_cast<double>(steps) *
                        (result.gather_seconds + static_cast<double>(extent.layers) * (result.exposed_forward + result.exposed_backward));
  return result;
}

}  // namespace shardplan
