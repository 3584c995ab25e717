// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/model/transformer.hpp>

// The Gemma models of Google: gated MLP, RMS norm, tied embeddings, heads of their own width; from Gemma 2 on four norms a block, in Gemma
// 3 norms of queries and keys.

namespace shardplan::models {

/// Gemma 7B: 8,537,680,896 parameters. Heads of 256. With 8.5B parameters it is larger than its name.
/// Source: `config.json` of google/gemma-7b; Gemma Team 2024 (arXiv 2403.08295), table 1.
struct gemma_7b {
  static constexpr transformer shape{
      .layers = 28, .hidden = 3072, .heads = 16, .head_dim = 256, .ffn = 24576, .vocab = 256000, .tied_embeddings = true};
};

/// Gemma 2 2B: 2,614,341,888 parameters. Heads of 256.
/// Source: `config.json` of google/gemma-2-2b.
struct gemma_2_2b {
  static constexpr transformer shape{.layers = 26,
                                     .hidden = 2304,
                                     .heads = 8,
                                     .kv_heads = 4,
                                     .head_dim = 256,
                                     .ffn = 9216,
                                     .vocab = 256000,
                                     .tied_embeddings = true,
                                     .block_norms = block_norms::four};
};

/// Gemma 2 9B: 9,241,705,984 parameters. Heads of 256.
/// Source: `config.json` of google/gemma-2-9b.
struct gemma_2_9b {
  static constexpr transformer shape{.layers = 42,
                                     .hidden = 3584,
                                     .heads = 16,
                                     .kv_heads = 8,
                                     .head_dim = 256,
                                     .ffn = 14336,
                                     .vocab = 256000,
                                     .tied_embeddings = true,
                                     .block_norms = block_norms::four};
};

/// Gemma 2 27B: 27,227,128,320 parameters.
/// Source: `config.json` of google/gemma-2-27b.
struct gemma_2_27b {
  static constexpr transformer shape{.layers = 46,
                                     .hidden = 4608,
                                     .heads = 32,
                                     .kv_heads = 16,
                                     .head_dim = 128,
                                     .ffn = 36864,
                                     .vocab = 256000,
                                     .tied_embeddings = true,
                                     .block_norms = block_norms::four};
};

/// Gemma 3 1B: 999,885,952 parameters. One key/value head.
/// Source: `config.json` of google/gemma-3-1b-pt.
struct gemma_3_1b {
  static constexpr transformer shape{.layers = 26,
                                     .hidden = 1152,
                                     .heads = 4,
                                     .kv_heads = 1,
                                     .head_dim = 256,
                                     .ffn = 6912,
                                     .vocab = 262144,
                                     .tied_embeddings = true,
                                     .block_norms = block_norms::four,
                                     .qk_norm = qk_norm::head};
};

/// Gemma 3 4B (text model): 3,880,263,168 parameters. Heads, their width and the vocabulary are defaults of the class.
/// Source: `config.json` of google/gemma-3-4b-pt, `text_config`.
struct gemma_3_4b {
  static constexpr transformer shape{.layers = 34,
                                     .hidden = 2560,
                                     .heads = 8,
                                     .kv_heads = 4,
                                     .head_dim = 256,
                                     .ffn = 10240,
                                     .vocab = 262208,
                                     .tied_embeddings = true,
                                     .block_norms = block_norms::four,
                                     .qk_norm = qk_norm::head};
};

/// Gemma 3 12B (text model): 11,766,034,176 parameters.
/// Source: `config.json` of google/gemma-3-12b-pt, `text_config`.
struct gemma_3_12b {
  static constexpr transformer shape{.layers = 48,
                                     .hidden = 3840,
                                     .heads = 16,
                                     .kv_heads = 8,
                                     .head_dim = 256,
                                     .ffn = 15360,
                                     .vocab = 262208,
                                     .tied_embeddings = true,
                                     .block_norms = block_norms::four,
                                     .qk_norm = qk_norm::head};
};

/// Gemma 3 27B (text model): 27,009,346,304 parameters.
/// Source: `config.json` of google/gemma-3-27b-pt, `text_config`.
struct gemma_3_27b {
  static constexpr transformer shape{.layers = 62,
                                     .hidden = 5376,
                                     .heads = 32,
                                     .kv_heads = 16,
                                     .head_dim = 128,
                                     .ffn = 21504,
                                     .vocab = 262208,
                                     .tied_embeddings = true,
                                     .block_norms = block_norms::four,
                                     .qk_norm = qk_norm::head};
};

}  // namespace shardplan::models
