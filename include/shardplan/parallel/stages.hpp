// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/checked.hpp>
#include <shardplan/core/part.hpp>
#include <shardplan/core/size.hpp>
#include <shardplan/core/static_vector.hpp>
#include <shardplan/core/unset.hpp>

#include <cstdint>

namespace shardplan {

/// Most entries of a `layer_split`: stages x chunks of the largest pipelines in use are far below.
inline constexpr std::size_t most_layer_split_entries = 256;

/// Layers of each stage (of each chunk in stage order when a rank holds several); empty: dealt out (`dealt_layers`).
struct layer_counts {
  static_vector<std::int64_t, most_layer_split_entries> counts{};  ///< layers of each stage (chunk)
  std::int64_t left_out = 0;              ///< entries beyond `most_layer_split_entries`: a plan with any is refused
  std::int64_t embedding_slot = unset;    ///< layers that the embedding counts as: so many fewer on the first stage; unset: as the
                                          ///< framework does (spec/stage_layers.hpp)
  std::int64_t loss_slot = unset;         ///< layers that head and loss count as: so many fewer on the last stage; unset: as above
  std::int64_t next_token_stage = unset;  ///< stage (chunk in stage order) of the next-token layers; unset: the last

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
    spec.layer_split.counts = {};
    spec.layer_split.left_out = 0;
    // An array and not a fold: Clang folds no more than 256 operands.
    constexpr std::int64_t counts[] = {Layers...};
    for (const std::int64_t count : counts) spec.layer_split.push_back(count);
  }
};

/// In `pipeline_slots<...>`: the embedding counts as `Layers` layers, and the first stage has so many blocks fewer (torchtitan
/// pipeline_parallel_first_stage_less_layers).
template <std::int64_t Layers>
struct first_stage_less {
  static constexpr void set(layer_counts& counts) { counts.embedding_slot = Layers == unset ? Layers + 1 : Layers; }
};

/// In `pipeline_slots<...>`: head and loss count as `Layers` layers, and the last stage has so many blocks fewer (torchtitan
/// pipeline_parallel_last_stage_less_layers).
template <std::int64_t Layers>
struct last_stage_less {
  static constexpr void set(layer_counts& counts) { counts.loss_slot = Layers == unset ? Layers + 1 : Layers; }
};

/// In `pipeline_slots<...>`: the embedding counts as a layer (Megatron-LM account_for_embedding_in_pipeline_split).
struct embedding_slot {
  static constexpr void set(layer_counts& counts) { counts.embedding_slot = 1; }
};

/// In `pipeline_slots<...>`: the loss counts as a layer (Megatron-LM account_for_loss_in_pipeline_split).
struct loss_slot {
  static constexpr void set(layer_counts& counts) { counts.loss_slot = 1; }
};

/// In `pipeline_slots<...>`: the next-token layers lie on stage `Stage` (0-based; of chunks in stage order), not on the last. They need a
/// copy of the embedding there.
template <std::int64_t Stage>
struct next_token_stage {
  static constexpr void set(layer_counts& counts) { counts.next_token_stage = Stage; }
};

/// What can stand in `pipeline_slots<...>`.
template <class Type>
concept pipeline_slot = requires(layer_counts& counts) {
  Type::set(counts);
};

namespace detail {
// Whether a slot says what was said before: it is set alone, so that a slot of one's own needs nothing for it.
template <class Slot, class Split>
constexpr bool says_again(Split& split) {
  const std::int64_t embedding = split.embedding_slot;
  const std::int64_t loss = split.loss_slot;
  const std::int64_t next_token = split.next_token_stage;
  split.embedding_slot = split.loss_slot = split.next_token_stage = unset;
  Slot::set(split);
  bool again = false;
  const auto join = [&again](std::int64_t& now, std::int64_t said) {
    again = again || (now != unset && said != unset);
    if (now == unset) now = said;
  };
  join(split.embedding_slot, embedding);
  join(split.loss_slot, loss);
  join(split.next_token_stage, next_token);
  return again;
}
}  // namespace detail

