// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/size.hpp>
#include <shardplan/model/tensor.hpp>
#include <shardplan/model/transformer.hpp>
#include <shardplan/parallel/buffers.hpp>
#include <shardplan/parallel/rank_model.hpp>
#include <shardplan/parallel/shard_piece.hpp>
#include <shardplan/parallel/sharding.hpp>
#include <shardplan/parallel/stages.hpp>
#include <shardplan/schedule/schedule_spec.hpp>
#include <shardplan/spec/derived.hpp>
#include <shardplan/spec/plan_spec.hpp>
#include <shardplan/spec/stage_layers.hpp>

#include <cstdint>

namespace shardplan {

/// What one chunk of a rank has.
struct chunk_extent {
  std::int64_t first_layer = 0;   ///< index in the model of its first block
  std::int64_t layers = 0;        ///< its blocks, next-token blocks not counted
  bool is_first = false;          ///< has the embedding
  bool is_last = false;           ///< has the head
  bool has_next_token = false;    ///< has the next-token layers
  bool copies_embedding = false;  ///< has a copy of the embedding: for a tied head, or to look up further tokens
};

/// Whether some chunk of pipeline rank `rank` is the first stage.
template <class Spec = plan_spec>
constexpr bool holds_first_stage(const Spec& spec, std::int64_t rank) {
  return rank == 0 || (spec.schedule.layout == placement::bidirectional && rank == spec.pp - 1);
}

/// The extent of chunk `chunk` of pipeline rank `rank`. A rank needs the embedding once: `has_embedding` says whether it is there, and is
/// brought up to date.
template <class Spec = plan_spec>
constexpr chunk_extent extent_of_chunk(const Spec& spec, std::int64_t rank, std::int64_t chunk, bool& has_embedding) {
  const std::int64_t stages = spec.schedule.stages(spec.pp);
  const std::int64_t stage = spec.schedule.chunks == 1 ? rank : stage_of_chunk(spec.schedule.layout, spec.pp, chunk, rank);
  chunk_extent extent{};
  extent.first_layer = first_layer_of_stage(spec, stages, stage);
  extent.layers = layers_of_stage(spec, stages, stage);
  extent.is_first = stage == 0;
  extent.is_last = stage == stages - 1;
  extent.has_next_token = spec.model.next_token_layers > 0 && stage == next_token_stage_of(spec.layer_split, stages);
  extent.copies_embedding = !has_embedding && ((extent.is_last && spec.model.tied_embeddings) || extent.has_next_token);
  has_embedding = has_embedding || extent.copies_embedding;
  return extent;
}

namespace detail {

// Lays the chunks of one rank out.
struct rank_writer {
  piece_writer pieces{};
  shard_layout layout{};
  buffer_cursor dense{};
  buffer_cursor routed{};

  constexpr bool reversed() const { return layout == shard_layout::megatron_buckets; }

