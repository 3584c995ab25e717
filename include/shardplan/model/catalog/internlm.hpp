// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/model/transformer.hpp>

// The InternLM models of Shanghai AI Laboratory: Llamas; the first generation has biases around attention.

namespace shardplan::models {

/// InternLM 7B: 7,321,948,160 parameters.
/// Source: `config.json` of internlm/internlm-7b (bias true: query, key, value and output projection).
struct internlm_7b {
  static constexpr transformer shape{
      .layers = 32, .hidden = 4096, .heads = 32, .ffn = 11008, .vocab = 103168, .qkv_bias = true, .attention_output_bias = true};
};

/// InternLM2 7B: 7,737,708,544 parameters.
/// Source: `config.json` of internlm/internlm2-7b; InternLM2 technical report (arXiv 2403.17297).
struct internlm2_7b {
  static constexpr transformer shape{.layers = 32, .hidden = 4096, .heads = 32, .kv_heads = 8, .ffn = 14336, .vocab = 92544};
};

/// InternLM2 20B: 19,861,149,696 parameters.
/// Source: `config.json` of internlm/internlm2-20b; InternLM2 technical report (arXiv 2403.17297).
struct internlm2_20b {
  static constexpr transformer shape{.layers = 48, .hidden = 6144, .heads = 48, .kv_heads = 8, .ffn = 16384, .vocab = 92544};
};

}  // namespace shardplan::models
