// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/checked.hpp>
#include <shardplan/core/static_vector.hpp>
#include <shardplan/model/tensor.hpp>
#include <shardplan/model/transformer.hpp>

#include <cstdint>

namespace shardplan {

/// The distinct parameter tensors of a model.
using tensor_list = static_vector<tensor, 64>;

namespace detail {

// Tells `visit(name, rows, columns, split, role, place, copies, layers)` each distinct tensor. The accounts walk this way instead of over a
// list, because storing a tensor costs far more in a constant evaluation than passing its numbers.
template <class Shape, class Visit>
constexpr void walk_tensors(const Shape& shape, Visit&& visit) {
  const std::int64_t hidden = shape.hidden;
  const std::int64_t further = shape.next_token_layers;
  const std::int64_t layers = further == 0 ? shape.layers : checked_add(shape.layers, further);
  const bool gated = shape.mlp == mlp::gated;
  const bool weights = shape.norm != norm::layer_without_weights;
  const bool biases = shape.norm == norm::layer;
  const bool four_norms = shape.block_norms == block_norms::four;

  const std::int64_t embedded = shape.embedding_dim == 0 ? hidden : shape.embedding_dim;
  visit("token_embedding", shape.vocab, embedded, split::vocabulary, role::embedding, place::input, 1, 1);
  if (shape.embedding_dim != 0) visit("embedding_projection", hidden, embedded, split::replicated, role::mlp, place::input, 1, 1);
  if (shape.positions != 0) visit("position_embedding", shape.positions, hidden, split::replicated, role::position, place::input, 1, 1);
  if (shape.embedding_norm) {
    if (weights) visit("embedding_norm", hidden, 1, split::replicated, role::norm, place::input, 1, 1);
    if (biases) visit("embedding_norm_bias", hidden, 1, split::replicated, role::norm, place::input, 1, 1);
  }

  if (weights) visit("attention_norm", hidden, 1, split::replicated, role::norm, place::every_block, 1, layers);
  if (biases) visit("attention_norm_bias", hidden, 1, split::replicated, role::norm, place::every_block, 1, layers);
  const std::int64_t head_width = shape.head_width();
  const std::int64_t query = checked_multiply(shape.heads, head_width);
  std::int64_t output = query;
  if (shape.latent.key_value_rank == 0) {
    const std::int64_t key_value = checked_multiply(shape.key_value_heads(), head_width);
    visit("query", query, hidden, split::column, role::attention, place::every_block, 1, layers);
    visit("key", key_value, hidden, split::key_value, role::attention, place::every_block, 1, layers);
    visit("value", key_value, hidden, split::key_value, role::attention, place::every_block, 1, layers);
    if (shape.qkv_bias) {
      visit("query_bias", query, 1, split::column, role::bias, place::every_block, 1, layers);
      visit("key_bias", key_value, 1, split::key_value, role::bias, place::every_block, 1, layers);
      visit("value_bias", key_value, 1, split::key_value, role::bias, place::every_block, 1, layers);
    }
    if (shape.qk_norm != qk_norm::none && shape.qk_norm != qk_norm::without_weights) {
      const bool shared = shape.qk_norm == qk_norm::head;
      const std::int64_t query_norm = shared ? head_width : query;
      const std::int64_t key_norm = shared ? head_width : key_value;
      if (weights) visit("query_norm", query_norm, 1, split::replicated, role::norm, place::every_block, 1, layers);
      if (biases) visit("query_norm_bias", query_norm, 1, split::replicated, role::norm, place::every_block, 1, layers);
      if (weights) visit("key_norm", key_norm, 1, split::replicated, role::norm, place::every_block, 1, layers);
      if (biases) visit("key_norm_bias", key_norm, 1, split::replicated, role::norm, place::every_block, 1, layers);
    }
  } else {
    // As Megatron-LM's multi_latent_attention.py: each rank has the projections to the latent vectors whole and those to its own heads.
    const latent_attention& latent = shape.latent;
    output = shape.attention_output_width();
    std::int64_t query_from = hidden;
    if (latent.query_rank != 0) {
      query_from = latent.query_rank;
      visit("query_down", latent.query_rank, hidden, split::replicated, role::attention, place::every_block, 1, layers);
      if (shape.qkv_bias) visit("query_down_bias", latent.query_rank, 1, split::replicated, role::bias, place::every_block, 1, layers);
      if (weights) visit("query_latent_norm", latent.query_rank, 1, split::replicated, role::norm, place::every_block, 1, layers);
      if (biases) visit("query_latent_norm_bias", latent.query_rank, 1, split::replicated, role::norm, place::every_block, 1, layers);
    }
    visit("query", query, query_from, split::column, role::attention, place::every_block, 1, layers);
    const std::int64_t rank = latent.key_value_rank;
    const std::int64_t down = checked_add(rank, latent.rope_dim);
    visit("key_value_down", down, hidden, split::replicated, role::attention, place::every_block, 1, layers);
    if (shape.qkv_bias) visit("key_value_down_bias", down, 1, split::replicated, role::bias, place::every_block, 1, layers);
    if (weights) visit("key_value_latent_norm", rank, 1, split::replicated, role::norm, place::every_block, 1, layers);
    if (biases) visit("key_value_latent_norm_bias", rank, 1, split::replicated, role::norm, place::every_block, 1, layers);
    visit("key_value_up", checked_multiply(shape.heads, checked_add(latent.nope_dim, latent.value_dim)), rank, split::column,
          role::attention, place::every_block, 1, layers);
  }
  if (shape.attention_sinks) visit("attention_sinks", shape.heads, 1, split::column, role::bias, place::every_block, 1, layers);
  visit("attention_output", hidden, output, split::row, role::attention, place::every_block, 1, layers);
  if (shape.attention_output_bias) visit("attention_output_bias", hidden, 1, split::replicated, role::bias, place::every_block, 1, layers);
  if (four_norms) {
    if (weights) visit("attention_output_norm", hidden, 1, split::replicated, role::norm, place::every_block, 1, layers);
    if (biases) visit("attention_output_norm_bias", hidden, 1, split::replicated, role::norm, place::every_block, 1, layers);
    if (weights) visit("mlp_output_norm", hidden, 1, split::replicated, role::norm, place::every_block, 1, layers);
    if (biases) visit("mlp_output_norm_bias", hidden, 1, split::replicated, role::norm, place::every_block, 1, layers);
  }
  if (shape.block_norms != block_norms::one) {
    if (weights) visit("mlp_norm", hidden, 1, split::replicated, role::norm, place::every_block, 1, layers);
    if (biases) visit("mlp_norm_bias", hidden, 1, split::replicated, role::norm, place::every_block, 1, layers);
  }

  const std::int64_t dense = shape.experts.count == 0 ? layers : shape.dense_layers();
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
    const std::int64_t routing = layers - dense;
    const std::int64_t routed = shape.expert_width();
    const std::int64_t shared = shape.experts.shared_ffn;
    const std::int64_t count = shape.experts.count;
    visit("router", count, hidden, split::replicated, role::router, place::expert_block, 1, routing);
    if (shape.experts.router_bias) visit("router_bias", count, 1, split::replicated, role::bias, place::expert_block, 1, routing);
    if (gated) visit("expert_gate", routed, hidden, split::column, role::routed_expert, place::expert_block, count, routing);
    visit("expert_up", routed, hidden, split::column, role::routed_expert, place::expert_block, count, routing);
    visit("expert_down", hidden, routed, split::row, role::routed_expert, place::expert_block, count, routing);
    if (shape.experts.bias) {
      if (gated) visit("expert_gate_bias", routed, 1, split::column, role::expert_bias, place::expert_block, count, routing);
      visit("expert_up_bias", routed, 1, split::column, role::expert_bias, place::expert_block, count, routing);
      visit("expert_down_bias", hidden, 1, split::replicated, role::expert_bias, place::expert_block, count, routing);
    }
    if (shared > 0) {
      if (gated) visit("shared_gate", shared, hidden, split::column, role::shared_expert, place::expert_block, 1, routing);
      visit("shared_up", shared, hidden, split::column, role::shared_expert, place::expert_block, 1, routing);
      visit("shared_down", hidden, shared, split::row, role::shared_expert, place::expert_block, 1, routing);
      if (shape.experts.shared_gate) visit("shared_scale", 1, hidden, split::replicated, role::router, place::expert_block, 1, routing);
    }
  }

