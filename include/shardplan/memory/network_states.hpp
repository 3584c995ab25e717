// SPDX-License-Identifier: BSL-1.0
#pragma once

/// States of a rank for models that no plan takes: networks of one's own layers. Not in the umbrella.
#include <shardplan/core/checked.hpp>
#include <shardplan/core/unset.hpp>
#include <shardplan/memory/states.hpp>
#include <shardplan/memory/units.hpp>
#include <shardplan/model/inventory.hpp>
#include <shardplan/model/model.hpp>
#include <shardplan/model/network.hpp>
#include <shardplan/model/tensor.hpp>
#include <shardplan/parallel/sharding.hpp>
#include <shardplan/parallel/tensor_shard.hpp>
#include <shardplan/parallel/vocabulary.hpp>
#include <shardplan/spec/derived.hpp>
#include <shardplan/spec/plan_spec.hpp>

#include <cstdint>

namespace shardplan {

/// Most elements of a tensor, all copies of it in the model, and of a rank: 2^52, as of a plan (tier one of the rules).
inline constexpr std::int64_t most_network_elements = std::int64_t{1} << 52;

namespace detail {

// Degrees and shard groups of a spec that has no batch, each division asked for.
constexpr derived network_facts(plan_spec spec, bool has_routed) {
  const std::int64_t counts[] = {spec.tp, spec.cp, spec.ep, spec.etp, spec.devices_per_node, spec.nodes};
  for (const std::int64_t degree : counts)
    if (degree < 1) argument_out_of_range();
  if (spec.pp != 1 || !(spec.zero >= 0 && 3 >= spec.zero)) argument_out_of_range();
  const auto layout = spec.sharding.layout;
  if (layout != shard_layout::flat && layout != shard_layout::tensors) argument_out_of_range();
  const std::int64_t world = checked_multiply(spec.devices_per_node, spec.nodes);
  const std::int64_t replicas = exact_divide(world, checked_multiply(spec.tp, spec.cp));
  if (spec.dp != unset && spec.dp != replicas) argument_out_of_range();
  // A batch is asked for only where gradients that are reduced late make it count.
  if (spec.communication.late_sync && spec.micro_batch != unset && spec.global_batch != unset) {
    if (1 > spec.micro_batch) argument_out_of_range();
    if (1 > exact_divide(spec.global_batch, checked_multiply(spec.micro_batch, replicas))) argument_out_of_range();
  } else {
    spec.micro_batch = spec.global_batch = 1;
  }
  spec.sequence = spec.cp;
  spec.model.vocab = 1;
  spec.model.experts.count = has_routed ? 1 : 0;
  if (has_routed) exact_divide(world, checked_multiply(spec.etp, spec.ep));
  if (spec.sharding.ranks != unset && sharding_stage(spec) >= 1) {
    const std::int64_t groups = exact_divide(replicas * spec.cp, spec.sharding.ranks);
    if (has_routed) exact_divide(world / (spec.etp * spec.ep), groups);
  }
  return derive(spec);
}

// `shard_of` where every division is asked for.
constexpr tensor_shard network_shard(const tensor& item, const plan_spec& spec, const degrees& grid, std::int64_t head_width) {
  const bool routed = is_routed(item.purpose);
  const std::int64_t ranks = routed ? grid.etp : grid.tp;
  std::int64_t vocabulary = 0;
  if (item.rows < 1 || item.columns < 1 || item.copies < 1 || item.multiplicity < 1) argument_out_of_range();
  if (checked_multiply(item.elements(), item.multiplicity) > most_network_elements) argument_out_of_range();
  if (routed) exact_divide(item.copies, grid.ep);
  switch (item.how) {
    case split::replicated: break;
    case split::column: exact_divide(item.rows, ranks); break;
    case split::row: exact_divide(item.columns, ranks); break;
    case split::key_value: {
      const std::int64_t heads = exact_divide(item.rows, head_width);
      if (heads > ranks) {
        exact_divide(heads, ranks);
      } else {
        exact_divide(ranks, heads);
      }
      break;
    }
    case split::vocabulary:
      vocabulary = padded_vocabulary(item.rows, vocabulary_multiple_of(spec));
      exact_divide(vocabulary, ranks);
      break;
  }
  return shard_of(item.rows, item.columns, item.copies, item.how, routed, grid, vocabulary, head_width);
}

// Adds one tensor, in all its places, to what the rank holds.
constexpr void add_to_network(const plan_spec& spec, const derived& facts, bool by_tensor, const tensor& item, std::int64_t head_width,
                              unit& held) {
  const bool routed = is_routed(item.purpose);
  const std::int64_t places = exact_divide(item.multiplicity, item.copies);
  tensor_shard shard = network_shard(item, spec, facts.grid, head_width);
  tensor_shard part = shard;
  if (spec.sharding.layout == shard_layout::tensors) part = fsdp_shard(shard, routed ? facts.expert_shards : facts.dense_shards, routed);
  shard.copies = checked_multiply(shard.copies, places);
  part.copies = checked_multiply(part.copies, places);
  if (spec.optimizer.matrices == matrix_rule::preconditioned || spec.optimizer.matrices == matrix_rule::rotated) {
    // 16 bytes times the squares of both sides are their upper bound.
    const std::int64_t squares = checked_add(checked_multiply(part.rows, part.rows), checked_multiply(part.columns, part.columns));
    if (checked_multiply(checked_multiply(16, squares), part.copies) > std::int64_t{1} << 60) argument_out_of_range();
  }
  (routed ? held.routed : held.dense) += checked_multiply(checked_multiply(shard.rows, shard.columns), shard.copies);
  (routed ? held.routed_share : held.dense_share) += part.elements();
  if (shard.rows * shard.columns > held.largest) held.largest = shard.rows * shard.columns;
  if (by_tensor) add_by_tensor(held, spec, item.name.c_str(), item.purpose, part, head_width);
  if (held.elements() > most_network_elements) argument_out_of_range();
}

}  // namespace detail

/// Weights, gradients, master copy and optimizer state of the fullest rank for a `network` (or another model whose parameters can be
/// counted) with the degrees, the sharding, the optimizer and the precision of `spec`, in bytes, exact, wherever they live. Rules and
/// sources are those of `states_of`; a tied head stands in the model once. Read are `devices_per_node`, `nodes`, tp, cp, ep, etp, dp, zero,
/// fsdp and hsdp (each tensor by itself), `vocabulary_multiple` or the framework's, optimizer and precision, whose numbers must be in the
/// ranges of the rules; the model is not read, the batch only under `communication<late_sync<true>>`: one of several micro-batches keeps
/// whole gradients, one that is not said is a single micro-batch. Errors: `argument_out_of_range` for pp other than 1 (what stage a layer
/// would lie on is not said), `flat_units` and Megatron-LM's buckets, a degree below 1, and more than `most_network_elements`;
/// `division_leaves_a_rest` where a degree or the batch does not divide.
template <countable_model Model, class Spec = plan_spec>
constexpr rank_states network_states_of(const Spec& spec) {
  const auto visit = [](auto tell) {
    if constexpr (transformer_model<Model>) {
      for (const tensor& item : tensors_of(Model::shape)) tell(item, Model::shape.head_width());
    } else {
      Model::visit_tensors(tell);
    }
  };
  bool has_routed = false;
  visit([&](const tensor& item, std::int64_t) { has_routed = has_routed || is_routed(item.purpose); });
  const derived facts = detail::network_facts(spec, has_routed);
  const bool by_tensor = goes_by_tensor(spec.optimizer, spec.precision);
  unit held{};
  visit([&](const tensor& item, std::int64_t head_width) { detail::add_to_network(spec, facts, by_tensor, item, head_width, held); });
  return states_of(spec, facts, held, by_tensor);
}

/// The same as a constant. `Parts` is a plan without a model: `network_states<my_model, plan<cluster<...>, tp<2>, zero<1>>>`.
template <countable_model Model, class Parts>
inline constexpr rank_states network_states = network_states_of<Model>(Parts::spec);

}  // namespace shardplan
