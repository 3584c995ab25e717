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

/// What traffic asks of tensors beyond their sum; elements on one rank of the model-parallel grid.
struct sharded_elements {
  std::int64_t replicated = 0;  ///< of dense tensors that each tensor parallel rank holds whole
  std::int64_t dense = 0;       ///< dense, as they are sharded
  std::int64_t routed = 0;      ///< of routed experts, as they are sharded
};

/// What all stages of a plan have in common, beside its `memory_layout`. All zero where no account of the plan asks for it.
struct traffic_layout {
  sharded_elements at[5]{};      ///< by `place`
  sharded_elements tied_head{};  ///< the copy of the embedding that a last stage without it has
};

/// Walks the tensors of the model where their sum is not enough: under sequence parallelism, and where each is sharded by itself (FSDP2
/// rounds the rows of each tensor up to a multiple of the ranks).
template <class Spec = plan_spec>
constexpr traffic_layout traffic_layout_of(const Spec& spec, const derived& facts) {
  traffic_layout layout{};
  const bool by_tensor = spec.sharding.layout == shard_layout::tensors;
  if (!by_tensor && facts.grid.sequence_shards == 1) return layout;
  const std::int64_t head_width = by_tensor ? spec.model.head_width() : 0;
  detail::walk_tensors(spec.model, [&](const char*, std::int64_t rows, std::int64_t columns, split how, role purpose, place where,
                                       std::int64_t copies, std::int64_t) {
    sharded_elements& sum = layout.at[static_cast<int>(where)];
    const bool routed = purpose == role::routed_expert || purpose == role::expert_bias;
    if (how == split::replicated && !routed) sum.replicated += rows * columns * copies;
    if (!by_tensor) return;
    const tensor_shard shard = shard_of(rows, columns, copies, how, routed, facts.grid, facts.vocabulary, head_width);
    const std::int64_t ranks = routed ? facts.expert_shards : facts.dense_shards;
    const std::int64_t padded = ceil_divide(shard.rows, ranks) * ranks * shard.columns * shard.copies;
    (routed ? sum.routed : sum.dense) += padded;
    if (purpose == role::embedding) layout.tied_head.dense = padded;
  });
  return layout;
}

