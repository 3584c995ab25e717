// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/model/transformer.hpp>

// The DeepSeek models without latent attention. (V2 and V3 have latent attention, which a `transformer` cannot say yet.)

namespace shardplan::models {

/// DeepSeek LLM 7B: 6,910,365,696 parameters.
/// Source: `config.json` of deepseek-ai/deepseek-llm-7b-base; DeepSeek-AI 2024 (arXiv 2401.02954), table 2.
struct deepseek_llm_7b {
  static constexpr transformer shape{.layers = 30, .hidden = 4096, .heads = 32, .ffn = 11008, .vocab = 102400};
};

/// DeepSeekMoE 16B: 16,375,728,128 parameters (2,828,650,496 a token). The first layer is dense; the two shared experts of 1408 are said as
/// one width.
/// Source: `config.json` of deepseek-ai/deepseek-moe-16b-base; Dai et al. 2024 (arXiv 2401.06066).
struct deepseek_moe_16b {
  static constexpr transformer shape{.layers = 28,
                                     .hidden = 2048,
                                     .heads = 16,
                                     .ffn = 10944,
                                     .vocab = 102400,
                                     .experts = {.count = 64, .top_k = 6, .ffn = 1408, .shared_ffn = 2816, .leading_dense = 1}};
};

}  // namespace shardplan::models
