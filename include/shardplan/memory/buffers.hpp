// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/recipe/offload.hpp>
#include <shardplan/spec/derived.hpp>
#include <shardplan/spec/plan_spec.hpp>

#include <cstdint>

namespace shardplan {

/// Estimate, bytes that stay allocated beside the states:
/// - scratch for weight gradients: Transformer Engine keeps one buffer for each distinct linear shape of the rank (`linear_shapes`
/// elements);
/// - the gradient buckets of ZeRO-2 and 3, or of gradients that are offloaded (recipe/overheads.hpp), each never larger than the rank's
/// gradients (`elements`).
template <class Spec = plan_spec>
constexpr std::int64_t stage_buffers(const Spec& spec, std::int64_t linear_shapes, std::int64_t elements) {
  std::int64_t total = spec.overheads.gradient_scratch ? spec.precision.compute * linear_shapes : 0;
  if (spec.zero >= 2 || spec.offload.gradients != storage::device) {
    const std::int64_t bucket = spec.buckets.reduce_elements;
    total += spec.precision.gradient * spec.buckets.reduce_buffers * (elements < bucket ? elements : bucket);
  }
  return total;
}

/// Estimate, bytes that a framework's own overheads take (recipe/overheads.hpp): workspaces, the mask of a micro-batch, hidden states
/// (`hidden_state` bytes each) in the buffers between stages.
template <class Spec = plan_spec>
constexpr std::int64_t overhead_buffers(const Spec& spec, std::int64_t hidden_state) {
  const auto& overheads = spec.overheads;
  std::int64_t total = overheads.workspace_kibibytes << 10;
  if (overheads.mask) total += spec.micro_batch * spec.sequence * (spec.sequence / spec.cp);
  if (spec.pp > 1) total += overheads.boundary_tensors * hidden_state;
  return total;
}

}  // namespace shardplan
