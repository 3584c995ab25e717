// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/model/transformer.hpp>

// The GPT-NeoX family of EleutherAI: rotary positions, LayerNorm, GELU, a bias on every linear but the head, untied head. Attention and
// MLP run in parallel, which changes no count. The vocabularies are the padded ones that were trained.

namespace shardplan::models {

/// GPT-NeoX 20B: 20,554,567,680 parameters.
/// Source: `config.json` of EleutherAI/gpt-neox-20b; Black et al. 2022 (arXiv 2204.06745).
struct gpt_neox_20b {
  static constexpr transformer shape{.layers = 44,
                                     .hidden = 6144,
                                     .heads = 64,
                                     .ffn = 24576,
                                     .vocab = 50432,
                                     .mlp = mlp::plain,
                                     .norm = norm::layer,
                                     .qkv_bias = true,
                                     .attention_output_bias = true,
                                     .mlp_bias = true};
};

/// Pythia 70M: 70,426,624 parameters.
/// Source: `config.json` of EleutherAI/pythia-70m; Biderman et al. 2023 (arXiv 2304.01373), table 1.
struct pythia_70m {
  static constexpr transformer shape{.layers = 6,
                                     .hidden = 512,
                                     .heads = 8,
                                     .ffn = 2048,
                                     .vocab = 50304,
                                     .mlp = mlp::plain,
                                     .norm = norm::layer,
                                     .qkv_bias = true,
                                     .attention_output_bias = true,
                                     .mlp_bias = true};
};

/// Pythia 410M: 405,334,016 parameters.
/// Source: `config.json` of EleutherAI/pythia-410m; Biderman et al. 2023 (arXiv 2304.01373), table 1.
struct pythia_410m {
  static constexpr transformer shape{.layers = 24,
                                     .hidden = 1024,
                                     .heads = 16,
                                     .ffn = 4096,
                                     .vocab = 50304,
                                     .mlp = mlp::plain,
                                     .norm = norm::layer,
                                     .qkv_bias = true,
                                     .attention_output_bias = true,
                                     .mlp_bias = true};
};

/// Pythia 1B: 1,011,781,632 parameters.
/// Source: `config.json` of EleutherAI/pythia-1b; Biderman et al. 2023 (arXiv 2304.01373), table 1.
struct pythia_1b {
  static constexpr transformer shape{.layers = 16,
                                     .hidden = 2048,
                                     .heads = 8,
                                     .ffn = 8192,
                                     .vocab = 50304,
                                     .mlp = mlp::plain,
                                     .norm = norm::layer,
                                     .qkv_bias = true,
                                     .attention_output_bias = true,
                                     .mlp_bias = true};
};

/// Pythia 2.8B: 2,775,208,960 parameters.
/// Source: `config.json` of EleutherAI/pythia-2.8b; Biderman et al. 2023 (arXiv 2304.01373), table 1.
struct pythia_2_8b {
  static constexpr transformer shape{.layers = 32,
                                     .hidden = 2560,
                                     .heads = 32,
                                     .ffn = 10240,
                                     .vocab = 50304,
                                     .mlp = mlp::plain,
                                     .norm = norm::layer,
                                     .qkv_bias = true,
                                     .attention_output_bias = true,
                                     .mlp_bias = true};
};

/// Pythia 6.9B: 6,857,302,016 parameters.
/// Source: `config.json` of EleutherAI/pythia-6.9b; Biderman et al. 2023 (arXiv 2304.01373), table 1.
struct pythia_6_9b {
  static constexpr transformer shape{.layers = 32,
                                     .hidden = 4096,
                                     .heads = 32,
                                     .ffn = 16384,
                                     .vocab = 50432,
                                     .mlp = mlp::plain,
                                     .norm = norm::layer,
                                     .qkv_bias = true,
                                     .attention_output_bias = true,
                                     .mlp_bias = true};
};

}  // namespace shardplan::models
