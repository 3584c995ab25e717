// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/model/transformer.hpp>

// The DeepSeek models: a Llama, then mixtures of small experts with shared ones, from V2 on with latent attention. The saved correction
// bias of V3's router is no parameter.

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

/// DeepSeek-V2-Lite: 15,706,484,224 parameters (2,661,150,208 a token). 64 experts, 6 a token, two shared ones. Queries have no latent
/// vector.
/// Source: `config.json` of deepseek-ai/DeepSeek-V2-Lite; DeepSeek-AI 2024 (arXiv 2405.04434).
struct deepseek_v2_lite {
  static constexpr transformer shape{.layers = 27,
                                     .hidden = 2048,
                                     .heads = 16,
                                     .ffn = 10944,
                                     .vocab = 102400,
                                     .experts = {.count = 64, .top_k = 6, .ffn = 1408, .shared_ffn = 2816, .leading_dense = 1},
                                     .latent = {.key_value_rank = 512, .rope_dim = 64, .nope_dim = 128, .value_dim = 128}};
};

/// DeepSeek-V2: 235,741,434,880 parameters (21,375,800,320 a token). 160 experts, 6 a token, two shared ones.
/// Source: `config.json` of deepseek-ai/DeepSeek-V2; DeepSeek-AI 2024 (arXiv 2405.04434).
struct deepseek_v2 {
  static constexpr transformer shape{
      .layers = 60,
      .hidden = 5120,
      .heads = 128,
      .ffn = 12288,
      .vocab = 102400,
      .experts = {.count = 160, .top_k = 6, .ffn = 1536, .shared_ffn = 3072, .leading_dense = 1},
      .latent = {.query_rank = 1536, .key_value_rank = 512, .rope_dim = 64, .nope_dim = 128, .value_dim = 128}};
};

/// DeepSeek-V3: 671,026,404,352 parameters (37,552,282,624 a token). 256 experts, 8 a token, one shared; three dense layers. Without its
/// next-token layer (`next_token_layers = 1`), which the published file size includes.
/// Source: `config.json` of deepseek-ai/DeepSeek-V3; DeepSeek-AI 2024 (arXiv 2412.19437).
struct deepseek_v3 {
  static constexpr transformer shape{
      .layers = 61,
      .hidden = 7168,
      .heads = 128,
      .ffn = 18432,
      .vocab = 129280,
      .experts = {.count = 256, .top_k = 8, .ffn = 2048, .shared_ffn = 2048, .leading_dense = 3},
      .latent = {.query_rank = 1536, .key_value_rank = 512, .rope_dim = 64, .nope_dim = 128, .value_dim = 128}};
};

}  // namespace shardplan::models
