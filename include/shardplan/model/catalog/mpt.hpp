// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/model/transformer.hpp>

// The MPT models of MosaicML: plain MLP, LayerNorm without bias, no bias anywhere, ALiBi, tied embeddings.

namespace shardplan::models {

/// MPT 7B: 6,649,286,656 parameters. ALiBi: the learned positions that its configuration mentions are not there.
/// Source: `config.json` of mosaicml/mpt-7b.
struct mpt_7b {
  static constexpr transformer shape{.layers = 32,
                                     .hidden = 4096,
                                     .heads = 32,
                                     .ffn = 16384,
                                     .vocab = 50432,
                                     .mlp = mlp::plain,
                                     .norm = norm::layer_without_bias,
                                     .tied_embeddings = true};
};

}  // namespace shardplan::models
