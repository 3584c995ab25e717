// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/checked.hpp>
#include <shardplan/core/part.hpp>
#include <shardplan/core/static_vector.hpp>

#include <cstddef>
#include <cstdint>

namespace shardplan {

/// Most entries of a `layer_split`: stages x chunks of the largest pipelines in use are far below.
inline constexpr std::size_t most_layer_split_entries = 256;

/// Layers of each stage (of each chunk in stage order when a rank holds several); empty: divided evenly.
struct layer_counts {
  static_vector<std::int64_t, most_layer_split_entries> counts{};  ///< layers of each stage (chunk)
  std::int64_t left_out = 0;  ///< entries beyond `most_layer_split_entries`: a plan with any is refused

  /// Adds the layers of the next stage (chunk). No error: what finds no room is counted in `left_out`.
  constexpr void push_back(std::int64_t count) {
    if (counts.size() < counts.capacity()) {
      counts.push_back(count);
    } else {
      ++left_out;
    }
  }
  /// Entries that were said, those left out too.
  constexpr std::int64_t entries() const { return saturating_add(static_cast<std::int64_t>(counts.length), left_out); }

  friend constexpr bool operator==(const layer_counts&, const layer_counts&) = default;
};

/// Part of a plan (default: even): `layer_split<7, 8, 8, 7>`, one count a stage; for v > 1 one a chunk in stage order. Needed where the
/// number of stages does not divide the layers: nothing is ever floored.
template <std::int64_t... Layers>
requires(sizeof...(Layers) > 0) struct layer_split {
  static constexpr part_kind kind = part_kind::layer_split;
  template <class Spec>
  static constexpr void apply(Spec& spec) {
    note_part<part_kind::layer_split>(spec);
    spec.layer_split = {};
    // An array and not a fold: Clang folds no more than 256 operands.
    constexpr std::int64_t counts[] = {Layers...};
    for (const std::int64_t count : counts) spec.layer_split.push_back(count);
  }
};

/// Layers of stage `stage` (0-based) of `stages`. A model of `layers` that `stages` does not divide needs `split`.
constexpr std::int64_t layers_of_stage(const layer_counts& split, std::int64_t layers, std::int64_t stages, std::int64_t stage) {
  return split.counts.length == 0 ? layers / stages : split.counts.values[stage];
}

/// Index in the model of the first layer of that stage.
constexpr std::int64_t first_layer_of_stage(const layer_counts& split, std::int64_t layers, std::int64_t stages, std::int64_t stage) {
  if (split.counts.length == 0) return layers / stages * stage;
  std::int64_t first = 0;
  for (std::int64_t earlier = 0; earlier < stage; ++earlier) first += split.counts.values[earlier];
  return first;
}

}  // namespace shardplan
