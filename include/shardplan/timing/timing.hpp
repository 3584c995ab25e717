// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/fraction.hpp>
#include <shardplan/memory/memory.hpp>
#include <shardplan/parallel/topology.hpp>
#include <shardplan/schedule/closed_form.hpp>
#include <shardplan/schedule/schedule_spec.hpp>
#include <shardplan/schedule/times.hpp>
#include <shardplan/spec/derived.hpp>
#include <shardplan/spec/plan_spec.hpp>
#include <shardplan/spec/stage_layers.hpp>
#include <shardplan/timing/compute.hpp>
#include <shardplan/timing/constants.hpp>
#include <shardplan/timing/flops.hpp>
#include <shardplan/timing/links.hpp>
#include <shardplan/timing/report.hpp>
#include <shardplan/traffic/message.hpp>
#include <shardplan/traffic/options.hpp>
#include <shardplan/traffic/traffic.hpp>

#include <cstdint>

namespace shardplan {

/// Waiting of a rank over its working time: (p - 1) / (v m), the closed form of GPipe, 1F1B and interleaved 1F1B (arXiv 2104.04473 section
/// 2.2), and what `timing` takes for a schedule that has none of its own.
constexpr fraction bubble_over_work(std::int64_t stages, std::int64_t chunks, std::int64_t micro_batches) {
  return fraction{stages - 1, checked_multiply(chunks, micro_batches)};
}

/// Estimate: seconds that a rank waits in a step, by the closed form of the plan's schedule, when every rank works `work` seconds in all
/// and `one` says in which proportion forward, both halves of backward and what is recomputed share it. Backward is half gradients of
/// inputs, and what is recomputed runs before them. None where steps run into each other.
template <class Spec = plan_spec>
constexpr double bubble_seconds(const Spec& spec, std::int64_t micro_batches, const compute_seconds& one, double work) {
  if (spec.pp <= 1 || !spec.schedule.drains) return 0;
  const auto& formula = spec.schedule.bubble;
  const std::int64_t parts = spec.schedule.chunks * spec.schedule.slices;
  if (formula.known) {
    constexpr double unit = 1e9;  // parts of the time of one micro-batch: the formulas are of whole numbers
    const double share = unit / one.total();
    const auto half = static_cast<std::int64_t>(one.backward * share / 2);
    const stage_times times{static_cast<std::int64_t>(one.forward * share), half + static_cast<std::int64_t>(one.recompute * share), half};
    const closed_form waits = formula.value(spec.pp, micro_batches, times);
    if (waits.known || waits.value > 0)  // or a lower bound, which is nearer than the form of another schedule
      return to_double(waits.value) / unit * (work / static_cast<double>(micro_batches)) * static_cast<double>(formula.chunks) /
             static_cast<double>(spec.schedule.chunks);
  }
  return work * to_double(bubble_over_work(spec.pp, parts, micro_batches));
}

namespace detail {

// A sink that sums seconds: by channel, and data parallel ones by what they can hide behind.
struct transfer_clock {
  const rank_layout& ranks;
  const topology& where;
  const timing_constants& constants;
  double units = 1;  // that states are sent in (`gathered_units`)
  double seconds[channel_count]{};
  channel last = channel::nvme;  // whose rate is known: messages of a channel come together
  channel_rate rate{constants.nvme, 0};
  double heads = 0;  // of cp: all-to-alls, which nothing hides
  double forward_weights = 0;
  double backward_weights = 0;
  double gradients = 0;

  // A gather and a reduction of one tensor take as long: told as one.
  static constexpr bool joins_halves = true;

