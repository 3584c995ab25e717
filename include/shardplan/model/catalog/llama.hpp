// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/model/transformer.hpp>

// The Llama family of Meta and models of the same architecture: RMS norm, gated MLP, rotary positions, no bias.

namespace shardplan::models {

/// LLaMA 7B: 6,738,415,616 parameters.
/// Source: Touvron et al. 2023 (arXiv 2302.13971), table 2; `config.json` of huggyllama/llama-7b.
struct llama_7b {
  static constexpr transformer shape{.layers = 32, .hidden = 4096, .heads = 32, .ffn = 11008, .vocab = 32000};
};

/// LLaMA 13B: 13,015,864,320 parameters.
/// Source: Touvron et al. 2023 (arXiv 2302.13971), table 2; `config.json` of huggyllama/llama-13b.
struct llama_13b {
  static constexpr transformer shape{.layers = 40, .hidden = 5120, .heads = 40, .ffn = 13824, .vocab = 32000};
};

/// LLaMA 30B (the paper says 33B): 32,528,943,616 parameters.
/// Source: Touvron et al. 2023 (arXiv 2302.13971), table 2; `config.json` of huggyllama/llama-30b.
struct llama_30b {
  static constexpr transformer shape{.layers = 60, .hidden = 6656, .heads = 52, .ffn = 17920, .vocab = 32000};
};

/// LLaMA 65B: 65,285,660,672 parameters.
/// Source: Touvron et al. 2023 (arXiv 2302.13971), table 2; `config.json` of huggyllama/llama-65b.
struct llama_65b {
  static constexpr transformer shape{.layers = 80, .hidden = 8192, .heads = 64, .ffn = 22016, .vocab = 32000};
};

/// Llama 2 7B: 6,738,415,616 parameters.
/// Source: `config.json` of meta-llama/Llama-2-7b-hf; Touvron et al. 2023 (arXiv 2307.09288), table 1.
struct llama2_7b {
  static constexpr transformer shape{.layers = 32, .hidden = 4096, .heads = 32, .ffn = 11008, .vocab = 32000};
};

/// Llama 2 13B: 13,015,864,320 parameters.
/// Source: `config.json` of meta-llama/Llama-2-13b-hf; Touvron et al. 2023 (arXiv 2307.09288), table 1.
struct llama2_13b {
  static constexpr transformer shape{.layers = 40, .hidden = 5120, .heads = 40, .ffn = 13824, .vocab = 32000};
};

/// Llama 2 70B: 68,976,648,192 parameters.
/// Source: `config.json` of meta-llama/Llama-2-70b-hf; Touvron et al. 2023 (arXiv 2307.09288), table 1.
struct llama2_70b {
  static constexpr transformer shape{.layers = 80, .hidden = 8192, .heads = 64, .kv_heads = 8, .ffn = 28672, .vocab = 32000};
};

/// Llama 3 8B: 8,030,261,248 parameters.
/// Source: `config.json` of meta-llama/Meta-Llama-3-8B; Llama Team 2024 (arXiv 2407.21783), table 3.
struct llama3_8b {
  static constexpr transformer shape{.layers = 32, .hidden = 4096, .heads = 32, .kv_heads = 8, .ffn = 14336, .vocab = 128256};
};

/// Llama 3 70B: 70,553,706,496 parameters.
/// Source: `config.json` of meta-llama/Meta-Llama-3-70B; Llama Team 2024 (arXiv 2407.21783), table 3.
struct llama3_70b {
  static constexpr transformer shape{.layers = 80, .hidden = 8192, .heads = 64, .kv_heads = 8, .ffn = 28672, .vocab = 128256};
};

/// Llama 3.1 8B: 8,030,261,248 parameters. The shape of Llama 3 8B; only the rotary scaling differs.
/// Source: `config.json` of meta-llama/Llama-3.1-8B.
struct llama3_1_8b {
  static constexpr transformer shape{.layers = 32, .hidden = 4096, .heads = 32, .kv_heads = 8, .ffn = 14336, .vocab = 128256};
};

/// Llama 3.1 70B: 70,553,706,496 parameters. The shape of Llama 3 70B; only the rotary scaling differs.
/// Source: `config.json` of meta-llama/Llama-3.1-70B.
struct llama3_1_70b {
  static constexpr transformer shape = llama3_70b::shape;
};

/// Llama 3.1 405B: 405,853,388,800 parameters. 126 layers: 2 fewer than 128, so that the first and the last of 16 stages hold one less
/// (section 3.3.2 of the paper).
/// Source: `config.json` of meta-llama/Llama-3.1-405B; Llama Team 2024 (arXiv 2407.21783), table 3.
struct llama3_1_405b {
  static constexpr transformer shape{.layers = 126, .hidden = 16384, .heads = 128, .kv_heads = 8, .ffn = 53248, .vocab = 128256};
};

/// Llama 3.2 1B: 1,235,814,400 parameters. The head is tied.
/// Source: `config.json` of meta-llama/Llama-3.2-1B.
struct llama3_2_1b {
  static constexpr transformer shape{
      .layers = 16, .hidden = 2048, .heads = 32, .kv_heads = 8, .ffn = 8192, .vocab = 128256, .tied_embeddings = true};
};

/// Llama 3.2 3B: 3,212,749,824 parameters. The head is tied.
/// Source: `config.json` of meta-llama/Llama-3.2-3B.
struct llama3_2_3b {
  static constexpr transformer shape{
      .layers = 28, .hidden = 3072, .heads = 24, .kv_heads = 8, .ffn = 8192, .vocab = 128256, .tied_embeddings = true};
};

/// TinyLlama 1.1B: 1,100,048,384 parameters.
/// Source: `config.json` of the TinyLlama/TinyLlama-1.1B repositories; Zhang et al. 2024 (arXiv 2401.02385).
struct tinyllama_1_1b {
  static constexpr transformer shape{.layers = 22, .hidden = 2048, .heads = 32, .kv_heads = 4, .ffn = 5632, .vocab = 32000};
};

/// SmolLM2 360M: 361,821,120 parameters. 15 query and 5 key/value heads: tensor parallelism by 2 is not possible.
/// Source: `config.json` of HuggingFaceTB/SmolLM2-360M.
struct smollm2_360m {
  static constexpr transformer shape{
      .layers = 32, .hidden = 960, .heads = 15, .kv_heads = 5, .ffn = 2560, .vocab = 49152, .tied_embeddings = true};
};

/// Llama 4 Scout (text model): 107,769,861,120 parameters (17,172,894,720 a token). 16 experts, 1 a token, and a shared one in every layer.
/// Without the vision tower.
/// Source: `config.json` of meta-llama/Llama-4-Scout-17B-16E, `text_config`.
struct llama4_scout_17b_16e {
  static constexpr transformer shape{.layers = 48,
                                     .hidden = 5120,
                                     .heads = 40,
                                     .kv_heads = 8,
                                     .ffn = 16384,
                                     .vocab = 202048,
                                     .experts = {.count = 16, .top_k = 1, .ffn = 8192, .shared_ffn = 8192},
                                     .qk_norm = qk_norm::without_weights};
};

}  // namespace shardplan::models
