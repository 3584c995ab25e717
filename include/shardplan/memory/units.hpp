// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/memory/optimizer_state.hpp>
#include <shardplan/memory/weight_storage.hpp>
#include <shardplan/model/inventory.hpp>
#include <shardplan/model/tensor.hpp>
#include <shardplan/parallel/buffers.hpp>
#include <shardplan/parallel/rank_model.hpp>
#include <shardplan/parallel/tensor_shard.hpp>
#include <shardplan/spec/derived.hpp>
#include <shardplan/spec/plan_spec.hpp>

#include <cstdint>

namespace shardplan {

/// What one rank holds of one place of the model (the input, one block, the output), before ZeRO shards it. Elements unless said.
struct unit {
  std::int64_t dense = 0;           ///< all but routed experts
  std::int64_t routed = 0;          ///< routed experts
  std::int64_t linear = 0;          ///< weights of matrix products, routed experts included; only under autocast
  std::int64_t linear_shapes = 0;   ///< one weight of each shape of matrix product, so one expert
  std::int64_t largest_linear = 0;  ///< the largest of these
  std::int64_t largest = 0;         ///< the largest tensor, one expert's; only where weights are gathered or states go by tensor

  // Only where shards are no equal parts of a flat buffer:
  std::int64_t dense_share =
      0;  ///< of `dense`, what the fullest rank of the shard group holds; before stages are summed, Megatron-LM's aligned lengths
  std::int64_t routed_share = 0;  ///< of `routed`, the same

  // Only where states go by tensor:
  std::int64_t dense_ruled = 0;          ///< of `dense`: matrices with their own number of moments
  std::int64_t routed_ruled = 0;         ///< of `routed`, the same
  std::int64_t dense_state_bytes = 0;    ///< bytes of optimizer state of `dense`
  std::int64_t routed_state_bytes = 0;   ///< bytes of optimizer state of `routed`
  std::int64_t dense_weight_bytes = 0;   ///< bytes of the weights of `dense`
  std::int64_t routed_weight_bytes = 0;  ///< bytes of the weights of `routed`

  /// All elements.
  constexpr std::int64_t elements() const { return dense + routed; }
};

/// The units of a model on one rank of the model-parallel grid.
struct model_units {
  bool by_tensor = false;  ///< see `goes_by_tensor`
  unit at[6]{};            ///< by `place`
  unit tied_head{};        ///< the copy of the embedding that a last stage without it has, for a tied head or to look up further tokens

  /// What the rank holds of one place: `every_block` is what all blocks have, `dense_block` and `expert_block` what comes to it.
  constexpr const unit& operator[](place where) const { return at[static_cast<int>(where)]; }
};

/// Whether states are more than bytes of the layout times elements: then tensors are looked at one by one.
constexpr bool goes_by_tensor(const optimizer_spec& optimizer, const precision_spec& precision) {
  return optimizer.matrices != matrix_rule::none || optimizer.matrix_moments >= 0 || optimizer.bits != 0 || optimizer.moment != 0 ||
         optimizer.fused_step || precision.gradient_copy != 0 || precision.second_moment != 0 || precision.moment_scale != 0 ||
         has_linear_rule(precision);
}

namespace detail {
// What a tensor is beside an addend, where shards are no equal parts of one buffer.
struct piecewise {
  rank_model* list;
  bool aligns;
  bool cuts;
  bool gated;
  std::int64_t parameter;  // elements of the parameter that Megatron-LM has the tensor in, as far as it was seen
  tensor_shard held{};     // FSDP2: the fullest rank's part

