// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/recipe/offload.hpp>
#include <shardplan/spec/plan_spec.hpp>

#include <cstdint>

namespace shardplan {

/// Elements of one gradient bucket of ZeRO-2, and of gradients on their way to the host: DeepSpeed's default `reduce_bucket_size`
/// (deepspeedai/DeepSpeed runtime/zero/config.py).
inline constexpr std::int64_t default_reduce_bucket_elements = 500'000'000;

/// Estimate, bytes that stay allocated beside the states:
/// - scratch for weight gradients: Transformer Engine keeps one buffer for each distinct linear shape of the rank (`linear_shapes`
/// elements);
/// - one unsharded gradient bucket under ZeRO-2 or when gradients are offloaded, never larger than the rank's gradients (`elements`).
constexpr std::int64_t stage_buffers(const plan_spec& spec, std::int64_t linear_shapes, std::int64_t elements) {
  std::int64_t total = spec.precision.compute * linear_shapes;
  if (spec.zero == 2 || spec.offload.gradients != storage::device)
    total += spec.precision.gradient * (elements < default_reduce_bucket_elements ? elements : default_reduce_bucket_elements);
  return total;
}

}  // namespace shardplan
