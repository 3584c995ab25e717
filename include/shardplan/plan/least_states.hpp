// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/checked.hpp>
#include <shardplan/memory/units.hpp>
#include <shardplan/memory/weight_storage.hpp>
#include <shardplan/model/inventory.hpp>
#include <shardplan/model/tensor.hpp>
#include <shardplan/plan/framework_has.hpp>
#include <shardplan/plan/violation.hpp>
#include <shardplan/spec/derived.hpp>
#include <shardplan/spec/plan_spec.hpp>

#include <cstdint>

namespace shardplan::detail {

// A lower bound on the memory of the fullest rank from the number of parameters alone, to leave changes out of a search that cannot help:
// judging one costs ten times as much.
struct parameter_totals {
  std::int64_t dense = 0;   // all but routed experts, a tied head once, the vocabulary as published
  std::int64_t routed = 0;  // routed experts
};

template <class Spec = plan_spec>
constexpr parameter_totals totals_of(const Spec& spec) {
  parameter_totals totals{};
  walk_tensors(spec.model,
               [&](const char*, std::int64_t rows, std::int64_t columns, split, role purpose, place, std::int64_t copies,
                   std::int64_t layers) { (is_routed(purpose) ? totals.routed : totals.dense) += rows * columns * copies * layers; });
  return totals;
}

// Bytes of an element, and who shares them.
struct least_bytes {
  std::int64_t weight = 0;
  std::int64_t gradient = 0;
  std::int64_t optimizer = 0;
  std::int64_t stage = 0;  // of ZeRO
  std::int64_t world = 1;  // no more ranks share anything

  // Of elements that lie on `ranks` ranks of the grid.
  constexpr std::int64_t of(std::int64_t elements, std::int64_t ranks) const {
    const std::int64_t unshared = elements / ranks;
    const std::int64_t shared = elements / world;
    return weight * (stage >= 3 ? shared : unshared) + gradient * (stage >= 2 ? shared : unshared) +
           optimizer * (stage >= 1 ? shared : unshared);
  }
};

// The bound of `spec` with one change made, or two. Each tensor lies on tp (experts: etp x ep) ranks at least once, the pipeline ranks'
// mean is no more than the fullest, and shards are rounded up. What goes by tensor, is freed or lives elsewhere counts nothing.
template <class Spec = plan_spec, class Change = remedy>
constexpr std::int64_t least_memory(const Spec& spec, const parameter_totals& totals, Change change, Change second = {}) {
  const auto has = [&](remedy_kind wanted) { return change.kind == wanted || second.kind == wanted; };
  const auto value_of = [&](remedy_kind wanted, std::int64_t unchanged) {
    return change.kind == wanted ? change.value : second.kind == wanted ? second.value : unchanged;
  };
  const std::int64_t tp = value_of(remedy_kind::tp, spec.tp);
  const std::int64_t pp = value_of(remedy_kind::pp_slots, value_of(remedy_kind::pp_split, value_of(remedy_kind::pp, spec.pp)));
  const std::int64_t world = spec.devices_per_node * spec.nodes;
  const bool goes_fsdp = has(remedy_kind::fsdp);
  const std::int64_t stage = goes_fsdp                                            ? 3
                             : has(remedy_kind::zero) && !spec.sharding.is_fsdp() ? value_of(remedy_kind::zero, 0)
                                                                                  : sharding_stage(spec);
  const bool by_tensor = goes_by_tensor(spec.optimizer, spec.precision) || has(remedy_kind::optimizer_adamw_8bit);
  const bool states_stay = spec.offload.states == storage::device && !has(remedy_kind::offload_states_to_host);
  const auto& precision = spec.precision;
  const bool weights_stay =
      spec.offload.weights == storage::device && (value_of(remedy_kind::offload_states_to_host, 0) & offload_words::weights) == 0;
  const std::int64_t weight = weights_stay && !has_linear_rule(precision) ? precision.weight : 0;
  const bool gradients_stay = spec.offload.gradients == storage::device &&
                              (value_of(remedy_kind::offload_states_to_host, 0) & offload_words::gradients) == 0 &&
                              !spec.sharding.is_fsdp() && !goes_fsdp && !spec.optimizer.fused_step;
  const std::int64_t gradient = gradients_stay ? precision.gradient + precision.accumulator : 0;
  const std::int64_t moments = by_tensor || spec.offload.moments_percent != 0 ? 0 : spec.optimizer.moments * precision.moment;
  const std::int64_t optimizer = states_stay ? precision.master + moments : 0;
  const least_bytes bytes_of_part{weight, gradient, optimizer, stage, world};
  return (value_of(remedy_kind::headroom, spec.headroom_mebibytes) << 20) + bytes_of_part.of(totals.dense, tp * pp) +
         (totals.routed > 0 ? bytes_of_part.of(totals.routed, spec.etp * value_of(remedy_kind::ep, spec.ep) * pp) : 0);
}

}  // namespace shardplan::detail
