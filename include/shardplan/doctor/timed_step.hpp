// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/doctor/evidence.hpp>
#include <shardplan/plan/rules/check.hpp>
#include <shardplan/plan/step_cost.hpp>
#include <shardplan/spec/plan_spec.hpp>
#include <shardplan/timing/timing.hpp>
#include <shardplan/traffic/traffic.hpp>

#include <cstdint>

namespace shardplan::detail {

// What causes of slowness read: the plan's timing, and of the pipeline rank that computes longest the time of its transfers before anything
// hides them. Estimates, seconds a step.
struct timed_step {
  bool known = false;  // false: the plan cannot be timed, the rest is zero
  timing_report report{};
  double transfers[channel_count]{};  // by channel
  double gradients = 0;               // of data parallel transfers, those of gradients
  double latency = 0;                 // of data parallel transfers, what the latency of ring steps takes
  double dp_rate = 0;                 // bytes a second that a rank sends among replicas
  double mean_compute = 0;            // of all pipeline ranks

  constexpr double over(channel between) const { return transfers[static_cast<int>(between)]; }
  // Everything that shares or adds up states.
  constexpr double data_parallel() const { return over(channel::dp) + over(channel::edp) + over(channel::node) + over(channel::replicas); }
  // Over the network and the fabric, all channels but host and NVMe.
  constexpr double between_ranks() const {
    double sum = 0;
    for (int at = 0; at < static_cast<int>(channel::host); ++at) sum += transfers[at];
    return sum;
  }
  // Waiting over the time of the pipeline: computing and the transfers inside it (arXiv 2104.04473 section 2.2 for 1F1B).
  constexpr double bubble_share() const {
    double pipeline = report.compute() + report.bubble;
    constexpr channel inside[] = {channel::tp, channel::cp, channel::ep, channel::etp, channel::pp};
    for (const channel between : inside) pipeline += report.exposed_over(between);
    return pipeline > 0 ? report.bubble / pipeline : 0;
  }
  constexpr double host_and_nvme() const { return report.exposed_over(channel::host) + report.exposed_over(channel::nvme); }
};

// `part` of `whole` in thousandths, rounded down.
constexpr std::int64_t per_mille(double part, double whole) {
  if (!(whole > 0) || !(part > 0)) return 0;
  const double share = part / whole * 1000;
  return share < 1e15 ? static_cast<std::int64_t>(share) : std::int64_t{1'000'000'000'000'000};
}

template <class Spec>
constexpr std::int64_t busiest_stage(const Spec& spec, const traffic_layout& layout, double& mean) {
  const forward_flops count = forward_flops_of(spec.model, spec.sequence, layout.facts.vocabulary);
  const bool alike = spec.pp > 3 && stages_are_alike(spec);
  std::int64_t busiest = 0;
  double most = 0;
  double sum = 0;
  double inner = 0;
  for (std::int64_t stage = 0; stage < spec.pp; ++stage) {
    double seconds = inner;
    if (!alike || stage <= 1 || stage == spec.pp - 1)
      seconds = compute_of(spec, layout, extent_of_stage(spec, layout.facts, stage), count, default_timing_constants).total();
    if (stage == 1) inner = seconds;
    sum += seconds;
    if (seconds > most) {
      most = seconds;
      busiest = stage;
    }
  }
  mean = sum / static_cast<double>(spec.pp);
  return busiest;
}

constexpr bool is_data_parallel(channel between) {
  return between == channel::dp || between == channel::edp || between == channel::node || between == channel::replicas;
}

// The clock that `timing` sums transfers with, and what it does not ask: gradients apart, and what latency takes.
struct transfer_study {
  transfer_clock clock;
  double gradients = 0;
  double latency = 0;

  static constexpr bool joins_halves = transfer_clock::joins_halves;

  template <class Message>
  constexpr void add(const Message& item) {
    const double before = clock.seconds[static_cast<int>(item.between)];
    clock.add(item);
    if (!is_data_parallel(item.between)) return;
    // Tokens inside a node are counted as what expert parallel ranks do.
    const double seconds = clock.seconds[static_cast<int>(item.between)] - before;
    if (!(seconds > 0)) return;
    if (item.what == cargo::gradients) gradients += seconds;
    Message empty = item;
    empty.pieces = 0;
    const bool between_nodes = item.by == algorithm::hierarchical;
    latency += seconds_of(empty, between_nodes ? rate_between_nodes(clock.where, clock.constants) : clock.rate, clock.constants,
                          clock.parts_of(item));
  }
};

// For a spec that broke no rule of the first two tiers.
template <class Spec>
constexpr timed_step timed_step_of(const Spec& spec) {
  timed_step result{};
  if (!has_usual_traffic(spec)) return result;
  const timing_constants constants = constants_with(spec.link_efficiency, default_timing_constants);
  const traffic_layout layout = traffic_layout_of(spec);
  result.report = timing_of(spec, layout);
  if (!(result.report.step > 0)) return result;
  result.known = true;
  const std::int64_t stage = busiest_stage(spec, layout, result.mean_compute);
  result.mean_compute *= static_cast<double>(micro_batches_of_chunk(spec, layout.facts.micro_batches));
  const degrees& grid = layout.facts.grid;
  const std::int64_t replicas = shards_optimizer(spec) ? grid.dense_shards() / layout.facts.dense_shards : 1;
  const rank_layout ranks = rank_layout_of(grid, spec.rank_order, replicas);
  const topology where = topology_of(spec.device, spec.devices_per_node, spec.nodes);
  result.dp_rate = grid.dense_shards() > 1 ? rate_of(channel::dp, ranks, where, constants).bytes_per_second : 0;
  const stage_extent extent = extent_of_stage(spec, layout.facts, stage);
  transfer_study study{{ranks, where, constants, gathered_units(spec, extent)}};
  add_traffic_of_extent(study, spec, layout, extent, held_by(spec, layout, extent), spec.communication);
  for (int at = 0; at < channel_count; ++at) result.transfers[at] = study.clock.seconds[at];
  result.gradients = study.gradients;
  result.latency = study.latency;
  return result;
}

}  // namespace shardplan::detail
