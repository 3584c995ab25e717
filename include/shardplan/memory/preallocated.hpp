// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/bytes.hpp>
#include <shardplan/core/checked.hpp>
#include <shardplan/memory/saved_tensors.hpp>
#include <shardplan/model/tensor.hpp>
#include <shardplan/parallel/activation_shard.hpp>
#include <shardplan/spec/plan_spec.hpp>

#include <cstdint>

namespace shardplan {

/// The buffers that a program of a kernel set with `preallocates` takes from the device before its first step.
struct preallocated_buffers {
  bytes activations{};  ///< what all blocks and both ends keep, scratch, the one buffer of what is recomputed
  bytes gradients{};    ///< gradients of activations, where `gradients_apart`; else they are scratch in `activations`
};

/// The buffers of karpathy/llm.c for one micro-batch of a dense model on one rank (train_gpt2.cu, `fill_in_activation_sizes`): the lists of
/// `saved_tensors_of` for all blocks and for the output, the logits in a scratch tensor that the packed query, key and value and a row of
/// scores must fit into as well, five times the residual stream for gradients, and one result of the function in the feed-forward network
/// when it is recomputed. Both are zero for a kernel set that allocates as it goes. Error: overflow is refused.
template <class Spec = plan_spec>
constexpr preallocated_buffers preallocated_of(const Spec& spec) {
  preallocated_buffers buffers{};
  if (!spec.kernels.preallocates) return buffers;
  const activation_shard shard = detail::shard_of(spec);
  const std::int64_t hidden = spec.model.hidden;
  const bool scores = attention_of(spec) == attentions::materialised;
  buffers.activations =
      saved_bytes(saved_tensors_of(spec, place::dense_block)) * spec.model.layers + saved_bytes(saved_tensors_of(spec, place::output));
  std::int64_t scratch = shard.vocabulary;
  const std::int64_t packed = shard.query + shard.key + shard.value;
  const std::int64_t row_of_scores = checked_multiply(shard.heads, spec.sequence);
  if (packed > scratch) scratch = packed;
  if (row_of_scores > scratch) scratch = row_of_scores;
  if (includes(spec.recompute, recomputes::mlp_act)) scratch = checked_add(scratch, shard.ffn);
  std::int64_t gradients = 5 * hidden;
  if (spec.kernels.gradients_apart && scores) gradients = checked_add(gradients, row_of_scores);
  const auto size = [&](std::int64_t width) {
    return bytes{checked_multiply(checked_multiply(width, spec.precision.compute), shard.tokens)};
  };
  buffers.activations = buffers.activations + size(scratch);
  (spec.kernels.gradients_apart ? buffers.gradients : buffers.activations) += size(gradients);
  return buffers;
}

}  // namespace shardplan
