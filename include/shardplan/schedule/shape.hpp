// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/checked.hpp>
#include <shardplan/schedule/op.hpp>
#include <shardplan/schedule/schedule_spec.hpp>

#include <cstdint>

namespace shardplan {

/// The sizes of a table of operations.
struct table_shape {
  int ranks = 1;                       ///< pipeline ranks (p)
  int micro_batches = 1;               ///< a step (m); those of a bidirectional placement count both directions
  int chunks = 1;                      ///< model chunks on each rank (v); 2 where the placement is bidirectional
  int slices = 1;                      ///< parts of a sequence (s)
  placement layout = placement::loop;  ///< how the chunks lie on the ranks

  /// Micro-batches that a chunk sees: half of them where the placement is bidirectional.
  constexpr int micro_batches_a_chunk() const { return layout == placement::bidirectional ? micro_batches / 2 : micro_batches; }
  /// Forwards on each rank.
  constexpr int forwards() const { return chunks * slices * micro_batches_a_chunk(); }
  /// Stages of the model, of one direction.
  constexpr int stages() const { return layout == placement::bidirectional ? ranks : ranks * chunks; }
  /// An op's share of the work of one p-th of the model on a whole micro-batch is 1 / this.
  constexpr int shares() const { return (layout == placement::bidirectional ? 1 : chunks) * slices; }
  /// Activations sent and gradients sent in a step between different ranks, of uniform slices: what a correct table sends.
  constexpr std::int64_t messages() const {
    if (ranks == 1) return 0;
    const std::int64_t passes = std::int64_t{2} * micro_batches_a_chunk() * slices;
    // In a V the stages p - 1 and p, 2 p - 1 and 2 p, ... share a rank.
    return passes * (layout == placement::loop ? stages() - 1 : chunks * (ranks - 1));
  }
};

namespace detail {

inline constexpr int most_ranks = 2047;

/// The sizes of schedule `spec` at p ranks and m micro-batches. Error: `argument_out_of_range` for what an op cannot say (more than 2047
/// ranks, 65,536 micro-batches, 64 chunks or 64 slices) and for an odd number of micro-batches in two directions.
constexpr table_shape shape_of(const schedule_spec& spec, std::int64_t ranks, std::int64_t micro_batches) {
  const bool two_ways = spec.layout == placement::bidirectional;
  if (ranks < 1 || ranks > most_ranks || micro_batches < 1 || micro_batches > packed_op::most_micro_batches || spec.chunks < 1 ||
      spec.chunks > packed_op::most_chunks || spec.slices < 1 || spec.slices > packed_op::most_slices ||
      (two_ways && micro_batches % 2 != 0))
    argument_out_of_range();
  return {static_cast<int>(ranks), static_cast<int>(micro_batches), static_cast<int>(spec.chunks), static_cast<int>(spec.slices),
          spec.layout};
}

/// The rank that holds `stage`, and as which chunk, of the direction of chunk `direction` where there are two.
struct holder {
  int rank = -1;  ///< -1: there is no such stage
  int chunk = 0;
};
constexpr holder holder_of(const table_shape& shape, int stage, int direction) {
  if (stage < 0 || stage >= shape.stages()) return {};
  if (shape.layout == placement::bidirectional) return {direction == 0 ? stage : shape.ranks - 1 - stage, direction};
  const int chunk = stage / shape.ranks;
  const int place = stage % shape.ranks;
  return {shape.layout == placement::v_shape && chunk % 2 == 1 ? shape.ranks - 1 - place : place, chunk};
}
constexpr int stage_of(const table_shape& shape, int rank, int chunk) {
  return static_cast<int>(stage_of_chunk(shape.layout, shape.ranks, chunk, rank));
}

}  // namespace detail

}  // namespace shardplan
