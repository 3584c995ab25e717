// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/bytes.hpp>
#include <shardplan/core/checked.hpp>
#include <shardplan/memory/held.hpp>
#include <shardplan/memory/memory.hpp>
#include <shardplan/memory/recomputed_layers.hpp>
#include <shardplan/model/inventory.hpp>
#include <shardplan/parallel/sharding.hpp>
#include <shardplan/parallel/tensor_shard.hpp>
#include <shardplan/recipe/offload.hpp>
#include <shardplan/spec/plan_spec.hpp>

#include <cstdint>

namespace shardplan {

/// Bytes of one host, all devices of its node together: the node that needs the most. Nothing of the operating system or of data loading
/// is in it.
struct host_report {
  bytes states{};        ///< what `offload<>` put in host memory; exact
  bytes pinned{};        ///< page-locked buffers that transfers pass through; estimate
  bytes processes{};     ///< what the node's processes take before they have a tensor, where anything is offloaded; estimate
  bytes nvme{};          ///< what `offload<>` put on NVMe; exact
  bytes loading{};       ///< every rank loading the whole model in fp32, without a meta device: before the first step, not in `total()`
  bytes to_device{};     ///< a step's traffic over PCIe to the devices; estimate
  bytes to_host{};       ///< a step's traffic over PCIe from the devices; estimate
  bytes nvme_read{};     ///< read from NVMe in a step; estimate
  bytes nvme_written{};  ///< written to NVMe in a step; estimate

