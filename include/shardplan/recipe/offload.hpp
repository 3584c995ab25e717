// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/part.hpp>

#include <cstdint>

namespace shardplan {

/// Where a state lives between uses.
enum class storage {
  device,  ///< in the memory of the device
  host,    ///< in the memory of the host
  nvme     ///< on NVMe
};

/// What of a rank leaves the device (ZeRO-Offload, arXiv 2101.06840; ZeRO-Infinity, arXiv 2104.07857).
struct offload_spec {
  storage states = storage::device;     ///< master weights and optimizer state
  storage gradients = storage::device;  ///< gradients (not to NVMe)
  storage inputs = storage::device;     ///< inputs of blocks that full recomputation keeps: device or host
  std::int64_t moments_percent = 0;     ///< moments that live in host memory, percent of those that stayed with the states
  storage weights = storage::device;    ///< the weights that layers read, under ZeRO-3

  // By hand, enumerators as numbers: what a defaulted one asks of each costs a compiler a hundred times as much.
  friend constexpr bool operator==(const offload_spec& left, const offload_spec& right) {
    return int(left.states) == int(right.states) && int(left.gradients) == int(right.gradients) && int(left.inputs) == int(right.inputs) &&
           left.moments_percent == right.moments_percent && int(left.weights) == int(right.weights);
  }
};

/// In `offload<...>`: master weights and optimizer state go to `Where`.
template <storage Where>
struct states_to {
  static constexpr int moves = 0;
  static constexpr void apply(offload_spec& spec) { spec.states = Where; }
};

/// In `offload<...>`: gradients go to `Where`, each as soon as it is reduced. Only the host can take them: NVMe is a violation.
template <storage Where>
struct gradients_to {
  static constexpr int moves = 1;
  static constexpr void apply(offload_spec& spec) { spec.gradients = Where; }
};

/// In `offload<...>`: under full recomputation the kept inputs of blocks go to the host until backward needs them (DeepSpeed's
/// `cpu_checkpointing`). Without it nothing goes there.
struct inputs_to_host {
  static constexpr int moves = 4;
  static constexpr void apply(offload_spec& spec) { spec.inputs = storage::host; }
};

/// In `offload<...>`: that many percent of the moments go to host memory; master weights stay (Megatron-LM `optimizer_cpu_offload` with
/// `optimizer_offload_fraction`: 8 bytes less on the device for each parameter that is moved). 0 to 100.
template <std::int64_t Percent>
struct moments_to_host {
  static constexpr int moves = 0;  // moments are states: said twice with `states_to`
  static constexpr void apply(offload_spec& spec) { spec.moments_percent = Percent; }
};

/// In `offload<...>`: the rank's shard of the weights goes to `Where`, and comes back for each forward and each backward (ZeRO-3 only:
/// DeepSpeed's `offload_param`).
template <storage Where>
struct weights_to {
  static constexpr int moves = 3;
  static constexpr void apply(offload_spec& spec) { spec.weights = Where; }
};

/// What can stand in `offload<...>`: `states_to`, `gradients_to`, `moments_to_host`, `inputs_to_host` and `weights_to`.
template <class Type>
concept offload_target = requires(offload_spec& spec) {
  Type::moves;
  Type::apply(spec);
};

/// Part of a plan (default: nothing): `offload<states_to<storage::host>>`, `offload<states_to<storage::nvme>,
/// gradients_to<storage::host>>`. Saying where one thing goes twice is the violation `repeated_part`.
template <offload_target... What>
struct offload {
  static constexpr part_kind kind = part_kind::offload;
  template <class Spec>
  static constexpr void apply(Spec& spec) {
    note_part<part_kind::offload>(spec);
    constexpr std::uint64_t moved =
        (std::uint64_t{0} + ... + (std::uint64_t{1} << 8 * What::moves));  // eight bits count each kind of target
    if constexpr ((moved & ~std::uint64_t{0x0101010101}) != 0) note_part<part_kind::offload>(spec);
    (What::apply(spec.offload), ...);
  }
};

}  // namespace shardplan
