// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/checked.hpp>
#include <shardplan/core/fraction.hpp>
#include <shardplan/traffic/message.hpp>
#include <shardplan/traffic/options.hpp>
#include <shardplan/traffic/tensor_parallel.hpp>

#include <cstdint>

namespace shardplan {

/// What a stage does over its expert parallel ranks.
struct expert_parallel_work {
  std::int64_t ranks = 1;          ///< e
  std::int64_t tensor_ranks = 1;   ///< etp: ranks that share each expert's matrices
  std::int64_t tokens = 0;         ///< of one micro-batch that one rank sends: those of a context parallel rank / tp, rounded up
  std::int64_t top_k = 0;          ///< experts of a token
  std::int64_t hidden = 0;         ///< width of an activation
  std::int64_t element_bits = 16;  ///< of an activation
  std::int64_t layers = 0;         ///< layers with routed experts of the stage
  std::int64_t micro_batches = 0;  ///< of a step
  bool recomputed = false;         ///< blocks run forward again in backward
};

/// Bits of one token on its way to its experts: its numbers and their 4-byte scales.
constexpr std::int64_t dispatched_token_bits(std::int64_t hidden, std::int64_t element_bits, const traffic_options& options) {
  const std::int64_t bits = count_product(hidden, options.dispatch_bits != 0 ? options.dispatch_bits : element_bits);
  return options.dispatch_scale_block == 0 ? bits : checked_add(bits, count_product(32, ceil_divide(hidden, options.dispatch_scale_block)));
}

/// Adds all that travels to experts and back, routing even: dispatch and combine forward, the same two in reverse backward, each (e - 1) /
/// e of tokens x top_k; a capacity pads (or cuts) that to tokens x top_k x capacity, rounded up. What etp ranks share is gathered before
/// the experts and reduce-scattered behind them. Full recomputation adds one more forward.
template <class Sink>
constexpr void add_expert_parallel(Sink& sink, const expert_parallel_work& work, const traffic_options& options) {
  if (work.layers == 0) return;
  const std::int64_t times = count_product(count_product(work.layers, work.micro_batches), work.recomputed ? 3 : 2);
  const std::int64_t routed = count_product(work.tokens, work.top_k);
  std::int64_t copies = routed;
  if (options.capacity.numerator > 0) {
    const fraction padded = options.capacity * fraction{routed};
    copies = ceil_divide(padded.numerator, padded.denominator);
  }
  const std::int64_t token_bits = count_product(work.hidden, work.element_bits);
  const auto add = [&](channel between, cargo what, collective how, std::int64_t ranks, std::int64_t tokens, std::int64_t bits) {
    add_message(sink, {between, what, how, ranks, tokens, tokens, bits, times, times});
  };
  add(channel::ep, cargo::dispatched_tokens, collective::all_to_all, work.ranks, copies,
      dispatched_token_bits(work.hidden, work.element_bits, options));
  add(channel::ep, cargo::combined_tokens, collective::all_to_all, work.ranks, copies, token_bits);
  if (work.tensor_ranks > 1) {
    const std::int64_t gathered = count_product(copies, work.tensor_ranks);
    add(channel::etp, cargo::dispatched_tokens, collective::all_gather, work.tensor_ranks, gathered, token_bits);
    add(channel::etp, cargo::combined_tokens, collective::reduce_scatter, work.tensor_ranks, gathered, token_bits);
  }
}

/// Bytes that a rank sends to other nodes, one way, when a token crosses to each of its nodes once and is spread inside (DeepSeek-V3,
/// arXiv 2412.19437 section 3.2.2): tokens x expected remote nodes, where routing takes `limit` of `nodes` nodes and each is as likely.
/// `token_bits`: of one token. Errors: `argument_out_of_range` when `limit` is not 1 to `nodes`; `result_leaves_63_bits`.
constexpr fraction node_limited_bytes(std::int64_t tokens, std::int64_t token_bits, std::int64_t nodes, std::int64_t limit) {
  if (limit < 1 || limit > nodes) argument_out_of_range();
  return fraction{limit} * fraction{nodes - 1, nodes} * fraction{token_bits, 8} * fraction{tokens};
}

}  // namespace shardplan
