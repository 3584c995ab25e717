// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/bytes.hpp>
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
template <std::int64_t Mebibytes>
struct headroom {
  static constexpr part_kind kind = part_kind::headroom;
  template <class Spec>
  static constexpr void apply(Spec& spec) {
    note_part<part_kind::headroom>(spec);
    spec.headroom_mebibytes = Mebibytes;
  }
};

}  // namespace shardplan
