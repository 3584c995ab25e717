// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/bytes.hpp>
#include <shardplan/core/checked.hpp>
#include <shardplan/core/fraction.hpp>

#include <cstdint>

namespace shardplan {

/// What a group of ranks does together.
enum class collective {
  all_reduce,      ///< all end with the sum of all tensors
  reduce_scatter,  ///< each ends with its part of the sum
  all_gather,      ///< each begins with its part, all end with the whole
  all_to_all,      ///< each has a part for every other
  broadcast,       ///< one has the tensor, all end with it
  send,            ///< one has the tensor, another ends with it
};

/// How often each collective runs over a group, all of them over a tensor of one size.
struct collective_counts {
  std::int64_t all_reduces = 0;      ///< `collective::all_reduce`
  std::int64_t reduce_scatters = 0;  ///< `collective::reduce_scatter`
  std::int64_t all_gathers = 0;      ///< `collective::all_gather`

  /// Passes of the tensor around a ring: two for an all-reduce, one for each of the others.
  constexpr std::int64_t passes() const { return checked_add(checked_multiply(2, all_reduces), checked_add(reduce_scatters, all_gathers)); }

  friend constexpr collective_counts operator+(const collective_counts& left, const collective_counts& right) {
    return {checked_add(left.all_reduces, right.all_reduces), checked_add(left.reduce_scatters, right.reduce_scatters),
            checked_add(left.all_gathers, right.all_gathers)};
  }
  friend constexpr collective_counts operator*(std::int64_t times, const collective_counts& one) {
    return {checked_multiply(times, one.all_reduces), checked_multiply(times, one.reduce_scatters),
            checked_multiply(times, one.all_gathers)};
  }
  friend constexpr bool operator==(const collective_counts& left, const collective_counts& right) {
    return left.all_reduces == right.all_reduces && left.reduce_scatters == right.reduce_scatters && left.all_gathers == right.all_gathers;
  }
};

namespace detail {
constexpr void need_group(std::int64_t size, std::int64_t ranks) {
  if (ranks < 1 || size < 0) argument_out_of_range();
}
}  // namespace detail

/// `passes` (n - 1) / n of `tensor`: what one rank of a ring of `ranks` sends, and receives, in as many reduce-scatters, all-gathers or
/// all-to-alls; an all-reduce is two passes. The ideal: tensors that `ranks` does not divide differ by rank (`ring_share`).
/// Error: `argument_out_of_range` when there is no rank or the tensor is negative.
constexpr fraction ring_passes(std::int64_t passes, bytes tensor, std::int64_t ranks) {
  detail::need_group(tensor.count, ranks);
  return fraction{ranks - 1, ranks} * fraction{passes} * fraction{tensor.count};
}

/// Bytes that one rank sends in one collective over `tensor` (all-to-all: its whole send buffer), through a ring or in pairs. A broadcast
/// and a send count the tensor once for every rank that passes it on. Alone in its group a rank sends nothing. Error: as `ring_passes`.
constexpr fraction ring_sent(collective what, bytes tensor, std::int64_t ranks) {
  if (what != collective::broadcast && what != collective::send) return ring_passes(what == collective::all_reduce ? 2 : 1, tensor, ranks);
  detail::need_group(tensor.count, ranks);
  return ranks == 1 ? fraction{} : fraction{tensor.count};
}

/// What one rank sends and receives, in the unit that was put in.
struct sent_received {
  std::int64_t sent = 0;      ///< leaves the rank
  std::int64_t received = 0;  ///< arrives

  friend constexpr bool operator==(sent_received left, sent_received right) {
    return left.sent == right.sent && left.received == right.received;
  }
};

/// Elements of part `part` of a tensor that is divided as evenly as possible: the first `elements % ranks` parts have one more.
constexpr std::int64_t even_part(std::int64_t elements, std::int64_t ranks, std::int64_t part) {
  return elements / ranks + (part < elements % ranks ? 1 : 0);
}

/// Exactly what rank `rank` of a ring sends and receives for a tensor of `elements`, in elements. Each rank passes on to the next. Part r
/// of the tensor begins its way at rank r + 1 and ends, summed, at rank r; then it goes on from r up to r - 1. So a rank passes on all
/// parts but one: in a reduce-scatter its own, in an all-gather the one that ends with it. Over all ranks these are (n - 1) tensors, 2(n -
/// 1) for an all-reduce. In an all-to-all, done in pairs, part r of every buffer is for rank r. A broadcast starts at rank 0 and ends at
/// rank n - 1, a send goes from rank 0 to rank 1. Error: `argument_out_of_range` when there is no such rank.
constexpr sent_received ring_share(collective what, std::int64_t elements, std::int64_t ranks, std::int64_t rank) {
  detail::need_group(elements, ranks);
  if (rank < 0 || rank >= ranks) argument_out_of_range();
  if (ranks == 1) return {};
  const std::int64_t own = even_part(elements, ranks, rank);
  const std::int64_t before = even_part(elements, ranks, (rank + ranks - 1) % ranks);
  const std::int64_t behind = even_part(elements, ranks, (rank + 1) % ranks);
  switch (what) {
    case collective::reduce_scatter: return {elements - own, elements - before};
    case collective::all_gather: return {elements - behind, elements - own};
    case collective::all_reduce: return {checked_multiply(2, elements) - own - behind, checked_multiply(2, elements) - before - own};
    case collective::all_to_all: return {elements - own, checked_multiply(ranks - 1, own)};
    case collective::broadcast: return {rank == ranks - 1 ? 0 : elements, rank == 0 ? 0 : elements};
    default: return {rank == 0 ? elements : 0, rank == 1 ? elements : 0};
  }
}

}  // namespace shardplan
