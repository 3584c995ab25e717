// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/model/transformer.hpp>

// The Granite 3 models of IBM: Llamas with tied embeddings (the multipliers of the architecture are no parameters), and mixtures of small
// experts.

namespace shardplan::models {

/// Granite 3.1 2B: 2,533,531,648 parameters.
/// Source: `config.json` of ibm-granite/granite-3.1-2b-base.
struct granite_3_1_2b {
  static constexpr transformer shape{
      .layers = 40, .hidden = 2048, .heads = 32, .kv_heads = 8, .ffn = 8192, .vocab = 49155, .tied_embeddings = true};
};

/// Granite 3.3 2B: 2,533,539,840 parameters. 4 more rows of vocabulary than 3.1.
/// Source: `config.json` of ibm-granite/granite-3.3-2b-instruct.
struct granite_3_3_2b {
  static constexpr transformer shape{
      .layers = 40, .hidden = 2048, .heads = 32, .kv_heads = 8, .ffn = 8192, .vocab = 49159, .tied_embeddings = true};
};

/// Granite 3.3 8B: 8,170,864,640 parameters.
/// Source: `config.json` of ibm-granite/granite-3.3-8b-instruct.
struct granite_3_3_8b {
  static constexpr transformer shape{
      .layers = 40, .hidden = 4096, .heads = 32, .kv_heads = 8, .ffn = 12800, .vocab = 49159, .tied_embeddings = true};
};

/// Granite 3.1 1B-A400M: 1,334,628,352 parameters (428,658,688 a token). 32 experts, 8 a token.
/// Source: `config.json` of ibm-granite/granite-3.1-1b-a400m-base.
struct granite_3_1_1b_a400m {
  static constexpr transformer shape{.layers = 24,
                                     .hidden = 1024,
                                     .heads = 16,
                                     .kv_heads = 8,
                                     .ffn = 512,
                                     .vocab = 49155,
                                     .tied_embeddings = true,
                                     .experts = {.count = 32, .top_k = 8}};
};

/// Granite 3.1 3B-A800M: 3,298,793,472 parameters (882,874,368 a token). 40 experts, 8 a token.
/// Source: `config.json` of ibm-granite/granite-3.1-3b-a800m-base.
struct granite_3_1_3b_a800m {
  static constexpr transformer shape{.layers = 32,
                                     .hidden = 1536,
                                     .heads = 24,
                                     .kv_heads = 8,
                                     .ffn = 512,
                                     .vocab = 49155,
                                     .tied_embeddings = true,
                                     .experts = {.count = 40, .top_k = 8}};
};

}  // namespace shardplan::models
