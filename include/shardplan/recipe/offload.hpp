// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/part.hpp>

namespace shardplan {

/// Where a state lives between uses.
enum class storage { device, host, nvme };

/// What of a rank's states leaves the device (ZeRO-Offload, arXiv 2101.06840; ZeRO-Infinity, arXiv 2104.07857).
struct offload_spec {
  storage states = storage::device;     ///< master weights and optimizer state
  storage gradients = storage::device;  ///< gradients (not to NVMe)

  friend constexpr bool operator==(const offload_spec&, const offload_spec&) = default;
};

/// In `offload<...>`: master weights and optimizer state go to `Where`.
template <storage Where>
struct states_to {
  static constexpr void apply(offload_spec& spec) { spec.states = Where; }
};

/// In `offload<...>`: gradients go to `Where`, each as soon as it is reduced. Only the host can take them: NVMe is a violation.
template <storage Where>
struct gradients_to {
  static constexpr void apply(offload_spec& spec) { spec.gradients = Where; }
};

/// Part of a plan (default: nothing): `offload<states_to<storage::host>>`, `offload<states_to<storage::nvme>,
/// gradients_to<storage::host>>`.
template <class... What>
struct offload {
  static constexpr part_kind kind = part_kind::offload;
  template <class Spec>
  static constexpr void apply(Spec& spec) {
    note_part<part_kind::offload>(spec);
    (What::apply(spec.offload), ...);
  }
};

}  // namespace shardplan
