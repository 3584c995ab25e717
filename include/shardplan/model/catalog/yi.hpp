// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/model/transformer.hpp>

// The Yi models of 01.AI: Llamas with 64000 rows of vocabulary.

namespace shardplan::models {

/// Yi 6B: 6,061,035,520 parameters.
/// Source: `config.json` of 01-ai/Yi-6B; 01.AI 2024 (arXiv 2403.04652), table 1.
struct yi_6b {
  static constexpr transformer shape{.layers = 32, .hidden = 4096, .heads = 32, .kv_heads = 4, .ffn = 11008, .vocab = 64000};
};

/// Yi 34B: 34,388,917,248 parameters. 56 query heads: tensor parallelism by 8, not by 16.
/// Source: `config.json` of 01-ai/Yi-34B; 01.AI 2024 (arXiv 2403.04652), table 1.
struct yi_34b {
  static constexpr transformer shape{.layers = 60, .hidden = 7168, .heads = 56, .kv_heads = 8, .ffn = 20480, .vocab = 64000};
};

}  // namespace shardplan::models
