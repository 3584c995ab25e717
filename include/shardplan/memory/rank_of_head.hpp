// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/memory/memory.hpp>
#include <shardplan/spec/derived.hpp>
#include <shardplan/spec/plan_spec.hpp>

#include <cstdint>

namespace shardplan {

/// The pipeline rank that has the head and computes the loss: the last, or the one where the stages of a V or of two directions end. For a
/// spec that broke no rule of the first two tiers.
template <class Spec = plan_spec>
constexpr std::int64_t rank_of_head(const Spec& spec, const derived& facts) {
  for (std::int64_t rank = spec.pp - 1; rank > 0; --rank)
    if (extent_of_stage(spec, facts, rank).is_last) return rank;
  return 0;
}

}  // namespace shardplan