  if (shape.final_norm) {
    if (weights) visit("final_norm", hidden, 1, split::replicated, role::norm, place::output, 1, 1);
    if (biases) visit("final_norm_bias", hidden, 1, split::replicated, role::norm, place::output, 1, 1);
  }
  if (further > 0) {
    // As DeepSeek-V3 (arXiv 2412.19437 section 2.2): a norm of the token's embedding, one of the hidden state, one before the head.
    if (weights) visit("next_token_norm", hidden, 1, split::replicated, role::norm, place::next_token, checked_multiply(3, further), 1);
    if (biases) visit("next_token_norm_bias", hidden, 1, split::replicated, role::norm, place::next_token, 3 * further, 1);
    visit("next_token_projection", hidden, checked_multiply(2, hidden), split::column, role::mlp, place::next_token, further, 1);
  }
  if (shape.embedding_dim != 0) visit("head_projection", embedded, hidden, split::replicated, role::mlp, place::output, 1, 1);
  if (!shape.tied_embeddings) visit("head", shape.vocab, embedded, split::vocabulary, role::head, place::output, 1, 1);
  if (shape.head_bias) visit("head_bias", shape.vocab, 1, split::vocabulary, role::bias, place::output, 1, 1);
}

// No count of tensors is negative, and an expert cannot be visited that is not there.
constexpr void check_sizes(const transformer& shape) {
  const experts& routed = shape.experts;
  const latent_attention& latent = shape.latent;
  const std::int64_t sizes[] = {
      shape.layers,          shape.hidden,    shape.heads,           shape.kv_heads,          shape.head_dim,      shape.ffn,
      shape.vocab,           shape.positions, shape.position_offset, shape.next_token_layers, shape.embedding_dim, routed.count,
      routed.top_k,          routed.ffn,      routed.shared_ffn,     routed.leading_dense,    routed.layer_step,   latent.query_rank,
      latent.key_value_rank, latent.rope_dim, latent.nope_dim,       latent.value_dim};
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
