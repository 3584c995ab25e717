// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/memory/activations.hpp>
#include <shardplan/memory/units.hpp>
#include <shardplan/parallel/activation_shard.hpp>
#include <shardplan/spec/plan_spec.hpp>

#include <cstdint>

namespace shardplan {

/// What lives in one phase only, for each kind of phase; bytes.
struct phase_sizes {
  std::int64_t dense_backward = 0;   ///< backward of a dense block
  std::int64_t expert_backward = 0;  ///< backward of a block with routed experts
  std::int64_t logits = 0;           ///< last stage: one copy of the logits for each token that is predicted
  std::int64_t around_loss = 0;      ///< last stage: what lives beside them in the loss phase
};

/// Estimate. Phases are compared, not added: the sum would be 2.5 to 9 % too high.
/// - backward of a block: gradients of the activations inside it, T (4f + 2h) / t in bf16, and with full recompute the block's complete
/// saved set;
/// - loss, on the last stage: one copy of the logits in the compute precision (fused cross-entropy in place), one more for each next-token
/// layer, and 8Th / t around the final norm. Both hold two gathered sequence buffers under sequence parallelism. With the states and
/// `stage_buffers` within 0.4 % of 27 runs on B200 (tests/truth/b200.cpp).
constexpr phase_sizes phases_of(const plan_spec& spec, const activation_shard& shard, const saved_activations& saved) {
  const transformer& shape = spec.model;
  const std::int64_t element = spec.precision.compute;
  const std::int64_t gathered = shard.own_tokens < shard.tokens ? 2 * element * shape.hidden * shard.tokens : 0;
  const bool full = spec.recompute == recomputes::full;

  phase_sizes sizes{};
  sizes.dense_backward = gathered + saved.block_input + element * 2 * shard.ffn * shard.tokens + (full ? saved.dense_block : 0);
  if (shape.experts.count > 0)
    sizes.expert_backward =
        gathered + saved.block_input + element * 2 * shard.expert_ffn * shard.routed_tokens + (full ? saved.expert_block : 0);
  sizes.logits = element * shard.vocabulary * shard.tokens * (1 + shape.next_token_layers);
  sizes.around_loss = gathered + 4 * saved.block_input;
  return sizes;
}

/// Estimate, bytes: under ZeRO-3 the gathered weights of the largest unit and of one prefetched block, and the whole gradient of the
/// largest unit before it is reduced (deepspeedai/DeepSpeed; pytorch/torchtitan docs/fsdp.md).
constexpr std::int64_t gathered_units(const precision_spec& precision, const model_units& units, bool has_dense, bool has_experts,
                                      bool is_first, bool is_last, bool copies_head) {
  std::int64_t block = has_dense ? units[place::dense_block].elements() : 0;
  if (has_experts && units[place::expert_block].elements() > block) block = units[place::expert_block].elements();
  block += units[place::every_block].elements();
  std::int64_t largest = block;
  if (is_first && units[place::input].elements() > largest) largest = units[place::input].elements();
  const std::int64_t output =
      units[place::output].elements() + units[place::next_token].elements() + (copies_head ? units.tied_head.elements() : 0);
  if (is_last && output > largest) largest = output;
  return precision.compute * (largest + block) + precision.gradient * largest;
}

}  // namespace shardplan
