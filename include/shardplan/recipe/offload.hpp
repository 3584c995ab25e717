// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/part.hpp>

namespace shardplan {

/// Where a state lives between uses.
enum class storage {
  device,  ///< in the memory of the device
  host,    ///< in the memory of the host
  nvme     ///< on NVMe
};

/// What of a rank's states leaves the device (ZeRO-Offload, arXiv 2101.06840; ZeRO-Infinity, arXiv 2104.07857).
struct offload_spec {
  storage states = storage::device;     ///< master weights and optimizer state
  storage gradients = storage::device;  ///< gradients (not to NVMe)

  friend constexpr bool operator==(const offload_spec&, const offload_spec&) = default;
};

/// In `offload<...>`: master weights and optimizer state go to `Where`.
template <storage Where>
struct states_to {
  static constexpr bool moves_states = true;
  static constexpr void apply(offload_spec& spec) { spec.states = Where; }
};

/// In `offload<...>`: gradients go to `Where`, each as soon as it is reduced. Only the host can take them: NVMe is a violation.
template <storage Where>
struct gradients_to {
  static constexpr bool moves_states = false;
  static constexpr void apply(offload_spec& spec) { spec.gradients = Where; }
};

/// What can stand in `offload<...>`: `states_to` and `gradients_to`.
template <class Type>
concept offload_target = requires(offload_spec& spec) {
  Type::moves_states;
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
    if constexpr ((0 + ... + int{What::moves_states}) > 1 || (0 + ... + int{!What::moves_states}) > 1) note_part<part_kind::offload>(spec);
    (What::apply(spec.offload), ...);
  }
};

}  // namespace shardplan
