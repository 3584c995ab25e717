// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/bytes.hpp>
#include <shardplan/core/checked.hpp>
#include <shardplan/core/fraction.hpp>
#include <shardplan/traffic/collective.hpp>

#include <cstdint>

namespace shardplan {

/// One token on its way to an expert.
struct token_format {
  std::int64_t hidden = 0;             ///< elements
  std::int64_t bytes_per_element = 2;  ///< 2: BF16, 1: FP8
  std::int64_t block = 0;              ///< elements that share a scale; 0: no scales
  std::int64_t scale_bytes = 4;        ///< of one scale

  /// Bytes of one token. Error: `argument_out_of_range` when a field is negative.
  constexpr std::int64_t size() const {
    if (hidden < 0 || bytes_per_element < 0 || block < 0 || scale_bytes < 0) argument_out_of_range();
    const std::int64_t scales = block == 0 ? 0 : checked_multiply(ceil_divide(hidden, block), scale_bytes);
    return checked_add(checked_multiply(hidden, bytes_per_element), scales);
  }
};

/// Bytes that one of `ranks` expert parallel ranks sends to bring each of its `tokens` to `copies` experts, if routing is balanced: an
/// all-to-all of tokens x copies. `capacity` is the factor that each expert's buffer is padded to (1: dropless). The combine is the same
/// with its own format, and backward sends both in reverse. Error: `argument_out_of_range`.
constexpr fraction dispatch_sent(const token_format& format, std::int64_t tokens, std::int64_t copies, std::int64_t ranks,
                                 fraction capacity = 1) {
  if (tokens < 0 || copies < 0) argument_out_of_range();
  return capacity * ring_sent(collective::all_to_all, bytes{checked_multiply(checked_multiply(tokens, copies), format.size())}, ranks);
}

/// Nodes other than its own that a token reaches on average when routing is balanced and picks experts on `limit` of `nodes` nodes.
/// Error: `argument_out_of_range` when the limit is not between 0 and the nodes.
constexpr fraction remote_nodes(std::int64_t limit, std::int64_t nodes) {
  if (nodes < 1 || limit < 0 || limit > nodes) argument_out_of_range();
  return fraction{checked_multiply(limit, nodes - 1), nodes};
}

/// Bytes that one rank sends over the network when each token crosses it once for each node and is copied there (node-limited routing of
/// DeepSeek-V3, arXiv 2412.19437 section 3.2.2). Error: `argument_out_of_range`.
constexpr fraction node_limited_sent(const token_format& format, std::int64_t tokens, std::int64_t limit, std::int64_t nodes) {
  if (tokens < 0) argument_out_of_range();
  return remote_nodes(limit, nodes) * fraction{checked_multiply(tokens, format.size())};
}

}  // namespace shardplan
