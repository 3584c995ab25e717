// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/model/transformer.hpp>

// The StarCoder2 models of BigCode: LayerNorm, plain MLP, a bias on every linear, tied head, grouped-query attention, rotary positions.

namespace shardplan::models {

/// StarCoder2 3B: 3,030,371,328 parameters.
/// Source: `config.json` of bigcode/starcoder2-3b; Lozhkov et al. 2024 (arXiv 2402.19173).
struct starcoder2_3b {
  static constexpr transformer shape{.layers = 30,
                                     .hidden = 3072,
                                     .heads = 24,
                                     .kv_heads = 2,
                                     .ffn = 12288,
                                     .vocab = 49152,
                                     .mlp = mlp::plain,
                                     .norm = norm::layer,
                                     .qkv_bias = true,
                                     .tied_embeddings = true,
                                     .attention_output_bias = true,
                                     .mlp_bias = true};
};

}  // namespace shardplan::models
