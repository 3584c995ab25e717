// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/recipe/offload.hpp>
#include <shardplan/traffic/message.hpp>
#include <shardplan/traffic/tensor_parallel.hpp>

#include <cstdint>

namespace shardplan {

/// What a rank moves to and from its host in a step.
struct offload_work {
  offload_spec where{};             ///< what lives where
  std::int64_t shard = 0;           ///< elements of the rank's optimizer shard
  std::int64_t weight_bits = 16;    ///< of a weight that layers read
  std::int64_t gradient_bits = 16;  ///< of a gradient
  std::int64_t state_bytes = 0;     ///< bytes of master weights and optimizer state of the rank
  std::int64_t micro_batches = 1;   ///< of a step
};

/// Adds what crosses PCIe and what NVMe reads and writes: the gradients of the rank's shard go down, once a step for an optimizer on the
/// host, in every micro-step where gradients live there; the new weights come up once (ZeRO-Offload, arXiv 2101.06840 section 4). States on
/// NVMe are written and read once a step (ZeRO-Infinity, arXiv 2104.07857). Sent: from the device, or to NVMe.
template <class Sink>
constexpr void add_offload(Sink& sink, const offload_work& work) {
  const bool states = work.where.states != storage::device;
  const bool gradients = work.where.gradients != storage::device;
  if (!states && !gradients) return;
  const std::int64_t down = gradients ? work.micro_batches : 1;
  add_message(sink, {channel::host, cargo::gradients, collective::copy, 1, work.shard, work.shard, work.gradient_bits, down,
                     states ? 0 : std::int64_t{1}});
  if (states)
    add_message(sink, {channel::host, cargo::weights_forward, collective::copy, 1, work.shard, work.shard, work.weight_bits, 0, 1});
  if (work.where.states == storage::nvme)
    add_message(sink, {channel::nvme, cargo::optimizer_states, collective::copy, 1, work.state_bytes, work.state_bytes, 8, 1, 1});
}

}  // namespace shardplan
