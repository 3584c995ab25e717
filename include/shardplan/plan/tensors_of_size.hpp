// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/bytes.hpp>
#include <shardplan/core/checked.hpp>
#include <shardplan/memory/buffers.hpp>
#include <shardplan/memory/held.hpp>
#include <shardplan/memory/memory.hpp>
#include <shardplan/memory/printed_size.hpp>
#include <shardplan/memory/report.hpp>
#include <shardplan/memory/saved_tensors.hpp>
#include <shardplan/model/inventory.hpp>
#include <shardplan/parallel/activation_shard.hpp>
#include <shardplan/parallel/sharding.hpp>
#include <shardplan/parallel/tensor_shard.hpp>
#include <shardplan/plan/rules/check.hpp>
#include <shardplan/plan/size_match.hpp>
#include <shardplan/spec/derived.hpp>
#include <shardplan/spec/plan_spec.hpp>

#include <cstdint>

namespace shardplan {

namespace detail {

// Ranks that share a flat buffer: as the plan says, and where it shards nothing, as it would be.
constexpr std::int64_t dense_sharers(const derived& facts) { return facts.stage > 0 ? facts.dense_shards : facts.grid.dense_shards(); }
constexpr std::int64_t expert_sharers(const derived& facts) { return facts.stage > 0 ? facts.expert_shards : facts.grid.expert_shards(); }

// A sum with its share of a flat buffer, dense and routed parameters together and apart.
constexpr void offer_sum(size_search& search, const char* all, size_extent extent, parameter_sum sum, const derived& facts,
                         std::int64_t stage = -1) {
  const std::int64_t dense_shards = dense_sharers(facts);
  const std::int64_t routed_shards = sum.routed > 0 ? expert_sharers(facts) : 1;
  const bool mixed = sum.dense > 0 && sum.routed > 0;
  search.offer(sum.dense > 0 ? all : "routed experts", extent, sum.dense + sum.routed, stage);
  if (mixed) search.offer("routed experts", extent, sum.routed, stage);
  if (mixed) search.offer("all but routed experts", extent, sum.dense, stage);
  if (dense_shards > 1)
    search.offer(mixed ? "all but routed experts" : all, extent, flat_shard(sum.dense, dense_shards), stage, dense_shards);
  if (sum.routed > 0 && routed_shards > 1)
    search.offer("routed experts", extent, flat_shard(sum.routed, routed_shards), stage, routed_shards);
  if (mixed && dense_shards > 1)
    search.offer(all, extent, flat_shard(sum.dense, dense_shards) + flat_shard(sum.routed, routed_shards), stage, dense_shards);
}

// Tensor by tensor, and the whole model.
constexpr void search_parameters(size_search& search, const plan_spec& spec, const derived& facts) {
  const degrees& grid = facts.grid;
  const std::int64_t head_width = spec.model.head_width();
  parameter_sum model{};
  std::int64_t embedding = 0;
  walk_tensors(spec.model, [&](const char* name, std::int64_t rows, std::int64_t columns, split how, role purpose, place,
                               std::int64_t copies, std::int64_t layers) {
    const bool routed = is_routed(purpose);
    (routed ? model.routed : model.dense) += rows * columns * copies * layers;
    if (purpose == role::embedding) embedding = rows * columns;
    const tensor_shard shard = shard_of(rows, columns, copies, how, routed, grid, facts.vocabulary, head_width);
    const std::int64_t held = shard.rows * shard.columns;
    search.offer(name, size_extent::tensor, held);
    if (shard.copies > 1) search.offer(name, size_extent::experts, held * shard.copies);
    if (rows * columns != held) search.offer(name, size_extent::whole_tensor, rows * columns);
    const std::int64_t sharers = routed ? expert_sharers(facts) : dense_sharers(facts);
    if (sharers > 1 && shard.rows > 1)
      search.offer(name, size_extent::tensor_share, ceil_divide(shard.rows, sharers) * shard.columns, -1, sharers);
  });
  offer_sum(search, "all parameters", size_extent::model, model, facts);
  search.offer("all but one table of the vocabulary", size_extent::model, model.dense + model.routed - embedding);
}

// Blocks, ends and pipeline ranks as flat buffers, and the fields of the ranks' reports.
constexpr void search_units(size_search& search, const plan_spec& spec, const memory_layout& layout) {
  const derived& facts = layout.facts;
  const model_units& units = layout.units;
  const auto sum_of = [&](place where) { return parameter_sum{units[where].dense, units[where].routed}; };
  const parameter_sum every = sum_of(place::every_block);
  constexpr place kinds[] = {place::dense_block, place::expert_block};
  for (const place kind : kinds) {
    const parameter_sum own = sum_of(kind);
    if (own.dense + own.routed == 0) continue;
    const char* const name = kind == place::dense_block ? "a dense block" : "a block with experts";
    offer_sum(search, name, size_extent::block, {every.dense + own.dense, own.routed}, facts);
  }
  offer_sum(search, "all parameters", size_extent::input, sum_of(place::input), facts);
  offer_sum(search, "all parameters", size_extent::output, sum_of(place::output), facts);

  stage_extent before{};
  for (std::int64_t rank = 0; rank < spec.pp; ++rank) {
    const stage_extent extent = extent_of_stage(spec, layout.facts, rank);
    const bool same_parameters = rank > 0 && extent.layers == before.layers && extent.dense_layers == before.dense_layers &&
                                 extent.is_first == before.is_first && extent.is_last == before.is_last;
    if (!same_parameters) {
      offer_sum(search, "all parameters", size_extent::stage, held_by(layout, extent), facts, rank);
    }
    if (!same_parameters || extent.in_flight != before.in_flight) {
      const memory_report report = account_of_extent(spec, layout, extent).device;
      const auto field = [&](const char* name, std::int64_t size) { search.offer(name, size_extent::account, size, 1, rank, 1); };
      field("activations", report.activations.count);
      field("working", report.working.count);
      field("buffers", report.buffers.count);
      field("optimizer", report.optimizer.count);
      field("states", report.states().count);
      field("allocated", report.allocated().count);
    }
    before = extent;
  }
}

// What the kernel set keeps, by operation, recomputed or not: a forward makes it in either case.
constexpr void search_kept(size_search& search, const plan_spec& spec) {
  plan_spec keeping = spec;
  keeping.recompute = recomputes::none;
  constexpr place places[] = {place::dense_block, place::expert_block, place::output};
  for (const place where : places) {
    if (where == place::dense_block && spec.model.experts.count > 0 && spec.model.dense_layers() == 0) continue;
    if (where == place::expert_block && spec.model.experts.count == 0) continue;
    for (const saved_tensor& item : saved_tensors_of(keeping, where))
      search.offer(item.name.c_str(), size_extent::kept, saturating_multiply(item.rows, item.columns), item.element_bytes, -1, 1);
  }
}

// What one micro-batch makes: products of the shape, whatever the kernels keep.
constexpr void search_activations(size_search& search, const plan_spec& spec, const memory_layout& layout) {
  const derived& facts = layout.facts;
  const activation_shard shard = activation_shard_of(spec.model, facts.grid, facts.tokens, facts.vocabulary, spec.expert_load.computed());
  const auto times = [](std::int64_t left, std::int64_t right) { return saturating_multiply(left, right); };
  const auto offer = [&](const char* name, std::int64_t width, std::int64_t tokens) {
    search.offer(name, size_extent::activation, times(width, tokens));
  };
  const std::int64_t tokens = shard.tokens;
  offer("hidden states", spec.model.hidden, tokens);
  if (shard.own_tokens != tokens) offer("hidden states of a rank of the sequence", spec.model.hidden, shard.own_tokens);
  offer("queries", shard.query, tokens);
  offer("keys or values", shard.key, tokens);
  offer("queries, keys and values", shard.query + shard.key + shard.value, tokens);
  if (shard.output != shard.query) offer("attention output", shard.output, tokens);
  offer("log-sum-exp of attention", shard.heads, tokens);
  const std::int64_t own_scores = times(spec.sequence / spec.cp, spec.sequence);
  offer("attention scores", times(shard.heads, spec.micro_batch), own_scores);
  if (spec.micro_batch > 1) offer("attention scores of one sequence", shard.heads, own_scores);
  offer("attention mask", spec.micro_batch, times(spec.sequence, spec.sequence));
  if (spec.micro_batch > 1) offer("attention mask of one sequence", 1, times(spec.sequence, spec.sequence));
  if (shard.ffn > 0) {
    offer("one branch of the feed-forward network", shard.ffn, tokens);
    if (spec.model.mlp == mlp::gated) offer("both branches of the feed-forward network", 2 * shard.ffn, tokens);
  }
  if (spec.model.experts.count > 0) {
    offer("tokens sent to experts", spec.model.hidden, shard.routed_tokens);
    offer("one branch of the experts", shard.expert_ffn, shard.routed_tokens);
    if (spec.model.mlp == mlp::gated) offer("both branches of the experts", 2 * shard.expert_ffn, shard.routed_tokens);
    if (shard.shared_ffn > 0) offer("one branch of the shared experts", shard.shared_ffn, tokens);
    offer("router logits", spec.model.experts.count, tokens);
  }
  const auto saved = [&](const char* name, std::int64_t size) { search.offer(name, size_extent::activation, size, 1, -1, 1); };
  saved("all that a dense block keeps", layout.saved.dense_block);
  saved("all that a block with experts keeps", layout.saved.expert_block);

  const auto loss = [&](const char* name, std::int64_t width, std::int64_t rows) {
    search.offer(name, size_extent::loss, times(width, rows));
  };
  loss("logits", shard.vocabulary, tokens);
  if (facts.grid.tp > 1) loss("logits of all ranks", facts.vocabulary, tokens);
  if (spec.micro_batch > 1) loss("logits of one sequence", shard.vocabulary, tokens / spec.micro_batch);
  // Losses that shift by one leave the last token of each sequence out (Hugging Face's).
  if (tokens > spec.micro_batch) loss("logits without the last token", shard.vocabulary, tokens - spec.micro_batch);
}

}  // namespace detail

/// Which tensors or sums of this plan have the size of a message: parameters one by one and as flat buffers of a block, a pipeline rank and
/// the model, with their shares under ZeRO and FSDP, in every width that the plan's precision knows and in 1, 2, 4 and 8 bytes; fields of
/// the report; activations and logits of one micro-batch; buckets. The allocator's own rounding is taken into account. It decodes "Tried to
/// allocate 26.44 GiB": `tensors_of_size(run::spec, printed_in(message))`. Several matches are several explanations: the message does not
/// say which. Empty for a spec that breaks a rule of the first two tiers, and for a size that is not known.
template <class Spec = plan_spec>
constexpr size_matches tensors_of_size(const Spec& spec, const printed_size& wanted) {
  if (!wanted.is_known() || !detail::is_computable(spec)) return {};
  detail::size_search search = detail::search_for(wanted);
  const auto& precision = spec.precision;
  const std::int64_t gradients = precision.gradient + precision.accumulator;
  const std::int64_t optimizer = precision.master + spec.optimizer.moments * precision.moment;
  const std::int64_t widths[] = {2,
                                 4,
                                 1,
                                 8,
                                 precision.weight,
                                 precision.gradient,
                                 precision.accumulator,
                                 gradients,
                                 precision.master,
                                 precision.moment,
                                 optimizer - precision.master,
                                 optimizer,
                                 precision.weight + gradients + optimizer};
  for (const std::int64_t width : widths) search.add_width(width);
  const memory_layout layout = memory_layout_of(spec);
  detail::search_parameters(search, spec, layout.facts);
  detail::search_units(search, spec, layout);
  detail::search_activations(search, spec, layout);
  detail::search_kept(search, spec);
  search.offer("gradient bucket", size_extent::bucket, spec.buckets.reduce_elements);
  return search.found;
}

/// The same for an exact number of bytes.
template <class Spec = plan_spec>
constexpr size_matches tensors_of_size(const Spec& spec, bytes size) {
  return tensors_of_size(spec, printed_exactly(size));
}

}  // namespace shardplan
