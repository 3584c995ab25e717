// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/checked.hpp>

#include <cstdint>

namespace shardplan {

/// The feed-forward network of a block. `gated`: three matrices (gate, up, down), as SwiGLU and GeGLU. `plain`: two (up, down), as GELU.
enum class mlp {
  gated,  ///< three matrices: gate, up, down
  plain   ///< two matrices: up, down
};

/// What a norm trains. `rms`: one weight vector. `layer`: a weight and a bias vector.
enum class norm {
  rms,   ///< one weight vector
  layer  ///< a weight and a bias vector
};

/// The mixture-of-experts part of a transformer. Without it (`count` 0) every block is dense.
struct experts {
  std::int64_t count = 0;          ///< routed experts a layer; 0: a dense model
  std::int64_t top_k = 0;          ///< routed experts that one token visits, 1 to `count`
  std::int64_t ffn = 0;            ///< width of one branch of one routed expert; 0: the transformer's `ffn`
  std::int64_t shared_ffn = 0;     ///< total width of the shared experts that every token visits; 0: none
  std::int64_t leading_dense = 0;  ///< number of first layers that keep a dense network of width `ffn`, as DeepSeek's

  friend constexpr bool operator==(const experts&, const experts&) = default;
};

/// The shape of a decoder-only transformer; all sizes are counts of elements. The defaults are those of a Llama: gated MLP, RMS norm before
/// attention and before the MLP, one final norm, no bias anywhere, untied head, rotary positions.
/// A model is any type with `static constexpr shardplan::transformer shape`. Fields are 64 bits wide so that a value which is too large is
/// refused by name by the plan, and never cut by the compiler.
struct transformer {
  std::int64_t layers = 0;     ///< transformer blocks
  std::int64_t hidden = 0;     ///< width of the residual stream
  std::int64_t heads = 0;      ///< query heads
  std::int64_t kv_heads = 0;   ///< key/value heads, a divisor of `heads`; 0: as many as `heads`
  std::int64_t head_dim = 0;   ///< width of one head; 0: `hidden` / `heads`, which must divide
  std::int64_t ffn = 0;        ///< width of one branch of the feed-forward network (Llama's intermediate_size)
  std::int64_t vocab = 0;      ///< rows of the token embedding as the model is published, before any padding for tp
  std::int64_t positions = 0;  ///< rows of a learned position embedding; 0: rotary or none. Also the longest legal sequence when not 0
  shardplan::mlp mlp = shardplan::mlp::gated;   ///< the form of the feed-forward network, of experts too
  shardplan::norm norm = shardplan::norm::rms;  ///< what every norm trains
  bool qkv_bias = false;                        ///< query, key and value projections have a bias
  bool tied_embeddings = false;                 ///< the head is the token embedding
  shardplan::experts experts{};                 ///< mixture of experts
  bool attention_output_bias = false;           ///< the projection after attention has a bias
  bool mlp_bias = false;                        ///< the linears of a dense feed-forward network have biases (experts have none)

  friend constexpr bool operator==(const transformer&, const transformer&) = default;

  /// Width of one head. Error (`division_leaves_a_rest`) when it is not given and `heads` does not divide `hidden`.
  constexpr std::int64_t head_width() const { return head_dim != 0 ? head_dim : exact_divide(hidden, heads); }
  /// Key/value heads, with the default filled in.
  constexpr std::int64_t key_value_heads() const { return kv_heads != 0 ? kv_heads : heads; }
  /// Width of all query heads together.
  constexpr std::int64_t query_width() const { return checked_multiply(heads, head_width()); }
  /// Width of all key heads together (value heads the same).
  constexpr std::int64_t key_value_width() const { return checked_multiply(key_value_heads(), head_width()); }
  /// Width of one branch of a routed expert, with the default filled in.
  constexpr std::int64_t expert_width() const { return experts.ffn != 0 ? experts.ffn : ffn; }
  /// Blocks whose feed-forward network is dense: all of them, or the leading ones of a mixture of experts.
  constexpr std::int64_t dense_layers() const { return experts.count == 0 ? layers : experts.leading_dense; }
  /// The number of dense blocks among `count` blocks from block `first` on.
  constexpr std::int64_t dense_layers_in(std::int64_t first, std::int64_t count) const {
    const std::int64_t left = dense_layers() - first;
    return left <= 0 ? 0 : (left < count ? left : count);
  }
};

}  // namespace shardplan
