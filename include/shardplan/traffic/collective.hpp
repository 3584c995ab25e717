// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/checked.hpp>
#include <shardplan/core/device_code.hpp>
#include <shardplan/core/fraction.hpp>

#include <cstdint>

namespace shardplan {

/// How ranks exchange a tensor. "The tensor" is the whole one: what an all-gather ends with, what a reduce-scatter and an all-reduce begin
/// with, and the send buffer of one rank of an all-to-all.
enum class collective : unsigned char {
  send,            ///< one rank to one other: pipelines, the ring of context parallelism
  all_reduce,      ///< all ranks end with the sum: a reduce-scatter and an all-gather
  reduce_scatter,  ///< each rank ends with its chunk of the sum
  all_gather,      ///< each rank begins with its chunk and ends with all
  all_to_all,      ///< each rank has a chunk for every rank
  copy             ///< between a device and its host, or a host and its NVMe
};

/// Whether elements go one way, around no ring: a send, a copy.
constexpr SHARDPLAN_HOST_DEVICE bool is_one_way(collective how) { return how == collective::send || how == collective::copy; }

/// How often the elements go around the ring: twice for an all-reduce, which is a reduce-scatter and an all-gather.
constexpr SHARDPLAN_HOST_DEVICE int ring_passes(collective how) { return how == collective::all_reduce ? 2 : 1; }

/// Elements of chunk `chunk` of a tensor of `elements` that `ranks` divide as evenly as can be: the first ones have one more.
constexpr SHARDPLAN_HOST_DEVICE std::int64_t chunk_of(std::int64_t elements, std::int64_t ranks, std::int64_t chunk) {
  return elements / ranks + (chunk < elements % ranks ? 1 : 0);
}

/// Elements that rank `rank` of a ring sends for one collective. In a reduce-scatter a rank passes on every chunk but its own, in an
/// all-gather every chunk but that of its successor; an all-reduce is both, so that ranks differ by at most two elements and the sum over
/// ranks is exactly (n - 1) S or 2 (n - 1) S. An all-to-all is pairwise. (NCCL's rings; tests/static/traffic simulates them chunk by
/// chunk.)
constexpr SHARDPLAN_HOST_DEVICE std::int64_t ring_sent(collective how, std::int64_t elements, std::int64_t ranks, std::int64_t rank) {
  if (is_one_way(how)) return elements;
  if (ranks <= 1) return 0;
  const std::int64_t own = chunk_of(elements, ranks, rank);
  const std::int64_t next = chunk_of(elements, ranks, rank + 1 == ranks ? 0 : rank + 1);
  switch (how) {
    case collective::all_reduce: return checked_add(elements - own, elements - next);
    case collective::all_gather: return elements - next;
    default: return elements - own;
  }
}

/// Elements that it receives: what its predecessor sends; in an all-to-all a chunk of its own size from every other rank.
constexpr SHARDPLAN_HOST_DEVICE std::int64_t ring_received(collective how, std::int64_t elements, std::int64_t ranks, std::int64_t rank) {
  if (how == collective::all_to_all) return ranks <= 1 ? 0 : checked_multiply(ranks - 1, chunk_of(elements, ranks, rank));
  return ring_sent(how, elements, ranks, rank == 0 ? ranks - 1 : rank - 1);
}

/// The most that any rank of the ring sends.
constexpr SHARDPLAN_HOST_DEVICE std::int64_t most_ring_sent(collective how, std::int64_t elements, std::int64_t ranks) {
  if (is_one_way(how)) return elements;
  if (ranks <= 1) return 0;
  // No chunk is smaller than the last, nor two neighbours than the last two.
  if (how != collective::all_reduce) return elements - elements / ranks;
  return checked_add(elements - elements / ranks, elements - chunk_of(elements, ranks, ranks - 2));
}

/// What each rank sends where chunks may be parts of elements: (n - 1) / n, twice that for an all-reduce, 1 for a send; times the tensor.
/// The factors of nccl-tests' bus bandwidth (NVIDIA/nccl-tests doc/PERFORMANCE.md).
constexpr fraction ring_factor(collective how, std::int64_t ranks) {
  if (is_one_way(how)) return {1};
  return {ring_passes(how) * (ranks - 1), ranks};
}

/// Steps of the ring that follow one another: 2 (n - 1) of an all-reduce, n - 1 of the others, 1 of a send.
constexpr std::int64_t ring_steps(collective how, std::int64_t ranks) {
  if (is_one_way(how)) return 1;
  return ring_passes(how) * (ranks - 1);
}

}  // namespace shardplan
