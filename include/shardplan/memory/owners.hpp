// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/size.hpp>
#include <shardplan/core/static_vector.hpp>
#include <shardplan/memory/rank_layout.hpp>
#include <shardplan/memory/shares.hpp>
#include <shardplan/parallel/rank_model.hpp>
#include <shardplan/spec/derived.hpp>
#include <shardplan/spec/plan_spec.hpp>

#include <cstdint>

namespace shardplan {

/// Parameters of equal length and state on a pipeline rank.
struct parameter_class {
  std::int64_t length = 0;  ///< elements of one
  std::int64_t state = 0;   ///< bytes of the optimizer's state of one
  std::int64_t count = 0;   ///< how many there are
};

/// All parameters of a pipeline rank that the same ranks share, the shortest first; of equals the one with less state.
using parameter_classes = static_vector<parameter_class, 192>;

/// What one rank owns.
struct owned_states {
  std::int64_t parameters = 0;  ///< elements
  std::int64_t tensors = 0;     ///< whole parameters
  std::int64_t optimizer = 0;   ///< bytes of the optimizer's state
};

namespace detail {

constexpr void add_class(parameter_classes& classes, const rank_parameter& item, std::int64_t count) {
  const parameter_class added{item.rows * item.columns, item.state, count};
  std::size_t at = 0;
  const auto comes_first = [&](const parameter_class& other) {
    return other.length < added.length || (other.length == added.length && other.state < added.state);
  };
  while (at < classes.length && comes_first(classes.values[at])) ++at;
  if (at < classes.length && classes.values[at].length == added.length && classes.values[at].state == added.state) {
    classes.values[at].count += count;
    return;
  }
  classes.push_back(added);
  for (std::size_t back = classes.length - 1; back > at; --back) classes.values[back] = classes.values[back - 1];
  classes.values[at] = added;
}

constexpr void add_classes(parameter_classes& classes, const rank_parameters& items, bool routed, std::int64_t times) {
  if (times == 0) return;
  for (std::size_t at = 0; at < items.length; ++at)
    if (items.values[at].routed == routed) add_class(classes, items.values[at], items.values[at].copies * times);
}

// Numbers below `end` that leave `rest` when they are divided by `period`.
constexpr std::int64_t count_below(std::int64_t end, std::int64_t rest, std::int64_t period) {
  return end > rest ? (end - rest - 1) / period + 1 : 0;
}

}  // namespace detail

/// The parameters of pipeline rank `rank`, dense ones or those of routed experts, as Megatron-LM has them (query, key and value in one).
/// For a spec that passed the first two tiers of rules, with the list of parameters that `megatron_parameters` makes.
constexpr parameter_classes classes_of_rank(const plan_spec& spec, const rank_model& model, std::int64_t rank, bool routed) {
  const auto& shape = spec.model;
  parameter_classes classes{};
  bool has_embedding = holds_first_stage(spec, rank);
  for (std::int64_t chunk = 0; chunk < spec.schedule.chunks; ++chunk) {
    const chunk_extent extent = extent_of_chunk(spec, rank, chunk, has_embedding);
    const std::int64_t further = extent.has_next_token ? shape.next_token_layers : 0;
    const std::int64_t blocks = extent.layers + further;
    const std::int64_t dense = shape.experts.count == 0 ? blocks : shape.dense_layers_in(extent.first_layer, extent.layers);
    detail::add_classes(classes, model[place::every_block], routed, blocks);
    detail::add_classes(classes, model[place::dense_block], routed, dense);
    detail::add_classes(classes, model[place::expert_block], routed, blocks - dense);
    detail::add_classes(classes, model[place::input], routed, extent.is_first ? 1 : 0);
    detail::add_classes(classes, model[place::output], routed, extent.is_last ? 1 : 0);
    detail::add_classes(classes, model[place::next_token], routed, extent.has_next_token ? 1 : 0);
    if (extent.copies_embedding && !routed) detail::add_class(classes, model[place::input].values[0], 1);
  }
  return classes;
}

/// What rank `owner` of `owners` has when parameters are dealt out whole: the shortest first, to ranks 0, 1, ..., N - 1, N - 1, ..., 1, 0,
/// 0, 1, ... (NVIDIA/Megatron-LM megatron/core/optimizer/layer_wise_optimizer.py, `shard_params`). Muon needs that: its step takes a whole
/// matrix. Between parameters of equal length the order is ours.
constexpr owned_states owned_by(const parameter_classes& classes, std::int64_t owners, std::int64_t owner) {
  owned_states owned{};
  std::int64_t begin = 0;
  for (std::size_t at = 0; at < classes.length; ++at) {
    const parameter_class& item = classes.values[at];
    const std::int64_t end = begin + item.count;
    std::int64_t mine = 0;
    for (int way = 0; way < 2; ++way) {
      const std::int64_t turn = way == 0 ? owner : 2 * owners - 1 - owner;
      mine += detail::count_below(end, turn, 2 * owners) - detail::count_below(begin, turn, 2 * owners);
    }
    owned.parameters += mine * item.length;
    owned.tensors += mine;
    owned.optimizer += mine * item.state;
    begin = end;
  }
  return owned;
}

/// The list that `classes_of_rank` reads.
template <class Spec = plan_spec>
constexpr rank_model megatron_parameters(Spec spec, const derived& facts) {
  spec.sharding.layout = shard_layout::megatron_buckets;
  return list_parameters(spec, facts);
}

}  // namespace shardplan
