// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/model/transformer.hpp>

// The Qwen models of Alibaba. 1.5, 2 and 2.5: a Llama whose query, key and value projections have a bias (hard-coded, not in config.json).
// 3: no bias, but a norm of each query and key.

namespace shardplan::models {

/// Qwen1.5 7B: 7,721,324,544 parameters.
/// Source: `config.json` of Qwen/Qwen1.5-7B.
struct qwen1_5_7b {
  static constexpr transformer shape{.layers = 32, .hidden = 4096, .heads = 32, .ffn = 11008, .vocab = 151936, .qkv_bias = true};
};

/// Qwen1.5 110B: 111,209,914,368 parameters.
/// Source: `config.json` of Qwen/Qwen1.5-110B.
struct qwen1_5_110b {
  static constexpr transformer shape{
      .layers = 80, .hidden = 8192, .heads = 64, .kv_heads = 8, .ffn = 49152, .vocab = 152064, .qkv_bias = true};
};

/// Qwen2 0.5B: 494,032,768 parameters. The head is tied. 14 query and 2 key/value heads.
/// Source: `config.json` of Qwen/Qwen2-0.5B; Yang et al. 2024 (arXiv 2407.10671), table 1.
struct qwen2_0_5b {
  static constexpr transformer shape{
      .layers = 24, .hidden = 896, .heads = 14, .kv_heads = 2, .ffn = 4864, .vocab = 151936, .qkv_bias = true, .tied_embeddings = true};
};

/// Qwen2.5 3B: 3,085,938,688 parameters. The head is tied.
/// Source: `config.json` of Qwen/Qwen2.5-3B.
struct qwen2_5_3b {
  static constexpr transformer shape{
      .layers = 36, .hidden = 2048, .heads = 16, .kv_heads = 2, .ffn = 11008, .vocab = 151936, .qkv_bias = true, .tied_embeddings = true};
};

/// Qwen2.5 7B: 7,615,616,512 parameters. 28 query and 4 key/value heads.
/// Source: `config.json` of Qwen/Qwen2.5-7B.
struct qwen2_5_7b {
  static constexpr transformer shape{
      .layers = 28, .hidden = 3584, .heads = 28, .kv_heads = 4, .ffn = 18944, .vocab = 152064, .qkv_bias = true};
};

/// Qwen2.5 14B: 14,770,033,664 parameters.
/// Source: `config.json` of Qwen/Qwen2.5-14B.
struct qwen2_5_14b {
  static constexpr transformer shape{
      .layers = 48, .hidden = 5120, .heads = 40, .kv_heads = 8, .ffn = 13824, .vocab = 152064, .qkv_bias = true};
};

/// Qwen2.5 32B: 32,763,876,352 parameters. The model card prints 32.5B, which is not the count of this shape.
/// Source: `config.json` of Qwen/Qwen2.5-32B, read in a copy (citsjtu2020/LLM-Prof, sglang/Model_Config.md).
struct qwen2_5_32b {
  static constexpr transformer shape{
      .layers = 64, .hidden = 5120, .heads = 40, .kv_heads = 8, .ffn = 27648, .vocab = 152064, .qkv_bias = true};
};

/// Qwen2.5 72B: 72,706,203,648 parameters.
/// Source: `config.json` of Qwen/Qwen2.5-72B.
struct qwen2_5_72b {
  static constexpr transformer shape{
      .layers = 80, .hidden = 8192, .heads = 64, .kv_heads = 8, .ffn = 29568, .vocab = 152064, .qkv_bias = true};
};

/// Qwen1.5-MoE A2.7B: 14,315,784,192 parameters (2,689,173,504 a token). 60 experts, 4 a token, and a gated shared one.
/// Source: `config.json` of Qwen/Qwen1.5-MoE-A2.7B.
struct qwen1_5_moe_a2_7b {
  static constexpr transformer shape{.layers = 24,
                                     .hidden = 2048,
                                     .heads = 16,
                                     .ffn = 5632,
                                     .vocab = 151936,
                                     .qkv_bias = true,
                                     .experts = {.count = 60, .top_k = 4, .ffn = 1408, .shared_ffn = 5632, .shared_gate = true}};
};

/// Qwen3 0.6B: 596,049,920 parameters. The head is tied. Heads of 128: wider than hidden / heads.
/// Source: `config.json` of Qwen/Qwen3-0.6B.
struct qwen3_0_6b {
  static constexpr transformer shape{.layers = 28,
                                     .hidden = 1024,
                                     .heads = 16,
                                     .kv_heads = 8,
                                     .head_dim = 128,
                                     .ffn = 3072,
                                     .vocab = 151936,
                                     .tied_embeddings = true,
                                     .qk_norm = qk_norm::head};
};

/// Qwen3 1.7B: 1,720,574,976 parameters. The head is tied.
/// Source: `config.json` of Qwen/Qwen3-1.7B.
struct qwen3_1_7b {
  static constexpr transformer shape{.layers = 28,
                                     .hidden = 2048,
                                     .heads = 16,
                                     .kv_heads = 8,
                                     .ffn = 6144,
                                     .vocab = 151936,
                                     .tied_embeddings = true,
                                     .qk_norm = qk_norm::head};
};

/// Qwen3 4B: 4,022,468,096 parameters. The head is tied.
/// Source: `config.json` of Qwen/Qwen3-4B.
struct qwen3_4b {
  static constexpr transformer shape{.layers = 36,
                                     .hidden = 2560,
                                     .heads = 32,
                                     .kv_heads = 8,
                                     .head_dim = 128,
                                     .ffn = 9728,
                                     .vocab = 151936,
                                     .tied_embeddings = true,
                                     .qk_norm = qk_norm::head};
};

/// Qwen3 8B: 8,190,735,360 parameters.
/// Source: `config.json` of Qwen/Qwen3-8B.
struct qwen3_8b {
  static constexpr transformer shape{
      .layers = 36, .hidden = 4096, .heads = 32, .kv_heads = 8, .ffn = 12288, .vocab = 151936, .qk_norm = qk_norm::head};
};

/// Qwen3 32B: 32,762,123,264 parameters.
/// Source: `config.json` of Qwen/Qwen3-32B.
struct qwen3_32b {
  static constexpr transformer shape{
      .layers = 64, .hidden = 5120, .heads = 64, .kv_heads = 8, .head_dim = 128, .ffn = 25600, .vocab = 151936, .qk_norm = qk_norm::head};
};

/// Qwen3 30B-A3B: 30,532,122,624 parameters (3,353,032,704 a token). 128 experts, 8 a token. No layer has the dense width.
/// Source: `config.json` of Qwen/Qwen3-30B-A3B.
struct qwen3_30b_a3b {
  static constexpr transformer shape{.layers = 48,
                                     .hidden = 2048,
                                     .heads = 32,
                                     .kv_heads = 4,
                                     .head_dim = 128,
                                     .ffn = 6144,
                                     .vocab = 151936,
                                     .experts = {.count = 128, .top_k = 8, .ffn = 768},
                                     .qk_norm = qk_norm::head};
};

/// Qwen3 235B-A22B: 235,093,634,560 parameters (22,190,763,520 a token). 128 experts, 8 a token.
/// Source: `config.json` of Qwen/Qwen3-235B-A22B.
struct qwen3_235b_a22b {
  static constexpr transformer shape{.layers = 94,
                                     .hidden = 4096,
                                     .heads = 64,
                                     .kv_heads = 4,
                                     .head_dim = 128,
                                     .ffn = 12288,
                                     .vocab = 151936,
                                     .experts = {.count = 128, .top_k = 8, .ffn = 1536},
                                     .qk_norm = qk_norm::head};
};

/// Qwen3-Coder 480B-A35B: 480,154,875,392 parameters (35,474,765,312 a token). 160 experts, 8 a token.
/// Source: `config.json` of Qwen/Qwen3-Coder-480B-A35B-Instruct.
struct qwen3_coder_480b_a35b {
  static constexpr transformer shape{.layers = 62,
                                     .hidden = 6144,
                                     .heads = 96,
                                     .kv_heads = 8,
                                     .head_dim = 128,
                                     .ffn = 8192,
                                     .vocab = 151936,
                                     .experts = {.count = 160, .top_k = 8, .ffn = 2560},
                                     .qk_norm = qk_norm::head};
};

}  // namespace shardplan::models
