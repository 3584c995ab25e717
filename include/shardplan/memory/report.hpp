// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/bytes.hpp>
#include <shardplan/core/device_code.hpp>

#include <cstdint>

namespace shardplan {

/// The parts of a rank's memory, in the order of `memory_report`.
enum class component {
  weights,      ///< the weights that layers read; exact
  gradients,    ///< gradients and their accumulator; exact
  master,       ///< the optimizer's own copy of the weights; exact
  optimizer,    ///< moments, factors, code tables; exact
  activations,  ///< tensors kept for backward; reference formula
  logits,       ///< what head and loss keep; reference formula
  working,      ///< what lives in one phase only; estimate
  buffers,      ///< buckets and scratch that stay; estimate
  reserve       ///< context, communicators, headroom; estimate
};

/// What a caching allocator holds beyond what is allocated, in percent: 5 in public runs (reserved against allocated memory,
/// docs/exact_and_estimates.md).
inline constexpr std::int64_t default_allocator_slack_percent = 5;

/// Bytes on one device of one pipeline stage, at the moment of its peak (second step on, when the optimizer has its state). The first four
/// are exact; `activations` and `logits` are the reference formulas of their kernels; `working`, `buffers` and `reserve` are estimates:
/// docs/exact_and_estimates.md.
struct memory_report {
  bytes weights{};      ///< the rank's own shard of the weights that the layers read
  bytes gradients{};    ///< the rank's own shard of the gradients, and of their accumulator
  bytes master{};       ///< the optimizer's own copy of the weights
  bytes optimizer{};    ///< moments, factors, code tables
  bytes activations{};  ///< tensors kept for backward: one micro-batch x micro-batches in flight
  bytes logits{};       ///< what head and loss keep; on the last stage, and 0 there unless the loss is its peak
  bytes working{};      ///< lives inside one phase only: gradients of activations, gathered weights, a recomputed layer
  bytes buffers{};      ///< communication buckets and scratch that stays
  bytes reserve{};      ///< outside the framework's allocator: context, communicators, headroom

  /// Weights, gradients, master copy and optimizer state.
  constexpr SHARDPLAN_HOST_DEVICE bytes states() const { return weights + gradients + master + optimizer; }
  /// All but `reserve`: what the peak of a framework's allocator is compared with.
  constexpr SHARDPLAN_HOST_DEVICE bytes allocated() const { return states() + activations + logits + working + buffers; }
  /// Estimate of what the allocator takes from the device: `allocated()` and `default_allocator_slack_percent`, rounded up. An allocator
  /// that is short of memory gives slack back, so this is no bound.
  constexpr SHARDPLAN_HOST_DEVICE bytes reserved() const {
    const std::int64_t held = allocated().count;
    return bytes{held + held / 100 * default_allocator_slack_percent + (held % 100 * default_allocator_slack_percent + 99) / 100};
  }
  /// Everything: what the device must hold.
  constexpr SHARDPLAN_HOST_DEVICE bytes total() const { return allocated() + reserve; }

  // Of counts: an overloaded operator costs a compiler ten times as much.
  friend constexpr SHARDPLAN_HOST_DEVICE bool operator==(const memory_report& left, const memory_report& right) {
    return left.weights.count == right.weights.count && left.gradients.count == right.gradients.count &&
           left.master.count == right.master.count && left.optimizer.count == right.optimizer.count &&
           left.activations.count == right.activations.count && left.logits.count == right.logits.count &&
           left.working.count == right.working.count && left.buffers.count == right.buffers.count &&
           left.reserve.count == right.reserve.count;
  }
};

/// Whether a rank's memory fits a device of that capacity, asked in three ways.
struct memory_verdicts {
  bool allocator = false;  ///< `allocated()`: the tensors alone
  bool device = false;     ///< `total()`: with context, communicators and headroom: what a plan is judged by
  bool reserved = false;   ///< `reserved()` and `reserve`: with the allocator's slack too, so that it never has to give any back
};

/// The verdicts of a report.
constexpr memory_verdicts verdicts_of(const memory_report& report, bytes capacity) {
  return {report.allocated() <= capacity, report.total() <= capacity, report.reserved() + report.reserve <= capacity};
}

/// Bytes of one rank that `offload<>` moved off the device.
struct offload_report {
  bytes host{};  ///< master weights, optimizer state, gradients or weights in host memory
  bytes nvme{};  ///< master weights, optimizer state or weights on NVMe

  friend constexpr SHARDPLAN_HOST_DEVICE bool operator==(const offload_report& left, const offload_report& right) {
    return left.host.count == right.host.count && left.nvme.count == right.nvme.count;
  }
};

/// The bytes of one component.
constexpr bytes component_of(const memory_report& report, component which) {
  switch (which) {
    case component::weights: return report.weights;
    case component::gradients: return report.gradients;
    case component::master: return report.master;
    case component::optimizer: return report.optimizer;
    case component::activations: return report.activations;
    case component::logits: return report.logits;
    case component::working: return report.working;
    case component::buffers: return report.buffers;
    case component::reserve: return report.reserve;
  }
  return {};
}

/// The largest component (the first of equals).
constexpr component largest_component(const memory_report& report) {
  component largest = component::weights;
  for (int at = 1; at <= static_cast<int>(component::reserve); ++at)
    if (component_of(report, static_cast<component>(at)) > component_of(report, largest)) largest = static_cast<component>(at);
  return largest;
}

}  // namespace shardplan
