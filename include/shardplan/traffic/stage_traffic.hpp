// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/bytes.hpp>
#include <shardplan/core/checked.hpp>
#include <shardplan/core/fraction.hpp>
#include <shardplan/spec/derived.hpp>
#include <shardplan/spec/plan_spec.hpp>
#include <shardplan/traffic/collective.hpp>
#include <shardplan/traffic/context_parallel.hpp>
#include <shardplan/traffic/data_parallel.hpp>
#include <shardplan/traffic/expert_parallel.hpp>
#include <shardplan/traffic/pipeline_parallel.hpp>
#include <shardplan/traffic/tensor_parallel.hpp>

#include <cstdint>

namespace shardplan {

/// What a rank of a pipeline stage holds, as far as its traffic depends on it.
struct stage_content {
  std::int64_t dense_layers = 0;       ///< blocks with a dense feed-forward network, next-token layers too
  std::int64_t expert_layers = 0;      ///< blocks with routed experts
  std::int64_t dense_parameters = 0;   ///< on one rank, before ZeRO
  std::int64_t expert_parameters = 0;  ///< routed, on one rank, before ZeRO
  bool has_embedding = false;          ///< the first stage
  bool has_head = false;               ///< the last stage
};

/// What a spec does not say.
struct traffic_choices {
  context_exchange exchange = context_exchange::ring;  ///< over cp
  bool reshard_after_forward = true;                   ///< `data_parallel_scheme`
  bool sync_last_only = false;                         ///< `data_parallel_scheme`
  token_format dispatch{};                             ///< to experts; `hidden` 0: the compute precision of the spec
  token_format combine{};                              ///< back from them; likewise
};

/// Bytes that one rank sends in one optimizer step, by axis; the ideal, where rings divide evenly.
struct traffic_report {
  fraction tensor{};          ///< over tp, in the blocks
  fraction vocabulary{};      ///< over tp, at the embedding, the head and the loss
  fraction context{};         ///< over cp, keys and values
  fraction expert{};          ///< over ep, tokens to experts and back
  fraction forward{};         ///< to the next stage
  fraction backward{};        ///< to the stage before
  fraction data{};            ///< over dp x cp, gradients and weights of the dense parameters
  fraction expert_data{};     ///< over edp, those of routed experts
  fraction tied_embedding{};  ///< between the first and the last stage: the gradient of a table that both hold

  /// All of them.
  constexpr fraction total() const {
    return tensor + vocabulary + context + expert + forward + backward + data + expert_data + tied_embedding;
  }
};

/// The traffic of one rank of pipeline rank `rank`, for a spec that passed the first two tiers of rules. Activations and weights travel in
/// the compute precision, gradients in that of the buffer they are summed in. With full recompute a block runs its forward collectives
/// twice. Not in it: gradients of norms under sequence parallelism (all-reduced over tp once a step, small), expert tensor parallelism
/// inside etp, offload, control messages. Errors: `argument_out_of_range` for latent attention under cp, which is not modelled, and those
/// of the functions that it calls for choices that cannot be (ZeRO-2 that waits, Ulysses with heads that do not divide).
template <class Spec = plan_spec>
constexpr traffic_report traffic_of_stage(const Spec& spec, const stage_content& stage, std::int64_t rank,
                                          const traffic_choices& choices = {}) {
  const derived facts = derive(spec);
  const degrees& grid = facts.grid;
  const transformer& shape = spec.model;
  const bool divided = grid.sequence_shards > 1;
  const bool full = spec.recompute == recomputes::full;
  const std::int64_t steps = facts.micro_batches;
  const std::int64_t element = spec.precision.compute;
  const std::int64_t gradient = spec.precision.accumulator != 0 ? spec.precision.accumulator : spec.precision.gradient;
  const bytes activation{checked_multiply(checked_multiply(facts.tokens, shape.hidden), element)};
  const auto a_step = [&](fraction one_micro_batch) { return fraction{steps} * one_micro_batch; };

  traffic_report sent{};
  // An expert block has attention, and shared experts are a dense MLP beside the routed ones.
  const std::int64_t expert_pairs = shape.experts.shared_ffn > 0 ? 2 : 1;
  const collective_counts in_blocks = stage.dense_layers * block_collectives(divided, spec.recompute) +
                                      stage.expert_layers * block_collectives(divided, spec.recompute, expert_pairs);
  sent.tensor = a_step(ring_passes(in_blocks.passes(), activation, grid.tp));
  const std::int64_t heads = 1 + shape.next_token_layers;
  collective_counts at_ends{};
  if (stage.has_embedding) at_ends = at_ends + embedding_collectives(divided);
  if (stage.has_head) at_ends = at_ends + heads * head_collectives(divided);
  const bytes numbers{checked_multiply(4, facts.tokens)};
  const std::int64_t loss_passes = stage.has_head ? 2 * cross_entropy_all_reduces * heads : 0;
  sent.vocabulary = a_step(ring_passes(at_ends.passes(), activation, grid.tp) + ring_passes(loss_passes, numbers, grid.tp));

  const std::int64_t layers = stage.dense_layers + stage.expert_layers;
  if (grid.cp > 1) {
    if (shape.latent.key_value_rank != 0) argument_out_of_range();
    attention_slice slice{};
    slice.batch = spec.micro_batch;
    slice.tokens = spec.sequence / spec.cp;
    slice.heads = shape.heads / grid.tp;
    slice.kv_heads = ceil_divide(shape.key_value_heads(), grid.tp);
    slice.head_dim = shape.head_width();
    slice.bytes_per_element = slice.gradient_bytes = element;
    const context_sent one = context_parallel_sent(choices.exchange, slice, grid.cp);
    sent.context = a_step(fraction{layers} * (one.forward + one.backward + (full ? one.forward : fraction{})));
  }
  if (stage.expert_layers > 0 && grid.ep > 1) {
    const token_format plain{.hidden = shape.hidden, .bytes_per_element = element};
    const token_format there = choices.dispatch.hidden == 0 ? plain : choices.dispatch;
    const token_format back = choices.combine.hidden == 0 ? plain : choices.combine;
    const std::int64_t tokens = facts.tokens / grid.sequence_shards;
    const fraction both =
        dispatch_sent(there, tokens, shape.experts.top_k, grid.ep) + dispatch_sent(back, tokens, shape.experts.top_k, grid.ep);
    sent.expert = a_step(fraction{checked_multiply(full ? 3 : 2, stage.expert_layers)} * both);
  }

  const boundary_sends boundaries = pipeline_sends(grid.pp, spec.schedule.chunks, rank);
  const fraction boundary{activation.count, grid.sequence_shards};
  sent.forward = a_step(fraction{boundaries.forward} * boundary);
  sent.backward = a_step(fraction{boundaries.backward} * boundary);
  if (shape.tied_embeddings && grid.pp > 1 && (rank == 0 || rank == grid.pp - 1))
    sent.tied_embedding =
        ring_sent(collective::all_reduce, bytes{checked_multiply(checked_multiply(facts.vocabulary / grid.tp, shape.hidden), gradient)}, 2);

  const data_parallel_counts counts = data_parallel_collectives({spec.zero, choices.reshard_after_forward, choices.sync_last_only}, steps);
  const auto replicas = [&](std::int64_t parameters, std::int64_t sharers) {
    return data_parallel_sent(counts, bytes{checked_multiply(parameters, element)}, bytes{checked_multiply(parameters, gradient)}, sharers);
  };
  sent.data = replicas(stage.dense_parameters, grid.dense_shards());
  sent.expert_data = replicas(stage.expert_parameters, grid.expert_shards());
  return sent;
}

}  // namespace shardplan
