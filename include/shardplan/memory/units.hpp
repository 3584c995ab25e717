// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/memory/optimizer_state.hpp>
#include <shardplan/model/inventory.hpp>
#include <shardplan/model/tensor.hpp>
#include <shardplan/parallel/tensor_shard.hpp>
#include <shardplan/spec/derived.hpp>
#include <shardplan/spec/plan_spec.hpp>

#include <cstdint>

namespace shardplan {

/// What one rank holds of one place of the model (the input, one block, the output), before ZeRO shards it. Elements unless said.
struct unit {
  std::int64_t dense = 0;          ///< all but routed experts
  std::int64_t routed = 0;         ///< routed experts
  std::int64_t dense_hidden = 0;   ///< of `dense`: hidden matrices
  std::int64_t linear = 0;         ///< weights of matrix products, routed experts included
  std::int64_t linear_shapes = 0;  ///< the same, with one expert only: one weight of each shape
  std::int64_t state_bytes = 0;    ///< bytes of optimizer state, tensor by tensor; only without ZeRO

  /// All elements.
  constexpr std::int64_t elements() const { return dense + routed; }
};

/// The units of a model on one rank of the model-parallel grid.
struct model_units {
  unit input{};         ///< before the first block
  unit every_block{};   ///< what all blocks have: attention and norms
  unit dense_block{};   ///< what a block with a dense feed-forward network has beside it
  unit expert_block{};  ///< what a block with routed experts has beside it
  unit output{};        ///< after the last block; with tied embeddings and pp > 1 it includes the second copy of the embedding
};

/// Walks the tensors of the model once: every account of a stage is a sum of these.
template <class Spec = plan_spec>
constexpr model_units units_of(const Spec& spec, const derived& facts) {
  model_units units{};
  const std::int64_t head_width = spec.model.head_width();
  detail::walk_tensors(spec.model, [&](const char*, std::int64_t rows, std::int64_t columns, split how, role purpose, place where,
                                       std::int64_t copies, std::int64_t) {
    const bool routed = purpose == role::routed_expert;
    const tensor_shard shard = shard_of(rows, columns, copies, how, routed, facts.grid, facts.vocabulary, head_width);
    const std::int64_t one = shard.rows * shard.columns;
    const std::int64_t elements = one * shard.copies;
    unit& owner = where == place::input          ? units.input
                  : where == place::every_block  ? units.every_block
                  : where == place::dense_block  ? units.dense_block
                  : where == place::expert_block ? units.expert_block
                                                 : units.output;
    const bool second_copy = purpose == role::embedding && spec.model.tied_embeddings && spec.pp > 1;
    (routed ? owner.routed : owner.dense) += elements;
    if (second_copy) units.output.dense += elements;
    if (!routed && is_hidden_matrix(purpose)) owner.dense_hidden += elements;
    if (is_linear(purpose)) {
      owner.linear += elements;
      owner.linear_shapes += one;
    } else if (purpose == role::embedding && spec.model.tied_embeddings) {
      // The head multiplies with the embedding, whether it is the same tensor or the last stage's copy.
      units.output.linear += elements;
      units.output.linear_shapes += elements;
    }
    if (spec.zero == 0) {
      const std::int64_t state = whole_state_bytes(spec.optimizer, spec.precision.moment, purpose, shard);
      owner.state_bytes += state;
      if (second_copy) units.output.state_bytes += state;
    }
  });
  return units;
}

}  // namespace shardplan
