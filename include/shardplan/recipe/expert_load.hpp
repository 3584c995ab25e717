// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/part.hpp>

#include <cstdint>

namespace shardplan {

/// Tokens of the routed experts of the fullest rank. How uneven routing is depends on data and training: a plan says what it provides for.
struct expert_load_spec {
  std::int64_t percent = 100;     ///< tokens of the fullest rank in percent of the even share; 100: even
  std::int64_t capacity = 0;      ///< most tokens that an expert takes, in percent of the even share; 0: all are taken, none is dropped
  bool pads_to_capacity = false;  ///< every expert is filled up to its capacity

  friend constexpr bool operator==(const expert_load_spec& left, const expert_load_spec& right) {
    return left.percent == right.percent && left.capacity == right.capacity && left.pads_to_capacity == right.pads_to_capacity;
  }
  /// What the rank computes, in percent of the even share.
  constexpr std::int64_t computed() const { return capacity == 0 || (percent < capacity && !pads_to_capacity) ? percent : capacity; }
};

/// Part of a plan (default: even, nothing dropped): the load of the fullest rank in percent of the even share (at least 100), the capacity
/// factor in percent (Megatron-LM's `moe-expert-capacity-factor` 1.25 is 125; 0: none), and whether experts are padded to it.
template <std::int64_t Percent, std::int64_t CapacityPercent = 0, bool PadsToCapacity = false>
struct expert_load {
  static constexpr part_kind kind = part_kind::expert_load;
  template <class Spec>
  static constexpr void apply(Spec& spec) {
    note_part<part_kind::expert_load>(spec);
    spec.expert_load = {Percent, CapacityPercent, PadsToCapacity};
  }
};

}  // namespace shardplan
