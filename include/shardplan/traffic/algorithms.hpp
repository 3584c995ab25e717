// SPDX-License-Identifier: BSL-1.0
#pragma once

/// All-reduces that are no plain ring, in elements sent by one rank.
#include <shardplan/core/checked.hpp>
#include <shardplan/core/device_code.hpp>
#include <shardplan/core/fraction.hpp>
#include <shardplan/traffic/collective.hpp>

#include <cstdint>

namespace shardplan {

/// Children of `rank` in NCCL's binary tree over `ranks` (NVIDIA/nccl src/graph/trees.cc, ncclGetBtree): 0, 1 or 2.
/// Error: `argument_out_of_range` when there is no such rank.
constexpr SHARDPLAN_HOST_DEVICE std::int64_t tree_children(std::int64_t ranks, std::int64_t rank) {
  if (rank < 0 || rank >= ranks) argument_out_of_range();
  if (rank == 0) return ranks > 1 ? 1 : 0;
  const std::int64_t lowest_bit = rank & -rank;
  std::int64_t children = lowest_bit > 1 ? 1 : 0;
  for (std::int64_t distance = lowest_bit >> 1; distance > 0; distance >>= 1) {
    if (rank + distance >= ranks) continue;
    ++children;
    break;
  }
  return children;
}

/// Elements that `rank` sends for an all-reduce over NCCL's two complementary trees, half of the tensor through each: its half up to its
/// parent and down to each child. The second tree is the first one mirrored (an even number of ranks) or shifted by one (odd). Over all
/// ranks 2 (n - 1) S, as a ring, but in 2 log2(n) steps. Error: `argument_out_of_range` when there is no such rank.
constexpr SHARDPLAN_HOST_DEVICE std::int64_t tree_sent(std::int64_t elements, std::int64_t ranks, std::int64_t rank) {
  const std::int64_t other = ranks % 2 == 0 ? ranks - 1 - rank : (rank + ranks - 1) % ranks;
  const std::int64_t first = elements - elements / 2;
  return checked_add(checked_multiply(first, tree_children(ranks, rank) + (rank != 0 ? 1 : 0)),
                     checked_multiply(elements / 2, tree_children(ranks, other) + (other != 0 ? 1 : 0)));
}

/// The most that any rank sends over both trees: with four ranks or more some rank has a parent and two children in one tree and is a leaf
/// of the other. (Counted rank by rank in the tests.)
constexpr SHARDPLAN_HOST_DEVICE std::int64_t most_tree_sent(std::int64_t elements, std::int64_t ranks) {
  if (ranks <= 1) return 0;
  const std::int64_t edges = ranks > 3 ? 3 : ranks - 1;
  return checked_add(checked_multiply(elements - elements / 2, edges), elements / 2);
}

/// Elements that the fullest rank sends for an all-reduce by levels: reduce-scatter among the ranks of a node, all-reduce of that chunk
/// with its likes in the other nodes, all-gather in the node.
struct hierarchical_sent {
  std::int64_t inside = 0;   ///< to ranks of its node: 2 (g - 1) / g S
  std::int64_t between = 0;  ///< to other nodes: 2 (k - 1) / k S / g
};

/// See `hierarchical_sent`; `ranks_inside` of each of `nodes` nodes.
constexpr hierarchical_sent hierarchical_all_reduce(std::int64_t elements, std::int64_t ranks_inside, std::int64_t nodes) {
  return {most_ring_sent(collective::all_reduce, elements, ranks_inside),
          most_ring_sent(collective::all_reduce, ceil_divide(elements, ranks_inside), nodes)};
}

/// Elements that a rank sends of an all-reduce when the switch adds (NVLink SHARP, InfiniBand SHARP): the tensor up once; as much comes
/// down.
constexpr std::int64_t in_switch_sent(std::int64_t elements, std::int64_t ranks) { return ranks > 1 ? elements : 0; }

/// Elements that `rank` sends when the switch adds and copies: the whole tensor, of an all-gather its chunk.
constexpr SHARDPLAN_HOST_DEVICE std::int64_t in_switch_sent(collective how, std::int64_t elements, std::int64_t ranks, std::int64_t rank) {
  if (ranks <= 1) return 0;
  switch (how) {
    case collective::all_gather: return chunk_of(elements, ranks, rank);
    default: return elements;
  }
}

/// Elements that it receives: the whole sum, of a reduce-scatter its chunk, of an all-gather all but its chunk.
constexpr SHARDPLAN_HOST_DEVICE std::int64_t in_switch_received(collective how, std::int64_t elements, std::int64_t ranks,
                                                                std::int64_t rank) {
  if (ranks <= 1) return 0;
  const std::int64_t own = chunk_of(elements, ranks, rank);
  switch (how) {
    case collective::all_reduce: return elements;
    case collective::all_gather: return elements - own;
    default: return own;
  }
}

/// How much less a rank sends than in a ring: 2 (n - 1) / n of the ring to 1 of the switch.
constexpr fraction in_switch_gain(std::int64_t ranks) { return ring_factor(collective::all_reduce, ranks); }

}  // namespace shardplan
