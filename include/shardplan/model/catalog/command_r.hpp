// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/model/transformer.hpp>

// The Command R models of Cohere: attention and MLP read one LayerNorm without bias; tied embeddings.

namespace shardplan::models {

/// Command R7B: 8,028,033,024 parameters.
/// Source: `config.json` of CohereForAI/c4ai-command-r7b-12-2024.
struct command_r7b {
  static constexpr transformer shape{.layers = 32,
                                     .hidden = 4096,
                                     .heads = 32,
                                     .kv_heads = 8,
                                     .ffn = 14336,
                                     .vocab = 256000,
                                     .norm = norm::layer_without_bias,
                                     .tied_embeddings = true,
                                     .block_norms = block_norms::one};
};

/// Command R+: 103,810,674,688 parameters. Norms of queries and keys with a weight for each element of each head.
/// Source: `config.json` of CohereForAI/c4ai-command-r-plus.
struct command_r_plus {
  static constexpr transformer shape{.layers = 64,
                                     .hidden = 12288,
                                     .heads = 96,
                                     .kv_heads = 8,
                                     .ffn = 33792,
                                     .vocab = 256000,
                                     .norm = norm::layer_without_bias,
                                     .tied_embeddings = true,
                                     .block_norms = block_norms::one,
                                     .qk_norm = qk_norm::projection};
};

}  // namespace shardplan::models
