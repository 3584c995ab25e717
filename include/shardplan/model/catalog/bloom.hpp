// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/model/transformer.hpp>

// The BLOOM models of BigScience: a GPT with ALiBi instead of positions and a norm after the embedding; tied embeddings.

namespace shardplan::models {

/// BLOOM 1.1B: 1,065,314,304 parameters.
/// Source: `config.json` of bigscience/bloom-1b1.
struct bloom_1b1 {
  static constexpr transformer shape{.layers = 24,
                                     .hidden = 1536,
                                     .heads = 16,
                                     .ffn = 6144,
                                     .vocab = 250880,
                                     .mlp = mlp::plain,
                                     .norm = norm::layer,
                                     .qkv_bias = true,
                                     .tied_embeddings = true,
                                     .attention_output_bias = true,
                                     .mlp_bias = true,
                                     .embedding_norm = true};
};

/// BLOOM 7.1B: 7,069,016,064 parameters.
/// Source: `config.json` of bigscience/bloom-7b1.
struct bloom_7b1 {
  static constexpr transformer shape{.layers = 30,
                                     .hidden = 4096,
                                     .heads = 32,
                                     .ffn = 16384,
                                     .vocab = 250880,
                                     .mlp = mlp::plain,
                                     .norm = norm::layer,
                                     .qkv_bias = true,
                                     .tied_embeddings = true,
                                     .attention_output_bias = true,
                                     .mlp_bias = true,
                                     .embedding_norm = true};
};

}  // namespace shardplan::models
