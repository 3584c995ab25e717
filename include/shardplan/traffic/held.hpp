// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/checked.hpp>
#include <shardplan/memory/memory.hpp>
#include <shardplan/memory/shares.hpp>
#include <shardplan/memory/units.hpp>
#include <shardplan/model/inventory.hpp>
#include <shardplan/model/tensor.hpp>
#include <shardplan/parallel/sharding.hpp>
#include <shardplan/parallel/tensor_shard.hpp>
#include <shardplan/spec/derived.hpp>
#include <shardplan/spec/plan_spec.hpp>

#include <cstdint>

namespace shardplan {

/// What traffic asks of tensors; elements on one rank of the model-parallel grid.
struct sharded_elements {
  std::int64_t dense = 0;          ///< all but routed experts
  std::int64_t routed = 0;         ///< routed experts
  std::int64_t replicated = 0;     ///< of `dense`, tensors that each tensor parallel rank holds whole
  std::int64_t padded_dense = 0;   ///< as they are sharded; summed by tensor under FSDP2 only
  std::int64_t padded_routed = 0;  ///< the same
};

/// What all stages of a plan have in common: computed once, read for each stage. Lighter than `memory_layout`.
struct traffic_layout {
  derived facts{};               ///< degrees, micro-batches, tokens, vocabulary
  sharded_elements at[6]{};      ///< by `place`
  sharded_elements tied_head{};  ///< the copy of the embedding that a last stage without it has; none: zeros

  /// What the rank holds of one place.
  constexpr const sharded_elements& operator[](place where) const { return at[static_cast<int>(where)]; }
};

/// Walks the tensors of the model once. FSDP2 rounds the rows of each tensor up to a multiple of the ranks. Only for a spec that broke no
/// rule of the first two tiers.
template <class Spec = plan_spec>
constexpr traffic_layout traffic_layout_of(const Spec& spec) {
  traffic_layout layout{};
  layout.facts = derive(spec);
  const derived& facts = layout.facts;
  const bool by_tensor = spec.sharding.layout == shard_layout::tensors;
  const bool copies = spec.model.tied_embeddings || spec.model.next_token_layers > 0;
  const std::int64_t head_width = spec.model.head_width();
  detail::walk_tensors(spec.model, [&](const char*, std::int64_t rows, std::int64_t columns, split how, role purpose, place where,
                                       std::int64_t copies_of_it, std::int64_t) {
    sharded_elements& sum = layout.at[static_cast<int>(where)];
    const bool routed = purpose == role::routed_expert || purpose == role::expert_bias;
    const tensor_shard shard = shard_of(rows, columns, copies_of_it, how, routed, facts.grid, facts.vocabulary, head_width);
    const std::int64_t elements = shard.rows * shard.columns * shard.copies;
    (routed ? sum.routed : sum.dense) += elements;
    if (how == split::replicated && !routed) sum.replicated += elements;
    const bool copied = copies && purpose == role::embedding;
    if (copied) layout.tied_head.dense = elements;
    if (!by_tensor) return;
    const std::int64_t ranks = routed ? facts.expert_shards : facts.dense_shards;
    const std::int64_t padded = fsdp_shard(shard, ranks, routed).elements() * ranks;
    (routed ? sum.padded_routed : sum.padded_dense) += padded;
    if (copied) layout.tied_head.padded_dense = padded;
  });
  return layout;
}

namespace detail {

constexpr std::int64_t rounded_up_to(std::int64_t count, std::int64_t multiple) { return ceil_divide(count, multiple) * multiple; }

// What a stage holds, whole and as the plan's way of sharding pads it.
template <class Spec>
constexpr sharded_elements held_by(const Spec& spec, const traffic_layout& layout, const stage_extent& extent) {
  const derived& facts = layout.facts;
  const bool by_tensor = spec.sharding.layout == shard_layout::tensors;
  const std::int64_t routing = extent.layers - extent.dense_layers;
  // Fields by name: a pointer to a member costs GCC's constant evaluation several times as much.
  sharded_elements held{};
  const auto hold = [&](const sharded_elements& part, std::int64_t times) {
    held.dense += times * part.dense;
    held.replicated += times * part.replicated;
    if (!by_tensor) return;
    held.padded_dense += times * part.padded_dense;
    held.padded_routed += times * part.padded_routed;
  };
  hold(layout[place::every_block], extent.layers);
  if (extent.dense_layers > 0) hold(layout[place::dense_block], extent.dense_layers);
  if (routing > 0) {
    hold(layout[place::expert_block], routing);
    held.routed = routing * layout[place::expert_block].routed;
  }
  if (extent.is_first) hold(layout[place::input], 1);
  if (extent.is_last) hold(layout[place::output], 1);
  if (extent.has_next_token) hold(layout[place::next_token], 1);
  if (extent.copies_head) hold(layout.tied_head, 1);
  if (facts.grid.sequence_shards == 1) held.replicated = 0;
  if (by_tensor) return held;
  if (spec.sharding.layout == shard_layout::flat || facts.stage == 0) {
    held.padded_dense = rounded_up_to(held.dense, facts.dense_shards);
    held.padded_routed = rounded_up_to(held.routed, facts.expert_shards);
  } else {
    const model_units units = units_of(spec, facts);
    const buffer_lengths first =
        spec.sharding.layout == shard_layout::megatron_buckets ? first_chunk_lengths(spec, facts) : buffer_lengths{};
    const buffer_lengths padded = padded_lengths(spec, facts, units, first, extent.rank);
    held.padded_dense = padded.dense;
    held.padded_routed = padded.routed;
  }
  return held;
}

}  // namespace detail

}  // namespace shardplan
