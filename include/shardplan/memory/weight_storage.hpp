// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/checked.hpp>
#include <shardplan/model/tensor.hpp>
#include <shardplan/parallel/tensor_shard.hpp>
#include <shardplan/recipe/precision.hpp>

#include <cstdint>

namespace shardplan {

/// Whether a layout stores the linear weights of blocks otherwise than the rest.
constexpr bool has_linear_rule(const precision_spec& precision) { return precision.linear_bits != 0 || precision.linear_copy_bits != 0; }

namespace detail {
constexpr std::int64_t round_up(std::int64_t value, std::int64_t multiple) { return ceil_divide(value, multiple) * multiple; }
}  // namespace detail

/// Bytes of the weight of a tensor that a rank holds, all its copies on the rank; `with_copies`: with the casts and transposes that stand
/// beside a linear weight. Numbers are rounded up to a byte once a stored copy. One-byte scales lie in arrays whose sides are padded to 128
/// (along the tensor) and 4 (along the blocks), as the kernels read them (NVIDIA/TransformerEngine mxfp8_tensor.py).
template <class Precision = precision_spec>
constexpr std::int64_t whole_weight_bytes(const Precision& precision, role purpose, const tensor_shard& shard, bool with_copies) {
  const std::int64_t elements = shard.rows * shard.columns;
  if (!is_linear(purpose) || purpose == role::head) return shard.copies * precision.weight * elements;
  const bool copied = with_copies && precision.linear_copy_bits != 0;
  std::int64_t bytes = precision.linear_bits != 0 ? ceil_divide(elements * precision.linear_bits, 8) : precision.weight * elements;
  if (copied) bytes += ceil_divide(elements * precision.linear_copy_bits, 8);
  if (precision.scale_block != 0) {
    if (precision.linear_bits != 0 || copied)
      bytes += detail::round_up(shard.rows, 128) * detail::round_up(ceil_divide(shard.columns, precision.scale_block), 4);
    if (copied) bytes += detail::round_up(ceil_divide(shard.rows, precision.scale_block), 4) * detail::round_up(shard.columns, 128);
  }
  if (precision.scale_square != 0) {
    const std::int64_t squares = ceil_divide(shard.rows, precision.scale_square) * ceil_divide(shard.columns, precision.scale_square);
    bytes += 4 * squares * ((precision.linear_bits != 0 ? 1 : 0) + (copied ? 1 : 0));
  }
  return shard.copies * bytes;
}

}  // namespace shardplan