  // Whether the tensor is to be counted.
  constexpr bool operator()(unit& owner, const char* name, place where, const tensor_shard& shard, bool routed, const derived& facts) {
    const bool joins = aligns && continues_parameter(name, gated);
    if (list != nullptr) {
      list_parameter(*list, name, where, shard, routed, joins);
      return false;
    }
    std::int64_t& share = routed ? owner.routed_share : owner.dense_share;
    if (cuts) {
      held = fsdp_shard(shard, routed ? facts.expert_shards : facts.dense_shards, routed);
      share += held.elements();
    } else if (aligns) {
      constexpr std::int64_t alignment = megatron::parameter_alignment;
      const std::int64_t before = joins ? parameter : 0;
      parameter = before + shard.rows * shard.columns;
      share += (ceil_divide(parameter, alignment) - ceil_divide(before, alignment)) * alignment * shard.copies;
    }
    return true;
  }
};

// Adds what one tensor costs by its shape.
template <class Spec>
constexpr void add_by_tensor(unit& owner, const Spec& spec, const char* name, role purpose, const tensor_shard& shard,
                             std::int64_t head_width) {
  const bool routed = is_routed(purpose);
  (routed ? owner.routed_state_bytes : owner.dense_state_bytes) +=
      whole_state_bytes(spec.optimizer, spec.precision, name, purpose, shard, head_width);
  if (spec.optimizer.matrix_moments >= 0 && has_matrix_rule(spec.optimizer, purpose))
    (routed ? owner.routed_ruled : owner.dense_ruled) += shard.elements();
  (routed ? owner.routed_weight_bytes : owner.dense_weight_bytes) +=
      whole_weight_bytes(spec.precision, purpose, shard, !shards_weights(spec));
}
}  // namespace detail

/// Walks the tensors of the model once: every account of a stage is a sum of these. With `list`, which begins empty, parameters are listed
/// there and nothing is counted: one function, because each walk that a compiler sees costs it as much as ten plans.
template <class Spec = plan_spec>
constexpr model_units units_of(const Spec& spec, const derived& facts, rank_model* list = nullptr) {
  model_units units{};
  unit& output = units.at[static_cast<int>(place::output)];
  const std::int64_t head_width = spec.model.head_width();
  const bool tied = spec.model.tied_embeddings;
  const bool needs_embedding = tied || spec.model.next_token_layers > 0;
  const bool by_tensor = goes_by_tensor(spec.optimizer, spec.precision);
  units.by_tensor = by_tensor;
  const bool gathers = facts.stage >= 3;
  const bool compares = gathers || by_tensor;
  const bool shards_tensors = spec.sharding.layout == shard_layout::tensors;
  const bool counts_linear = !gathers && spec.precision.weight > spec.precision.compute;
  detail::piecewise how_to_add{list, spec.sharding.layout == shard_layout::megatron_buckets, shards_tensors, spec.model.mlp == mlp::gated,
                               0};
  const bool by_piece = list != nullptr || shards_tensors || spec.sharding.layout == shard_layout::megatron_buckets;
  detail::walk_tensors(spec.model, [&](const char* name, std::int64_t rows, std::int64_t columns, split how, role purpose, place where,
                                       std::int64_t copies, std::int64_t) {
    const bool routed = purpose == role::routed_expert || purpose == role::expert_bias;  // is_routed, without a call
    const tensor_shard shard = shard_of(rows, columns, copies, how, routed, facts.grid, facts.vocabulary, head_width);
    const std::int64_t one = shard.rows * shard.columns;
    const std::int64_t elements = one * shard.copies;
    unit& owner = units.at[static_cast<int>(where)];
    if (by_piece && !how_to_add(owner, name, where, shard, routed, facts)) {
      rank_parameters& listed = list->at[static_cast<int>(where)];
      listed.values[listed.length - 1].state +=
          whole_state_bytes(spec.optimizer, spec.precision, name, purpose, {shard.rows, shard.columns, 1}, head_width);
      return;
    }
    if (routed) {
      owner.routed += elements;
    } else {
      owner.dense += elements;
    }
    if (compares && one > owner.largest) owner.largest = one;
    if (is_linear(purpose)) {
      owner.linear_shapes += one;
      if (one > owner.largest_linear) owner.largest_linear = one;
      if (counts_linear) owner.linear += elements;
    }
    if (by_tensor) detail::add_by_tensor(owner, spec, name, purpose, shards_tensors ? how_to_add.held : shard, head_width);
    if (needs_embedding && purpose == role::embedding) {
      // The last stage multiplies with the embedding (a tied head) or looks up the next token: the same tensor, or a copy.
      if (tied) {
        output.linear_shapes += elements;
        if (counts_linear) output.linear += elements;
      }
      units.tied_head.dense = elements;
      units.tied_head.dense_share = owner.dense_share;  // the first of its place
      units.tied_head.largest = one;
      if (by_tensor) detail::add_by_tensor(units.tied_head, spec, name, purpose, shards_tensors ? how_to_add.held : shard, head_width);
    }
  });
  return units;
}

}  // namespace shardplan
