// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/model/transformer.hpp>

// The OPT models of Meta: a GPT with learned positions, the first two rows of which no token has; tied embeddings. The
// 350M model has its norms after attention and feed-forward network, no final norm, and an embedding narrower than its blocks.

namespace shardplan::models {

/// OPT 125M: 125,239,296 parameters.
/// Source: `config.json` of facebook/opt-125m; Zhang et al. 2022 (arXiv 2205.01068), table 1.
struct opt_125m {
  static constexpr transformer shape{.layers = 12,
                                     .hidden = 768,
                                     .heads = 12,
                                     .ffn = 3072,
                                     .vocab = 50272,
                                     .positions = 2050,
                                     .mlp = mlp::plain,
                                     .norm = norm::layer,
                                     .qkv_bias = true,
                                     .tied_embeddings = true,
                                     .attention_output_bias = true,
                                     .mlp_bias = true,
                                     .position_offset = 2};
};

/// OPT 350M: 331,196,416 parameters.
/// Source: `config.json` of facebook/opt-350m (word_embed_proj_dim 512, do_layer_norm_before false); Zhang et al. 2022 (arXiv 2205.01068),
/// table 1.
struct opt_350m {
  static constexpr transformer shape{.layers = 24,
                                     .hidden = 1024,
                                     .heads = 16,
                                     .ffn = 4096,
                                     .vocab = 50272,
                                     .positions = 2050,
                                     .mlp = mlp::plain,
                                     .norm = norm::layer,
                                     .qkv_bias = true,
                                     .tied_embeddings = true,
                                     .attention_output_bias = true,
                                     .mlp_bias = true,
                                     .final_norm = false,
                                     .position_offset = 2,
                                     .embedding_dim = 512};
};

/// OPT 2.7B: 2,651,596,800 parameters.
/// Source: `config.json` of facebook/opt-2.7b; Zhang et al. 2022 (arXiv 2205.01068), table 1.
struct opt_2_7b {
  static constexpr transformer shape{.layers = 32,
                                     .hidden = 2560,
                                     .heads = 32,
                                     .ffn = 10240,
                                     .vocab = 50272,
                                     .positions = 2050,
                                     .mlp = mlp::plain,
                                     .norm = norm::layer,
                                     .qkv_bias = true,
                                     .tied_embeddings = true,
                                     .attention_output_bias = true,
                                     .mlp_bias = true,
                                     .position_offset = 2};
};

/// OPT 13B: 12,853,473,280 parameters.
/// Source: `config.json` of facebook/opt-13b; Zhang et al. 2022 (arXiv 2205.01068), table 1.
struct opt_13b {
  static constexpr transformer shape{.layers = 40,
                                     .hidden = 5120,
                                     .heads = 40,
                                     .ffn = 20480,
                                     .vocab = 50272,
                                     .positions = 2050,
                                     .mlp = mlp::plain,
                                     .norm = norm::layer,
                                     .qkv_bias = true,
                                     .tied_embeddings = true,
                                     .attention_output_bias = true,
                                     .mlp_bias = true,
                                     .position_offset = 2};
};

/// OPT 30B: 29,974,540,288 parameters.
/// Source: `config.json` of facebook/opt-30b; Zhang et al. 2022 (arXiv 2205.01068), table 1.
struct opt_30b {
  static constexpr transformer shape{.layers = 48,
                                     .hidden = 7168,
                                     .heads = 56,
                                     .ffn = 28672,
                                     .vocab = 50272,
                                     .positions = 2050,
                                     .mlp = mlp::plain,
                                     .norm = norm::layer,
                                     .qkv_bias = true,
                                     .tied_embeddings = true,
                                     .attention_output_bias = true,
                                     .mlp_bias = true,
                                     .position_offset = 2};
};

}  // namespace shardplan::models
