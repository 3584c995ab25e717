// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/checked.hpp>
#include <shardplan/memory/activations.hpp>
#include <shardplan/memory/units.hpp>
#include <shardplan/parallel/activation_shard.hpp>
#include <shardplan/recipe/cross_entropy.hpp>
#include <shardplan/spec/plan_spec.hpp>

#include <cstdint>

namespace shardplan {

/// What lives in one phase only, for each kind of phase; bytes.
struct phase_sizes {
  std::int64_t dense_backward = 0;   ///< backward of a dense block
  std::int64_t expert_backward = 0;  ///< backward of a block with routed experts
  std::int64_t logits = 0;           ///< last stage, loss: what stands of the logits of one micro-batch
  std::int64_t kept_logits = 0;      ///< of these, what stays until the head's backward: of each further live micro-batch
  std::int64_t logit_gradients = 0;  ///< last stage, backward of the head: the gradient of one micro-batch's logits; 0: taken in the loss
  std::int64_t around_loss = 0;      ///< last stage: what lives beside them in both phases
  std::int64_t in_loss = 0;          ///< last stage: sums of a chunked loss for its gradient of the hidden states
};

/// Estimate. Phases are compared, not added: the sum would be 2.5 to 9 % too high.
/// - backward of a block: gradients of the activations inside it, T (4f + 2h) / t in bf16, and with full recompute the block's complete
/// saved set;
/// - loss, on the last stage: what the loss kernel holds of the logits (recipe/cross_entropy.hpp), as much for each next-token layer, and
/// 8Th / t around the final norm;
/// - backward of the head: one gradient of the logits, 2TV / t.
/// All hold two gathered sequence buffers under sequence parallelism. With the states and `stage_buffers` within 0.4 % of 27 runs on B200
/// (tests/truth/b200.cpp).
template <class Spec = plan_spec>
constexpr phase_sizes phases_of(const Spec& spec, const activation_shard& shard, const saved_activations& saved) {
  const auto& shape = spec.model;
  const auto& loss = spec.loss;
  const std::int64_t element = spec.precision.compute;
  const std::int64_t gathered = shard.own_tokens < shard.tokens ? 2 * element * shape.hidden * shard.tokens : 0;

  phase_sizes sizes{};
  sizes.dense_backward = gathered + saved.block_input + element * 2 * shard.ffn * shard.tokens + saved.dense_recomputed;
  if (shape.experts.count > 0)
    sizes.expert_backward = gathered + saved.block_input + element * 2 * shard.expert_ffn * shard.routed_tokens + saved.expert_recomputed;
  const std::int64_t predictions = 1 + shape.next_token_layers;
  const std::int64_t logits = shard.vocabulary * (loss.chunks == 1 ? shard.tokens : ceil_divide(shard.tokens, loss.chunks)) * predictions;
  const std::int64_t kept = loss.kept_copies * element + loss.kept_bytes;
  sizes.kept_logits = kept * logits;
  sizes.logits = sizes.kept_logits + (loss.temporary_copies * element + loss.temporary_bytes) * logits;
  if (kept != 0) sizes.logit_gradients = element * logits;
  sizes.around_loss = gathered + 4 * saved.block_input;
  sizes.in_loss = loss.hidden_bytes * shape.hidden * shard.own_tokens;
  return sizes;
}

/// Elements of what ZeRO-3 and FSDP gather on a rank.
struct gathered_elements {
  std::int64_t block = 0;           ///< the largest block
  std::int64_t root = 0;            ///< embedding, final norm and head, as far as the stage has them
  std::int64_t largest = 0;         ///< the largest of a block, the input and the output
  std::int64_t largest_module = 0;  ///< the largest tensor, of one expert
};

/// The gathered units of a rank that holds dense blocks, blocks with experts, the first stage, the last one, next-token layers, a copy
/// of the embedding.
constexpr gathered_elements gathered_by(const model_units& units, bool has_dense, bool has_experts, bool is_first, bool is_last,
                                        bool has_next_token, bool copies_head) {
  gathered_elements gathered{};
  gathered.block = has_dense ? units[place::dense_block].elements() : 0;
  if (has_experts && units[place::expert_block].elements() > gathered.block) gathered.block = units[place::expert_block].elements();
  gathered.block += units[place::every_block].elements();
  const std::int64_t input = is_first ? units[place::input].elements() : 0;
  const std::int64_t output = (is_last ? units[place::output].elements() : 0) + (has_next_token ? units[place::next_token].elements() : 0) +
                              (copies_head ? units.tied_head.elements() : 0);
  gathered.root = input + output;
  gathered.largest = gathered.block > input ? gathered.block : input;
  if (output > gathered.largest) gathered.largest = output;
  const auto compare = [&](bool has, const unit& part) {
    if (has && part.largest > gathered.largest_module) gathered.largest_module = part.largest;
  };
  compare(true, units[place::every_block]);
  compare(has_dense, units[place::dense_block]);
  compare(has_experts, units[place::expert_block]);
  compare(is_first, units[place::input]);
  compare(is_last, units[place::output]);
  compare(has_next_token, units[place::next_token]);
  compare(copies_head, units.tied_head);
  return gathered;
}

}  // namespace shardplan
