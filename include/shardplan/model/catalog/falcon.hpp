// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/model/transformer.hpp>

// The Falcon models of TII: attention and feed-forward network side by side, rotary positions, no bias but those of norms, tied embeddings.
// Files of 7B and 180B store the head a second time: 7,217,189,760 and 179,522,565,120 numbers.

namespace shardplan::models {

/// Falcon 7B: 6,921,720,704 parameters. One key/value head: tp needs heads that it
/// divides, and 71 is prime.
/// Source: `config.json` of tiiuae/falcon-7b: multi_query, so one key/value head; one norm a block.
struct falcon_7b {
  static constexpr transformer shape{.layers = 32,
                                     .hidden = 4544,
                                     .heads = 71,
                                     .kv_heads = 1,
                                     .ffn = 18176,
                                     .vocab = 65024,
                                     .mlp = mlp::plain,
                                     .norm = norm::layer,
                                     .tied_embeddings = true,
                                     .block_norms = block_norms::one};
};

/// Falcon 40B: 41,303,293,952 parameters. Two norms a block, both of its input.
/// Source: `config.json` of tiiuae/falcon-40b: new_decoder_architecture, num_kv_heads 8.
struct falcon_40b {
  static constexpr transformer shape{.layers = 60,
                                     .hidden = 8192,
                                     .heads = 128,
                                     .kv_heads = 8,
                                     .ffn = 32768,
                                     .vocab = 65024,
                                     .mlp = mlp::plain,
                                     .norm = norm::layer,
                                     .tied_embeddings = true};
};

/// Falcon 180B: 178,557,088,768 parameters. Two norms a block, both of its input.
/// Source: `config.json` of tiiuae/falcon-180B.
struct falcon_180b {
  static constexpr transformer shape{.layers = 80,
                                     .hidden = 14848,
                                     .heads = 232,
                                     .kv_heads = 8,
                                     .ffn = 59392,
                                     .vocab = 65024,
                                     .mlp = mlp::plain,
                                     .norm = norm::layer,
                                     .tied_embeddings = true};
};

}  // namespace shardplan::models
