// SPDX-License-Identifier: BSL-1.0
// Plans that figures of rows are held against: of a model alone, and those that break no rule.
#pragma once

#include "row.hpp"

#include <shardplan/core/bytes.hpp>
#include <shardplan/model/transformer.hpp>
#include <shardplan/plan/evaluate.hpp>
#include <shardplan/plan/sentence.hpp>
#include <shardplan/spec/plan_spec.hpp>

#include <cstdint>
#include <string>

namespace truth {

/// A run on `replicas` devices that hold any number of bytes.
inline shardplan::plan_spec run_of(const shardplan::transformer& shape, std::int64_t replicas) {
  shardplan::plan_spec spec{};
  spec.model = shape;
  spec.device.memory = shardplan::bytes{std::int64_t{1} << 50};
  spec.devices_per_node = 1;
  spec.nodes = replicas;
  spec.sequence = 32;  // MXFP8 kernels take no fewer
  spec.micro_batch = 1;
  spec.global_batch = replicas;
  spec.headroom_mebibytes = 0;
  return spec;
}

/// Refuses a run that breaks a rule.
inline void must_be_valid(const shardplan::plan_spec& spec) {
  const shardplan::violation_list broken = shardplan::violations_in(spec);
  if (!broken.empty()) throw not_expressible{std::string{"refused: "} + shardplan::sentence_of(broken).c_str()};
}

}  // namespace truth
