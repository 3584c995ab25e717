// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/model/transformer.hpp>

// The Qwen 1.5, 2 and 2.5 models of Alibaba: a Llama whose query, key and value projections have a bias (hard-coded, not in config.json).
// Not here, because a `transformer` cannot say them yet: the gate of the shared expert (Qwen1.5-MoE) and the query and key norms (Qwen3).

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

}  // namespace shardplan::models