  template <class Message>
  constexpr void add(const Message& item) {
    const auto between = item.between;
    const double parts = parts_of(item);
    if (item.by == algorithm::hierarchical) return count(item, seconds_of(item, rate_between_nodes(where, constants), constants, parts));
    if (between != last) {
      last = between;
      rate = rate_of(between, ranks, where, constants);
    }
    count(item, seconds_of(item, rate, constants, parts));
  }
  // Collectives that one transfer is made of: weights and gradients go unit by unit.
  template <class Message>
  constexpr double parts_of(const Message& item) const {
    const auto what = item.what;
    const bool is_state = what == cargo::weights_forward || what == cargo::weights_backward || what == cargo::gradients;
    return is_state && item.between != channel::pp ? units : 1;
  }

private:
  template <class Message>
  constexpr void count(const Message& item, double time) {
    const auto between = item.between;
    if (between < channel::dp) {
      seconds[static_cast<int>(between)] += time;
      if (item.what == cargo::heads) heads += time;
      return;
    }
    if (between == channel::node && (item.what == cargo::dispatched_tokens || item.what == cargo::combined_tokens)) {
      seconds[static_cast<int>(channel::ep)] += time;  // the inner level of what expert parallel ranks do
      return;
    }
    seconds[static_cast<int>(between)] += time;
    if (between != channel::dp && between != channel::edp && between != channel::node) return;
    (item.what == cargo::weights_forward ? forward_weights : item.what == cargo::weights_backward ? backward_weights : gradients) += time;
  }
};

constexpr double share_of(std::int64_t percent) { return static_cast<double>(percent) / 100; }
// What of a transfer stays visible: what may not hide, and what is more than the work it hides behind.
constexpr double exposed(double transfer, double work, std::int64_t percent) {
  const double visible = transfer * (1 - share_of(percent));
  return transfer - work > visible ? transfer - work : visible;
}

// Writes what stays visible of transfers inside the work of micro-batches, and returns the sum: `work` seconds of computation, `attention`
// of them in attention.
template <class Spec>
constexpr double visible_inside(const Spec& spec, const transfer_clock& clock, double work, double attention, bool with_pp,
                                double (&seen)[channel_count]) {
  const auto& overlap = spec.overlap;
  double sum = 0;
  const auto show = [&](channel between, std::int64_t percent) {
    const int at = static_cast<int>(between);
    if (clock.seconds[at] == 0) return;
    seen[at] = exposed(clock.seconds[at], work, percent);
    sum += seen[at];
  };
  show(channel::tp, overlap.tp);
  show(channel::ep, overlap.ep);
  show(channel::etp, overlap.ep);
  if (with_pp) show(channel::pp, overlap.pp);
  const double context = clock.seconds[static_cast<int>(channel::cp)];
  if (context > 0) {
    const bool said = overlap.cp != unset;
    const std::int64_t ring = spec.context_exchange == context_exchanges::ring ? 100 : 0;
    const double visible =
        clock.heads * (1 - share_of(said ? overlap.cp : 0)) + exposed(context - clock.heads, attention, said ? overlap.cp : ring);
    seen[static_cast<int>(channel::cp)] = visible;
    sum += visible;
  }
  return sum;
}

// Units that sharded weights are gathered by, and their gradients reduced by, one collective each: blocks, and what is around them; under
// `gather_unit::module` each linear of a block (FSDP: pytorch `fully_shard`; ZeRO-3: DeepSpeed `partitioned_param_coordinator.py`).
template <class Spec>
constexpr double gathered_units(const Spec& spec, const stage_extent& extent) {
  if (!shards_weights(spec)) return 1;
  const auto unit = gather_unit_of(spec);
  if (unit == gather_unit::model) return 1;
  const std::int64_t linears = unit == gather_unit::block ? 1 : spec.model.mlp == mlp::gated ? 7 : 6;
  return static_cast<double>(extent.layers * linears + 1);
}

// The extent of the pipeline rank that computes longest: the last one, the first, or the one with most layers.
template <class Spec>
constexpr stage_extent busiest_extent(const Spec& spec, const traffic_layout& layout, const forward_flops& count,
                                      const timing_constants& constants, compute_seconds& most) {
  const std::int64_t last = spec.pp - 1;
  stage_extent extent = extent_of_stage(spec, layout.facts, last);
  most = compute_of(spec, layout, extent, count, constants);
  if (last == 0) return extent;
  std::int64_t fullest = last > 1 ? 1 : 0;
  if (!has_even_inner_stages(spec) || extent.has_next_token != (spec.model.next_token_layers > 0)) {
    std::int64_t layers = 0;
    for (std::int64_t stage = 0; stage < last; ++stage) {
      const std::int64_t held = extent_of_stage(spec, layout.facts, stage).layers;
      if (held > layers) {
        layers = held;
        fullest = stage;
      }
    }
  }
  const stage_extent inner = extent_of_stage(spec, layout.facts, fullest);
  // With no more blocks of either kind, and no head, it cannot take longer.
  const bool fewer = inner.layers <= extent.layers && inner.dense_layers <= extent.dense_layers && !inner.has_next_token &&
                     inner.layers - inner.dense_layers <= extent.layers - extent.dense_layers;
  if (fewer && extent.is_last) return extent;
  const compute_seconds other = compute_of(spec, layout, inner, count, constants);
  if (other.total() <= most.total()) return extent;
  most = other;
  return inner;
}

// The optimizer reads and writes its states, reads gradients and writes weights: bound by memory.
template <class Spec>
constexpr double optimizer_seconds(const Spec& spec, const derived& facts, const sharded_elements& held, double memory,
                                   const timing_constants& constants) {
  const double share = static_cast<double>(held.dense) / static_cast<double>(facts.dense_shards) +
                       static_cast<double>(held.routed) / static_cast<double>(facts.expert_shards);
  const auto& precision = spec.precision;
  const double moved = 2 * static_cast<double>(precision.master + spec.optimizer.moments * precision.moment) +
                       static_cast<double>(precision.gradient + precision.weight);
  return share * moved / (spec.offload.states == storage::device ? memory : constants.host_memory);
}

// A step as it is without a pipeline's waiting: what plans that differ in nothing but the order of their operations have in common.
struct unordered_step {
  timing_report report{};  // without `bubble`, `step` and what follows from it
  double busy = 0;         // what a rank works and sends inside micro-batches
  double done = 0;         // all but waiting and the optimizer