  /// What the host holds while it trains.
  constexpr bytes total() const { return states + pinned + processes; }
};

/// Host memory of one process of a rank that has initialised its device and made no tensor: 2,056,600 KiB, as measured with PyTorch 2.2 and
/// CUDA 11.8 (pytorch/pytorch issue 113326; 1.2 to 1.9 GiB in issue 12873). Libraries, the driver's copy of kernels, the interpreter.
inline constexpr bytes default_process_memory{std::int64_t{2'056'600} << 10};

/// Buffers of an optimizer swapper, each of a sub-group in fp32 (deepspeedai/DeepSpeed runtime/zero/offload_config.py `buffer_count`).
inline constexpr std::int64_t default_swap_buffers = 4;

namespace detail {

// Bytes of the largest tensor of a rank in the compute precision.
template <class Spec>
constexpr std::int64_t largest_tensor_bytes(const Spec& spec, const derived& facts) {
  const std::int64_t head_width = spec.model.head_width();
  std::int64_t largest = 0;
  walk_tensors(spec.model, [&](const char*, std::int64_t rows, std::int64_t columns, split how, role purpose, place, std::int64_t copies,
                               std::int64_t) {
    const tensor_shard shard = shard_of(rows, columns, copies, how, is_routed(purpose), facts.grid, facts.vocabulary, head_width);
    if (shard.rows * shard.columns > largest) largest = shard.rows * shard.columns;
  });
  return spec.precision.compute * largest;
}

// What the ranks of one pipeline rank put into their hosts, each.
template <class Spec>
constexpr host_report host_share(const Spec& spec, const memory_layout& layout, std::int64_t rank, std::int64_t largest) {
  const stage_extent extent = extent_of_stage(spec, layout.facts, rank);
  const stage_account account = account_of_extent(spec, layout, extent);
  const parameter_sum held = held_by(layout, extent);
  const std::int64_t whole = held.dense + held.routed;
  const std::int64_t share = share_of(spec, layout, extent);
  const std::int64_t micro_batches = layout.facts.micro_batches;
  const bool states_leave = spec.offload.states != storage::device;
  const bool gradients_leave = spec.offload.gradients != storage::device;
  const bool weights_leave = spec.offload.weights != storage::device;
  const std::int64_t compute = spec.precision.compute;

  host_report one{};
  one.states = account.offloaded.host;
  one.nvme = account.offloaded.nvme;
  // Updated weights go back through a copy of the share in the compute precision, gradients through one as large as the largest tensor
  // (deepspeedai/DeepSpeed runtime/zero/stage_1_and_2.py).
  if (states_leave && !weights_leave) one.pinned.count += compute * share;
  if (gradients_leave) one.pinned.count += largest;
  if (spec.offload.states == storage::nvme)
    one.pinned.count += default_swap_buffers * 4 * (share < spec.buckets.sub_group_elements ? share : spec.buckets.sub_group_elements);

  // Weights come for each forward and each backward of a micro-batch; else the updated ones once a step.
  const std::int64_t shard_bytes = compute * share;
  if (weights_leave) {
    one.to_device.count = saturating_multiply(2 * micro_batches, shard_bytes);
  } else if (states_leave) {
    one.to_device.count = shard_bytes;
  }
  // Gradients leave as soon as they are reduced, in the compute precision; else once a step, as they are kept.
  if (gradients_leave) {
    one.to_host.count = saturating_multiply(micro_batches, compute * (layout.facts.stage >= 2 ? share : whole));
  } else if (states_leave) {
    one.to_host.count = (spec.precision.accumulator > 0 ? spec.precision.accumulator : spec.precision.gradient) * share;
  }
  // Of moments that leave by percent, gradients go and updated weights come for that part (Megatron-LM's optimizer_cpu_offload).
  if (!states_leave && spec.offload.moments_percent > 0) {
    const std::int64_t moved = percent_of(share, spec.offload.moments_percent);
    if (!gradients_leave) one.to_host.count += (spec.precision.gradient + spec.precision.accumulator) * moved;
    if (!weights_leave) one.to_device.count += compute * moved;
  }
  // Inputs of blocks go in the forward of each micro-batch and come back in its backward.
  if (spec.offload.inputs != storage::device) {
    const kept_activations kept = kept_by_blocks(spec, layout.saved, extent.layers, extent.dense_layers, extent.recomputed);
    const std::int64_t inputs = saturating_multiply(micro_batches, kept.on_host);
    one.to_host.count = saturating_add(one.to_host.count, inputs);
    one.to_device.count = saturating_add(one.to_device.count, inputs);
  }
  // A step reads and writes the states; weights are read as often as they are used and written once.
  std::int64_t states = spec.offload.states == storage::nvme ? account.offloaded.nvme.count : 0;
  std::int64_t weights = 0;
  if (spec.offload.weights == storage::nvme) {
    Spec without = spec;
    without.offload.weights = storage::device;
    states = account_of_extent(without, layout, extent).offloaded.nvme.count;
    weights = account.offloaded.nvme.count - states;
  }
  one.nvme_read.count = saturating_add(states, saturating_multiply(2 * micro_batches, weights));
  one.nvme_written.count = states + weights;
  return one;
}

constexpr void add_times(host_report& sum, const host_report& one, std::int64_t ranks) {
  const auto add = [&](bytes host_report::*field) {
    (sum.*field).count = saturating_add((sum.*field).count, saturating_multiply((one.*field).count, ranks));
  };
  add(&host_report::states);
  add(&host_report::pinned);
  add(&host_report::nvme);
  add(&host_report::to_device);
  add(&host_report::to_host);
  add(&host_report::nvme_read);
  add(&host_report::nvme_written);
}

}  // namespace detail

/// Bytes of a parameter while a model is loaded on every rank: fp32.
inline constexpr std::int64_t loading_bytes = 4;

/// The account of the fullest host of a spec that broke no rule of the first two tiers. Ranks are numbered so that those of one pipeline
/// rank follow each other (Megatron-LM's order), and a node holds `devices_per_node` that follow each other. Each rank counts as the
/// fullest of its pipeline rank. Facts: ZeRO-Offload, arXiv 2101.06840 section 4 (a step moves 2 bytes a parameter each way);
/// ZeRO-Infinity, arXiv 2104.07857. No error: figures beyond 63 bits are the largest number.
template <class Spec = plan_spec>
constexpr host_report host_account(const Spec& spec, const memory_layout& layout) {
  host_report worst{};
  const std::int64_t devices = spec.devices_per_node;
  const auto& offloads = spec.offload;
  if (offloads.states != storage::device || offloads.gradients != storage::device || offloads.weights != storage::device ||
      offloads.inputs != storage::device || offloads.moments_percent != 0) {
    const std::int64_t largest = spec.offload.gradients != storage::device ? detail::largest_tensor_bytes(spec, layout.facts) : 0;
    const std::int64_t ranks = layout.facts.grid.world / spec.pp;  // of one pipeline rank
    const auto keep_worse = [&](const host_report& of_node) {
      if (of_node.total() > worst.total() || (of_node.total() == worst.total() && of_node.nvme > worst.nvme)) worst = of_node;
    };
    for (std::int64_t stage = 0; stage < spec.pp; ++stage) {
      const host_report one = detail::host_share(spec, layout, stage, largest);
      const std::int64_t first = stage * ranks;
      const std::int64_t node = first / devices;
      if ((first + devices - 1) / devices * devices + devices <= first + ranks) {
        host_report inside{};
        detail::add_times(inside, one, devices);
        keep_worse(inside);
      }
      // The node that the first rank of this stage lies on, unless it was looked at with an earlier stage.
      if (stage > 0 && (stage - 1) * ranks / devices == node) continue;
      host_report shared{};
      for (std::int64_t other = node * devices / ranks; other < spec.pp && other * ranks < (node + 1) * devices; ++other) {
        const std::int64_t from = other * ranks > node * devices ? other * ranks : node * devices;
        const std::int64_t behind = (other + 1) * ranks < (node + 1) * devices ? (other + 1) * ranks : (node + 1) * devices;
        detail::add_times(shared, other == stage ? one : detail::host_share(spec, layout, other, largest), behind - from);
      }
      keep_worse(shared);
    }
    worst.processes.count = saturating_multiply(default_process_memory.count, devices);
  }
  std::int64_t parameters = 0;
  detail::walk_tensors(spec.model, [&](const char*, std::int64_t rows, std::int64_t columns, split, role, place, std::int64_t copies,
                                       std::int64_t layers) { parameters += rows * columns * copies * layers; });
  worst.loading.count = saturating_multiply(loading_bytes * devices, parameters);
  return worst;
}

}  // namespace shardplan
