// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/checked.hpp>
#include <shardplan/memory/rank_layout.hpp>
#include <shardplan/memory/units.hpp>
#include <shardplan/parallel/buffers.hpp>
#include <shardplan/spec/derived.hpp>
#include <shardplan/spec/plan_spec.hpp>

#include <cstdint>

namespace shardplan {

/// Lengths of the two buffers of something.
struct buffer_lengths {
  std::int64_t dense = 0;   ///< elements of all but routed experts
  std::int64_t routed = 0;  ///< elements of routed experts

  /// Adds `unit`'s lengths, `times` times.
  constexpr void add(const buffer_lengths& other, std::int64_t times = 1) {
    dense += other.dense * times;
    routed += other.routed * times;
  }
  /// Each rounded up to its own multiple.
  constexpr buffer_lengths rounded_up(std::int64_t dense_multiple, std::int64_t routed_multiple) const {
    return {ceil_divide(dense, dense_multiple) * dense_multiple, ceil_divide(routed, routed_multiple) * routed_multiple};
  }
};

namespace detail {
// What is outside the blocks of a chunk; the embedding's copy apart when `with_copy` is false.
constexpr buffer_lengths outside_blocks(const model_units& units, const chunk_extent& chunk, bool with_copy,
                                        buffer_lengths (*length_of)(const unit&)) {
  buffer_lengths sum{};
  if (chunk.is_first) sum.add(length_of(units[place::input]));
  if (chunk.is_last) sum.add(length_of(units[place::output]));
  if (chunk.has_next_token) sum.add(length_of(units[place::next_token]));
  if (chunk.copies_embedding && with_copy) sum.add(length_of(units.tied_head));
  return sum;
}
constexpr buffer_lengths whole_length(const unit& part) { return {part.dense, part.routed}; }
constexpr buffer_lengths aligned_length(const unit& part) { return {part.dense_share, part.routed_share}; }
}  // namespace detail

/// Lengths of the two buffers of pipeline rank `rank`, padding counted, where they have more than one bucket (`flat_units`,
/// `megatron_buckets`): the totals of `lay_out_rank` in closed form. `first_chunk` are those of the first chunk of the first rank, whose
/// buckets Megatron-LM closes when they are full.
template <class Spec = plan_spec>
constexpr buffer_lengths padded_lengths(const Spec& spec, const derived& facts, const model_units& units,
                                        const buffer_lengths& first_chunk, std::int64_t rank) {
  const bool by_unit = spec.sharding.layout == shard_layout::flat_units;
  const auto& shape = spec.model;
  const auto length_of = by_unit ? &detail::whole_length : &detail::aligned_length;
  const std::int64_t dense_multiple = by_unit ? facts.dense_shards : megatron::bucket_multiple(facts.dense_shards);
  const std::int64_t routed_multiple = by_unit ? facts.expert_shards : megatron::bucket_multiple(facts.expert_shards);
  const bool alone = !by_unit && shape.tied_embeddings && spec.pp > 1;  // a tied embedding of a pipeline is a bucket
  buffer_lengths dense_block = length_of(units[place::every_block]);
  buffer_lengths expert_block = dense_block;
  dense_block.add(length_of(units[place::dense_block]));
  expert_block.add(length_of(units[place::expert_block]));
  if (by_unit) {
    dense_block = dense_block.rounded_up(dense_multiple, routed_multiple);
    expert_block = expert_block.rounded_up(dense_multiple, routed_multiple);
  }
  buffer_lengths total{};
  bool has_embedding = holds_first_stage(spec, rank);
  for (std::int64_t chunk = 0; chunk < spec.schedule.chunks; ++chunk) {
    const chunk_extent extent = extent_of_chunk(spec, rank, chunk, has_embedding);
    if (!by_unit && rank == 0 && chunk == 0) {
      total.add(first_chunk);
      continue;
    }
    const std::int64_t further = extent.has_next_token ? shape.next_token_layers : 0;
    const std::int64_t dense_layers =
        shape.experts.count == 0 ? extent.layers + further : shape.dense_layers_in(extent.first_layer, extent.layers);
    buffer_lengths sum = detail::outside_blocks(units, extent, !alone, length_of);
    if (by_unit) sum = sum.rounded_up(dense_multiple, routed_multiple);
    sum.add(dense_block, dense_layers);
    sum.add(expert_block, extent.layers + further - dense_layers);
    total.add(sum.rounded_up(dense_multiple, routed_multiple));
    if (alone && extent.copies_embedding) total.add(length_of(units.tied_head).rounded_up(dense_multiple, routed_multiple));
  }
  return total;
}

/// Fills in the shares of what a pipeline rank holds. Returns its padding.
template <class Spec = plan_spec>
constexpr std::int64_t share_out(const Spec& spec, const derived& facts, const model_units& units, const buffer_lengths& first_chunk,
                                 std::int64_t rank, unit& held) {
  const buffer_lengths lengths = padded_lengths(spec, facts, units, first_chunk, rank);
  held.dense_share = lengths.dense / facts.dense_shards;
  held.routed_share = lengths.routed / facts.expert_shards;
  return lengths.dense + lengths.routed - held.elements();
}

/// The model's parameters on a rank, as `lay_out_rank` reads them.
template <class Spec = plan_spec>
constexpr rank_model list_parameters(const Spec& spec, const derived& facts) {
  rank_model model{};
  units_of(spec, facts, &model);
  return model;
}

/// Lengths of the buffers of the first rank's first chunk.
template <class Spec = plan_spec>
constexpr buffer_lengths first_chunk_lengths(const Spec& spec, const derived& facts) {
  const rank_buffers buffers = lay_out_rank(spec, facts, list_parameters(spec, facts), 0, 1, nullptr);
  return {buffers.dense.length, buffers.routed.length};
}

/// Bytes of hpZ's second copy of the weights on one rank: in the compute precision, sharded over the groups of `hpz<>` (arXiv 2306.10209
/// section 4.1: M K / P for a group of P ranks). Rounded up once for dense and once for routed parameters.
template <class Spec = plan_spec>
constexpr std::int64_t secondary_copy(const Spec& spec, const unit& held) {
  const std::int64_t ranks = spec.sharding.secondary;
  return spec.precision.compute * (ceil_divide(held.dense, ranks) + ceil_divide(held.routed, ranks));
}

}  // namespace shardplan
