// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/static_vector.hpp>
#include <shardplan/core/text.hpp>
#include <shardplan/model/inventory.hpp>
#include <shardplan/model/tensor.hpp>
#include <shardplan/model/transformer.hpp>
#include <shardplan/parallel/buffers.hpp>
#include <shardplan/parallel/shard_piece.hpp>
#include <shardplan/parallel/sharding.hpp>
#include <shardplan/parallel/stages.hpp>
#include <shardplan/parallel/tensor_shard.hpp>
#include <shardplan/schedule/schedule_spec.hpp>

#include <cstddef>
#include <cstdint>

// How the states of one rank lie in memory. Templates over the spec and what is derived from it, which are defined to the right.

namespace shardplan {

/// The two buffers of a rank.
struct rank_buffers {
  shard_buffer dense{};   ///< all but routed experts
  shard_buffer routed{};  ///< routed experts
};

namespace detail {

// A parameter as it is allocated on a rank.
struct rank_parameter {
  const char* name = "";
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t copies = 0;
  bool routed = false;
};
// Of one place of the model, in the order of a forward pass.
using rank_parameters = static_vector<rank_parameter, 32>;

// Whether Megatron-LM has the tensor in one parameter with the one before: query, key and value, gate and up.
constexpr bool continues_parameter(literal name, bool gated) {
  if (name == "key" || name == "value" || name == "key_bias" || name == "value_bias") return true;
  return gated && (name == "up" || name == "up_bias" || name == "expert_up" || name == "expert_up_bias" || name == "shared_up");
}

struct rank_model {
  rank_parameters at[6]{};  // by `place`
  rank_parameter embedding{};
};

template <class Spec, class Facts>
constexpr rank_model rank_model_of(const Spec& spec, const Facts& facts) {
  rank_model model{};
  const std::int64_t head_width = spec.model.head_width();
  const bool gated = spec.model.mlp == mlp::gated;
  const bool fuses = spec.sharding.layout == shard_layout::megatron_buckets;
  walk_tensors(spec.model, [&](const char* name, std::int64_t rows, std::int64_t columns, split how, role purpose, place where,
                               std::int64_t copies, std::int64_t) {
    const bool routed = is_routed(purpose);
    const tensor_shard shard = shard_of(rows, columns, copies, how, routed, facts.grid, facts.vocabulary, head_width);
    rank_parameters& list = model.at[static_cast<int>(where)];
    if (fuses && list.length > 0 && continues_parameter(name, gated)) {
      list.values[list.length - 1].rows += shard.rows;
    } else {
      list.push_back({name, shard.rows, shard.columns, shard.copies, routed});
    }
    if (purpose == role::embedding) model.embedding = {"token_embedding", shard.rows, shard.columns, shard.copies, routed};
  });
  return model;
}

// Lays the chunks of one rank out.
template <class List>
struct rank_writer {
  List* list;
  shard_layout layout;
  buffer_cursor dense{};
  buffer_cursor routed{};

  constexpr void add(const rank_parameter& item, std::int64_t layer) {
    buffer_cursor& buffer = item.routed ? routed : dense;
    if (layout != shard_layout::tensors) {
      lay_out(*list, buffer, item.name, layer, item.rows * item.columns, item.copies);
      return;
    }
    // Each tensor is a bucket. Experts are one tensor, cut between experts, or within each where there are fewer of them than ranks.
    const bool together = item.copies >= buffer.totals.shards;
    const std::int64_t rows = together ? item.copies * item.rows : item.rows;
    const std::int64_t times = together ? 1 : item.copies;
    const std::int64_t unit = together && item.copies > 1 ? item.rows * item.columns : item.columns;
    buffer.end_multiple = buffer.totals.shards * unit;
    for (std::int64_t copy = 0; copy < times; ++copy) {
      const std::int64_t at = pieces_in(*list);
      lay_out(*list, buffer, item.name, layer, (together ? item.rows : rows) * item.columns, together ? item.copies : 1);
      name_copy(*list, at, copy);
      close_bucket(*list, buffer);
    }
  }
  template <class Pieces>
  static constexpr void name_copy(Pieces& pieces, std::int64_t at, std::int64_t copy) {
    pieces[static_cast<std::size_t>(at)].copy = copy;
  }
  static constexpr void name_copy(piece_counter&, std::int64_t, std::int64_t) {}

