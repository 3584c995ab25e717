// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/part.hpp>

#include <cstdint>

namespace shardplan {

/// Part of a plan (default: no limit): the experts of a token lie on at most `Nodes` nodes, and the token crosses to each of them once and
/// is spread inside (DeepSeek-V3, arXiv 2412.19437 section 3.2.2: 4 nodes). Traffic and timing follow where expert parallel ranks leave the
/// node and each node has as many of a group. 0, and more than there are nodes: no limit but theirs.
template <std::int64_t Nodes>
struct node_limited_routing {
  static constexpr part_kind kind = part_kind::node_limited_routing;
  template <class Spec>
  static constexpr void apply(Spec& spec) {
    note_part<part_kind::node_limited_routing>(spec);
    spec.routed_nodes = Nodes;
  }
};

}  // namespace shardplan
