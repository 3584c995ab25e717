// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/model/transformer.hpp>

// The gpt-oss models of OpenAI: mixtures of experts with a bias on every linear, the router too, and an attention sink a head. Counts are
// of trained numbers, not of the packed 4-bit ones that the files hold.

namespace shardplan::models {

/// gpt-oss 20B: 20,914,757,184 parameters (4,187,440,704 a token). 32 experts, 4 a token.
/// Source: `config.json` of openai/gpt-oss-20b.
struct gpt_oss_20b {
  static constexpr transformer shape{.layers = 24,
                                     .hidden = 2880,
                                     .heads = 64,
                                     .kv_heads = 8,
                                     .head_dim = 64,
                                     .ffn = 2880,
                                     .vocab = 201088,
                                     .qkv_bias = true,
                                     .experts = {.count = 32, .top_k = 4, .router_bias = true, .bias = true},
                                     .attention_output_bias = true,
                                     .attention_sinks = true};
};

/// gpt-oss 120B: 116,829,156,672 parameters (5,711,982,912 a token). 128 experts, 4 a token.
/// Source: `config.json` of openai/gpt-oss-120b.
struct gpt_oss_120b {
  static constexpr transformer shape{.layers = 36,
                                     .hidden = 2880,
                                     .heads = 64,
                                     .kv_heads = 8,
                                     .head_dim = 64,
                                     .ffn = 2880,
                                     .vocab = 201088,
                                     .qkv_bias = true,
                                     .experts = {.count = 128, .top_k = 4, .router_bias = true, .bias = true},
                                     .attention_output_bias = true,
                                     .attention_sinks = true};
};

}  // namespace shardplan::models
