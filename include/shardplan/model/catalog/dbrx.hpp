// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/model/transformer.hpp>

// DBRX of Databricks: a mixture of experts with LayerNorm without bias.

namespace shardplan::models {

/// DBRX: 131,596,523,520 parameters (36,469,708,800 a token). 16 experts, 4 a token.
/// Source: `config.json` of databricks/dbrx-base.
struct dbrx {
  static constexpr transformer shape{.layers = 40,
                                     .hidden = 6144,
                                     .heads = 48,
                                     .kv_heads = 8,
                                     .ffn = 10752,
                                     .vocab = 100352,
                                     .norm = norm::layer_without_bias,
                                     .experts = {.count = 16, .top_k = 4}};
};

}  // namespace shardplan::models
