// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/bytes.hpp>
#include <shardplan/core/checked.hpp>
#include <shardplan/core/fraction.hpp>
#include <shardplan/traffic/collective.hpp>

#include <cstdint>

namespace shardplan {

/// How attention sees keys and values of other context parallel ranks.
enum class context_exchange {
  ring,        ///< they go around in pairs while attention computes (ring attention, Megatron-LM `p2p`)
  all_gather,  ///< they are gathered first (Llama 3): as many bytes, not hidden
  ulysses,     ///< all-to-all: each rank gets all tokens of some heads (arXiv 2309.14509)
};

/// The attention of one layer on one rank, for one micro-batch.
struct attention_slice {
  std::int64_t batch = 0;              ///< sequences of the micro-batch
  std::int64_t tokens = 0;             ///< of one sequence on this rank: sequence / cp
  std::int64_t heads = 0;              ///< query heads of this rank
  std::int64_t kv_heads = 0;           ///< key/value heads of this rank
  std::int64_t head_dim = 0;           ///< width of a head
  std::int64_t bytes_per_element = 2;  ///< of what travels; 2: BF16
  std::int64_t gradient_bytes = 2;     ///< of gradients of keys and values: 4 where they are summed in fp32

  /// Bytes of `count` heads of this rank's tokens, `width` bytes an element.
  constexpr bytes of_heads(std::int64_t count, std::int64_t width) const {
    return {checked_multiply(checked_multiply(checked_multiply(batch, tokens), checked_multiply(count, head_dim)), width)};
  }
  /// Keys and values of this rank's tokens.
  constexpr bytes keys_and_values() const { return of_heads(checked_multiply(2, kv_heads), bytes_per_element); }
};

/// What one rank sends for one layer and one micro-batch.
struct context_sent {
  fraction forward{};   ///< bytes
  fraction backward{};  ///< bytes

  friend constexpr bool operator==(const context_sent& left, const context_sent& right) {
    return left.forward == right.forward && left.backward == right.backward;
  }
};

/// Bytes that one of `ranks` context parallel ranks sends for one layer and one micro-batch. Ring: c - 1 hops of keys and values forward,
/// again backward with c - 1 hops of their gradients (some codes do one hop more). All-gather: the same bytes; backward gathers again and
/// scatters the gradients. Ulysses: queries, keys, values and the output each in one all-to-all, backward the same; key/value heads are
/// copied up to one a rank where there are fewer. Errors: `argument_out_of_range` when there is no rank or a field of `slice` is negative;
/// `division_leaves_a_rest` when Ulysses cannot deal out the query heads.
constexpr context_sent context_parallel_sent(context_exchange how, const attention_slice& slice, std::int64_t ranks) {
  const std::int64_t fields[] = {slice.batch,         slice.tokens, slice.heads, slice.kv_heads, slice.head_dim, slice.bytes_per_element,
                                 slice.gradient_bytes};
  for (const std::int64_t field : fields)
    if (field < 0) argument_out_of_range();
  if (ranks < 1) argument_out_of_range();
  if (how != context_exchange::ulysses) {
    const fraction forward = fraction{ranks - 1} * fraction{slice.keys_and_values().count};
    const fraction gradients =
        fraction{ranks - 1} * fraction{slice.of_heads(checked_multiply(2, slice.kv_heads), slice.gradient_bytes).count};
    return {forward, forward + gradients};
  }
  exact_divide(slice.heads, ranks);
  const std::int64_t kv_heads = slice.kv_heads > ranks ? slice.kv_heads : ranks;
  const std::int64_t moved = checked_multiply(2, checked_add(slice.heads, ranks == 1 ? slice.kv_heads : kv_heads));
  const fraction one_way = ring_sent(collective::all_to_all, slice.of_heads(moved, slice.bytes_per_element), ranks);
  return {one_way, one_way};
}

}  // namespace shardplan
