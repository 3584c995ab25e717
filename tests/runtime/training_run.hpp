// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/spec/plan_spec.hpp>

#include <cstdint>

/// A run without anything special: hosts of 8 devices, micro-batches of one sequence; no degree, no sharding, no recomputation.
constexpr shardplan::plan_spec training_run(const shardplan::transformer& model, const shardplan::device_spec& device, std::int64_t nodes,
                                            std::int64_t sequence, std::int64_t batch) {
  shardplan::plan_spec spec{};
  spec.model = model;
  spec.device = device;
  spec.devices_per_node = 8;
  spec.nodes = nodes;
  spec.sequence = sequence;
  spec.micro_batch = 1;
  spec.global_batch = batch;
  return spec;
}
