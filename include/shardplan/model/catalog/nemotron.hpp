// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/model/transformer.hpp>

// The Nemotron models of NVIDIA: squared ReLU in a plain MLP, LayerNorm with weight and bias, no other bias, untied head.

namespace shardplan::models {

/// Minitron 4B: 4,190,509,056 parameters.
/// Source: `config.json` of nvidia/Minitron-4B-Base; Muralidharan et al. 2024 (arXiv 2407.14679).
struct minitron_4b {
  static constexpr transformer shape{
      .layers = 32, .hidden = 3072, .heads = 24, .kv_heads = 8, .ffn = 9216, .vocab = 256000, .mlp = mlp::plain, .norm = norm::layer};
};

/// Nemotron-4 340B: 341,029,195,776 parameters. No exact published count was found.
/// Source: NVIDIA 2024 (arXiv 2406.11704), table 1; `config.json` of mgoin/Nemotron-4-340B-Base-hf.
struct nemotron_4_340b {
  static constexpr transformer shape{
      .layers = 96, .hidden = 18432, .heads = 96, .kv_heads = 8, .ffn = 73728, .vocab = 256000, .mlp = mlp::plain, .norm = norm::layer};
};

}  // namespace shardplan::models
