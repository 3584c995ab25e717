// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/model/transformer.hpp>

// The GPT family of OpenAI: learned positions, LayerNorm, GELU, a bias on every linear, tied embeddings.

namespace shardplan::models {

/// GPT-2 (small): 124,439,808 parameters.
/// Source: `config.json` of openai-community/gpt2; Radford et al. 2019, table 2 (which prints 117M: its counts were wrong).
struct gpt2 {
  static constexpr transformer shape{.layers = 12,
                                     .hidden = 768,
                                     .heads = 12,
                                     .ffn = 3072,
                                     .vocab = 50257,
                                     .positions = 1024,
                                     .mlp = mlp::plain,
                                     .norm = norm::layer,
                                     .qkv_bias = true,
                                     .tied_embeddings = true,
                                     .attention_output_bias = true,
                                     .mlp_bias = true};
};

/// GPT-2 medium: 354,823,168 parameters.
/// Source: `config.json` of openai-community/gpt2-medium; Radford et al. 2019, table 2.
struct gpt2_medium {
  static constexpr transformer shape{.layers = 24,
                                     .hidden = 1024,
                                     .heads = 16,
                                     .ffn = 4096,
                                     .vocab = 50257,
                                     .positions = 1024,
                                     .mlp = mlp::plain,
                                     .norm = norm::layer,
                                     .qkv_bias = true,
                                     .tied_embeddings = true,
                                     .attention_output_bias = true,
                                     .mlp_bias = true};
};

/// GPT-2 large: 774,030,080 parameters.
/// Source: `config.json` of openai-community/gpt2-large; Radford et al. 2019, table 2.
struct gpt2_large {
  static constexpr transformer shape{.layers = 36,
                                     .hidden = 1280,
                                     .heads = 20,
                                     .ffn = 5120,
                                     .vocab = 50257,
                                     .positions = 1024,
                                     .mlp = mlp::plain,
                                     .norm = norm::layer,
                                     .qkv_bias = true,
                                     .tied_embeddings = true,
                                     .attention_output_bias = true,
                                     .mlp_bias = true};
};

/// GPT-2 XL: 1,557,611,200 parameters.
/// Source: `config.json` of openai-community/gpt2-xl; Radford et al. 2019, table 2.
struct gpt2_xl {
  static constexpr transformer shape{.layers = 48,
                                     .hidden = 1600,
                                     .heads = 25,
                                     .ffn = 6400,
                                     .vocab = 50257,
                                     .positions = 1024,
                                     .mlp = mlp::plain,
                                     .norm = norm::layer,
                                     .qkv_bias = true,
                                     .tied_embeddings = true,
                                     .attention_output_bias = true,
                                     .mlp_bias = true};
};

/// GPT-3 175B: 174,604,259,328 parameters. The alternating sparse attention of the original does not change a count.
/// Source: Brown et al. 2020 (arXiv 2005.14165), table 2.1, with GPT-2's vocabulary of 50257 and 2048 positions.
struct gpt3_175b {
  static constexpr transformer shape{.layers = 96,
                                     .hidden = 12288,
                                     .heads = 96,
                                     .ffn = 49152,
                                     .vocab = 50257,
                                     .positions = 2048,
                                     .mlp = mlp::plain,
                                     .norm = norm::layer,
                                     .qkv_bias = true,
                                     .tied_embeddings = true,
                                     .attention_output_bias = true,
                                     .mlp_bias = true};
};

}  // namespace shardplan::models
