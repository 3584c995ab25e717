// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/checked.hpp>
#include <shardplan/core/part.hpp>

#include <cstdint>

namespace shardplan {

/// The feed-forward network of a block. `gated`: three matrices (gate, up, down), as SwiGLU and GeGLU. `plain`: two (up, down), as GELU.
enum class mlp {
  gated,  ///< three matrices: gate, up, down
  plain   ///< two matrices: up, down
};

/// What a norm trains.
enum class norm {
  rms,                   ///< one weight vector
  layer,                 ///< a weight and a bias vector
  layer_without_bias,    ///< a LayerNorm with a weight alone (Command R, MPT, DBRX)
  layer_without_weights  ///< a LayerNorm that trains nothing (OLMo 1)
};

/// Norms of one block.
enum class block_norms {
  one = 1,  ///< attention and feed-forward network read the same norm's output (parallel blocks: Falcon 7B, Phi-2, Command R)
  two = 2,  ///< one for each, before it, or after it as in OLMo 2
  four = 4  ///< one before and one after each (Gemma 2 and 3)
};

/// Norms of queries and keys before attention, of the model's kind of norm.
enum class qk_norm {
  none,            ///< no such norm
  head,            ///< one weight vector as wide as a head, which all heads share (Qwen3, Gemma 3)
  projection,      ///< one as wide as all heads together (OLMo 2, Command R+)
  without_weights  ///< computed, not trained (Llama 4)
};

/// The mixture-of-experts part of a transformer. Without it (`count` 0) every block is dense.
struct experts {
  std::int64_t count = 0;          ///< routed experts a layer; 0: a dense model
  std::int64_t top_k = 0;          ///< routed experts that one token visits, 1 to `count`
  std::int64_t ffn = 0;            ///< width of one branch of one routed expert; 0: the transformer's `ffn`
  std::int64_t shared_ffn = 0;     ///< total width of the shared experts that every token visits; 0: none
  std::int64_t leading_dense = 0;  ///< number of first layers that keep a dense network of width `ffn`, as DeepSeek's
  std::int64_t layer_step = 0;  ///< after `leading_dense` one layer in that many routes, beginning with the first; 0 or 1: each. Llama 4's
                                ///< interleave_moe_layer_step and Qwen's decoder_sparse_step n: `leading_dense` n - 1, `layer_step` n
  bool shared_gate = false;     ///< what the shared experts give is scaled by a linear of `hidden` inputs and one output (Qwen1.5-MoE)
  bool router_bias = false;     ///< the router has a trained bias (gpt-oss; DeepSeek's correction bias is a buffer and not meant)
  bool bias = false;            ///< the linears of the routed experts have biases (gpt-oss)

  // By hand: a defaulted comparison costs Clang a look-up for each member in every file that includes this.
  friend constexpr bool operator==(const experts& left, const experts& right) {
    return left.count == right.count && left.top_k == right.top_k && left.ffn == right.ffn && left.shared_ffn == right.shared_ffn &&
           left.leading_dense == right.leading_dense && left.layer_step == right.layer_step && left.shared_gate == right.shared_gate &&
           left.router_bias == right.router_bias && left.bias == right.bias;
  }
};

/// Latent attention (MLA, DeepSeek-V2, arXiv 2405.04434 section 2.1): keys and values come from one narrow vector a token. Without it
/// (`key_value_rank` 0) attention is that of heads. With it `kv_heads` and `head_dim` mean nothing and must be 0; a bias of query, key and
/// value is one of the projections to the latent vectors.
struct latent_attention {
  std::int64_t query_rank = 0;      ///< width of the latent query, DeepSeek's q_lora_rank; 0: queries come from one full projection
  std::int64_t key_value_rank = 0;  ///< width of the latent key and value, kv_lora_rank; 0: no latent attention
  std::int64_t rope_dim = 0;        ///< width of the rotary part of a head's query and key, qk_rope_head_dim; all heads share that key
  std::int64_t nope_dim = 0;        ///< width of the rest of a head's query and key, qk_nope_head_dim
  std::int64_t value_dim = 0;       ///< width of a head's value, v_head_dim

