// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/checked.hpp>
#include <shardplan/memory/memory.hpp>
#include <shardplan/model/inventory.hpp>
#include <shardplan/model/tensor.hpp>
#include <shardplan/parallel/activation_shard.hpp>
#include <shardplan/parallel/tensor_shard.hpp>
#include <shardplan/spec/derived.hpp>
#include <shardplan/spec/plan_spec.hpp>
#include <shardplan/traffic/context_parallel.hpp>
#include <shardplan/traffic/data_parallel.hpp>
#include <shardplan/traffic/expert_parallel.hpp>
#include <shardplan/traffic/message.hpp>
#include <shardplan/traffic/offloading.hpp>
#include <shardplan/traffic/options.hpp>
#include <shardplan/traffic/pipeline.hpp>
#include <shardplan/traffic/report.hpp>
#include <shardplan/traffic/tensor_parallel.hpp>

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
  sharded_elements at[5]{};      ///< by `place`
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
                                       std::int64_t count, std::int64_t) {
    sharded_elements& sum = layout.at[static_cast<int>(where)];
    const bool routed = purpose == role::routed_expert || purpose == role::expert_bias;
    const tensor_shard shard = shard_of(rows, columns, count, how, routed, facts.grid, facts.vocabulary, head_width);
    const std::int64_t elements = shard.rows * shard.columns * shard.copies;
    (routed ? sum.routed : sum.dense) += elements;
    if (how == split::replicated && !routed) sum.replicated += elements;
    const bool copied = copies && purpose == role::embedding;
    if (copied) layout.tied_head.dense = elements;
    if (!by_tensor) return;
    const std::int64_t ranks = routed ? facts.expert_shards : facts.dense_shards;
    const std::int64_t padded = ceil_divide(shard.rows, ranks) * ranks * shard.columns * shard.copies;
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
  const std::int64_t routing = extent.layers - extent.dense_layers;
  const auto sum = [&](std::int64_t sharded_elements::*field) {
    return extent.layers * layout[place::every_block].*field + extent.dense_layers * layout[place::dense_block].*field +
           (routing > 0 ? routing * layout[place::expert_block].*field : 0) + (extent.is_first ? layout[place::input].*field : 0) +
           (extent.is_last ? layout[place::output].*field : 0) + (extent.copies_head ? layout.tied_head.*field : 0);
  };
  sharded_elements held{};
  held.dense = sum(&sharded_elements::dense);
  if (routing > 0) held.routed = routing * layout[place::expert_block].routed;
  if (facts.grid.sequence_shards > 1) held.replicated = sum(&sharded_elements::replicated);
  switch (spec.sharding.layout) {
    case shard_layout::tensors:
      held.padded_dense = sum(&sharded_elements::padded_dense);
      held.padded_routed = sum(&sharded_elements::padded_routed);
      break;
    case shard_layout::flat_units: {  // one buffer for each block, one for the
                                      // rest
      const std::int64_t dense_block = layout[place::every_block].dense + layout[place::dense_block].dense;
      const std::int64_t expert_block = layout[place::every_block].dense + layout[place::expert_block].dense;
      const std::int64_t rest = held.dense - extent.dense_layers * dense_block - routing * expert_block;
      held.padded_dense = extent.dense_layers * rounded_up_to(dense_block, facts.dense_shards) +
                          routing * rounded_up_to(expert_block, facts.dense_shards) + rounded_up_to(rest, facts.dense_shards);
      held.padded_routed = routing * rounded_up_to(layout[place::expert_block].routed, facts.expert_shards);
      break;
    }
    default:
      held.padded_dense = rounded_up_to(held.dense, facts.dense_shards);
      held.padded_routed = rounded_up_to(held.routed, facts.expert_shards);
  }
  return held;
}

constexpr replication replication_of(const plan_spec& spec) {
  if (shards_weights(spec)) return spec.sharding.reshard_after_forward ? replication::weights_sharded : replication::weights_kept_gathered;
  if (shards_gradients(spec)) return replication::gradients_sharded;
  return shards_optimizer(spec) ? replication::optimizer_sharded : replication::all_reduced;
}

}  // namespace detail

