// SPDX-License-Identifier: BSL-1.0
// The plan of a run, and which of its ranks a figure is of.
#pragma once

#include <shardplan/spec/plan_spec.hpp>

#include <cstdint>

namespace truth {

/// A plan and the pipeline rank that a figure is of.
struct run {
  shardplan::plan_spec spec{};
  std::int64_t stage = 0;
  bool whole_tensors = false;    ///< each parameter's master copy and optimizer state are at one owner (Muon under Megatron-LM)
  std::int64_t dense_rank = 0;   ///< then: which of the owners of dense parameters the rank is
  std::int64_t expert_rank = 0;  ///< and of those of routed experts
};

}  // namespace truth
