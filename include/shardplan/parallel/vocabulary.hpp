// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/checked.hpp>
#include <shardplan/core/part.hpp>
#include <shardplan/core/unset.hpp>

#include <cstdint>

namespace shardplan {

/// Rows a tensor parallel rank that Megatron-LM pads to a multiple of (its `--make-vocab-size-divisible-by`).
inline constexpr std::int64_t megatron_vocabulary_divisor = 128;

/// Part of a plan (default 1: no padding; under `framework<frameworks::megatron>` 128 x tp): the rows of the vocabulary are padded up to a
/// multiple of `Rows`.
template <std::int64_t Rows>
struct vocabulary_multiple {
  static constexpr part_kind kind = part_kind::vocabulary_multiple;
  template <class Spec>
  static constexpr void apply(Spec& spec) {
    note_part<part_kind::vocabulary_multiple>(spec);
    spec.vocabulary_multiple = Rows == unset ? unset + 1 : Rows;
  }
};

/// `rows` rounded up to a multiple of `multiple`.
constexpr std::int64_t padded_vocabulary(std::int64_t rows, std::int64_t multiple) { return ceil_divide(rows, multiple) * multiple; }

}  // namespace shardplan
