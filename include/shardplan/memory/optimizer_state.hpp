// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/checked.hpp>
#include <shardplan/core/text.hpp>
#include <shardplan/model/tensor.hpp>
#include <shardplan/parallel/sharding.hpp>
#include <shardplan/parallel/tensor_shard.hpp>
#include <shardplan/recipe/optimizer.hpp>
#include <shardplan/recipe/precision.hpp>

#include <cstdint>

namespace shardplan {

// Templates, here and in weight_storage.hpp, only so that a file which includes the umbrella pays for nothing that it does not ask.

/// Bytes of `moments` moments of one tensor of `elements` numbers: quantised, numbers are rounded up to a byte once a moment and blocks to
/// a whole one, each with an fp32 scale.
template <class Optimizer = optimizer_spec>
constexpr std::int64_t bytes_of_moments(const Optimizer& optimizer, const precision_spec& precision, std::int64_t moments,
                                        std::int64_t elements, bool quantised) {
  if (quantised && elements >= optimizer.least_elements)
    return moments *
           (ceil_divide(elements * optimizer.bits, 8) + 4 * ceil_divide(elements, optimizer.block) + optimizer.tensor_table_bytes);
  if (moments == 0) return 0;
  if (optimizer.moment != 0) return optimizer.moment * moments * elements;
  const std::int64_t further = precision.second_moment != 0 ? precision.second_moment : precision.moment;
  return (precision.moment + (moments - 1) * further) * elements + moments * precision.moment_scale;
}

namespace detail {

template <class Optimizer = optimizer_spec>
constexpr std::int64_t bytes_of_one(const Optimizer& optimizer, const precision_spec& precision) {
  return optimizer.moment != 0 ? optimizer.moment : precision.moment;
}

// A side of `length` cut into pieces of at most `most`: how many, and the sum of their squares.
struct cut_side {
  std::int64_t pieces = 0;
  std::int64_t squares = 0;
};
constexpr cut_side cut(std::int64_t length, std::int64_t most) {
  if (most == 0 || length <= most) return {1, length * length};
  const std::int64_t rest = length % most;
  return {length / most + (rest > 0 ? 1 : 0), length / most * (most * most) + rest * rest};
}

template <class Optimizer = optimizer_spec>
constexpr bool has_matrix_rule(const Optimizer& optimizer, role purpose) {
  return optimizer.hidden_only ? is_hidden_matrix(purpose) : is_matrix(purpose);
}

// The state of one matrix that has a rule.
template <class Optimizer = optimizer_spec>
constexpr std::int64_t matrix_state_bytes(const Optimizer& optimizer, const precision_spec& precision, std::int64_t moments,
                                          const char* name, role purpose, std::int64_t rows, std::int64_t columns, std::int64_t head_width,
                                          bool quantised) {
  const std::int64_t elements = rows * columns;
  const std::int64_t size = optimizer.matrix_size;
  if (optimizer.matrices == matrix_rule::low_rank) {
    const bool tall = rows > columns;
    const std::int64_t shorter = tall ? columns : rows;
    const std::int64_t rank = size < shorter ? size : shorter;
    return bytes_of_moments(optimizer, precision, moments, rank * (tall ? rows : columns), quantised) +
           bytes_of_one(optimizer, precision) * rank * shorter;
  }
  const std::int64_t whole = bytes_of_moments(optimizer, precision, moments, elements, quantised);
  switch (optimizer.matrices) {
    case matrix_rule::factored: return whole + size * bytes_of_one(optimizer, precision) * (rows + columns);
    case matrix_rule::preconditioned: {
      const cut_side left = cut(rows, size);
      const cut_side right = cut(columns, size);
      return whole + 2 * 4 * (right.pieces * left.squares + left.pieces * right.squares);
    }
    case matrix_rule::rotated:
      return whole + 2 * 4 * ((size == 0 || rows <= size ? rows * rows : 0) + (size == 0 || columns <= size ? columns * columns : 0));
    case matrix_rule::block_means: {
      const bool by_head = purpose == role::attention && (literal(name) == "query" || literal(name) == "key");
      return whole + bytes_of_one(optimizer, precision) * (by_head ? ceil_divide(rows, head_width) : rows);
    }
    default: return whole;
  }
}

}  // namespace detail

/// Bytes of optimizer state for a tensor that a rank holds whole (no ZeRO), all copies on the rank; each copy is looked at by itself, as
/// the optimizers do. `head_width` is that of the attention. Sources: recipe/optimizer.hpp.
template <class Optimizer = optimizer_spec>
constexpr std::int64_t whole_state_bytes(const Optimizer& optimizer, const precision_spec& precision, const char* name, role purpose,
                                         const tensor_shard& shard, std::int64_t head_width) {
  const std::int64_t elements = shard.rows * shard.columns;
  const bool quantised = optimizer.bits != 0 && !(optimizer.whole_blocks && elements % optimizer.block != 0);
  const std::int64_t moments = optimizer.matrix_moments >= 0 ? optimizer.matrix_moments : optimizer.moments;
  if (detail::has_matrix_rule(optimizer, purpose))
    return shard.copies *
           detail::matrix_state_bytes(optimizer, precision, moments, name, purpose, shard.rows, shard.columns, head_width, quantised);
  const bool one_mean = optimizer.matrices == matrix_rule::block_means && !optimizer.hidden_only;
  return shard.copies * (bytes_of_moments(optimizer, precision, optimizer.moments, elements, quantised) +
                         (one_mean ? detail::bytes_of_one(optimizer, precision) : 0));
}

/// Bytes of optimizer state for one of `shards` equal parts of a flat buffer (ZeRO 1 to 3), rounded up. A part of a flat buffer has no rows
/// and columns, so nothing can be factored, and it is one large tensor for blocks of quantised numbers (of which the last may be a part of
/// one) and for scales. `ruled` of its `elements` belong to matrices with a number of moments of their own; those are shared out apart from
/// the rest.
template <class Optimizer = optimizer_spec>
constexpr std::int64_t flat_state_bytes(const Optimizer& optimizer, const precision_spec& precision, std::int64_t elements,
                                        std::int64_t ruled, std::int64_t shards) {
  const bool quantised = optimizer.bits != 0;
  if (optimizer.matrix_moments >= 0 && optimizer.matrices == matrix_rule::none)
    return bytes_of_moments(optimizer, precision, optimizer.matrix_moments, flat_shard(ruled, shards), quantised) +
           bytes_of_moments(optimizer, precision, optimizer.moments, flat_shard(elements - ruled, shards), quantised);
  return bytes_of_moments(optimizer, precision, optimizer.moments, flat_shard(elements, shards), quantised);
}

}  // namespace shardplan
