// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/model/transformer.hpp>

// The GLM 4 models of Zhipu AI: query, key and value have a bias. The saved correction bias of the router is no parameter.

namespace shardplan::models {

/// GLM-4 9B: 9,399,951,360 parameters. 2 key/value heads.
/// Source: `config.json` of THUDM/glm-4-9b-chat-hf.
struct glm_4_9b {
  static constexpr transformer shape{
      .layers = 40, .hidden = 4096, .heads = 32, .kv_heads = 2, .ffn = 13696, .vocab = 151552, .qkv_bias = true};
};

/// GLM-4.5-Air (106B-A12B): 106,852,245,504 parameters (13,424,123,904 a token). Without its next-token prediction layer, which the
/// published file size includes.
/// Source: `config.json` of zai-org/GLM-4.5-Air.
struct glm_4_5_air {
  static constexpr transformer shape{.layers = 46,
                                     .hidden = 4096,
                                     .heads = 96,
                                     .kv_heads = 8,
                                     .head_dim = 128,
                                     .ffn = 10944,
                                     .vocab = 151552,
                                     .qkv_bias = true,
                                     .experts = {.count = 128, .top_k = 8, .ffn = 1408, .shared_ffn = 1408, .leading_dense = 1}};
};

}  // namespace shardplan::models