  // The whole step.
  constexpr double seconds(double waiting) const { return done + waiting + report.optimizer; }
};

// Of the stage with that extent, which computes `one` for a micro-batch.
template <class Spec>
constexpr unordered_step unordered_step_of(const Spec& spec, const traffic_layout& layout, const stage_extent& extent,
                                           const compute_seconds& one, const timing_constants& constants, const traffic_options& options) {
  const derived& facts = layout.facts;
  unordered_step found{};
  timing_report& report = found.report;
  const std::int64_t replicas = shards_optimizer(spec) ? facts.grid.dense_shards() / facts.dense_shards : 1;
  const rank_layout ranks = rank_layout_of(facts.grid, spec.rank_order, replicas);
  const topology where = topology_of(spec.device, spec.devices_per_node, spec.nodes);
  const double units = gathered_units(spec, extent);
  transfer_clock clock{ranks, where, constants, units};
  const sharded_elements held = held_by(spec, layout, extent);
  add_traffic_of_extent(clock, spec, layout, extent, held, options);

  const double steps = static_cast<double>(micro_batches_of_chunk(spec, facts.micro_batches));
  report.forward = steps * one.forward;
  report.backward = steps * one.backward;
  report.recompute = steps * one.recompute;
  const double work = report.compute();
  double visible = visible_inside(spec, clock, work, steps * one.attention, true, report.exposed);
  found.busy = work + visible;
  const auto& overlap = spec.overlap;
  const auto show = [&](channel between, double hidden_behind, std::int64_t percent) {
    const int at = static_cast<int>(between);
    if (clock.seconds[at] == 0) return;
    report.exposed[at] = exposed(clock.seconds[at], hidden_behind, percent);
    visible += report.exposed[at];
  };

  // Data parallel: each micro-step of sharded weights hides behind its own passes; what comes once a step behind the last micro-batch.
  const auto kind = replication_of(spec);
  const bool gathers = kind >= replication::weights_sharded;
  const double forward = gathers ? report.forward : one.forward;
  const double backward = kind >= replication::gradients_sharded ? report.backward + report.recompute : one.backward + one.recompute;
  double dense =
      exposed(clock.forward_weights, forward, overlap.dp) + exposed(clock.gradients + clock.backward_weights, backward, overlap.dp);
  // Nothing hides the gather of the first unit.
  if (gathers && overlap.dp > 0) dense += clock.forward_weights / units;
  report.exposed[static_cast<int>(channel::dp)] = dense;
  visible += dense;
  show(channel::replicas, 0, 0);
  show(channel::embeddings, 0, 0);
  show(channel::host, backward, 100);
  show(channel::nvme, 0, 0);
  const double memory = constants.memory * static_cast<double>(spec.device.memory_bandwidth);
  report.optimizer = optimizer_seconds(spec, facts, held, memory, constants);
  found.done = work + visible;
  return found;
}

template <class Spec>
constexpr timing_report timing_by(const Spec& spec, const traffic_layout& layout, const timing_constants& constants,
                                  const traffic_options& options) {
  const derived& facts = layout.facts;
  const forward_flops count = forward_flops_of(spec.model, spec.sequence, facts.vocabulary);
  compute_seconds one{};
  const stage_extent extent = busiest_extent(spec, layout, count, constants, one);
  if (one.total() == 0) return {};
  const unordered_step found = unordered_step_of(spec, layout, extent, one, constants, options);
  timing_report report = found.report;
  report.bubble = bubble_seconds(spec, facts.micro_batches, one, found.busy);
  report.step = found.seconds(report.bubble);
  const step_flops flops = flops_of(spec, facts, count);
  const double tokens = static_cast<double>(flops.tokens);
  report.tokens_per_second = tokens / report.step;
  const double peak = static_cast<double>(spec.device.bf16_flops) * static_cast<double>(facts.grid.world);
  if (peak > 0) {
    report.mfu = static_cast<double>(flops.model_per_token) * report.tokens_per_second / peak;
    report.hfu = static_cast<double>(flops.model_per_token + flops.recompute_per_token) * report.tokens_per_second / peak;
  }
  return report;
}

}  // namespace detail

/// Estimate: how long one step takes, from the slowest stage and the closed form of the pipeline's bubble; what `link_efficiency<>` says
/// goes before `constants`. All zero when the device has no rate. Only for a spec that broke no rule of the first two tiers. Error:
/// `result_leaves_63_bits`.
template <class Spec = plan_spec>
constexpr timing_report timing_of(const Spec& spec, const traffic_layout& layout, const timing_constants& constants,
                                  const traffic_options& options) {
  if (!spec.link_efficiency.says_any()) return detail::timing_by(spec, layout, constants, options);
  return detail::timing_by(spec, layout, constants_with(spec.link_efficiency, constants), options);
}
/// The same with what the plan says of bytes (`communication<>`).
template <class Spec = plan_spec>
constexpr timing_report timing_of(const Spec& spec, const traffic_layout& layout,
                                  const timing_constants& constants = default_timing_constants) {
  return timing_of(spec, layout, constants, spec.communication);
}

}  // namespace shardplan
