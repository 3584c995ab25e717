// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/model/transformer.hpp>

// The models of Moonshot AI: the architecture of DeepSeek-V3.

namespace shardplan::models {

/// Kimi K2: 1,026,408,209,408 parameters (32,861,477,888 a token). 384 experts, 8 a token, one shared. (The hub counts 3,416 numbers more,
/// 56 a layer, which its configuration does not explain.)
/// Source: `config.json` of moonshotai/Kimi-K2-Instruct.
struct kimi_k2 {
  static constexpr transformer shape{
      .layers = 61,
      .hidden = 7168,
      .heads = 64,
      .ffn = 18432,
      .vocab = 163840,
      .experts = {.count = 384, .top_k = 8, .ffn = 2048, .shared_ffn = 2048, .leading_dense = 1},
      .latent = {.query_rank = 1536, .key_value_rank = 512, .rope_dim = 64, .nope_dim = 128, .value_dim = 128}};
};

/// Moonlight 16B-A3B: 15,960,108,544 parameters (2,914,774,528 a token). 64 experts, 6 a token, two shared ones. Queries have no latent
/// vector.
/// Source: `config.json` of moonshotai/Moonlight-16B-A3B.
struct moonlight_16b_a3b {
  static constexpr transformer shape{.layers = 27,
                                     .hidden = 2048,
                                     .heads = 16,
                                     .ffn = 11264,
                                     .vocab = 163840,
                                     .experts = {.count = 64, .top_k = 6, .ffn = 1408, .shared_ffn = 2816, .leading_dense = 1},
                                     .latent = {.key_value_rank = 512, .rope_dim = 64, .nope_dim = 128, .value_dim = 128}};
};

}  // namespace shardplan::models
