// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/model/transformer.hpp>

// The models of Mistral AI: a Llama with grouped-query attention, and the Mixtral mixtures of experts (every layer routes, no shared
// expert).

namespace shardplan::models {

/// Mistral 7B v0.1: 7,241,732,096 parameters.
/// Source: `config.json` of mistralai/Mistral-7B-v0.1; Jiang et al. 2023 (arXiv 2310.06825), table 1.
struct mistral_7b {
  static constexpr transformer shape{.layers = 32, .hidden = 4096, .heads = 32, .kv_heads = 8, .ffn = 14336, .vocab = 32000};
};

/// Mistral 7B v0.3: 7,248,023,552 parameters. 768 more rows of vocabulary than v0.1.
/// Source: `config.json` of mistralai/Mistral-7B-v0.3.
struct mistral_7b_v0_3 {
  static constexpr transformer shape{.layers = 32, .hidden = 4096, .heads = 32, .kv_heads = 8, .ffn = 14336, .vocab = 32768};
};

/// Ministral 8B: 8,019,808,256 parameters.
/// Source: `config.json` of mistralai/Ministral-8B-Instruct-2410.
struct ministral_8b {
  static constexpr transformer shape{.layers = 36, .hidden = 4096, .heads = 32, .kv_heads = 8, .ffn = 12288, .vocab = 131072};
};

/// Mistral Small 3, 24B: 23,572,403,200 parameters. Heads of 128: narrower than hidden / heads.
/// Source: `config.json` of mistralai/Mistral-Small-24B-Base-2501.
struct mistral_small_24b {
  static constexpr transformer shape{
      .layers = 40, .hidden = 5120, .heads = 32, .kv_heads = 8, .head_dim = 128, .ffn = 32768, .vocab = 131072};
};

/// Mistral Large 2 (123B): 122,610,069,504 parameters.
/// Source: `config.json` of mistralai/Mistral-Large-Instruct-2407.
struct mistral_large_2407 {
  static constexpr transformer shape{.layers = 88, .hidden = 12288, .heads = 96, .kv_heads = 8, .ffn = 28672, .vocab = 32768};
};

/// Mixtral 8x7B: 46,702,792,704 parameters (12,879,925,248 a token).
/// Source: `config.json` of mistralai/Mixtral-8x7B-v0.1; Jiang et al. 2024 (arXiv 2401.04088), table 1.
struct mixtral_8x7b {
  static constexpr transformer shape{
      .layers = 32, .hidden = 4096, .heads = 32, .kv_heads = 8, .ffn = 14336, .vocab = 32000, .experts = {.count = 8, .top_k = 2}};
};

/// Mixtral 8x22B: 140,620,634,112 parameters (39,152,031,744 a token). Another revision has 32768 rows.
/// Source: `config.json` of mistralai/Mixtral-8x22B-v0.1, revision with 32000 rows of vocabulary.
struct mixtral_8x22b {
  static constexpr transformer shape{
      .layers = 56, .hidden = 6144, .heads = 48, .kv_heads = 8, .ffn = 16384, .vocab = 32000, .experts = {.count = 8, .top_k = 2}};
};

}  // namespace shardplan::models
