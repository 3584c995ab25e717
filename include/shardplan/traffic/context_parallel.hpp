// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/checked.hpp>
#include <shardplan/recipe/context_exchange.hpp>
#include <shardplan/traffic/message.hpp>
#include <shardplan/traffic/options.hpp>
#include <shardplan/traffic/tensor_parallel.hpp>

#include <cstdint>

namespace shardplan {

/// What a stage does over its context parallel ranks. Widths are those of one tensor parallel rank.
struct context_parallel_work {
  std::int64_t ranks = 1;                           ///< c
  context_exchanges how = context_exchanges::ring;  ///< how they exchange
  std::int64_t tokens = 0;                          ///< of one micro-batch on one rank
  std::int64_t query_heads = 0;                     ///< heads
  std::int64_t query = 0;                           ///< width of all queries
  std::int64_t output = 0;                          ///< width of what attention gives
  std::int64_t key_heads = 0;                       ///< key heads
  std::int64_t key = 0;                             ///< width of all keys
  std::int64_t value = 0;                           ///< width of all values
  std::int64_t element_bits = 16;                   ///< of an activation
  std::int64_t layers = 0;                          ///< attention layers of the stage
  std::int64_t recomputed = 0;                      ///< of these, those whose attention runs forward again in backward
  std::int64_t micro_batches = 0;                   ///< of a step
};

/// Elements of keys and values that one rank holds of one layer and micro-batch.
constexpr std::int64_t keys_and_values(const context_parallel_work& work) {
  return count_product(work.tokens, checked_add(work.key, work.value));
}

/// Elements that a rank exchanges in the all-to-alls of one forward pass of one layer over `ranks` ranks: queries, keys, values, and
/// outputs on their way back. Fewer key heads than ranks are replicated to one a rank first.
constexpr std::int64_t exchanged_heads(const context_parallel_work& work, std::int64_t ranks) {
  const std::int64_t copies = work.key_heads > 0 && work.key_heads < ranks ? ceil_divide(ranks, work.key_heads) : 1;
  const std::int64_t both = count_product(checked_add(work.key, work.value), copies);
  return count_product(work.tokens, checked_add(checked_add(work.query, work.output), both));
}

/// Adds all that travels between context parallel ranks, by layer and micro-batch: KV = keys and values of a rank.
/// - `ring`: (c - 1) KV forward, as much again backward, and (c - 1) KV of gradients (in the compute precision; some send them in fp32);
/// - `all_gather`: the same bytes in one all-gather forward, one backward unless kept, and one reduce-scatter;
/// - `all_to_all`: (c - 1) / c of `exchanged_heads` forward and backward.
/// With `context_inner` that among so many ranks, and the ring or the all-gather over c / `context_inner` groups. Where attention is
/// recomputed forward comes once more. Error: `division_leaves_a_rest` when `context_inner` does not divide the ranks.
template <class Sink, class Work = context_parallel_work>
constexpr void add_context_parallel(Sink& sink, const Work& work, const traffic_options& options) {
  if (work.ranks <= 1) return;
  const std::int64_t inner = work.how == context_exchanges::all_to_all ? work.ranks : options.context_inner;
  const std::int64_t outer = exact_divide(work.ranks, inner);
  const auto add = [&](cargo what, collective how, std::int64_t ranks, std::int64_t elements, std::int64_t passes) {
    const std::int64_t in_step = count_product(work.micro_batches, count_product(work.layers, passes) + work.recomputed);
    add_message(sink, {channel::cp, what, how, ranks, elements, elements, work.element_bits, in_step, in_step});
  };
  if (inner > 1) add(cargo::heads, collective::all_to_all, inner, exchanged_heads(work, inner), 2);
  if (outer == 1) return;
  // An inner all-to-all multiplies the tokens of a rank by what it divides its heads by; replicated heads stay.
  const std::int64_t copies = work.key_heads > 0 && work.key_heads < inner ? ceil_divide(inner, work.key_heads) : 1;
  const std::int64_t moved = count_product(keys_and_values(work), copies);
  if (work.how == context_exchanges::all_gather) {
    const std::int64_t gathered = count_product(moved, outer);
    add(cargo::keys_and_values, collective::all_gather, outer, gathered, options.keep_gathered_keys ? 1 : 2);
    const std::int64_t in_step = count_product(work.micro_batches, work.layers);
    add_message(sink, {channel::cp, cargo::keys_and_values, collective::reduce_scatter, outer, gathered, gathered, work.element_bits,
                       in_step, in_step});
  } else {
    const std::int64_t in_step =
        count_product(count_product(work.micro_batches, outer - 1), count_product(work.layers, 3) + work.recomputed);
    add_message(sink, {channel::cp, cargo::keys_and_values, collective::send, outer, moved, moved, work.element_bits, in_step, in_step});
  }
}

}  // namespace shardplan
