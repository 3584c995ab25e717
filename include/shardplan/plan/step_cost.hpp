// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/bytes.hpp>
#include <shardplan/core/checked.hpp>
#include <shardplan/plan/least_states.hpp>
#include <shardplan/plan/rules/check.hpp>
#include <shardplan/spec/plan_spec.hpp>
#include <shardplan/timing/timing.hpp>
#include <shardplan/traffic/traffic.hpp>

#include <cstdint>

namespace shardplan {

/// What a step of a plan costs, whether the plan fits or not. All zero for a plan that cannot be computed, or that is so large that its
/// traffic could leave 63 bits (far beyond anything that is trained).
struct step_cost {
  bytes network{};               ///< exact: what the rank that sends most sends to other ranks, padding included
  bytes host{};                  ///< exact: what the rank that exchanges most exchanges with its host over PCIe, both ways
  bytes nvme{};                  ///< exact: the same between a host and its NVMe
  double seconds = 0;            ///< estimate: a step; 0 for a device without a rate
  double bubble = 0;             ///< estimate: of these, waiting in the pipeline
  double communication = 0;      ///< estimate: of these, transfers that nothing hides
  double tokens_per_second = 0;  ///< estimate: of the whole world; what plans with other batches are compared by

  // By hand: a defaulted one costs a compiler ten times as much.
  friend constexpr bool operator==(const step_cost& left, const step_cost& right) {
    const auto is = [](double one, double other) { return !(one < other) && !(other < one); };
    return left.network == right.network && left.host == right.host && left.nvme == right.nvme && is(left.seconds, right.seconds) &&
           is(left.bubble, right.bubble) && is(left.communication, right.communication) &&
           is(left.tokens_per_second, right.tokens_per_second);
  }
};

namespace detail {

// Whether no sum of a step's bytes or operations can leave 63 bits: 2^55 elements, with 2^7 for their bytes and how often they travel.
template <class Spec>
constexpr bool has_usual_traffic(const Spec& spec) {
  constexpr std::int64_t most = std::int64_t{1} << 55;
  const transformer& shape = spec.model;
  const std::int64_t visits = shape.experts.count > 0 ? shape.experts.top_k : 1;
  const std::int64_t widest = shape.hidden + shape.ffn + shape.query_width() + shape.key_value_width() + shape.vocab +
                              saturating_multiply(visits, shape.hidden + shape.expert_width());
  const std::int64_t tokens = saturating_multiply(spec.global_batch, spec.sequence);
  const std::int64_t load =
      1 + (spec.expert_load.percent > spec.expert_load.capacity ? spec.expert_load.percent : spec.expert_load.capacity) / 100;
  const std::int64_t layers = shape.layers + shape.next_token_layers + 1;
  if (saturating_multiply(saturating_multiply(tokens, load), saturating_multiply(layers, widest)) > most) return false;
  const parameter_totals totals = totals_of(spec);
  return saturating_multiply(totals.dense + totals.routed, spec.global_batch) <= most;
}

constexpr void note_busiest(step_cost& cost, const traffic_report& report) {
  const auto both_ways = [&](channel between) { return report.sent(between) + report.received(between); };
  const bytes network = report.sent();
  const bytes host = both_ways(channel::host);
  const bytes nvme = both_ways(channel::nvme);
  if (network > cost.network) cost.network = network;
  if (host > cost.host) cost.host = host;
  if (nvme > cost.nvme) cost.nvme = nvme;
}

// For a spec that broke no rule of the first two tiers.
template <class Spec>
constexpr step_cost computed_cost(const Spec& spec) {
  step_cost cost{};
  if (!has_usual_traffic(spec)) return cost;
  const traffic_layout layout = traffic_layout_of(spec);
  // Where inner stages are alike one stands for all: what is alive at once changes no traffic.
  const bool alike = spec.pp > 3 && stages_are_alike(spec);
  for (std::int64_t stage = 0; stage < spec.pp; ++stage)
    if (!alike || stage <= 1 || stage == spec.pp - 1) note_busiest(cost, traffic_of_stage(spec, layout, stage));
  const timing_report timing = timing_of(spec, layout);
  cost.seconds = timing.step;
  cost.bubble = timing.bubble;
  cost.communication = timing.communication();
  cost.tokens_per_second = timing.tokens_per_second;
  return cost;
}

}  // namespace detail

/// What a step of `spec` costs. No error for any spec: see `step_cost`.
template <class Spec = plan_spec>
constexpr step_cost step_cost_of(const Spec& spec) {
  return detail::is_computable(spec) ? detail::computed_cost(spec) : step_cost{};
}

}  // namespace shardplan
