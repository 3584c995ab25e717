// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/memory/memory.hpp>
#include <shardplan/recipe/recompute.hpp>
#include <shardplan/spec/plan_spec.hpp>

#include <cstdint>

namespace shardplan {

/// Of the blocks of a pipeline rank, those of which backward runs a part again. Blocks unless said.
struct recomputed_parts {
  std::int64_t attention = 0;   ///< with both projections of attention
  std::int64_t cores = 0;       ///< with what is between them, and so with what context parallel ranks exchange
  std::int64_t dense = 0;       ///< with their dense feed-forward network
  std::int64_t routed = 0;      ///< with their routed and shared experts
  std::int64_t up_proj = 0;     ///< with the up-projections of latent attention alone
  std::int64_t halves = 0;      ///< with every second matrix product
  std::int64_t dense_half = 0;  ///< of `halves`, dense ones
  std::int64_t all = 0;         ///< with anything
  std::int64_t all_dense = 0;   ///< of `all`, dense ones
};

/// What `recompute<>` and `recompute_layers<>` say of a rank with that extent. Of norms and activation functions nothing travels.
template <class Spec = plan_spec>
constexpr recomputed_parts recomputed_of(const Spec& spec, const stage_extent& extent) {
  recomputed_parts parts{};
  const auto what = spec.recompute;
  if (what == recomputes::none) return parts;
  const bool each = spec.recompute_layers.method == recompute_methods::each;
  const std::int64_t layers = each ? extent.layers : extent.recomputed.layers;
  const std::int64_t dense = each ? extent.dense_layers : extent.recomputed.dense_layers;
  parts.all = layers;
  parts.all_dense = dense;
  const bool full = includes(what, recomputes::full);
  if (full) parts.attention = layers;
  if (full || includes(what, recomputes::core_attn)) parts.cores = layers;
  if (full || includes(what, recomputes::mlp)) parts.dense = dense;
  if (full || includes(what, recomputes::moe)) parts.routed = layers - dense;
  if (full) return parts;
  if (includes(what, recomputes::every_second_matmul)) {
    parts.halves = layers;
    parts.dense_half = dense;
  } else if (includes(what, recomputes::mla_up_proj)) {
    parts.up_proj = layers;
  }
  return parts;
}

}  // namespace shardplan
