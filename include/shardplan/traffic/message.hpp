// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/bytes.hpp>
#include <shardplan/core/checked.hpp>
#include <shardplan/core/device_code.hpp>
#include <shardplan/core/fraction.hpp>
#include <shardplan/core/size.hpp>
#include <shardplan/core/static_vector.hpp>
#include <shardplan/traffic/collective.hpp>

#include <cstdint>

namespace shardplan {

/// Between which ranks something travels.
enum class channel : unsigned char {
  tp,          ///< tensor parallel ranks
  cp,          ///< context parallel ranks
  ep,          ///< expert parallel ranks
  etp,         ///< ranks that share a routed expert's matrices
  pp,          ///< neighbours in the pipeline; where it is bidirectional the two ranks that hold the same stages
  dp,          ///< ranks that share, or hold copies of, the dense states: replicas and context parallel ranks
  replicas,    ///< sharding groups that hold copies of the same shards (HSDP, MiCS)
  node,        ///< ranks of a node that share a second copy of the weights (hpZ)
  edp,         ///< ranks that share, or hold copies of, the same routed experts
  embeddings,  ///< the first and the last stage, which both hold the token embedding
  host,        ///< a device and its host (PCIe)
  nvme         ///< a host and its NVMe
};
/// How many channels there are.
inline constexpr int channel_count = 12;

/// What travels.
enum class cargo : unsigned char {
  block_activations,     ///< tp: inputs and outputs of attention and MLP, forward and backward
  embedding_output,      ///< tp: what the vocabulary-parallel embedding gives, and its gradient
  head_input,            ///< tp: what the head reads, and its gradient
  loss,                  ///< tp: maximum, target logit and sum of exponentials of each token
  replicated_gradients,  ///< tp: gradients of norms, routers and biases under sequence parallelism
  keys_and_values,       ///< cp: keys and values, and their gradients
  heads,                 ///< cp: queries, keys, values and outputs that change from tokens to heads (Ulysses)
  dispatched_tokens,     ///< ep, etp: tokens on their way to their experts
  combined_tokens,       ///< ep, etp, tp: what experts give back
  stage_activations,     ///< pp: forward
  stage_gradients,       ///< pp: backward
  gathered_activations,  ///< tp: what scatter-gather puts together again behind a stage boundary
  gradients,             ///< of weights
  weights_forward,       ///< gathered before forward, or once a step after the optimizer
  weights_backward,      ///< gathered again before backward
  tied_gradients,        ///< gradient of the token embedding
  optimizer_states,      ///< master weights and moments
  block_inputs           ///< kept for recomputation, on their way to the host and back
};

/// One kind of transfer that a rank takes part in, as often as a step has it. Everything else follows from it.
struct message {
  channel between = channel::tp;            ///< which ranks
  cargo what = cargo::block_activations;    ///< what
  collective how = collective::all_reduce;  ///< how
  std::int64_t ranks = 1;                   ///< ranks that take part
  std::int64_t pieces = 0;                  ///< of the whole tensor as it is sent, padding included; a piece is an element or a token
  std::int64_t useful = 0;                  ///< pieces without padding
  std::int64_t piece_bits = 0;              ///< bits of a piece
  std::int64_t times = 0;                   ///< in one step
  std::int64_t times_received = 0;          ///< in one step; differs from `times` only at the ends of a pipeline and for copies

  friend constexpr bool operator==(const message& left, const message& right) {
    return left.between == right.between && left.what == right.what && left.how == right.how && left.ranks == right.ranks &&
           left.pieces == right.pieces && left.useful == right.useful && left.piece_bits == right.piece_bits && left.times == right.times &&
           left.times_received == right.times_received;
  }
};

/// left * right of two numbers that are not negative: what `checked_multiply` gives, in one call, of which a report has many.
/// Error: `result_leaves_63_bits`.
constexpr SHARDPLAN_HOST_DEVICE std::int64_t count_product(std::int64_t left, std::int64_t right) {
  if (left > 0x7fffffff && right > detail::int64_max / left) result_leaves_63_bits();
  if (right > 0x7fffffff && left > detail::int64_max / right) result_leaves_63_bits();
  return left * right;
}

/// Bytes of so many pieces, half a byte rounded up.
constexpr SHARDPLAN_HOST_DEVICE std::int64_t bytes_of_pieces(std::int64_t pieces, std::int64_t piece_bits) {
  if (piece_bits % 8 == 0) return count_product(pieces, piece_bits / 8);
  return ceil_divide(checked_multiply(pieces, piece_bits), 8);
}

/// Bytes that rank `member` of the group sends in one step. Error: `result_leaves_63_bits`.
constexpr SHARDPLAN_HOST_DEVICE bytes sent_by(const message& item, std::int64_t member) {
  return bytes{bytes_of_pieces(ring_sent(item.how, item.pieces, item.ranks, member), item.piece_bits)} * item.times;
}

/// Bytes that it receives in one step. Error: `result_leaves_63_bits`.
constexpr SHARDPLAN_HOST_DEVICE bytes received_by(const message& item, std::int64_t member) {
  return bytes{bytes_of_pieces(ring_received(item.how, item.pieces, item.ranks, member), item.piece_bits)} * item.times_received;
}

/// Exact: bytes that the rank which sends most sends in one step, padding included. Error: `result_leaves_63_bits`.
constexpr SHARDPLAN_HOST_DEVICE bytes sent(const message& item) {
  return bytes{bytes_of_pieces(most_ring_sent(item.how, item.pieces, item.ranks), item.piece_bits)} * item.times;
}

/// Exact: bytes that the rank which receives most receives in one step. Error: `result_leaves_63_bits`.
constexpr SHARDPLAN_HOST_DEVICE bytes received(const message& item) {
  const std::int64_t most = item.how == collective::all_to_all ? ring_received(item.how, item.pieces, item.ranks, 0)
                                                               : most_ring_sent(item.how, item.pieces, item.ranks);
  return bytes{bytes_of_pieces(most, item.piece_bits)} * item.times_received;
}

/// Ideal: bytes that a rank sends in one step when nothing is padded and chunks may be parts of pieces, as the formulas of papers have it.
/// Error: `result_leaves_63_bits`.
constexpr fraction ideal_sent(const message& item) {
  return ring_factor(item.how, item.ranks) * fraction{item.piece_bits, 8} * fraction{item.useful} * fraction{item.times};
}

/// Tells `sink` a message, unless nothing travels.
template <class Sink, class Message = message>
constexpr void add_message(Sink& sink, const Message& item) {
  if (item.pieces > 0 && (item.times > 0 || item.times_received > 0) && (item.ranks > 1 || item.how == collective::copy)) sink.add(item);
}

}  // namespace shardplan
