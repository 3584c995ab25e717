// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/plan/quantity.hpp>
#include <shardplan/plan/violation.hpp>
#include <shardplan/recipe/offload.hpp>
#include <shardplan/spec/plan_spec.hpp>

namespace shardplan::detail {

// Tier three, all but memory: what cannot be right anywhere although every number is legal by itself.
template <class Sink>
constexpr void check_combinations(const plan_spec& spec, Sink& sink) {
  const transformer& shape = spec.model;
  if (shape.experts.count > 0 && shape.experts.top_k > shape.experts.count)
    sink.add_pair(rule::exceeds, {quantity::top_k, shape.experts.top_k}, {quantity::expert_count, shape.experts.count});
  if (spec.ep > 1 && spec.ep > shape.experts.count)
    sink.add_pair(rule::exceeds, {quantity::ep, spec.ep}, {quantity::expert_count, shape.experts.count});
  if (spec.etp > 1 && shape.experts.count == 0)
    sink.add_pair(rule::exceeds, {quantity::etp, spec.etp}, {quantity::expert_count, shape.experts.count});
  const std::int64_t positions = shape.positions - shape.position_offset;
  if (shape.positions != 0 && spec.sequence > positions)
    sink.add_pair(rule::exceeds, {quantity::sequence, spec.sequence}, {quantity::positions, positions});
  if (spec.offload.gradients == storage::nvme) sink.add_feature(feature::gradients_to_nvme);
  if (spec.offload.weights != storage::device && !(spec.zero >= 3)) sink.add_feature(feature::weights_off_without_zero_3);
}

}  // namespace shardplan::detail
