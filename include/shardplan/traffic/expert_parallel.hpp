// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/checked.hpp>
#include <shardplan/core/fraction.hpp>
#include <shardplan/recipe/expert_load.hpp>
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
  expert_load_spec load{};         ///< how uneven routing is, and the capacity of experts
  std::int64_t hidden = 0;         ///< width of an activation
  std::int64_t element_bits = 16;  ///< of an activation
  std::int64_t layers = 0;         ///< layers with routed experts of the stage
  std::int64_t recomputed = 0;     ///< of these, those whose experts run forward again in backward
  std::int64_t micro_batches = 0;  ///< of a step
};

/// Token copies that a rank sends to experts, in percent of tokens x top_k: all of them, no more than the capacity, and as much as it where
/// experts are filled up.
constexpr std::int64_t dispatched_percent(const expert_load_spec& load) {
  return load.capacity != 0 && (load.pads_to_capacity || load.capacity < 100) ? load.capacity : 100;
}

/// Bits of one token on its way to its experts: its numbers and their 4-byte scales.
constexpr std::int64_t dispatched_token_bits(std::int64_t hidden, std::int64_t element_bits, const traffic_options& options) {
  const std::int64_t bits = count_product(hidden, options.dispatch_bits != 0 ? options.dispatch_bits : element_bits);
  return options.dispatch_scale_block == 0 ? bits : checked_add(bits, count_product(32, ceil_divide(hidden, options.dispatch_scale_block)));
}

/// Adds all that travels to experts and back: dispatch and combine forward, the same two in reverse backward, each (e - 1) / e of tokens x
/// top_k. The fullest rank gives back what its experts computed (`expert_load<>`), which is more than it sends when routing is uneven; a
/// capacity cuts or pads both. What etp ranks share is gathered before the experts and reduce-scattered behind them. Where experts are
/// recomputed forward comes once more.
template <class Sink, class Work = expert_parallel_work>
constexpr void add_expert_parallel(Sink& sink, const Work& work, const traffic_options& options) {
  if (work.layers == 0) return;
  const std::int64_t times = count_product(work.micro_batches, count_product(work.layers, 2) + work.recomputed);
  const std::int64_t routed = count_product(work.tokens, work.top_k);
  const auto share = [&](std::int64_t percent) { return percent == 100 ? routed : ceil_divide(checked_multiply(routed, percent), 100); };
  const std::int64_t computed = share(work.load.computed());
  const std::int64_t token_bits = count_product(work.hidden, work.element_bits);
  const auto add = [&](channel between, cargo what, collective how, std::int64_t ranks, std::int64_t tokens, std::int64_t bits) {
    add_message(sink, {between, what, how, ranks, tokens, tokens, bits, times, times});
  };
  add(channel::ep, cargo::dispatched_tokens, collective::all_to_all, work.ranks, share(dispatched_percent(work.load)),
      dispatched_token_bits(work.hidden, work.element_bits, options));
  add(channel::ep, cargo::combined_tokens, collective::all_to_all, work.ranks, computed, token_bits);
  if (work.tensor_ranks > 1) {
    const std::int64_t gathered = count_product(computed, work.tensor_ranks);
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