  constexpr void add(const rank_parameter& item, std::int64_t layer) {
    buffer_cursor& buffer = item.routed ? routed : dense;
    const std::int64_t one = item.rows * item.columns;
    if (layout != shard_layout::tensors) {
      lay_out(pieces, buffer, item.name, layer, one, 0, item.copies);
      return;
    }
    // Each tensor is a bucket: see `fsdp_shard`.
    const bool together = item.routed && item.copies > 1 && item.copies >= buffer.totals.shards;
    buffer.end_multiple = buffer.totals.shards * (together ? one : item.columns);
    const std::int64_t at_once = together ? item.copies : 1;
    for (std::int64_t copy = 0; copy < item.copies; copy += at_once) {
      lay_out(pieces, buffer, item.name, layer, one, copy, at_once);
      close_bucket(pieces, buffer);
    }
  }
  constexpr void close() {
    close_bucket(pieces, dense);
    close_bucket(pieces, routed);
  }
  constexpr void add_all(const rank_parameters& items, std::int64_t layer) {
    for (std::size_t at = 0; at < items.length; ++at) add(items.values[reversed() ? items.length - 1 - at : at], layer);
  }
  // Megatron-LM gives a tied embedding of a pipeline a bucket of its own.
  constexpr void add_embedding(const rank_parameter& item, bool alone) {
    if (alone) close_bucket(pieces, dense);
    add(item, -1);
    if (alone) close_bucket(pieces, dense);
  }
};

constexpr void set_megatron_rules(buffer_cursor& buffer, bool in_buckets) {
  buffer.alignment = megatron::parameter_alignment;
  buffer.end_multiple = megatron::bucket_multiple(buffer.totals.shards);
  buffer.bucket_size = in_buckets ? megatron::bucket_size(buffer.totals.shards) : 0;
}

constexpr void add_input(const rank_model& model, bool alone, rank_writer& writer) {
  const rank_parameters& items = model[place::input];
  for (std::size_t at = 0; at < items.length; ++at) {
    const std::size_t index = writer.reversed() ? items.length - 1 - at : at;
    writer.add_embedding(items.values[index], alone && index == 0);  // the table is the first of them
  }
}

constexpr void add_output(const rank_model& model, const chunk_extent& chunk, bool alone, rank_writer& writer) {
  const bool reversed = writer.reversed();
  if (reversed && chunk.copies_embedding) writer.add_embedding(model[place::input].values[0], alone);
  if (reversed && chunk.is_last) writer.add_all(model[place::output], -1);
  if (chunk.has_next_token) writer.add_all(model[place::next_token], -1);
  if (!reversed && chunk.is_last) writer.add_all(model[place::output], -1);
  if (!reversed && chunk.copies_embedding) writer.add(model[place::input].values[0], -1);
}

template <class Spec>
constexpr void add_blocks(const Spec& spec, const rank_model& model, const chunk_extent& chunk, rank_writer& writer) {
  const auto& shape = spec.model;
  const bool reversed = writer.reversed();
  const std::int64_t blocks = chunk.layers + (chunk.has_next_token ? shape.next_token_layers : 0);
  for (std::int64_t step = 0; step < blocks; ++step) {
    const std::int64_t at = reversed ? blocks - 1 - step : step;
    const bool is_further = at >= chunk.layers;
    const std::int64_t layer = is_further ? shape.layers + at - chunk.layers : chunk.first_layer + at;
    const bool is_dense = shape.experts.count == 0 || (!is_further && shape.dense_layers_in(layer, 1) == 1);
    const place feed_forward = is_dense ? place::dense_block : place::expert_block;
    writer.add_all(model[reversed ? feed_forward : place::every_block], layer);
    writer.add_all(model[reversed ? place::every_block : feed_forward], layer);
    if (writer.layout == shard_layout::flat_units) writer.close();
  }
}

template <class Spec>
constexpr void add_chunk(const Spec& spec, const rank_model& model, const chunk_extent& chunk, rank_writer& writer) {
  const bool alone = writer.reversed() && spec.model.tied_embeddings && spec.pp > 1;
  if (writer.reversed()) {
    add_output(model, chunk, alone, writer);
    add_blocks(spec, model, chunk, writer);
    if (chunk.is_first) add_input(model, alone, writer);
    return;
  }
  if (chunk.is_first) add_input(model, alone, writer);
  if (writer.layout != shard_layout::flat_units) add_blocks(spec, model, chunk, writer);
  add_output(model, chunk, alone, writer);
  if (writer.layout == shard_layout::flat_units) {  // what is outside the blocks is one unit
    writer.close();
    add_blocks(spec, model, chunk, writer);
  }
}

}  // namespace detail

/// Lays `chunks` chunks of pipeline rank `rank` out as the plan's sharding does: pieces go to `out`, which has room for all of them, or are
/// only counted when it is null. For a spec that passed the first two tiers of rules, with what `derive` says of it and the model's list of
/// parameters on a rank (`list_parameters`).
template <class Spec = plan_spec>
constexpr rank_buffers lay_out_rank(const Spec& spec, const derived& facts, const rank_model& model, std::int64_t rank, std::int64_t chunks,
                                    shard_piece* out) {
  detail::rank_writer writer{};
  writer.pieces.out = out;
  writer.layout = spec.sharding.layout;
  writer.routed.routed = true;
  writer.dense.totals.shards = facts.dense_shards;
  writer.routed.totals.shards = facts.expert_shards;
  writer.dense.end_multiple = facts.dense_shards;
  writer.routed.end_multiple = facts.expert_shards;
  bool has_embedding = holds_first_stage(spec, rank);
  for (std::int64_t chunk = 0; chunk < chunks; ++chunk) {
    if (writer.reversed()) {
      detail::set_megatron_rules(writer.dense, rank == 0 && chunk == 0);
      detail::set_megatron_rules(writer.routed, rank == 0 && chunk == 0);
    }
    detail::add_chunk(spec, model, extent_of_chunk(spec, rank, chunk, has_embedding), writer);
    if (writer.layout != shard_layout::flat) writer.close();
  }
  writer.close();
  return {writer.dense.totals, writer.routed.totals, writer.pieces.count};
}

}  // namespace shardplan
