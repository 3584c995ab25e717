// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/bytes.hpp>
#include <shardplan/core/checked.hpp>
#include <shardplan/core/fraction.hpp>
#include <shardplan/traffic/collective.hpp>

#include <cstdint>

namespace shardplan {

/// Bytes that a rank of a double binary tree sends in one all-reduce, averaged over the ranks: 2(n - 1)/n of the tensor, as in a ring. A
/// tree has n - 1 edges and each carries the tensor up and down; the two trees carry half of it each, so that no rank is inner in both
/// (NCCL 2.4). Error: `argument_out_of_range` when there is no rank.
constexpr fraction tree_all_reduce_sent(bytes tensor, std::int64_t ranks) { return ring_passes(2, tensor, ranks); }

/// An all-reduce in the switch (NVLS, SHARP): each rank sends its tensor up once and receives the sum once.
/// Error: `argument_out_of_range` when there is no rank.
constexpr fraction in_switch_all_reduce_sent(bytes tensor, std::int64_t ranks) {
  detail::need_group(tensor.count, ranks);
  return ranks == 1 ? fraction{} : fraction{tensor.count};
}

/// What one rank sends inside its domain and out of it.
struct two_level_sent {
  fraction inside{};   ///< bytes over the fast links
  fraction outside{};  ///< bytes over the slow links
};

/// A hierarchical all-reduce over `domains` domains of `members` ranks: a reduce-scatter inside, an all-reduce of each part across, an
/// all-gather inside: 2(g - 1)/g S inside, 2(k - 1)/k S/g outside. Error: `argument_out_of_range` when there is no rank.
constexpr two_level_sent hierarchical_all_reduce_sent(bytes tensor, std::int64_t members, std::int64_t domains) {
  const fraction inside = ring_passes(2, tensor, members);
  const fraction outside = ring_passes(2, tensor, domains);
  return {inside, outside * fraction{1, members}};
}

}  // namespace shardplan
