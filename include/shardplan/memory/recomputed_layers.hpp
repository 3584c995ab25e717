// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/checked.hpp>
#include <shardplan/memory/activations.hpp>
#include <shardplan/spec/plan_spec.hpp>

#include <cstdint>

namespace shardplan {

/// Of the blocks of a rank, those that `recompute<>` is for. Not set where it is for each (`recompute_methods::each`). Next-token layers
/// are not in it: the other methods leave them alone.
struct recompute_extent {
  std::int64_t layers = 0;        ///< blocks
  std::int64_t dense_layers = 0;  ///< of these, blocks with a dense feed-forward network
  std::int64_t groups = 0;        ///< groups of `recompute_methods::uniform`
};

/// Adds to `extent` which of the `count` blocks from block `first` on, one chunk, are recomputed.
template <class Spec = plan_spec>
constexpr void add_recomputed_layers(const Spec& spec, std::int64_t first, std::int64_t count, recompute_extent& extent) {
  const auto& shape = spec.model;
  const std::int64_t step = spec.recompute_layers.count;
  switch (spec.recompute_layers.method) {
    case recompute_methods::each: break;
    case recompute_methods::uniform:
      extent.layers += count;
      extent.dense_layers += shape.dense_layers_in(first, count);
      extent.groups += ceil_divide(count, step);
      break;
    case recompute_methods::block: {
      const std::int64_t some = step < count ? step : count;
      extent.layers += some;
      extent.dense_layers += shape.dense_layers_in(first, some);
      break;
    }
    case recompute_methods::every:
      extent.layers += count / step;
      for (std::int64_t at = step; at <= count; at += step) extent.dense_layers += shape.dense_layers_in(first + at - 1, 1);
      break;
  }
}

/// Bytes of one micro-batch that the blocks of a rank keep for backward.
struct kept_activations {
  std::int64_t on_device = 0;  ///< on the device
  std::int64_t on_host = 0;    ///< inputs of blocks that `offload<inputs_to_host>` moved to the host
};

/// What `layers` blocks keep, `dense_layers` of them dense, where those in `recomputed` are recomputed.
template <class Spec = plan_spec>
constexpr kept_activations kept_by_blocks(const Spec& spec, const saved_activations& saved, std::int64_t layers,
                                          std::int64_t dense_layers, const recompute_extent& recomputed) {
  const std::int64_t expert_layers = layers - dense_layers;
  const auto method = spec.recompute_layers.method;
  const bool full = includes(spec.recompute, recomputes::full);
  kept_activations kept{};
  std::int64_t inputs = layers;
  if (method == recompute_methods::each || (method == recompute_methods::uniform && !full)) {
    kept.on_device = saved.dense_kept * dense_layers + saved.expert_kept * expert_layers;
  } else {
    inputs = method == recompute_methods::uniform ? recomputed.groups : recomputed.layers;
    const std::int64_t recomputed_experts = recomputed.layers - recomputed.dense_layers;
    kept.on_device =
        full ? saved.block_input * inputs : saved.dense_kept * recomputed.dense_layers + saved.expert_kept * recomputed_experts;
    kept.on_device +=
        saved.dense_block * (dense_layers - recomputed.dense_layers) + saved.expert_block * (expert_layers - recomputed_experts);
  }
  if (full && spec.offload.inputs != storage::device) {
    kept.on_host = saved.block_input * inputs;
    kept.on_device -= kept.on_host;
  }
  return kept;
}

}  // namespace shardplan
