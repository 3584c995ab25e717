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
  std::int64_t dense_hidden = 0;   ///< of `dense`: hidden matrices; only where ZeRO shards an optimizer with a rule of its own for them
  std::int64_t routed_hidden = 0;  ///< of `routed`, the same
  std::int64_t linear = 0;         ///< weights of matrix products, routed experts included; only under autocast
  std::int64_t linear_shapes = 0;  ///< one weight of each shape of matrix product, so one expert
  std::int64_t state_bytes = 0;    ///< bytes of optimizer state, tensor by tensor; only without ZeRO

  /// All elements.
  constexpr std::int64_t elements() const { return dense + routed; }
};

/// The units of a model on one rank of the model-parallel grid.
struct model_units {
  unit at[5]{};      ///< by `place`
  unit tied_head{};  ///< the copy of the embedding that a last stage without it has, for a tied head or to look up further tokens

  /// What the rank holds of one place: `every_block` is what all blocks have, `dense_block` and `expert_block` what comes to it.
  constexpr const unit& operator[](place where) const { return at[static_cast<int>(where)]; }
};

/// Walks the tensors of the model once: every account of a stage is a sum of these.
template <class Spec = plan_spec>
constexpr model_units units_of(const Spec& spec, const derived& facts) {
  model_units units{};
  unit& output = units.at[static_cast<int>(place::output)];
  const std::int64_t head_width = spec.model.head_width();
  const bool tied = spec.model.tied_embeddings;
  const bool needs_embedding = tied || spec.model.next_token_layers > 0;
  const bool counts_hidden = spec.zero > 0 && spec.optimizer.hidden_matrix_moments >= 0;
  const bool gathers = spec.zero >= 3;
  const bool counts_linear = !gathers && spec.precision.weight > spec.precision.compute;
  detail::walk_tensors(spec.model, [&](const char*, std::int64_t rows, std::int64_t columns, split how, role purpose, place where,
                                       std::int64_t copies, std::int64_t) {
    const bool routed = purpose == role::routed_expert || purpose == role::expert_bias;  // is_routed, without a call
    const tensor_shard shard = shard_of(rows, columns, copies, how, routed, facts.grid, facts.vocabulary, head_width);
    const std::int64_t one = shard.rows * shard.columns;
    const std::int64_t elements = one * shard.copies;
    unit& owner = units.at[static_cast<int>(where)];
    if (routed) {
      owner.routed += elements;
      if (counts_hidden && is_hidden_matrix(purpose)) owner.routed_hidden += elements;
    } else {
      owner.dense += elements;
      if (counts_hidden && is_hidden_matrix(purpose)) owner.dense_hidden += elements;
    }
    if (is_linear(purpose)) {
      owner.linear_shapes += one;
      if (counts_linear) owner.linear += elements;
    }
    if (spec.zero == 0) owner.state_bytes += whole_state_bytes(spec.optimizer, spec.precision.moment, purpose, shard);
    if (needs_embedding && purpose == role::embedding) {
      // The last stage multiplies with the embedding (a tied head) or looks up the next token: the same tensor, or a copy.
      if (tied) {
        output.linear_shapes += elements;
        if (counts_linear) output.linear += elements;
      }
      units.tied_head.dense = elements;
      units.tied_head.state_bytes = owner.state_bytes;
    }
  });
  return units;
}

}  // namespace shardplan
