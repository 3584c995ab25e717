// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/memory/saved_walk.hpp>

namespace shardplan::detail {

// What a block keeps under `recomputes::every_second_matmul`: its input, the results of the first, third, ... matrix product and that of
// flash attention (pytorch/torchtitan models/llama3/infra/parallelize.py, `_save_list`: products are counted in the order of forward).
// Products of routed experts are grouped and not counted. For a Llama with every projection apart 4h + 4q + 2k + 2f bytes a token and
// 4 a head. `freed` is `full` for what the complete set of the block does not have.
template <class Spec>
constexpr void walk_second_matmuls(const Spec& spec, const activation_shard& shard, bool has_experts, saved_sink& visit) {
  const auto& shape = spec.model;
  const std::int64_t element = spec.precision.compute;
  const std::int64_t hidden = shape.hidden;
  visit("block", saved_as::input, shard.own_tokens, hidden, element, saved_shard::sequence, recomputes::none);
  bool keeps = false;
  const auto inner = [&](const char* name, std::int64_t columns) {
    keeps = !keeps;
    if (keeps) visit(name, saved_as::output, shard.tokens, columns, element, saved_shard::tensor, recomputes::none);
  };
  const auto outer = [&](const char* name, std::int64_t columns, recomputes freed) {
    keeps = !keeps;
    if (keeps) visit(name, saved_as::output, shard.own_tokens, columns, element, saved_shard::sequence, freed);
  };
  const auto& latent = shape.latent;
  if (latent.key_value_rank != 0) {
    if (latent.query_rank > 0) outer("query_down", latent.query_rank, recomputes::none);
    inner("query", shard.query);
    outer("key_value_down", latent.key_value_rank + latent.rope_dim, recomputes::none);
    inner("key_value_up", shard.heads * latent.nope_dim + shard.value);
  } else if (spec.kernels.qkv == kept_by_qkv::apart) {
    inner("query", shard.query);
    inner("key", shard.key);
    inner("value", shard.value);
  } else {
    inner("query_key_value", shard.query + shard.key + shard.value);
  }
  if (attention_of(spec) != attentions::materialised) {
    visit("attention", saved_as::output, shard.tokens, shard.output, element, saved_shard::tensor, recomputes::none);
    visit("attention", saved_as::statistics, shard.heads * shard.tokens, 1, 4, saved_shard::tensor, recomputes::none);
  }
  outer("attention_output", hidden, recomputes::full);
  std::int64_t width = shard.ffn;
  if (has_experts) {
    outer("router", shape.experts.count, recomputes::full);
    width = shard.shared_ffn;
    if (width == 0) return;
  }
  if (shape.mlp == mlp::gated && spec.kernels.activation == kept_by_activation::inputs) {
    inner("gate_up", 2 * width);
  } else {
    if (shape.mlp == mlp::gated) inner("gate", width);
    inner("up", width);
  }
  outer("down", hidden, recomputes::full);
}

}  // namespace shardplan::detail
