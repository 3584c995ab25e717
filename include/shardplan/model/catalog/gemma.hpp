// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/model/transformer.hpp>

// The first Gemma of Google: gated MLP, RMS norm, tied embeddings, heads wider than hidden / heads. (Gemma 2 and 3 have four norms a
// block, which a `transformer` cannot say yet.)

namespace shardplan::models {

/// Gemma 7B: 8,537,680,896 parameters. Heads of 256. With 8.5B parameters it is larger than its name.
/// Source: `config.json` of google/gemma-7b; Gemma Team 2024 (arXiv 2403.08295), table 1.
struct gemma_7b {
  static constexpr transformer shape{
      .layers = 28, .hidden = 3072, .heads = 16, .head_dim = 256, .ffn = 24576, .vocab = 256000, .tied_embeddings = true};
};

}  // namespace shardplan::models
