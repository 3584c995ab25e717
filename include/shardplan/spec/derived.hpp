// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/parallel/degrees.hpp>
#include <shardplan/parallel/vocabulary.hpp>
#include <shardplan/spec/plan_spec.hpp>

#include <cstdint>

namespace shardplan {

/// The ZeRO stage that says what is sharded: 3 under FSDP.
template <class Spec = plan_spec>
constexpr std::int64_t sharding_stage(const Spec& spec) {
  return spec.sharding.is_fsdp() ? 3 : spec.zero;
}

/// Whether master weights and optimizer state are sharded.
template <class Spec = plan_spec>
constexpr bool shards_optimizer(const Spec& spec) {
  return sharding_stage(spec) >= 1;
}
/// Whether gradients are sharded.
template <class Spec = plan_spec>
constexpr bool shards_gradients(const Spec& spec) {
  return sharding_stage(spec) >= 2;
}
/// Whether weights are sharded.
template <class Spec = plan_spec>
constexpr bool shards_weights(const Spec& spec) {
  return sharding_stage(spec) >= 3;
}

/// What is gathered at once when weights are sharded: as said, else by module for DeepSpeed's ZeRO-3 and by block for all else.
template <class Spec = plan_spec>
constexpr gather_unit gather_unit_of(const Spec& spec) {
  if (spec.sharding.unit != gather_unit::by_framework) return spec.sharding.unit;
  return spec.framework == frameworks::deepspeed && !spec.sharding.is_fsdp() ? gather_unit::module : gather_unit::block;
}

/// What follows from a spec by plain arithmetic. Only for a spec whose ranges and divisions are right (the first two tiers of rules).
struct derived {
  degrees grid{};                  ///< all degrees, with defaults filled in
  std::int64_t micro_batches = 0;  ///< micro-batches of one replica in a step (gradient accumulation steps)
  std::int64_t tokens = 0;         ///< tokens of one micro-batch on one context parallel rank
  std::int64_t vocabulary = 0;     ///< rows of the padded vocabulary
  std::int64_t stage = 0;          ///< 1: optimizer state is sharded, 2: gradients too, 3: weights too; 3 under FSDP
  std::int64_t dense_shards = 1;   ///< ranks that share the dense states that are sharded; 1 when none are
  std::int64_t expert_shards = 1;  ///< ranks that share the states of the same routed experts
};

/// Whether tp ranks share the sequence: as said, else exactly when tp > 1.
template <class Spec = plan_spec>
constexpr bool is_sequence_parallel(const Spec& spec) {
  return spec.sequence_parallel == toggle::by_default ? spec.tp > 1 : spec.sequence_parallel == toggle::on && spec.tp > 1;
}

/// The attention kernel of a spec: what the plan says, else what its kernel set has.
template <class Spec = plan_spec>
constexpr attentions attention_of(const Spec& spec) {
  return spec.attention != attentions::by_kernels ? spec.attention : spec.kernels.attention;
}
/// Where dropout is on: what the plan says, else what its kernel set has.
template <class Spec = plan_spec>
constexpr dropouts dropout_of(const Spec& spec) {
  return spec.dropout != dropouts::by_kernels ? spec.dropout : spec.kernels.dropout;
}
/// Whether dropout is on after the embedding and after both branches of a block.
template <class Spec = plan_spec>
constexpr bool drops_hidden(const Spec& spec) {
  const auto where = dropout_of(spec);
  return where == dropouts::hidden || where == dropouts::both;
}
/// Whether dropout is on inside attention.
template <class Spec = plan_spec>
constexpr bool drops_attention(const Spec& spec) {
  const auto where = dropout_of(spec);
  return where == dropouts::attention || where == dropouts::both;
}
/// Rows that the vocabulary is padded to a multiple of: as said, else what the framework does: Megatron-LM pads to 128 x tp, others do not.
template <class Spec = plan_spec>
constexpr std::int64_t vocabulary_multiple_of(const Spec& spec) {
  if (spec.vocabulary_multiple != unset) return spec.vocabulary_multiple;
  return spec.framework == frameworks::megatron ? megatron_vocabulary_divisor * spec.tp : 1;
}

/// Fills in the defaults that follow from other fields.
template <class Spec = plan_spec>
constexpr derived derive(const Spec& spec) {
  derived result{};
  degrees& grid = result.grid;
  grid.world = spec.devices_per_node * spec.nodes;
  grid.tp = spec.tp;
  grid.pp = spec.pp;
  grid.cp = spec.cp;
  grid.ep = spec.ep;
  grid.etp = spec.etp;
  grid.dp = spec.dp != unset ? spec.dp : grid.world / (spec.tp * spec.pp * spec.cp);
  grid.sequence_shards = is_sequence_parallel(spec) ? spec.tp : 1;
  result.micro_batches = spec.global_batch / (spec.micro_batch * grid.dp);
  result.tokens = spec.micro_batch * (spec.sequence / spec.cp);
  result.vocabulary = padded_vocabulary(spec.model.vocab, vocabulary_multiple_of(spec));
  result.stage = sharding_stage(spec);
  if (result.stage >= 1) {
    result.dense_shards = grid.dense_shards();
    // A dense model has no grid of experts, which rules then do not ask to divide the devices.
    if (spec.model.experts.count > 0) result.expert_shards = grid.expert_shards();
    if (spec.sharding.ranks != unset) {  // groups of `ranks`; experts are replicated as often as dense parameters
      if (spec.model.experts.count > 0) result.expert_shards /= result.dense_shards / spec.sharding.ranks;
      result.dense_shards = spec.sharding.ranks;
    }
  }
  return result;
}

}  // namespace shardplan
