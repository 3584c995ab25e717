// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/checked.hpp>
#include <shardplan/core/static_vector.hpp>
#include <shardplan/model/tensor.hpp>
#include <shardplan/model/transformer.hpp>

#include <cstdint>

namespace shardplan {

/// The distinct parameter tensors of a model.
using tensor_list = static_vector<tensor, 32>;

namespace detail {

// Tells `visit(name, rows, columns, split, role, place, copies, layers)` each distinct tensor. The accounts walk this way instead of over a
// list, because storing a tensor costs far more in a constant evaluation than passing its numbers.
template <class Visit>
constexpr void walk_tensors(const transformer& shape, Visit&& visit) {
  const std::int64_t hidden = shape.hidden;
  const std::int64_t layers = shape.layers;
  const bool gated = shape.mlp == mlp::gated;
  const bool layer_norm = shape.norm == norm::layer;

  visit("token_embedding", shape.vocab, hidden, split::vocabulary, role::embedding, place::input, 1, 1);
  if (shape.positions != 0) visit("position_embedding", shape.positions, hidden, split::replicated, role::position, place::input, 1, 1);

  const std::int64_t query = shape.query_width();
  const std::int64_t key_value = shape.key_value_width();
  visit("attention_norm", hidden, 1, split::replicated, role::norm, place::every_block, 1, layers);
  if (layer_norm) visit("attention_norm_bias", hidden, 1, split::replicated, role::norm, place::every_block, 1, layers);
  visit("query", query, hidden, split::column, role::attention, place::every_block, 1, layers);
  visit("key", key_value, hidden, split::key_value, role::attention, place::every_block, 1, layers);
  visit("value", key_value, hidden, split::key_value, role::attention, place::every_block, 1, layers);
  if (shape.qkv_bias) {
    visit("query_bias", query, 1, split::column, role::bias, place::every_block, 1, layers);
    visit("key_bias", key_value, 1, split::key_value, role::bias, place::every_block, 1, layers);
    visit("value_bias", key_value, 1, split::key_value, role::bias, place::every_block, 1, layers);
  }
  visit("attention_output", hidden, query, split::row, role::attention, place::every_block, 1, layers);
  if (shape.attention_output_bias) visit("attention_output_bias", hidden, 1, split::replicated, role::bias, place::every_block, 1, layers);
  visit("mlp_norm", hidden, 1, split::replicated, role::norm, place::every_block, 1, layers);
  if (layer_norm) visit("mlp_norm_bias", hidden, 1, split::replicated, role::norm, place::every_block, 1, layers);

  const std::int64_t dense = shape.dense_layers();
  if (dense > 0) {
    if (gated) visit("gate", shape.ffn, hidden, split::column, role::mlp, place::dense_block, 1, dense);
    visit("up", shape.ffn, hidden, split::column, role::mlp, place::dense_block, 1, dense);
    visit("down", hidden, shape.ffn, split::row, role::mlp, place::dense_block, 1, dense);
    if (shape.mlp_bias) {
      if (gated) visit("gate_bias", shape.ffn, 1, split::column, role::bias, place::dense_block, 1, dense);
      visit("up_bias", shape.ffn, 1, split::column, role::bias, place::dense_block, 1, dense);
      visit("down_bias", hidden, 1, split::replicated, role::bias, place::dense_block, 1, dense);
    }
  }
  if (layers > dense) {
    const std::int64_t routed = shape.expert_width();
    const std::int64_t shared = shape.experts.shared_ffn;
    const std::int64_t count = shape.experts.count;
    visit("router", count, hidden, split::replicated, role::router, place::expert_block, 1, layers - dense);
    if (gated) visit("expert_gate", routed, hidden, split::column, role::routed_expert, place::expert_block, count, layers - dense);
    visit("expert_up", routed, hidden, split::column, role::routed_expert, place::expert_block, count, layers - dense);
    visit("expert_down", hidden, routed, split::row, role::routed_expert, place::expert_block, count, layers - dense);
    if (shared > 0) {
      if (gated) visit("shared_gate", shared, hidden, split::column, role::shared_expert, place::expert_block, 1, layers - dense);
      visit("shared_up", shared, hidden, split::column, role::shared_expert, place::expert_block, 1, layers - dense);
      visit("shared_down", hidden, shared, split::row, role::shared_expert, place::expert_block, 1, layers - dense);
    }
  }

  visit("final_norm", hidden, 1, split::replicated, role::norm, place::output, 1, 1);
  if (layer_norm) visit("final_norm_bias", hidden, 1, split::replicated, role::norm, place::output, 1, 1);
  if (!shape.tied_embeddings) visit("head", shape.vocab, hidden, split::vocabulary, role::head, place::output, 1, 1);
}

// No count of tensors is negative, and an expert cannot be visited that is not there.
constexpr void check_sizes(const transformer& shape) {
  const experts& routed = shape.experts;
  const std::int64_t sizes[] = {shape.layers, shape.hidden,      shape.heads,         shape.kv_heads, shape.head_dim,
                                shape.ffn,    shape.vocab,       shape.positions,     routed.count,   routed.top_k,
                                routed.ffn,   routed.shared_ffn, routed.leading_dense};
  for (const std::int64_t size : sizes)
    if (size < 0) argument_out_of_range();
  if (routed.top_k > routed.count || routed.leading_dense > shape.layers) argument_out_of_range();
}

}  // namespace detail

/// Every distinct parameter tensor of a transformer with its multiplicity, in the order of a forward pass. Linear weights are listed one by
/// one as Hugging Face's `modeling_*.py` files hold them (query, key and value apart); shapes as in PyTorch, [out, in].
/// A tied head is not listed. Errors: an overflow, or `heads` that do not divide `hidden`, is an `arithmetic_error`.
template <class Shape = transformer>
constexpr tensor_list tensors_of(const Shape& shape) {
  detail::check_sizes(shape);
  tensor_list list{};
  detail::walk_tensors(shape, [&](const char* name, std::int64_t rows, std::int64_t columns, split how, role purpose, place where,
                                  std::int64_t copies, std::int64_t layers) {
    list.push_back({name, rows, columns, how, purpose, where, copies, checked_multiply(copies, layers)});
  });
  return list;
}

}  // namespace shardplan
