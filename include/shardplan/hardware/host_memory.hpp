// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/part.hpp>
#include <shardplan/core/unset.hpp>

#include <cstdint>

namespace shardplan {

/// Part of a plan (default: not said, and then nothing is judged by it): memory of one host, GiB. What `offload<>` moves to the host, all
/// devices of the node together, must fit (memory/host.hpp).
template <std::int64_t Gibibytes>
struct host_memory {
  static constexpr part_kind kind = part_kind::host_memory;
  template <class Spec>
  static constexpr void apply(Spec& spec) {
    note_part<part_kind::host_memory>(spec);
    spec.host_memory_gibibytes = Gibibytes == unset ? unset + 1 : Gibibytes;
  }
};

}  // namespace shardplan
