// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/bytes.hpp>
#include <shardplan/core/checked.hpp>
#include <shardplan/core/part.hpp>

#include <cstdint>

namespace shardplan {

/// Estimates of the memory that a process takes outside the framework's allocator. They differ from machine to machine: measure
/// yours (device memory in use, minus reserved memory) and say it with `headroom<>`.
namespace default_headroom {
inline constexpr bytes device_context = 1_GiB;                  ///< CUDA or HIP context; 0.5 to 1 GiB in public logs
inline constexpr bytes communicators = 512_MiB;                 ///< NCCL or RCCL buffers; 0.2 to 1 GiB a set of communicators
inline constexpr bytes total = device_context + communicators;  ///< the sum, 1,536 MiB: the default
}  // namespace default_headroom

/// Part of a plan (default `default_headroom::total`): MiB of each device that the plan must leave free. It is the `reserve` of the report.
/// Term by term: `headroom<600, 2048, 1024>`, the device context, the communicators, and what else shall stay free.
template <std::int64_t Mebibytes, std::int64_t... Further>
struct headroom {
  static constexpr part_kind kind = part_kind::headroom;
  template <class Spec>
  static constexpr void apply(Spec& spec) {
    note_part<part_kind::headroom>(spec);
    std::int64_t sum = Mebibytes;
    ((sum = Further < 0 || sum < 0 ? -1 : saturating_add(sum, Further)), ...);  // one that is negative is refused, never made up for
    spec.headroom_mebibytes = sum;
  }
};

}  // namespace shardplan
