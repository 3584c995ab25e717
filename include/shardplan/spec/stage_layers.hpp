// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/checked.hpp>
#include <shardplan/core/unset.hpp>
#include <shardplan/parallel/stages.hpp>
#include <shardplan/recipe/framework.hpp>
#include <shardplan/spec/plan_spec.hpp>

#include <cstdint>

namespace shardplan {

/// Whether layers that the stages do not divide are dealt out all the same, the first stages having one more: torchtitan does, with
/// embedding and head in the place of a layer each, where no `layer_split` is said (its module_fqns_per_model_part).
template <class Spec = plan_spec>
constexpr bool balances_layers(const Spec& spec) {
  return spec.framework == frameworks::torchtitan && spec.layer_split.counts.length == 0;
}

/// Layers that the embedding counts as: as said, else 1 under torchtitan and 0 elsewhere.
template <class Spec = plan_spec>
constexpr std::int64_t first_stage_less_of(const Spec& spec) {
  if (spec.layer_split.embedding_slot != unset) return spec.layer_split.embedding_slot;
  return spec.framework == frameworks::torchtitan ? 1 : 0;
}
/// Layers that head and loss count as: as said, else 1 under torchtitan and 0 elsewhere.
template <class Spec = plan_spec>
constexpr std::int64_t last_stage_less_of(const Spec& spec) {
  if (spec.layer_split.loss_slot != unset) return spec.layer_split.loss_slot;
  return spec.framework == frameworks::torchtitan ? 1 : 0;
}
/// The layers of the model and what counts as layers beside them. Saturates where the numbers are in no range.
template <class Spec = plan_spec>
constexpr std::int64_t layer_places_of(const Spec& spec) {
  return saturating_add(spec.model.layers, saturating_add(first_stage_less_of(spec), last_stage_less_of(spec)));
}

/// Whether `stages` stages can be dealt out: none is left without a place, none is short of more than its share, and they divide the places
/// or the framework balances. Of a `layer_split`: whether it has so many counts.
template <class Spec = plan_spec>
constexpr bool deals_out(const Spec& spec, std::int64_t stages) {
  const auto& split = spec.layer_split;
  if (split.counts.length != 0) return split.entries() == stages;
  const std::int64_t places = layer_places_of(spec);
  if (stages < 1 || stages > places) return false;
  const std::int64_t share = places / stages;
  if (stages > 1 && (first_stage_less_of(spec) > share || last_stage_less_of(spec) > share)) return false;
  return balances_layers(spec) || places % stages == 0;
}

/// Layers of stage `stage` (0-based) of `stages` of a plan: as its `layer_split` says, else dealt out. For a spec whose stages keep the
/// rules.
template <class Spec = plan_spec>
constexpr std::int64_t layers_of_stage(const Spec& spec, std::int64_t stages, std::int64_t stage) {
  if (spec.layer_split.counts.length != 0) return spec.layer_split.counts.values[stage];
  return dealt_layers(spec.model.layers, first_stage_less_of(spec), last_stage_less_of(spec), stages, stage);
}
/// Index in the model of the first layer of that stage.
template <class Spec = plan_spec>
constexpr std::int64_t first_layer_of_stage(const Spec& spec, std::int64_t stages, std::int64_t stage) {
  if (spec.layer_split.counts.length != 0) return first_layer_of_stage(spec.layer_split, spec.model.layers, stages, stage);
  return dealt_layers_before(spec.model.layers, first_stage_less_of(spec), last_stage_less_of(spec), stages, stage);
}

/// Whether all stages but the first and the last have as many layers as each other.
template <class Spec = plan_spec>
constexpr bool has_even_inner_stages(const Spec& spec) {
  return spec.layer_split.counts.length == 0 && layer_places_of(spec) % spec.schedule.stages(spec.pp) == 0;
}
/// Whether all stages have as many layers as each other.
template <class Spec = plan_spec>
constexpr bool has_even_stages(const Spec& spec) {
  return first_stage_less_of(spec) == 0 && last_stage_less_of(spec) == 0 && has_even_inner_stages(spec);
}
/// Most layers of any stage that are dealt out: those of the first, of an inner one, or of the last. With a `layer_split`: of the model.
template <class Spec = plan_spec>
constexpr std::int64_t most_layers_of_a_stage(const Spec& spec) {
  if (spec.layer_split.counts.length != 0) return spec.model.layers;
  const std::int64_t stages = spec.schedule.stages(spec.pp);
  std::int64_t most = layers_of_stage(spec, stages, stages - 1);
  for (std::int64_t stage = 0; stage < 2 && stage < stages; ++stage) {
    const std::int64_t held = layers_of_stage(spec, stages, stage);
    if (held > most) most = held;
  }
  return most;
}

}  // namespace shardplan