  constexpr void close() {
    close_bucket(*list, dense);
    close_bucket(*list, routed);
  }
  constexpr void add_all(const rank_parameters& items, std::int64_t layer) {
    const bool reversed = layout == shard_layout::megatron_buckets;
    for (std::size_t at = 0; at < items.length; ++at) add(items.values[reversed ? items.length - 1 - at : at], layer);
  }
  constexpr void add_shared_embedding(const rank_parameter& item) {
    // Megatron-LM gives a tied embedding of a pipeline a bucket of its own.
    const bool alone = layout == shard_layout::megatron_buckets;
    if (alone) close_bucket(*list, dense);
    add(item, -1);
    if (alone) close_bucket(*list, dense);
  }
};

// What a chunk has beside its own blocks.
struct chunk_extent {
  std::int64_t first_layer = 0;
  std::int64_t layers = 0;
  bool is_first = false;
  bool is_last = false;
  bool has_next_token = false;
  bool copies_embedding = false;
};

template <class Spec, class List>
constexpr void add_chunk(const Spec& spec, const rank_model& model, const chunk_extent& chunk, rank_writer<List>& writer) {
  const transformer& shape = spec.model;
  const bool reversed = writer.layout == shard_layout::megatron_buckets;
  const bool by_unit = writer.layout == shard_layout::flat_units;
  const bool shares = shape.tied_embeddings && spec.pp > 1;
  const auto part = [&](place where) { return model.at[static_cast<int>(where)]; };
  const auto add_block = [&](std::int64_t layer, bool is_dense) {
    const place feed_forward = is_dense ? place::dense_block : place::expert_block;
    writer.add_all(model.at[static_cast<int>(reversed ? feed_forward : place::every_block)], layer);
    writer.add_all(model.at[static_cast<int>(reversed ? place::every_block : feed_forward)], layer);
    if (by_unit) writer.close();
  };
  const auto add_ends = [&](bool input, bool output) {
    if (input && chunk.is_first) {
      if (reversed && shares) {  // the table by itself, what else there is in order
        for (std::size_t at = part(place::input).length; at-- > 1;) writer.add(part(place::input).values[at], -1);
        writer.add_shared_embedding(model.embedding);
      } else {
        writer.add_all(part(place::input), -1);
      }
    }
    if (!output) return;
    if (!reversed && chunk.has_next_token) writer.add_all(part(place::next_token), -1);
    if (!reversed && chunk.is_last) writer.add_all(part(place::output), -1);
    if (chunk.copies_embedding) {
      if (shares) {
        writer.add_shared_embedding(model.embedding);
      } else {
        writer.add(model.embedding, -1);
      }
    }
    if (reversed && chunk.is_last) writer.add_all(part(place::output), -1);
    if (reversed && chunk.has_next_token) writer.add_all(part(place::next_token), -1);
  };
  // The rest of a unit layout is one unit: it comes first, so that nothing stays open while blocks are laid out.
  add_ends(!reversed, reversed || by_unit);
  if (by_unit) writer.close();
  const std::int64_t further = chunk.has_next_token ? shape.next_token_layers : 0;
  for (std::int64_t at = 0; at < chunk.layers + further; ++at) {
    const std::int64_t place_in_chunk = reversed ? chunk.layers + further - 1 - at : at;
    const bool is_further = place_in_chunk >= chunk.layers;
    const std::int64_t layer = is_further ? shape.layers + place_in_chunk - chunk.layers : chunk.first_layer + place_in_chunk;
    add_block(layer, shape.experts.count == 0 || (!is_further && shape.dense_layers_in(layer, 1) == 1));
  }
  add_ends(reversed, !reversed && !by_unit);
}

}  // namespace detail

/// Lays the states of pipeline rank `rank` out as the plan's sharding does and appends each piece to `list` (anything with `push_back`,
/// `size` and `operator[]`; or a `piece_counter`). Buffers of dense and routed tensors are counted apart. For a spec that passed the first
/// two tiers of rules, with what `derive` says of it.
template <class Spec, class Facts, class List>
constexpr rank_buffers lay_out_rank(const Spec& spec, const Facts& facts, std::int64_t rank, List& list) {
  const detail::rank_model model = detail::rank_model_of(spec, facts);
  const shard_layout layout = spec.sharding.layout;
  const bool megatron_rules = layout == shard_layout::megatron_buckets;
  detail::rank_writer<List> writer{&list, layout, {}, {}};
  writer.routed.routed = true;
  writer.dense.totals.shards = facts.dense_shards;
  writer.routed.totals.shards = facts.expert_shards;
  const auto set_rules = [&](buffer_cursor& buffer, bool in_buckets) {
    const std::int64_t shards = buffer.totals.shards;
    buffer.end_multiple = megatron_rules ? megatron::bucket_multiple(shards) : shards;
    if (megatron_rules) buffer.alignment = megatron::parameter_alignment;
    buffer.bucket_size = megatron_rules && in_buckets ? megatron::bucket_size(shards) : 0;
  };
  const std::int64_t chunks = spec.schedule.chunks;
  const std::int64_t stages = spec.pp * chunks;
  bool has_embedding = rank == 0;  // its own, or a copy already
  for (std::int64_t chunk = 0; chunk < chunks; ++chunk) {
    const std::int64_t stage = chunks == 1 ? rank : stage_of_chunk(spec.schedule.layout, spec.pp, chunk, rank);
    detail::chunk_extent extent{};
    extent.first_layer = first_layer_of_stage(spec.layer_split, spec.model.layers, stages, stage);
    extent.layers = layers_of_stage(spec.layer_split, spec.model.layers, stages, stage);
    extent.is_first = stage == 0;
    extent.is_last = stage == stages - 1;
    extent.has_next_token = spec.model.next_token_layers > 0 && stage == next_token_stage_of(spec.layer_split, stages);
    extent.copies_embedding = !has_embedding && ((extent.is_last && spec.model.tied_embeddings) || extent.has_next_token);
    has_embedding = has_embedding || extent.copies_embedding;
    set_rules(writer.dense, rank == 0 && chunk == 0);
    set_rules(writer.routed, rank == 0 && chunk == 0);
    detail::add_chunk(spec, model, extent, writer);
    if (layout != shard_layout::flat) writer.close();
  }
  writer.close();
  return {writer.dense.totals, writer.routed.totals};
}

}  // namespace shardplan
