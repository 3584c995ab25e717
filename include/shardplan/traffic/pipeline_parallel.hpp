// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/checked.hpp>

#include <cstdint>

namespace shardplan {

/// Tensors that one pipeline rank sends for one micro-batch.
struct boundary_sends {
  std::int64_t forward = 0;   ///< activations, to the next stage
  std::int64_t backward = 0;  ///< gradients of them, to the stage before

  friend constexpr bool operator==(boundary_sends left, boundary_sends right) {
    return left.forward == right.forward && left.backward == right.backward;
  }
};

/// What pipeline rank `rank` of `stages` sends for one micro-batch when it holds `chunks` chunks, dealt out in turns: one tensor at each of
/// the stages x chunks - 1 boundaries, so an inner rank sends `chunks` each way, the last one less forward, the first one less backward. In
/// a step it is that times the micro-batches. A tensor has batch x sequence / cp x hidden elements; divided by tp with sequence
/// parallelism, or with scatter-gather (then gathered again over tp). Error: `argument_out_of_range` when there is no such rank or no
/// chunk.
constexpr boundary_sends pipeline_sends(std::int64_t stages, std::int64_t chunks, std::int64_t rank) {
  if (stages < 1 || chunks < 1 || rank < 0 || rank >= stages) argument_out_of_range();
  if (stages == 1) return {};
  return {chunks - (rank == stages - 1 ? 1 : 0), chunks - (rank == 0 ? 1 : 0)};
}

/// What it receives: what its neighbours send to it. Error: as `pipeline_sends`.
constexpr boundary_sends pipeline_receives(std::int64_t stages, std::int64_t chunks, std::int64_t rank) {
  if (stages < 1 || chunks < 1 || rank < 0 || rank >= stages) argument_out_of_range();
  if (stages == 1) return {};
  return {chunks - (rank == 0 ? 1 : 0), chunks - (rank == stages - 1 ? 1 : 0)};
}

}  // namespace shardplan