  friend constexpr bool operator==(const latent_attention& left, const latent_attention& right) {
    return left.query_rank == right.query_rank && left.key_value_rank == right.key_value_rank && left.rope_dim == right.rope_dim &&
           left.nope_dim == right.nope_dim && left.value_dim == right.value_dim;
  }
};

/// The shape of a decoder-only transformer; all sizes are counts of elements. The defaults are those of a Llama: gated MLP, RMS norm before
/// attention and before the MLP, one final norm, no bias anywhere, untied head, rotary positions.
/// A model is any type with `static constexpr shardplan::transformer shape`. Fields are 64 bits wide so that a value which is too large is
/// refused by name by the plan, and never cut by the compiler.
struct transformer {
  std::int64_t layers = 0;                      ///< transformer blocks
  std::int64_t hidden = 0;                      ///< width of the residual stream
  std::int64_t heads = 0;                       ///< query heads
  std::int64_t kv_heads = 0;                    ///< key/value heads, a divisor of `heads`; 0: as many as `heads`
  std::int64_t head_dim = 0;                    ///< width of one head; 0: `hidden` / `heads`, which must divide
  std::int64_t ffn = 0;                         ///< width of one branch of the feed-forward network (Llama's intermediate_size)
  std::int64_t vocab = 0;                       ///< rows of the token embedding as the model is published, before any padding for tp
  std::int64_t positions = 0;                   ///< rows of a learned position embedding; 0: rotary or none. Bounds the sequence when not 0
  shardplan::mlp mlp = shardplan::mlp::gated;   ///< the form of the feed-forward network, of experts too
  shardplan::norm norm = shardplan::norm::rms;  ///< what every norm trains
  bool qkv_bias = false;                        ///< query, key and value projections have a bias
  bool tied_embeddings = false;                 ///< the head is the token embedding
  shardplan::experts experts{};                 ///< mixture of experts
  bool attention_output_bias = false;           ///< the projection after attention has a bias
  bool mlp_bias = false;                        ///< the linears of a dense feed-forward network have biases
  shardplan::block_norms block_norms = shardplan::block_norms::two;  ///< norms of a block
  shardplan::qk_norm qk_norm = shardplan::qk_norm::none;             ///< norms of queries and keys (not with latent attention)
  bool embedding_norm = false;                                       ///< a norm between the embedding and the first block (BLOOM)
  bool final_norm = true;                                            ///< a norm after the last block (nearly all; OPT 350M has none)
  bool head_bias = false;                                            ///< the head has a bias (Phi-2, Phi-3.5-MoE)
  bool attention_sinks = false;                                      ///< one trained logit a query head (gpt-oss)
  std::int64_t position_offset = 0;      ///< first rows of `positions` that no token has (OPT: 2): the longest sequence is the difference
  std::int64_t next_token_layers = 0;    ///< layers after the last block that predict further tokens (MTP of DeepSeek-V3, GLM-4.5): each a
                                         ///< block (with experts where there are any), three norms and a projection of 2 `hidden`
                                         ///< inputs; embedding and head are the model's. Published counts often leave them out
  shardplan::latent_attention latent{};  ///< latent attention (DeepSeek-V2 and V3, Kimi K2)
  std::int64_t embedding_dim = 0;  ///< width of embedding and head, with a projection to `hidden` and one from it (OPT 350M); 0: `hidden`

  template <class Same>
  requires detail::same<Same, transformer>
  friend constexpr bool operator==(const Same& left, const Same& right) {
    return left.layers == right.layers && left.hidden == right.hidden && left.heads == right.heads && left.kv_heads == right.kv_heads &&
           left.head_dim == right.head_dim && left.ffn == right.ffn && left.vocab == right.vocab && left.positions == right.positions &&
           int(left.mlp) == int(right.mlp) && int(left.norm) == int(right.norm) && left.qkv_bias == right.qkv_bias &&
           left.tied_embeddings == right.tied_embeddings && left.experts == right.experts &&
           left.attention_output_bias == right.attention_output_bias && left.mlp_bias == right.mlp_bias &&
           int(left.block_norms) == int(right.block_norms) && int(left.qk_norm) == int(right.qk_norm) &&
           left.embedding_norm == right.embedding_norm && left.final_norm == right.final_norm && left.head_bias == right.head_bias &&
           left.attention_sinks == right.attention_sinks && left.position_offset == right.position_offset &&
           left.next_token_layers == right.next_token_layers && left.latent == right.latent && left.embedding_dim == right.embedding_dim;
  }

  /// Width of embedding and head, with the default filled in.
  constexpr std::int64_t embedding_width() const { return embedding_dim != 0 ? embedding_dim : hidden; }
  /// Whether attention is latent.
  constexpr bool is_latent() const { return latent.key_value_rank != 0; }
  /// Width of the query and the key of one head. Error (`division_leaves_a_rest`) when it is not given and `heads` does not divide
  /// `hidden`.
  constexpr std::int64_t head_width() const {
    if (head_dim != 0) return head_dim;
    return latent.key_value_rank != 0 ? checked_add(latent.rope_dim, latent.nope_dim) : exact_divide(hidden, heads);
  }
  /// Key/value heads, with the default filled in.
  constexpr std::int64_t key_value_heads() const { return kv_heads != 0 ? kv_heads : heads; }
  /// Width of all query heads together.
  constexpr std::int64_t query_width() const { return checked_multiply(heads, head_width()); }
  /// Width of all key heads together (value heads the same, unless attention is latent).
  constexpr std::int64_t key_value_width() const { return checked_multiply(key_value_heads(), head_width()); }
  /// Width of what attention gives to its output projection: a value a query head.
  constexpr std::int64_t attention_output_width() const { return is_latent() ? checked_multiply(heads, latent.value_dim) : query_width(); }
  /// Width of one branch of a routed expert, with the default filled in.
  constexpr std::int64_t expert_width() const { return experts.ffn != 0 ? experts.ffn : ffn; }
  /// The number of dense blocks among the first `count` blocks: all, or of a mixture of experts those that do not route.
  constexpr std::int64_t dense_layers_before(std::int64_t count) const {
    if (experts.count == 0 || count <= experts.leading_dense) return count;
    if (experts.layer_step <= 1) return experts.leading_dense;
    return count - ceil_divide(count - experts.leading_dense, experts.layer_step);
  }
  /// Blocks whose feed-forward network is dense. Next-token layers are not counted, here and below.
  constexpr std::int64_t dense_layers() const { return dense_layers_before(layers); }
  /// The number of dense blocks among `count` blocks from block `first` on.
  constexpr std::int64_t dense_layers_in(std::int64_t first, std::int64_t count) const {
    return dense_layers_before(first + count) - dense_layers_before(first);
  }
};

}  // namespace shardplan
