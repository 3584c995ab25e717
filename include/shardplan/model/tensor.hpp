// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/checked.hpp>
#include <shardplan/core/text.hpp>

#include <cstdint>

namespace shardplan {

/// How tensor parallelism may cut a tensor (Megatron-LM's words, arXiv 1909.08053 section 3).
enum class split {
  replicated,  ///< whole on every rank: norms, routers, learned positions, biases of row-parallel linears
  column,      ///< output features (rows here, PyTorch's [out, in]) are divided: query, gate, up and their biases
  row,         ///< input features (columns here) are divided: the projection after attention, down
  key_value,   ///< as `column`, but by whole heads: with fewer heads than ranks each rank holds one whole head
  vocabulary,  ///< rows of the (padded) vocabulary are divided: embedding, head
};

/// What a tensor is for. Optimizers and recipes treat the roles differently (Muon takes the hidden matrices only).
enum class role {
  embedding,      ///< token embedding
  position,       ///< learned positions
  attention,      ///< query, key, value and output projections
  mlp,            ///< linears of a dense feed-forward network
  routed_expert,  ///< linears of a routed expert
  expert_bias,    ///< bias vector of a linear of a routed expert
  shared_expert,  ///< linears of the shared experts
  router,         ///< chooses the experts of a token
  norm,           ///< weight or bias vector of a norm
  bias,           ///< bias vector of any other linear
  head            ///< output projection to the vocabulary
};

/// Where in the model a tensor stands; a pipeline stage owns it when it owns the place.
enum class place {
  input,         ///< before the first block: the first stage
  every_block,   ///< in each block
  dense_block,   ///< in each block with a dense feed-forward network
  expert_block,  ///< in each block with routed experts
  output,        ///< after the last block: the last stage
  next_token,    ///< around the blocks that predict further tokens: the stage that has these, the last unless said
};

namespace detail {
template <role... Members>
inline constexpr unsigned roles = ((1u << static_cast<int>(Members)) | ...);
constexpr bool is_one_of(unsigned set, role purpose) { return (set >> static_cast<int>(purpose) & 1u) != 0; }
}  // namespace detail

/// Whether tensors of that role are matrices: all but norms and biases (a tensor with one row is a matrix too).
constexpr bool is_matrix(role purpose) { return !detail::is_one_of(detail::roles<role::norm, role::bias, role::expert_bias>, purpose); }
/// Whether it belongs to one routed expert, and so lies on the ranks that hold that expert.
constexpr bool is_routed(role purpose) { return detail::is_one_of(detail::roles<role::routed_expert, role::expert_bias>, purpose); }
/// Whether it is the weight of a matrix product in the compute precision (the router runs in fp32, the embedding is a look-up).
constexpr bool is_linear(role purpose) {
  return detail::is_one_of(detail::roles<role::attention, role::mlp, role::routed_expert, role::shared_expert, role::head>, purpose);
}
/// Whether Muon orthogonalises it: a matrix of a block, but not embedding, positions or head.
constexpr bool is_hidden_matrix(role purpose) {
  return detail::is_one_of(detail::roles<role::attention, role::mlp, role::routed_expert, role::shared_expert, role::router>, purpose);
}

/// One distinct parameter tensor of a model, unsharded.
struct tensor {
  literal name{};                    ///< snake_case, unique within a model
  std::int64_t rows = 0;             ///< output features, or the length of a vector
  std::int64_t columns = 1;          ///< input features; 1 for a vector
  split how = split::replicated;     ///< how tensor parallelism divides it
  role purpose = role::norm;         ///< what it is for
  place where = place::every_block;  ///< where in the model it stands
  std::int64_t copies = 1;           ///< tensors of this shape in one place: the number of experts for an expert's matrix, else 1
  std::int64_t multiplicity = 1;     ///< tensors of this shape in the whole model: `copies` times the layers that have it

  /// Elements of one copy.
  constexpr std::int64_t elements() const { return checked_multiply(rows, columns); }
};

}  // namespace shardplan
