// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/checked.hpp>
#include <shardplan/model/tensor.hpp>
#include <shardplan/parallel/sharding.hpp>
#include <shardplan/parallel/tensor_shard.hpp>
#include <shardplan/recipe/optimizer.hpp>

#include <cstdint>

namespace shardplan {

/// Bytes that `moments` quantised copies of `elements` numbers take: one byte each and one fp32 scale a block.
constexpr std::int64_t eight_bit_moments(const optimizer_spec& optimizer, std::int64_t moments, std::int64_t elements) {
  return moments * (elements + 4 * ceil_divide(elements, optimizer.block));
}

/// Bytes of optimizer state for a tensor that a rank holds whole (no ZeRO), all copies on the rank. `moment_bytes` is the precision
/// layout's. Factored and 8-bit rules look at each copy by itself, as the optimizers do. Sources: recipe/optimizer.hpp.
constexpr std::int64_t whole_state_bytes(const optimizer_spec& optimizer, std::int64_t moment_bytes, role purpose,
                                         const tensor_shard& shard) {
  const std::int64_t elements = shard.rows * shard.columns;
  const bool hidden = optimizer.hidden_matrix_moments >= 0 && is_hidden_matrix(purpose);
  const std::int64_t moments = hidden ? optimizer.hidden_matrix_moments : optimizer.moments;
  if (optimizer.eight_bit)
    return shard.copies * (elements < optimizer.least_elements ? 4 * moments * elements : eight_bit_moments(optimizer, moments, elements));
  if (optimizer.factored) return shard.copies * moments * 4 * (is_matrix(purpose) ? shard.rows + shard.columns : elements);
  return shard.copies * moments * moment_bytes * elements;
}

/// Bytes of optimizer state for one of `shards` equal parts of a flat buffer (ZeRO 1 to 3), rounded up. A part of a flat buffer has no rows
/// and columns, so nothing can be factored, and it is one large tensor for 8-bit blocks. `hidden` of its `elements` belong to hidden
/// matrices; where those have a rule of their own they are shared out apart from the rest.
constexpr std::int64_t flat_state_bytes(const optimizer_spec& optimizer, std::int64_t moment_bytes, std::int64_t elements,
                                        std::int64_t hidden, std::int64_t shards) {
  const auto of_group = [&](std::int64_t moments, std::int64_t count) {
    const std::int64_t share = flat_shard(count, shards);
    if (!optimizer.eight_bit) return (optimizer.factored ? 4 : moment_bytes) * moments * share;
    return share < optimizer.least_elements ? 4 * moments * share : eight_bit_moments(optimizer, moments, share);
  };
  if (optimizer.hidden_matrix_moments < 0) return of_group(optimizer.moments, elements);
  return of_group(optimizer.hidden_matrix_moments, hidden) + of_group(optimizer.moments, elements - hidden);
}

}  // namespace shardplan
