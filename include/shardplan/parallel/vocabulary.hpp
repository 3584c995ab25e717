// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/checked.hpp>
#include <shardplan/core/part.hpp>

#include <cstdint>

namespace shardplan {

/// Part of a plan (default 1: no padding): the rows of the vocabulary are padded up to a multiple of `Rows`. Megatron-LM pads to
/// 128 x tp: say `vocabulary_multiple<128 * 8>` with tp<8>.
template <std::int64_t Rows>
struct vocabulary_multiple {
  static constexpr part_kind kind = part_kind::vocabulary_multiple;
  template <class Spec>
  static constexpr void apply(Spec& spec) {
    note_part<part_kind::vocabulary_multiple>(spec);
    spec.vocabulary_multiple = Rows;
  }
};

/// `rows` rounded up to a multiple of `multiple`.
constexpr std::int64_t padded_vocabulary(std::int64_t rows, std::int64_t multiple) { return ceil_divide(rows, multiple) * multiple; }

}  // namespace shardplan
