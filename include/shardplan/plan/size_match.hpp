// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/bytes.hpp>
#include <shardplan/core/checked.hpp>
#include <shardplan/core/size.hpp>
#include <shardplan/core/static_vector.hpp>
#include <shardplan/core/text.hpp>
#include <shardplan/memory/printed_size.hpp>

#include <cstdint>

namespace shardplan {

/// What of a run a size can be the size of.
enum class size_extent {
  tensor,        ///< one parameter tensor as a rank holds it (of experts: one expert's)
  experts,       ///< the tensors of that name of all experts that a rank holds in one block, in one buffer
  whole_tensor,  ///< the tensor before tensor parallelism divides it
  tensor_share,  ///< a rank's rows of the tensor when replicas share it along its first dimension
  block,         ///< the parameters of one block on a rank
  input,         ///< the parameters before the first block
  output,        ///< the parameters after the last block
  stage,         ///< the parameters of all blocks and ends of a pipeline rank
  model,         ///< the parameters of the whole model, undivided
  account,       ///< a field of the rank's memory report
  activation,    ///< a product of the shape: a tensor of one micro-batch that a block makes
  kept,          ///< a tensor of one micro-batch that the kernel set keeps for backward, by operation
  loss,          ///< a tensor of one micro-batch in head and loss
  bucket,        ///< a communication bucket
};

/// One explanation of a size: `numbers` numbers of `width` bytes.
struct size_match {
  literal what{};               ///< the tensor or sum: "expert_up", "routed experts", "attention scores"
  size_extent extent{};         ///< of how much of the run
  std::int64_t stage = -1;      ///< pipeline rank, for `stage` and `account`; else -1
  std::int64_t shared_by = 1;   ///< ranks that share the flat buffer or the tensor: `numbers` is one share
  std::int64_t numbers = 0;     ///< elements
  std::int64_t width = 0;       ///< bytes of an element; in `account` 1
  bytes size{};                 ///< numbers x width, exact
  std::int64_t difference = 0;  ///< `size` minus the size that was asked for, bytes
  bool by_allocator = false;    ///< only the allocator's rounding up (`allocation_of`) makes it the printed size
};

/// Explanations that are kept.
inline constexpr std::size_t most_size_matches = 16;

/// The explanations of a size, the closest first; among equals tensors come before sums.
struct size_matches {
  static_vector<size_match, most_size_matches> items{};  ///< the closest first
  std::int64_t left_out = 0;                             ///< further ones, less close or as close, that found no room

  /// Whether nothing of the run has that size.
  constexpr bool empty() const { return items.length == 0; }
  /// Explanations in the list.
  constexpr std::size_t size() const { return items.length; }
  /// One of them. Error: `index_out_of_range`.
  constexpr const size_match& operator[](std::size_t index) const { return items[index]; }
  /// The first one.
  constexpr const size_match* begin() const { return items.begin(); }
  /// Behind the last one.
  constexpr const size_match* end() const { return items.end(); }
};

namespace detail {

constexpr std::int64_t distance(const size_match& match) { return match.difference < 0 ? -match.difference : match.difference; }

// Collects what has the size. Few candidates do, so a look at one that does not must be cheap.
struct size_search {
  printed_size wanted{};
  std::int64_t least = 0;  // of `wanted`, less what the allocator may round up
  static_vector<std::int64_t, 16> widths{};
  size_matches found{};

  constexpr void add_width(std::int64_t width) {
    for (const std::int64_t known : widths)
      if (known == width) return;
    if (width > 0) widths.push_back(width);
  }

  constexpr void insert(const size_match& match) {
    auto& items = found.items;
    std::size_t at = items.length;
    while (at > 0 && distance(items.values[at - 1]) > distance(match)) --at;
    if (items.length == most_size_matches) {
      ++found.left_out;
      if (at == most_size_matches) return;
      --items.length;
    }
    items.push_back(match);
    for (std::size_t move = items.length - 1; move > at; --move) items.values[move] = items.values[move - 1];
    items.values[at] = match;
  }

  // `numbers` elements of `width` bytes.
  constexpr void offer(const char* what, size_extent extent, std::int64_t numbers, std::int64_t width, std::int64_t stage,
                       std::int64_t shared_by) {
    const std::int64_t size = saturating_multiply(numbers, width);
    if (size < least || size > wanted.most.count) return;
    const bool exact = wanted.holds(size);
    if (!exact && !wanted.holds(allocation_of({size}).count)) return;
    insert({what, extent, stage, shared_by, numbers, width, {size}, size - wanted.nominal.count, !exact});
  }
  // The same with every width that the plan knows; a single tensor has the first four, which are those of number formats.
  constexpr void offer(const char* what, size_extent extent, std::int64_t numbers, std::int64_t stage = -1, std::int64_t shared_by = 1) {
    if (numbers <= 0 || numbers > wanted.most.count) return;
    const bool is_sum = extent >= size_extent::block && extent <= size_extent::model;
    const std::size_t count = is_sum || widths.length < 4 ? widths.length : 4;
    for (std::size_t at = 0; at < count; ++at) offer(what, extent, numbers, widths.values[at], stage, shared_by);
  }
};

constexpr size_search search_for(const printed_size& wanted) {
  size_search search{};
  search.wanted = wanted;
  // The least tensor that the allocator rounds up to such a size.
  constexpr std::int64_t mebibyte = std::int64_t{1} << 20;
  const std::int64_t floor = wanted.least.count;
  if (floor > 20 * mebibyte) search.least = floor - 2 * mebibyte;
  return search;
}

}  // namespace detail

/// The extent in words.
constexpr const char* name_of(size_extent extent) {
  constexpr const char* names[] = {"one tensor",
                                   "all experts of a block on a rank",
                                   "the tensor before tp divides it",
                                   "a share of a tensor",
                                   "one block",
                                   "before the blocks",
                                   "after the blocks",
                                   "a pipeline rank",
                                   "the whole model",
                                   "the memory report",
                                   "a micro-batch in a block",
                                   "kept for backward",
                                   "a micro-batch in the loss",
                                   "a bucket"};
  static_assert(sizeof names / sizeof names[0] == static_cast<unsigned>(size_extent::bucket) + 1);
  return detail::nth_of(names, static_cast<int>(extent));
}

/// Room for one sentence about a match.
inline constexpr std::size_t size_sentence_length = 200;

/// A match in words: "routed experts (a pipeline rank, stage 0): 14193524736 x 2 bytes = 28387049472 bytes".
constexpr text<size_sentence_length> sentence_of(const size_match& match) {
  text<size_sentence_length> out{};
  out.append(match.what).append(" (").append(name_of(match.extent));
  if (match.stage >= 0) out.append(", stage ").append(match.stage);
  if (match.shared_by > 1) out.append(", shared by ").append(match.shared_by);
  out.append("): ");
  if (match.width > 1) out.append(match.numbers).append(" x ").append(match.width).append(" bytes = ");
  out.append(match.size.count).append(" bytes");
  if (match.by_allocator) out.append(", rounded up by the allocator");
  return out;
}

}  // namespace shardplan