/// Part of a plan (default: none; under torchtitan embedding and loss): what takes the place of a layer when layers are dealt out, and
/// where next-token layers lie: `pipeline_slots<embedding_slot, loss_slot>`. With a `layer_split`, whose counts are of blocks alone, a
/// first stage with `embedding_slot`, a last one with `loss_slot` and that of `next_token_stage` may have no block. Saying what the
/// embedding, the loss or the next-token layers take twice is the violation `repeated_part`.
template <pipeline_slot... Slots>
struct pipeline_slots {
  static constexpr part_kind kind = part_kind::pipeline_slots;
  template <class Spec>
  static constexpr void apply(Spec& spec) {
    note_part<part_kind::pipeline_slots>(spec);
    if constexpr (sizeof...(Slots) == 1) {
      (Slots::set(spec.layer_split), ...);
    } else if ((int{detail::says_again<Slots>(spec.layer_split)} + ... + 0) != 0) {
      note_part<part_kind::pipeline_slots>(spec);
    }
  }
};

/// Layers of stage `stage` (0-based) of `stages` when they are dealt out: embedding and head stand for `first_less` and `last_less` layers,
/// all together go evenly over the stages, the first of which have one more where they do not divide. That is the rule of torchtitan
/// (pytorch/torchtitan distributed/pipeline_parallel.py at 02ef790, generate_llm_fqn_per_model_part), and of Megatron-LM where they divide.
/// For stages that are no more than the layers and their stand-ins; never negative where no stage has a smaller share than it is short of.
constexpr std::int64_t dealt_layers(std::int64_t layers, std::int64_t first_less, std::int64_t last_less, std::int64_t stages,
                                    std::int64_t stage) {
  const std::int64_t places = layers + first_less + last_less;
  return places / stages + (stage < places % stages) - (stage == 0 ? first_less : 0) - (stage == stages - 1 ? last_less : 0);
}

/// Layers of all stages before that one, dealt out in the same way.
constexpr std::int64_t dealt_layers_before(std::int64_t layers, std::int64_t first_less, std::int64_t last_less, std::int64_t stages,
                                           std::int64_t stage) {
  if (stage == 0) return 0;
  const std::int64_t places = layers + first_less + last_less;
  const std::int64_t longer = places % stages;
  return places / stages * stage + (stage < longer ? stage : longer) - first_less;
}

/// Stages that a number of layers a stage makes (torchtitan pipeline_parallel_layers_per_stage), of `places` layers and stand-ins: the last
/// may be shorter. The number of stages that it can make and that is nearest to `stages` from below, or `stages` itself; 1 to `places`.
constexpr std::int64_t stages_of_equal_layers(std::int64_t places, std::int64_t stages) {
  return ceil_divide(places, ceil_divide(places, stages));
}

/// Layers of stage `stage` (0-based) of `stages`: as said, else dealt out. Slots that nobody said count as no layer.
constexpr std::int64_t layers_of_stage(const layer_counts& split, std::int64_t layers, std::int64_t stages, std::int64_t stage) {
  if (split.counts.length != 0) return split.counts.values[stage];
  return dealt_layers(layers, split.embedding_slot == unset ? 0 : split.embedding_slot, split.loss_slot == unset ? 0 : split.loss_slot,
                      stages, stage);
}

/// Index in the model of the first layer of that stage.
constexpr std::int64_t first_layer_of_stage(const layer_counts& split, std::int64_t layers, std::int64_t stages, std::int64_t stage) {
  if (split.counts.length == 0)
    return dealt_layers_before(layers, split.embedding_slot == unset ? 0 : split.embedding_slot,
                               split.loss_slot == unset ? 0 : split.loss_slot, stages, stage);
  std::int64_t first = 0;
  for (std::int64_t earlier = 0; earlier < stage; ++earlier) first += split.counts.values[earlier];
  return first;
}

/// Stage of the next-token layers.
constexpr std::int64_t next_token_stage_of(const layer_counts& split, std::int64_t stages) {
  return split.next_token_stage == unset ? stages - 1 : split.next_token_stage;
}

}  // namespace shardplan
