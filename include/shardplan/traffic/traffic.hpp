// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/checked.hpp>
#include <shardplan/memory/memory.hpp>
#include <shardplan/memory/recomputed_layers.hpp>
#include <shardplan/parallel/activation_shard.hpp>
#include <shardplan/spec/derived.hpp>
#include <shardplan/spec/plan_spec.hpp>
#include <shardplan/traffic/context_parallel.hpp>
#include <shardplan/traffic/data_parallel.hpp>
#include <shardplan/traffic/expert_parallel.hpp>
#include <shardplan/traffic/held.hpp>
#include <shardplan/traffic/message.hpp>
#include <shardplan/traffic/offloading.hpp>
#include <shardplan/traffic/options.hpp>
#include <shardplan/traffic/pipeline.hpp>
#include <shardplan/traffic/recomputed.hpp>
#include <shardplan/traffic/report.hpp>
#include <shardplan/traffic/spread.hpp>
#include <shardplan/traffic/tensor_parallel.hpp>

#include <cstdint>

namespace shardplan {

/// Micro-batches that each chunk of a rank works on in a step: all of them, or half where each of two pipelines takes half.
template <class Spec = plan_spec>
constexpr std::int64_t micro_batches_of_chunk(const Spec& spec, std::int64_t micro_batches) {
  return spec.schedule.layout == placement::bidirectional ? ceil_divide(micro_batches, 2) : micro_batches;
}

namespace detail {

template <class Spec>
constexpr replication replication_of(const Spec& spec) {
  if (shards_weights(spec)) return spec.sharding.reshard_after_forward ? replication::weights_sharded : replication::weights_kept_gathered;
  if (shards_gradients(spec)) return replication::gradients_sharded;
  return shards_optimizer(spec) ? replication::optimizer_sharded : replication::all_reduced;
}

// Ranks of a pipeline that hold the token embedding.
template <class Spec>
constexpr std::int64_t embedding_holders(const Spec& spec, const derived& facts) {
  std::int64_t holders = 0;
  for (std::int64_t rank = 0; rank < spec.pp; ++rank) {
    const stage_extent extent = extent_of_stage(spec, facts, rank);
    if (extent.is_first || extent.copies_head) ++holders;
  }
  return holders;
}

template <class Sink, class Spec>
constexpr void add_tensor_parallel_of(Sink& sink, const Spec& spec, const derived& facts, const stage_extent& extent,
                                      const recomputed_parts& again, tensor_parallel_work work) {
  const auto& shape = spec.model;
  const std::int64_t routing = extent.layers - extent.dense_layers;
  work.ranks = facts.grid.tp;
  work.tokens = facts.tokens;
  work.hidden = shape.hidden;
  work.embedding_width = shape.embedding_width();
  work.pairs = {extent.dense_layers, again.dense, again.dense_half};
  if (shape.is_latent()) {
    const auto& latent = shape.latent;
    work.latent = {extent.layers, again.attention, again.up_proj + again.halves};
    work.latent_width = (latent.query_rank > 0 ? latent.query_rank : shape.hidden) + latent.key_value_rank;
    work.rotary_width = latent.rope_dim;
  } else {
    work.pairs.all += extent.layers;
    work.pairs.recomputed += again.attention;
    work.pairs.regathered += again.halves;
  }
  if (routing > 0) {
    work.routed = {routing, again.routed, 0};
    if (shape.experts.shared_ffn > 0) {
      work.pairs.all += routing;
      work.pairs.recomputed += again.routed;
      work.pairs.regathered += again.halves - again.dense_half;
    }
  }
  work.next_token = extent.has_next_token ? shape.next_token_layers : 0;
  work.embeds = work.next_token + extent.is_first;
  work.heads = work.next_token + extent.is_last;
  add_tensor_parallel(sink, work);
}

template <class Sink, class Spec>
constexpr void add_context_parallel_of(Sink& sink, const Spec& spec, const derived& facts, const stage_extent& extent,
                                       const recomputed_parts& again, std::int64_t passes, const traffic_options& options) {
  const activation_shard shard = activation_shard_of(spec.model, facts.grid, facts.tokens, facts.vocabulary);
  add_context_parallel(sink,
                       {.ranks = facts.grid.cp,
                        .how = spec.context_exchange,
                        .tokens = facts.tokens,
                        .query_heads = shard.heads,
                        .query = shard.query,
                        .output = shard.output,
                        .key_heads = shard.key / spec.model.head_width(),
                        .key = shard.key,
                        .value = shard.value,
                        .element_bits = spec.precision.compute * 8,
                        .layers = extent.layers,
                        .recomputed = again.cores,
                        .micro_batches = passes},
                       options);
}

template <class Sink, class Spec>
constexpr void add_pipeline_of(Sink& sink, const Spec& spec, const derived& facts, const stage_extent& extent, const sharded_elements& held,
                               std::int64_t passes, std::int64_t gradient_bits, const traffic_options& options) {
  const auto& shape = spec.model;
  const std::int64_t tp = facts.grid.tp;
  add_pipeline(sink, spec.pp, boundaries_of(spec.schedule.layout, spec.pp, spec.schedule.chunks, extent.rank),
               {.elements = facts.tokens * shape.hidden,
                .element_bits = spec.precision.compute * 8,
                .tensor_ranks = tp,
                .sequence_parallel = facts.grid.sequence_shards > 1},
               passes, options);
  if (spec.schedule.layout == placement::bidirectional) {
    // Both ranks that hold a pair of stages have seen half of the micro-batches.
    const std::int64_t all = held.dense + held.routed;
    add_message(sink, {channel::pp, cargo::gradients, collective::all_reduce, 2, all, all, gradient_bits, 1, 1});
    return;
  }
  // Several ranks have the table: for a tied head, or to look up further tokens.
  const bool is_shared = shape.tied_embeddings || shape.next_token_layers > 0;
  if (is_shared && (extent.is_first || extent.copies_head)) {
    const std::int64_t rows = facts.vocabulary / tp * shape.embedding_width();
    add_message(sink, {channel::embeddings, cargo::tied_gradients, collective::all_reduce, embedding_holders(spec, facts), rows, rows,
                       gradient_bits, 1, 1});
  }
}

template <class Sink, class Spec>
constexpr void add_offload_of(Sink& sink, const Spec& spec, const derived& facts, const stage_extent& extent,
                              const sharded_elements& held) {
  const memory_layout layout = memory_layout_of(spec);
  const stage_account account = account_of_extent(spec, layout, extent);
  const auto& precision = spec.precision;
  offload_work work{};
  work.where = spec.offload;
  work.shard = held.padded_dense / facts.dense_shards + held.padded_routed / facts.expert_shards;
  work.gradients = facts.stage >= 2 ? work.shard : held.dense + held.routed;
  work.weight_bits = work.gradient_bits = precision.compute * 8;
  work.accumulator_bits = (precision.accumulator > 0 ? precision.accumulator : precision.gradient) * 8;
  work.moved_bits = (precision.accumulator + precision.gradient) * 8;
  work.nvme_states = account.offloaded.nvme.count;
  if (spec.offload.weights == storage::nvme) {
    Spec without = spec;
    without.offload.weights = storage::device;
    work.nvme_states = account_of_extent(without, layout, extent).offloaded.nvme.count;
    work.nvme_weights = account.offloaded.nvme.count - work.nvme_states;
  }
  if (spec.offload.inputs != storage::device)
    work.inputs = kept_by_blocks(spec, layout.saved, extent.layers, extent.dense_layers, extent.recomputed).on_host;
  work.micro_batches = facts.micro_batches;
  add_offload(sink, work);
}

template <class Spec>
constexpr algorithm tensor_algorithm(const Spec& spec) {
  return spec.collectives.tp == algorithm::hierarchical ? algorithm::ring : spec.collectives.tp;
}

// Expert parallel ranks in a node, where routing is limited to nodes and their groups leave it; 0: else.
template <class Spec>
constexpr std::int64_t routed_inside(const Spec& spec, const degrees& grid) {
  if (spec.routed_nodes <= 0 || grid.ep == 1) return 0;
  const std::int64_t inside = ranks_inside_node(grid, spec.rank_order, 1, axis::ep, spec.devices_per_node);
  return inside > 1 ? inside : 0;
}

template <class Offload>
constexpr bool offloads_anything(const Offload& where) {
  return where.states != storage::device || where.gradients != storage::device || where.weights != storage::device ||
         where.inputs != storage::device || where.moments_percent != 0;
}

}  // namespace detail

/// Tells `sink` every message of a pipeline rank with that extent in one step: `sink.add(message)`. Only for a spec that broke no rule of
/// the first two tiers. Error: `result_leaves_63_bits`.
/// `held` is what the rank holds (`held_by`).
template <class Sink, class Spec = plan_spec>
constexpr void add_traffic_of_extent(Sink& sink, const Spec& spec, const traffic_layout& layout, const stage_extent& extent,
                                     const sharded_elements& held, const traffic_options& options) {
  const derived& facts = layout.facts;
  const degrees& grid = facts.grid;
  const std::int64_t element_bits = spec.precision.compute * 8;
  const std::int64_t gradient_bits = (spec.precision.accumulator != 0 ? spec.precision.accumulator : spec.precision.gradient) * 8;
  const std::int64_t passes = micro_batches_of_chunk(spec, facts.micro_batches);
  const recomputed_parts again = recomputed_of(spec, extent);

  if (grid.tp > 1)
    detail::add_tensor_parallel_of(sink, spec, facts, extent, again,
                                   {.sequence_parallel = grid.sequence_shards > 1,
                                    .element_bits = element_bits,
                                    .micro_batches = passes,
                                    .replicated = held.replicated,
                                    .gradient_bits = gradient_bits,
                                    .by = detail::tensor_algorithm(spec)});
  if (grid.cp > 1) detail::add_context_parallel_of(sink, spec, facts, extent, again, passes, options);
  if (extent.layers > extent.dense_layers)
    add_expert_parallel(sink,
                        {.ranks = grid.ep,
                         .tensor_ranks = grid.etp,
                         .tokens = ceil_divide(facts.tokens, grid.tp),
                         .top_k = spec.model.experts.top_k,
                         .load = spec.expert_load,
                         .hidden = spec.model.hidden,
                         .element_bits = element_bits,
                         .layers = extent.layers - extent.dense_layers,
                         .recomputed = again.routed,
                         .micro_batches = passes,
                         .by = detail::tensor_algorithm(spec),
                         .inside = detail::routed_inside(spec, grid),
                         .limit = spec.routed_nodes},
                        options);
  if (grid.pp > 1) detail::add_pipeline_of(sink, spec, facts, extent, held, passes, gradient_bits, options);

  data_parallel_work work{};
  const auto kind = detail::replication_of(spec);
  work.kind = kind;
  const bool sharded = kind != replication::all_reduced;
  const bool gathers = kind >= replication::weights_sharded;
  // A gathered weight is cast before it is sent.
  work.weight_bits = 8 * (gathers && spec.precision.compute < spec.precision.weight ? spec.precision.compute : spec.precision.weight);
  work.gradient_bits = gradient_bits;
  work.micro_batches = passes;
  work.secondary = spec.sharding.secondary == unset ? 1 : spec.sharding.secondary;
  work.parameters = held.dense;
  work.padded = held.padded_dense;
  work.ranks = sharded ? facts.dense_shards : grid.dense_shards();
  work.replicas = sharded ? grid.dense_shards() / facts.dense_shards : 1;
  work.by = spec.collectives.dp;
  if (work.by == algorithm::hierarchical)
    work.inside = ranks_inside_node(grid, spec.rank_order, work.replicas, axis::fsdp, spec.devices_per_node);
  add_data_parallel(sink, work, options);
  if (held.routed > 0) {
    work.between = channel::edp;
    work.parameters = held.routed;
    work.padded = held.padded_routed;
    work.ranks = sharded ? facts.expert_shards : grid.expert_shards();
    work.replicas = sharded ? grid.expert_shards() / facts.expert_shards : 1;
    work.secondary = 1;
    if (work.by == algorithm::hierarchical)
      work.inside = ranks_inside_node(grid, spec.rank_order, work.replicas, axis::edp_shard, spec.devices_per_node);
    add_data_parallel(sink, work, options);
  }
  if (detail::offloads_anything(spec.offload)) detail::add_offload_of(sink, spec, facts, extent, held);
}

/// The sums of a rank of pipeline rank `stage`, by channel. Errors as above.
template <class Spec = plan_spec>
constexpr traffic_report traffic_of_stage(const Spec& spec, const traffic_layout& layout, std::int64_t stage,
                                          const traffic_options& options) {
  traffic_report report{};
  const stage_extent extent = extent_of_stage(spec, layout.facts, stage);
  add_traffic_of_extent(report, spec, layout, extent, detail::held_by(spec, layout, extent), options);
  return report;
}
/// The same with what the plan says (`communication<>`).
template <class Spec = plan_spec>
constexpr traffic_report traffic_of_stage(const Spec& spec, const traffic_layout& layout, std::int64_t stage) {
  return traffic_of_stage(spec, layout, stage, spec.communication);
}

/// The messages themselves, which say the cargo, the collective, how often, and what is padding. Errors as above.
template <class Spec = plan_spec>
constexpr message_list messages_of_stage(const Spec& spec, const traffic_layout& layout, std::int64_t stage,
                                         const traffic_options& options) {
  message_list list{};
  const stage_extent extent = extent_of_stage(spec, layout.facts, stage);
  add_traffic_of_extent(list, spec, layout, extent, detail::held_by(spec, layout, extent), options);
  return list;
}
/// The same with what the plan says.
template <class Spec = plan_spec>
constexpr message_list messages_of_stage(const Spec& spec, const traffic_layout& layout, std::int64_t stage) {
  return messages_of_stage(spec, layout, stage, spec.communication);
}

}  // namespace shardplan
