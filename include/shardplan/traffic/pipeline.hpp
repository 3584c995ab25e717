// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/checked.hpp>
#include <shardplan/schedule/schedule_spec.hpp>
#include <shardplan/traffic/message.hpp>
#include <shardplan/traffic/options.hpp>
#include <shardplan/traffic/tensor_parallel.hpp>

#include <cstdint>

namespace shardplan {

/// Stage boundaries that touch a pipeline rank and cross to another one.
struct boundary_counts {
  std::int64_t behind = 0;  ///< of its chunks towards the next stage
  std::int64_t before = 0;  ///< of its chunks towards the stage before
};

/// Counts the boundaries of pipeline rank `rank` of `ranks` with `chunks` chunks. An inner rank of a loop has one each way a chunk; the two
/// stages at the turn of a V lie on one rank, so nothing travels. The second chunk of a bidirectional placement runs the other way.
constexpr boundary_counts boundaries_of(placement layout, std::int64_t ranks, std::int64_t chunks, std::int64_t rank) {
  boundary_counts counts{};
  if (ranks <= 1) return counts;
  for (std::int64_t chunk = 0; chunk < chunks; ++chunk) {
    const bool turns = layout != placement::loop;
    const bool backwards = turns && chunk % 2 == 1;
    const bool at_end = rank == (backwards ? 0 : ranks - 1);
    const bool at_start = rank == (backwards ? ranks - 1 : 0);
    if (!at_end || (!turns && chunk + 1 < chunks)) ++counts.behind;
    if (!at_start || (!turns && chunk > 0)) ++counts.before;
  }
  return counts;
}

/// What crosses one stage boundary for one micro-batch in one direction.
struct boundary_tensor {
  std::int64_t elements = 0;       ///< of the whole tensor on one context parallel rank: tokens x hidden
  std::int64_t element_bits = 16;  ///< of an activation
  std::int64_t tensor_ranks = 1;   ///< t
  bool sequence_parallel = false;  ///< the tensor lies divided by t already
};

/// Adds what crosses stage boundaries in a step: forward activations, backward gradients, each micro-batch and chunk. With sequence
/// parallelism a rank sends its part, X / t; without it each of the t ranks sends a whole copy, or with `scatter_gather` a part that is
/// gathered behind the boundary (NVIDIA/Megatron-LM core/pipeline_parallel/schedules.py, get_tensor_shapes; arXiv 2104.04473 section 4.1).
template <class Sink>
constexpr void add_pipeline(Sink& sink, std::int64_t ranks, const boundary_counts& boundaries, const boundary_tensor& tensor,
                            std::int64_t micro_batches, const traffic_options& options) {
  if (ranks <= 1) return;
  const bool scatters = options.scatter_gather && !tensor.sequence_parallel && tensor.tensor_ranks > 1;
  const std::int64_t sent = scatters || tensor.sequence_parallel ? ceil_divide(tensor.elements, tensor.tensor_ranks) : tensor.elements;
  const std::int64_t behind = count_product(boundaries.behind, micro_batches);
  const std::int64_t before = count_product(boundaries.before, micro_batches);
  add_message(sink, {channel::pp, cargo::stage_activations, collective::send, 2, sent, sent, tensor.element_bits, behind, before});
  add_message(sink, {channel::pp, cargo::stage_gradients, collective::send, 2, sent, sent, tensor.element_bits, before, behind});
  if (scatters)
    add_message(sink, {channel::tp, cargo::gathered_activations, collective::all_gather, tensor.tensor_ranks, tensor.elements,
                       tensor.elements, tensor.element_bits, behind + before, behind + before});
}

}  // namespace shardplan