/// Tells `sink` every message of a rank of pipeline rank `stage`, whose extent is `extent`, in one step: `sink.add(message)`. Only for a
/// spec that broke no rule of the first two tiers. Error: `result_leaves_63_bits`.
template <class Sink, class Spec = plan_spec>
constexpr void add_traffic_of_extent(Sink& sink, const Spec& spec, const traffic_layout& layout, std::int64_t stage,
                                     const stage_extent& extent, const traffic_options& options) {
  const derived& facts = layout.facts;
  const degrees& grid = facts.grid;
  const transformer& shape = spec.model;
  const std::int64_t routing = extent.layers - extent.dense_layers;
  const std::int64_t element_bits = spec.precision.compute * 8;
  const std::int64_t gradient_bits = (spec.precision.accumulator != 0 ? spec.precision.accumulator : spec.precision.gradient) * 8;
  const bool recomputed = spec.recompute == recomputes::full;
  const bool sequence_parallel = grid.sequence_shards > 1;
  const sharded_elements held = detail::held_by(spec, layout, extent);

  if (grid.tp > 1) {
    const std::int64_t shared = shape.experts.shared_ffn > 0 ? routing : 0;
    add_tensor_parallel(sink, {.ranks = grid.tp,
                               .sequence_parallel = sequence_parallel,
                               .recomputed = recomputed,
                               .tokens = facts.tokens,
                               .hidden = shape.hidden,
                               .element_bits = element_bits,
                               .micro_batches = facts.micro_batches,
                               .pairs = extent.layers + extent.dense_layers + shared,
                               .routed_layers = routing,
                               .embeds = extent.is_first,
                               .heads = extent.is_last ? 1 + shape.next_token_layers : 0,
                               .replicated = held.replicated,
                               .gradient_bits = gradient_bits});
  }
  if (grid.cp > 1) {
    const activation_shard shard = activation_shard_of(shape, grid, facts.tokens, facts.vocabulary);
    const std::int64_t head = shape.head_width();
    add_context_parallel(sink,
                         {.ranks = grid.cp,
                          .tokens = facts.tokens,
                          .query_heads = shard.heads,
                          .query = shard.query,
                          .output = shard.output,
                          .key_heads = shard.key / head,
                          .key = shard.key,
                          .value = shard.value,
                          .element_bits = element_bits,
                          .layers = extent.layers,
                          .micro_batches = facts.micro_batches,
                          .recomputed = recomputed},
                         options);
  }
  if (routing > 0) {
    add_expert_parallel(sink,
                        {.ranks = grid.ep,
                         .tensor_ranks = grid.etp,
                         .tokens = ceil_divide(facts.tokens, grid.tp),
                         .top_k = shape.experts.top_k,
                         .hidden = shape.hidden,
                         .element_bits = element_bits,
                         .layers = routing,
                         .micro_batches = facts.micro_batches,
                         .recomputed = recomputed},
                        options);
  }
  if (grid.pp > 1) {
    add_pipeline(sink, grid.pp, boundaries_of(spec.schedule.layout, grid.pp, spec.schedule.chunks, stage),
                 {.elements = facts.tokens * shape.hidden,
                  .element_bits = element_bits,
                  .tensor_ranks = grid.tp,
                  .sequence_parallel = sequence_parallel},
                 facts.micro_batches, options);
    // Both ends have the table: for a tied head, or to look up further tokens.
    const bool has_two = shape.tied_embeddings || shape.next_token_layers > 0;
    if (has_two && extent.is_first != extent.is_last) {
      const std::int64_t rows = facts.vocabulary / grid.tp * shape.hidden;
      add_message(sink, {channel::embeddings, cargo::tied_gradients, collective::all_reduce, 2, rows, rows, gradient_bits, 1, 1});
    }
  }
  data_parallel_work work{};
  work.kind = detail::replication_of(spec);
  const bool sharded = work.kind != replication::all_reduced;
  const bool gathers = work.kind >= replication::weights_sharded;
  // A gathered weight is cast before it is sent.
  work.weight_bits = 8 * (gathers && spec.precision.compute < spec.precision.weight ? spec.precision.compute : spec.precision.weight);
  work.gradient_bits = gradient_bits;
  work.micro_batches = facts.micro_batches;
  work.secondary = spec.sharding.secondary == unset ? 1 : spec.sharding.secondary;
  work.parameters = held.dense;
  work.padded = held.padded_dense;
  work.ranks = sharded ? facts.dense_shards : grid.dense_shards();
  work.replicas = sharded ? grid.dense_shards() / facts.dense_shards : 1;
  add_data_parallel(sink, work, options);
  if (held.routed > 0) {
    work.between = channel::edp;
    work.parameters = held.routed;
    work.padded = held.padded_routed;
    work.ranks = sharded ? facts.expert_shards : grid.expert_shards();
    work.replicas = sharded ? grid.expert_shards() / facts.expert_shards : 1;
    work.secondary = 1;
    add_data_parallel(sink, work, options);
  }
  if (spec.offload.states != storage::device || spec.offload.gradients != storage::device) {
    const offload_report moved = account_of_extent(spec, memory_layout_of(spec), extent).offloaded;
    add_offload(sink, {.where = spec.offload,
                       .shard = held.padded_dense / facts.dense_shards + held.padded_routed / facts.expert_shards,
                       .weight_bits = spec.precision.weight * 8,
                       .gradient_bits = spec.precision.gradient * 8,
                       .state_bytes = moved.nvme.count,
                       .micro_batches = facts.micro_batches});
  }
}

/// The sums of a rank of pipeline rank `stage`, by channel. Errors as above.
template <class Spec = plan_spec>
constexpr traffic_report traffic_of_stage(const Spec& spec, const traffic_layout& layout, std::int64_t stage,
                                          const traffic_options& options = default_traffic_options) {
  traffic_report report{};
  add_traffic_of_extent(report, spec, layout, stage, extent_of_stage(spec, layout.facts, stage), options);
  return report;
}

/// The messages themselves, which say the cargo, the collective, how often, and what is padding. Errors as above.
template <class Spec = plan_spec>
constexpr message_list messages_of_stage(const Spec& spec, const traffic_layout& layout, std::int64_t stage,
                                         const traffic_options& options = default_traffic_options) {
  message_list list{};
  add_traffic_of_extent(list, spec, layout, stage, extent_of_stage(spec, layout.facts, stage), options);
  return list;
}

}  // namespace shardplan
