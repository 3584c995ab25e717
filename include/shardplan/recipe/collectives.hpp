// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/part.hpp>

namespace shardplan {

/// The way of a collective through its ranks.
enum class algorithm : unsigned char {
  ring,          ///< each rank sends to the next one
  tree,          ///< all-reduces over NCCL's two binary trees; what is no all-reduce stays a ring, as in NCCL
  hierarchical,  ///< first among the ranks of a node, then the parts between nodes, each through its own NIC. Data parallel ranks only,
                 ///< where each node has as many of a group; else a ring
  in_switch,  ///< the switch adds and copies (NVLink SHARP, InfiniBand SHARP): what a rank has goes up once, what it needs comes down once
};

/// Whether the switch adds and copies.
constexpr bool is_in_switch(algorithm how) {
  switch (how) {
    case algorithm::in_switch: return true;
    default: return false;
  }
}

/// Which algorithms the ranks of a plan use. All-to-alls, sends, and context parallel ranks have none to choose.
struct collective_spec {
  algorithm tp = algorithm::ring;  ///< tensor parallel ranks, those of experts too
  algorithm dp = algorithm::ring;  ///< replicas, those of experts too

  friend constexpr bool operator==(const collective_spec& left, const collective_spec& right) {
    return left.tp == right.tp && left.dp == right.dp;
  }
};

/// In `collectives<...>`: tensor parallel collectives. (By levels is for those that leave a node.)
template <algorithm How>
requires(How != algorithm::hierarchical) struct tp_by {
  static constexpr void set(collective_spec& spec) { spec.tp = How; }
};
/// In `collectives<...>`: data parallel collectives.
template <algorithm How>
struct dp_by {
  static constexpr void set(collective_spec& spec) { spec.dp = How; }
};

/// What can stand in `collectives<...>`.
template <class Type>
concept collective_option = requires(collective_spec& spec) {
  Type::set(spec);
};

/// Part of a plan (default: rings): `collectives<tp_by<algorithm::in_switch>, dp_by<algorithm::hierarchical>>`. Traffic and timing follow.
template <collective_option... Options>
struct collectives {
  static constexpr part_kind kind = part_kind::collectives;
  template <class Spec>
  static constexpr void apply(Spec& spec) {
    note_part<part_kind::collectives>(spec);
    (Options::set(spec.collectives), ...);
  }
};

}  // namespace shardplan
