// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/model/transformer.hpp>

// The OLMo models of Ai2: OLMo 1 is a Llama whose norms train nothing; OLMo 2 has its two norms after attention and MLP, and norms of the
// whole query and key projections.

namespace shardplan::models {

/// OLMo 1B: 1,176,764,416 parameters. The head is tied; no norm trains anything.
/// Source: `config.json` of allenai/OLMo-1B-hf.
struct olmo_1b {
  static constexpr transformer shape{
      .layers = 16, .hidden = 2048, .heads = 16, .ffn = 8192, .vocab = 50304, .norm = norm::layer_without_weights, .tied_embeddings = true};
};

/// OLMo 2 1B: 1,484,916,736 parameters.
/// Source: `config.json` of allenai/OLMo-2-0425-1B.
struct olmo_2_1b {
  static constexpr transformer shape{
      .layers = 16, .hidden = 2048, .heads = 16, .ffn = 8192, .vocab = 100352, .qk_norm = qk_norm::projection};
};

/// OLMo 2 7B: 7,298,617,344 parameters.
/// Source: `config.json` of allenai/OLMo-2-1124-7B.
struct olmo_2_7b {
  static constexpr transformer shape{
      .layers = 32, .hidden = 4096, .heads = 32, .ffn = 11008, .vocab = 100352, .qk_norm = qk_norm::projection};
};

/// OLMo 2 13B: 13,716,198,400 parameters.
/// Source: `config.json` of allenai/OLMo-2-1124-13B.
struct olmo_2_13b {
  static constexpr transformer shape{
      .layers = 40, .hidden = 5120, .heads = 40, .ffn = 13824, .vocab = 100352, .qk_norm = qk_norm::projection};
};

/// OLMo 2 32B: 32,234,279,936 parameters. Grouped-query attention, unlike the smaller ones.
/// Source: `config.json` of allenai/OLMo-2-0325-32B.
struct olmo_2_32b {
  static constexpr transformer shape{
      .layers = 64, .hidden = 5120, .heads = 40, .kv_heads = 8, .ffn = 27648, .vocab = 100352, .qk_norm = qk_norm::projection};
};

}  // namespace shardplan::models
