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
#include <shardplan/traffic/tensor_parallel.hpp>

#include <cstdint>

namespace shardplan {

/// What traffic asks of the tensors of a stage beyond their sum; elements on one rank of the model-parallel grid.
struct sharded_elements {
  std::int64_t replicated = 0;     ///< of dense tensors that each tensor parallel rank holds whole
  std::int64_t padded_dense = 0;   ///< dense, as they are sharded
  std::int64_t padded_routed = 0;  ///< of routed experts, as they are sharded
};

namespace detail {

// Rows of each tensor rounded up to a multiple of the ranks: FSDP2. Only for plans that need it, since it walks all tensors.
template <class Spec>
constexpr sharded_elements sum_tensors(const Spec& spec, const derived& facts, const stage_extent& extent) {
  sharded_elements sum{};
  const std::int64_t head_width = spec.model.head_width();
  const bool needs_embedding = spec.model.tied_embeddings || spec.model.next_token_layers > 0;
  const std::int64_t routing = extent.layers - extent.dense_layers;
  detail::walk_tensors(spec.model, [&](const char*, std::int64_t rows, std::int64_t columns, split how, role purpose, place where,
                                       std::int64_t copies, std::int64_t) {
    std::int64_t times = 0;
    switch (where) {
      case place::input: times = extent.is_first || (extent.copies_head && needs_embedding && purpose == role::embedding) ? 1 : 0; break;
      case place::every_block: times = extent.layers; break;
      case place::dense_block: times = extent.dense_layers; break;
      case place::expert_block: times = routing; break;
      case place::output: times = extent.is_last ? 1 : 0; break;
    }
    if (times == 0) return;
    const bool routed = is_routed(purpose);
    const tensor_shard shard = shard_of(rows, columns, copies, how, routed, facts.grid, facts.vocabulary, head_width);
    const std::int64_t ranks = routed ? facts.expert_shards : facts.dense_shards;
    if (how == split::replicated && !routed) sum.replicated += shard.elements() * times;
    (routed ? sum.padded_routed : sum.padded_dense) += ceil_divide(shard.rows, ranks) * ranks * shard.columns * shard.copies * times;
  });
  return sum;
}

constexpr std::int64_t rounded_up_to(std::int64_t count, std::int64_t multiple) { return ceil_divide(count, multiple) * multiple; }

// Dense and routed elements of a stage, whole; as memory/memory.hpp adds them up.
constexpr unit held_by(const model_units& units, const stage_extent& extent) {
  const std::int64_t routing = extent.layers - extent.dense_layers;
  unit held{};
  held.dense = extent.layers * units[place::every_block].dense + extent.dense_layers * units[place::dense_block].dense +
               routing * units[place::expert_block].dense + (extent.is_first ? units[place::input].dense : 0) +
               (extent.is_last ? units[place::output].dense : 0) + (extent.copies_head ? units.tied_head.dense : 0);
  held.routed = routing * units[place::expert_block].routed;
  return held;
}

// Elements as the plan's way of sharding pads them.
template <class Spec>
constexpr sharded_elements padded_elements(const Spec& spec, const memory_layout& layout, const stage_extent& extent, const unit& held) {
  const derived& facts = layout.facts;
  const bool by_tensor = spec.sharding.layout == shard_layout::tensors;
  sharded_elements sum{};
  if (by_tensor || facts.grid.sequence_shards > 1) sum = sum_tensors(spec, facts, extent);
  if (by_tensor) return sum;
  if (spec.sharding.layout != shard_layout::flat_units) {
    sum.padded_dense = rounded_up_to(held.dense, facts.dense_shards);
    sum.padded_routed = rounded_up_to(held.routed, facts.expert_shards);
    return sum;
  }
  // One buffer for each block, one for the rest.
  const std::int64_t routing = extent.layers - extent.dense_layers;
  const std::int64_t dense_block = layout.units[place::every_block].dense + layout.units[place::dense_block].dense;
  const std::int64_t expert_block = layout.units[place::every_block].dense + layout.units[place::expert_block].dense;
  const std::int64_t rest = held.dense - extent.dense_layers * dense_block - routing * expert_block;
  sum.padded_dense = extent.dense_layers * rounded_up_to(dense_block, facts.dense_shards) +
                     routing * rounded_up_to(expert_block, facts.dense_shards) + rounded_up_to(rest, facts.dense_shards);
  sum.padded_routed = routing * rounded_up_to(layout.units[place::expert_block].routed, facts.expert_shards);
  return sum;
}

constexpr replication replication_of(const plan_spec& spec) {
  if (shards_weights(spec)) return spec.sharding.reshard_after_forward ? replication::weights_sharded : replication::weights_kept_gathered;
  if (shards_gradients(spec)) return replication::gradients_sharded;
  return shards_optimizer(spec) ? replication::optimizer_sharded : replication::all_reduced;
}

}  // namespace detail

/// All that a rank of pipeline rank `stage` sends and receives in one step. `layout` is that of the plan (memory/memory.hpp). Only for a
/// spec that broke no rule of the first two tiers. Error: `result_leaves_63_bits`.
template <class Spec = plan_spec>
constexpr traffic_report traffic_of_stage(const Spec& spec, const memory_layout& layout, std::int64_t stage,
                                          const traffic_options& options = {}) {
  const derived& facts = layout.facts;
  const degrees& grid = facts.grid;
  const transformer& shape = spec.model;
  const stage_extent extent = extent_of_stage(spec, facts, stage);
  const std::int64_t routing = extent.layers - extent.dense_layers;
  const std::int64_t element_bits = spec.precision.compute * 8;
  const std::int64_t gradient_bits = (spec.precision.accumulator != 0 ? spec.precision.accumulator : spec.precision.gradient) * 8;
  const bool recomputed = spec.recompute == recomputes::full;
  const bool sequence_parallel = grid.sequence_shards > 1;
  const unit held = detail::held_by(layout.units, extent);
  const sharded_elements elements = detail::padded_elements(spec, layout, extent, held);

  traffic_report report{};
  if (grid.tp > 1) {
    const std::int64_t shared = shape.experts.shared_ffn > 0 ? routing : 0;
    add_tensor_parallel(report, {.ranks = grid.tp,
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
    add_context_parallel(report,
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
    add_expert_parallel(report,
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
    add_pipeline(report, grid.pp, boundaries_of(spec.schedule.layout, grid.pp, spec.schedule.chunks, stage),
                 {.elements = facts.tokens * shape.hidden,
                  .element_bits = element_bits,
                  .tensor_ranks = grid.tp,
                  .sequence_parallel = sequence_parallel},
                 facts.micro_batches, options);
    // Both ends have the table: for a tied head, or to look up further tokens.
    const bool has_two = shape.tied_embeddings || shape.next_token_layers > 0;
    if (has_two && extent.is_first != extent.is_last) {
      const std::int64_t rows = facts.vocabulary / grid.tp * shape.hidden;
      add_message(report, {channel::embeddings, cargo::tied_gradients, collective::all_reduce, 2, rows, rows, gradient_bits, 1, 1});
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
  work.padded = elements.padded_dense;
  work.ranks = sharded ? facts.dense_shards : grid.dense_shards();
  work.replicas = sharded ? grid.dense_shards() / facts.dense_shards : 1;
  add_data_parallel(report, work, options);
  if (held.routed > 0) {
    work.between = channel::edp;
    work.parameters = held.routed;
    work.padded = elements.padded_routed;
    work.ranks = sharded ? facts.expert_shards : grid.expert_shards();
    work.replicas = sharded ? grid.expert_shards() / facts.expert_shards : 1;
    work.secondary = 1;
    add_data_parallel(report, work, options);
  }
  if (spec.offload.states != storage::device || spec.offload.gradients != storage::device) {
    const offload_report moved = account_of_extent(spec, layout, extent).offloaded;
    add_offload(report, {.where = spec.offload,
                         .shard = elements.padded_dense / facts.dense_shards + elements.padded_routed / facts.expert_shards,
                         .weight_bits = spec.precision.weight * 8,
                         .gradient_bits = spec.precision.gradient * 8,
                         .state_bytes = moved.nvme.count,
                         .micro_batches = facts.micro_batches});
  }
  return report;
}

}  // namespace shardplan
