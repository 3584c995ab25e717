// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/part.hpp>
#include <shardplan/core/unset.hpp>

#include <cstdint>

namespace shardplan {

/// Part of a plan (default 1): tensor parallel degree, the ranks that share each matrix of a layer (arXiv 1909.08053).
template <std::int64_t Degree>
struct tp {
  static constexpr part_kind kind = part_kind::tp;
  template <class Spec>
  static constexpr void apply(Spec& spec) {
    note_part<part_kind::tp>(spec);
    spec.tp = Degree;
  }
};

/// Part of a plan (default 1): pipeline parallel degree, the ranks that the layers are laid out on.
template <std::int64_t Degree>
struct pp {
  static constexpr part_kind kind = part_kind::pp;
  template <class Spec>
  static constexpr void apply(Spec& spec) {
    note_part<part_kind::pp>(spec);
    spec.pp = Degree;
  }
};

/// Part of a plan (default: what the cluster leaves): data parallel degree, the replicas of the batch. Context parallel ranks are not
/// counted in it. When it is said, tp x pp x cp x dp must be the number of devices.
template <std::int64_t Degree>
struct dp {
  static constexpr part_kind kind = part_kind::dp;
  template <class Spec>
  static constexpr void apply(Spec& spec) {
    note_part<part_kind::dp>(spec);
    spec.dp = said<Degree>;
  }
};

/// Part of a plan (default 1): context parallel degree, the ranks that share one sequence in all layers.
template <std::int64_t Degree>
struct cp {
  static constexpr part_kind kind = part_kind::cp;
  template <class Spec>
  static constexpr void apply(Spec& spec) {
    note_part<part_kind::cp>(spec);
    spec.cp = Degree;
  }
};

/// Part of a plan (default 1): expert parallel degree, the ranks that routed experts are dealt to.
template <std::int64_t Degree>
struct ep {
  static constexpr part_kind kind = part_kind::ep;
  template <class Spec>
  static constexpr void apply(Spec& spec) {
    note_part<part_kind::ep>(spec);
    spec.ep = Degree;
  }
};

/// Part of a plan (default 1): tensor parallel degree of the routed experts. (Megatron-LM's own default is its tensor parallel size.)
template <std::int64_t Degree>
struct etp {
  static constexpr part_kind kind = part_kind::etp;
  template <class Spec>
  static constexpr void apply(Spec& spec) {
    note_part<part_kind::etp>(spec);
    spec.etp = Degree;
  }
};

/// Whether a switch was said, and how.
enum class toggle {
  by_default,  ///< not said
  off,         ///< said: no
  on           ///< said: yes
};

/// Part of a plan (default: on exactly when tp > 1): tensor parallel ranks also share the sequence between the matrices (arXiv 2205.05198).
template <bool On>
struct sequence_parallel {
  static constexpr part_kind kind = part_kind::sequence_parallel;
  template <class Spec>
  static constexpr void apply(Spec& spec) {
    note_part<part_kind::sequence_parallel>(spec);
    spec.sequence_parallel = On ? toggle::on : toggle::off;
  }
};

/// The grid of ranks with every default filled in. All degrees are at least 1 and their product is the world.
struct degrees {
  std::int64_t world = 0;            ///< devices
  std::int64_t tp = 1;               ///< tensor parallel degree
  std::int64_t pp = 1;               ///< pipeline parallel degree
  std::int64_t dp = 1;               ///< replicas of the batch, without cp
  std::int64_t cp = 1;               ///< context parallel degree
  std::int64_t ep = 1;               ///< expert parallel degree
  std::int64_t etp = 1;              ///< tensor parallel degree of routed experts
  std::int64_t sequence_shards = 1;  ///< tp with sequence parallelism, else 1: what divides tokens outside the matrices

  /// Ranks that share the dense states under ZeRO: dp x cp.
  constexpr std::int64_t dense_shards() const { return dp * cp; }
  /// Ranks that share the states of the same routed experts: world / (etp x ep x pp).
  constexpr std::int64_t expert_shards() const { return world / (etp * ep * pp); }

  friend constexpr bool operator==(const degrees&, const degrees&) = default;
};

}  // namespace shardplan
