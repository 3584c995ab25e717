// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/checked.hpp>
#include <shardplan/model/tensor.hpp>
#include <shardplan/parallel/degrees.hpp>

#include <cstdint>

namespace shardplan {

/// What one rank of the model-parallel grid holds of a tensor, before ZeRO shards it over replicas.
struct tensor_shard {
  std::int64_t rows = 0;     ///< elements
  std::int64_t columns = 0;  ///< elements
  std::int64_t copies = 0;   ///< tensors of that shape on the rank in one place: routed experts / ep, else 1

  /// Elements of all copies.
  constexpr std::int64_t elements() const { return rows * columns * copies; }
};

/// The shard of a tensor of `rows` x `columns` (`copies` of them in one place) on one rank: `column` and `row` tensors are divided by tp
/// (routed experts by etp, and dealt over ep), `key_value` tensors too, but never below one whole head of `head_width` rows, `vocabulary`
/// tensors have `vocabulary` rows in all (padded) and are divided by tp. Everything must divide: the rules of a plan see to it
/// (plan/rules/divisibility.hpp).
constexpr tensor_shard shard_of(std::int64_t rows, std::int64_t columns, std::int64_t copies, split how, bool routed, const degrees& grid,
                                std::int64_t vocabulary, std::int64_t head_width) {
  const std::int64_t ranks = routed ? grid.etp : grid.tp;
  if (routed) copies /= grid.ep;
  switch (how) {
    case split::replicated: break;
    case split::column: rows /= ranks; break;
    case split::row: columns /= ranks; break;
    case split::key_value: rows = rows / ranks > head_width ? rows / ranks : head_width; break;
    case split::vocabulary: rows = vocabulary / ranks; break;
  }
  return {rows, columns, copies};
}

/// What the fullest of `sharers` ranks holds of a tensor under FSDP2 (torch `fully_shard`, one tensor along its first dimension): rows
/// rounded up, as every rank allocates them. Experts (`routed`) are one tensor of three dimensions, cut between experts, or within each
/// where there are fewer of them than ranks (pytorch/torchtitan, apply_fsdp); other copies are tensors of their own.
constexpr tensor_shard fsdp_shard(tensor_shard whole, std::int64_t sharers, bool routed) {
  if (routed && whole.copies > 1 && whole.copies >= sharers) {
    whole.copies = ceil_divide(whole.copies, sharers);
  } else {
    whole.rows = ceil_divide(whole.rows, sharers);
  }
  return whole;
}

}  // namespace shardplan
