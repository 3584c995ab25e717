// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/model/transformer.hpp>

// The Phi models of Microsoft. (phi-2 and Phi-3.5-MoE have a biased head, which a `transformer` cannot say yet.)

namespace shardplan::models {

/// Phi-4-mini: 3,836,021,760 parameters. The head is tied.
/// Source: `config.json` of microsoft/Phi-4-mini-instruct.
struct phi_4_mini {
  static constexpr transformer shape{
      .layers = 32, .hidden = 3072, .heads = 24, .kv_heads = 8, .ffn = 8192, .vocab = 200064, .tied_embeddings = true};
};

}  // namespace shardplan::models