namespace detail {

constexpr std::int64_t rounded_up_to(std::int64_t count, std::int64_t multiple) { return ceil_divide(count, multiple) * multiple; }

// Dense and routed elements of a stage, whole; as memory/memory.hpp adds them up.
constexpr sharded_elements held_by(const model_units& units, const stage_extent& extent) {
  const std::int64_t routing = extent.layers - extent.dense_layers;
  std::int64_t dense = extent.layers * units[place::every_block].dense + extent.dense_layers * units[place::dense_block].dense +
                       routing * units[place::expert_block].dense;
  if (extent.is_first) dense += units[place::input].dense;
  if (extent.is_last) dense += units[place::output].dense;
  if (extent.copies_head) dense += units.tied_head.dense;
  return {0, dense, routing * units[place::expert_block].routed};
}

// Elements as the plan's way of sharding pads them.
template <class Spec>
constexpr sharded_elements padded_elements(const Spec& spec, const memory_layout& layout, const traffic_layout& tensors,
                                           const stage_extent& extent, const sharded_elements& held) {
  const derived& facts = layout.facts;
  const std::int64_t routing = extent.layers - extent.dense_layers;
  const auto sum = [&](std::int64_t sharded_elements::*field) {
    return extent.layers * tensors.at[static_cast<int>(place::every_block)].*field +
           extent.dense_layers * tensors.at[static_cast<int>(place::dense_block)].*field +
           routing * tensors.at[static_cast<int>(place::expert_block)].*field +
           (extent.is_first ? tensors.at[static_cast<int>(place::input)].*field : 0) +
           (extent.is_last ? tensors.at[static_cast<int>(place::output)].*field : 0);
  };
  sharded_elements padded{};
  if (facts.grid.sequence_shards > 1) padded.replicated = sum(&sharded_elements::replicated);
  switch (spec.sharding.layout) {
    case shard_layout::tensors:
      padded.dense = sum(&sharded_elements::dense);
      if (extent.copies_head && layout.units.tied_head.dense > 0) padded.dense += tensors.tied_head.dense;
      padded.routed = sum(&sharded_elements::routed);
      break;
    case shard_layout::flat_units: {  // one buffer for each block, one for the rest
      const std::int64_t dense_block = layout.units[place::every_block].dense + layout.units[place::dense_block].dense;
      const std::int64_t expert_block = layout.units[place::every_block].dense + layout.units[place::expert_block].dense;
      const std::int64_t rest = held.dense - extent.dense_layers * dense_block - routing * expert_block;
      padded.dense = extent.dense_layers * rounded_up_to(dense_block, facts.dense_shards) +
                     routing * rounded_up_to(expert_block, facts.dense_shards) + rounded_up_to(rest, facts.dense_shards);
      padded.routed = routing * rounded_up_to(layout.units[place::expert_block].routed, facts.expert_shards);
      break;
    }
    default: padded.dense = rounded_up_to(held.dense, facts.dense_shards); padded.routed = rounded_up_to(held.routed, facts.expert_shards);
  }
  return padded;
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
constexpr void add_traffic_of_extent(Sink& sink, const Spec& spec, const memory_layout& layout, const traffic_layout& tensors,
                                     std::int64_t stage, const stage_extent& extent, const traffic_options& options) {
  const derived& facts = layout.facts;
  const degrees& grid = facts.grid;
  const transformer& shape = spec.model;
  const std::int64_t routing = extent.layers - extent.dense_layers;
  const std::int64_t element_bits = spec.precision.compute * 8;
  const std::int64_t gradient_bits = (spec.precision.accumulator != 0 ? spec.precision.accumulator : spec.precision.gradient) * 8;
  const bool recomputed = spec.recompute == recomputes::full;
  const bool sequence_parallel = grid.sequence_shards > 1;
  const sharded_elements held = detail::held_by(layout.units, extent);
  const sharded_elements elements = detail::padded_elements(spec, layout, tensors, extent, held);

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
                               .replicated = elements.replicated,
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
  work.padded = elements.dense;
  work.ranks = sharded ? facts.dense_shards : grid.dense_shards();
  work.replicas = sharded ? grid.dense_shards() / facts.dense_shards : 1;
  add_data_parallel(sink, work, options);
  if (held.routed > 0) {
    work.between = channel::edp;
    work.parameters = held.routed;
    work.padded = elements.routed;
    work.ranks = sharded ? facts.expert_shards : grid.expert_shards();
    work.replicas = sharded ? grid.expert_shards() / facts.expert_shards : 1;
    work.secondary = 1;
    add_data_parallel(sink, work, options);
  }
  if (spec.offload.states != storage::device || spec.offload.gradients != storage::device) {
    const offload_report moved = account_of_extent(spec, layout, extent).offloaded;
    add_offload(sink, {.where = spec.offload,
                       .shard = elements.dense / facts.dense_shards + elements.routed / facts.expert_shards,
                       .weight_bits = spec.precision.weight * 8,
                       .gradient_bits = spec.precision.gradient * 8,
                       .state_bytes = moved.nvme.count,
                       .micro_batches = facts.micro_batches});
  }
}

/// The sums of a rank of pipeline rank `stage`, by channel. Errors as above.
template <class Spec = plan_spec>
constexpr traffic_report traffic_of_stage(const Spec& spec, const memory_layout& layout, const traffic_layout& tensors, std::int64_t stage,
                                          const traffic_options& options = {}) {
  traffic_report report{};
  add_traffic_of_extent(report, spec, layout, tensors, stage, extent_of_stage(spec, layout.facts, stage), options);
  return report;
}

/// The messages themselves, which say the cargo, the collective, how often, and what is padding. Errors as above.
template <class Spec = plan_spec>
constexpr message_list messages_of_stage(const Spec& spec, const memory_layout& layout, std::int64_t stage,
                                         const traffic_options& options = {}) {
  message_list list{};
  add_traffic_of_extent(list, spec, layout, traffic_layout_of(spec, layout.facts), stage, extent_of_stage(spec, layout.facts, stage),
                        options);
  return list;
}

}  // namespace shardplan
