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

// As `timing` counts: tokens inside a node are the inner level of what expert parallel ranks do, and the outer level of a hierarchical
// collective leaves through a NIC of its own.
constexpr channel counted_as(const message& item) {
  const bool tokens = item.what == cargo::dispatched_tokens || item.what == cargo::combined_tokens;
  return item.between == channel::node && tokens ? channel::ep : item.between;
}
constexpr channel_rate rate_of_message(const message& item, const rank_layout& ranks, const topology& where,
                                       const timing_constants& constants) {
  return item.by == algorithm::hierarchical ? rate_between_nodes(where, constants) : rate_of(item.between, ranks, where, constants);
}

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
  for (const message& item : messages_of_stage(spec, layout, stage).items) {
    const channel_rate rate = rate_of_message(item, ranks, where, constants);
    const double seconds = seconds_of(item, rate, constants);
    const channel between = counted_as(item);
    result.transfers[static_cast<int>(between)] += seconds;
    if (!is_data_parallel(between)) continue;
    if (item.what == cargo::gradients) result.gradients += seconds;
    message empty = item;
    empty.pieces = 0;
    result.latency += seconds_of(empty, rate, constants);
  }
  return result;
}

}  // namespace shardplan::detail
