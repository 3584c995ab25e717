// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/model/transformer.hpp>

// The Phi models of Microsoft.

namespace shardplan::models {

/// Phi-4-mini: 3,836,021,760 parameters. The head is tied.
/// Source: `config.json` of microsoft/Phi-4-mini-instruct.
struct phi_4_mini {
  static constexpr transformer shape{
      .layers = 32, .hidden = 3072, .heads = 24, .kv_heads = 8, .ffn = 8192, .vocab = 200064, .tied_embeddings = true};
};

/// Phi-2: 2,779,683,840 parameters. Attention and MLP read one norm; every linear and the head have a bias.
/// Source: `config.json` of microsoft/phi-2.
struct phi_2 {
  static constexpr transformer shape{.layers = 32,
                                     .hidden = 2560,
                                     .heads = 32,
                                     .ffn = 10240,
                                     .vocab = 51200,
                                     .mlp = mlp::plain,
                                     .norm = norm::layer,
                                     .qkv_bias = true,
                                     .attention_output_bias = true,
                                     .mlp_bias = true,
                                     .block_norms = block_norms::one,
                                     .head_bias = true};
};

/// Phi-3.5-MoE: 41,873,153,344 parameters (6,640,999,744 a token). 16 experts, 2 a token. Attention and head have biases, experts none.
/// Source: `config.json` of microsoft/Phi-3.5-MoE-instruct.
struct phi_3_5_moe {
  static constexpr transformer shape{.layers = 32,
                                     .hidden = 4096,
                                     .heads = 32,
                                     .kv_heads = 8,
                                     .ffn = 6400,
                                     .vocab = 32064,
                                     .norm = norm::layer,
                                     .qkv_bias = true,
                                     .experts = {.count = 16, .top_k = 2},
                                     .attention_output_bias = true,
                                     .head_bias = true};
};

}  // namespace shardplan::models
