// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/recipe/offload.hpp>
#include <shardplan/traffic/message.hpp>
#include <shardplan/traffic/tensor_parallel.hpp>

#include <cstdint>

namespace shardplan {

/// What a rank moves to and from its host in a step.
struct offload_work {
  offload_spec where{};                ///< what lives where
  std::int64_t shard = 0;              ///< elements of the rank's optimizer shard
  std::int64_t gradients = 0;          ///< elements of the rank's gradients where they live on the host
  std::int64_t weight_bits = 16;       ///< of a weight as it is moved
  std::int64_t gradient_bits = 16;     ///< of a gradient that leaves as soon as it is reduced
  std::int64_t accumulator_bits = 16;  ///< of a gradient that leaves once a step, for an optimizer on the host
  std::int64_t moved_bits = 16;        ///< of a gradient whose moments are on the host by percent
  std::int64_t nvme_states = 0;        ///< bytes of master weights and optimizer state of the rank on NVMe
  std::int64_t nvme_weights = 0;       ///< bytes of its weights on NVMe
  std::int64_t inputs = 0;             ///< bytes of block inputs of one micro-batch that go to the host
  std::int64_t micro_batches = 1;      ///< of a step
};

/// Adds what crosses PCIe and what NVMe reads and writes, the flows of `host_account`: the gradients of the rank's shard go down, once a
/// step for an optimizer on the host, in every micro-step where gradients live there; the new weights come up once (ZeRO-Offload, arXiv
/// 2101.06840 section 4), or for each forward and backward where weights live there. States on NVMe are written and read once a step
/// (ZeRO-Infinity, arXiv 2104.07857). Sent: from the device, or to NVMe.
template <class Sink, class Work = offload_work>
constexpr void add_offload(Sink& sink, const Work& work) {
  const auto& where = work.where;
  const bool states = where.states != storage::device;
  const bool gradients = where.gradients != storage::device;
  const bool weights = where.weights != storage::device;
  const std::int64_t steps = work.micro_batches;
  const std::int64_t part = states ? work.shard : work.shard / 100 * where.moments_percent + work.shard % 100 * where.moments_percent / 100;
  const auto move = [&](channel between, cargo what, std::int64_t pieces, std::int64_t bits, std::int64_t down, std::int64_t up) {
    add_message(sink, {between, what, collective::copy, 1, pieces, pieces, bits, down, up});
  };
  if (gradients) {
    move(channel::host, cargo::gradients, work.gradients, work.gradient_bits, steps, states ? 0 : std::int64_t{1});
  } else {
    move(channel::host, cargo::gradients, part, states ? work.accumulator_bits : work.moved_bits, 1, 0);
  }
  if (weights) {
    move(channel::host, cargo::weights_forward, work.shard, work.weight_bits, 0, count_product(2, steps));
  } else {
    move(channel::host, cargo::weights_forward, part, work.weight_bits, 0, 1);
  }
  move(channel::host, cargo::block_inputs, work.inputs, 8, steps, steps);
  move(channel::nvme, cargo::optimizer_states, work.nvme_states, 8, 1, 1);
  move(channel::nvme, cargo::weights_forward, work.nvme_weights, 8, 1, count_product(2, steps));
}

}  // namespace shardplan
