// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/size.hpp>
#include <shardplan/core/unset.hpp>
#include <shardplan/parallel/stages.hpp>
#include <shardplan/plan/quantity.hpp>
#include <shardplan/plan/rules/listed_rule.hpp>
#include <shardplan/plan/violation.hpp>
#include <shardplan/spec/derived.hpp>
#include <shardplan/spec/plan_spec.hpp>

#include <cstdint>

namespace shardplan {

namespace detail {

// The name of the stages of a model.
template <class Spec>
constexpr quantity stages_name(const Spec& spec, std::int64_t stages) {
  return stages == spec.pp ? quantity::pp : quantity::pp_x_chunks;
}

// Whether a stage has something else in the place of a block.
template <class Spec>
constexpr bool may_be_empty(const Spec& spec, std::int64_t stage, std::int64_t stages) {
  const auto& split = spec.layer_split;
  return (split.embedding_slot && stage == 0) || (split.loss_slot && stage == stages - 1) ||
         (spec.model.next_token_layers > 0 && stage == next_token_stage_of(split, stages));
}

}  // namespace detail

namespace rules {

/// `next_token_stage` is one of the stages.
struct next_token_stage_is_a_stage {
  template <class Listed = listed_rule>
  static constexpr Listed about() {
    return detail::number_rule<Listed>(2, rule::out_of_range, {quantity::next_token_stage}, "`next_token_stage` is a stage",
                                       "by definition");
  }
  template <class Spec, class Sink>
  static constexpr void check(const Spec& spec, Sink& sink) {
    const std::int64_t stage = spec.layer_split.next_token_stage;
    const std::int64_t stages = spec.schedule.stages(spec.pp);
    if (stage != unset && (0 > stage || stage >= stages)) sink.add_range({quantity::next_token_stage, stage}, 0, stages - 1);
  }
};

/// pp x chunks divides `layers`, where no `layer_split` says the counts.
struct stages_divide_layers {
  template <class Listed = listed_rule>
  static constexpr Listed about() {
    return detail::pair_rule<Listed>(2, rule::does_not_divide, {quantity::pp, quantity::pp_x_chunks}, {quantity::layers},
                                     "pp x chunks divides `layers` (no `layer_split`)",
                                     "never a floor: Megatron-LM issues 468, 326, 1303, 1304 trained fewer layers");
  }
  template <class Spec, class Sink>
  static constexpr void check(const Spec& spec, Sink& sink) {
    const auto& split = spec.layer_split;
    if (split.counts.length != 0 || split.embedding_slot || split.loss_slot) return;
    const std::int64_t stages = spec.schedule.stages(spec.pp);
    if (spec.model.layers % stages != 0)
      sink.add_pair(rule::does_not_divide, {detail::stages_name(spec, stages), stages}, {quantity::layers, spec.model.layers});
  }
};

/// pp x chunks divides the layers and the slots, where no `layer_split` says the counts.
struct stages_divide_layers_and_slots {
  template <class Listed = listed_rule>
  static constexpr Listed about() {
    return detail::pair_rule<Listed>(2, rule::does_not_divide, {quantity::pp, quantity::pp_x_chunks}, {quantity::layers_and_slots},
                                     "pp x chunks divides the layers and the slots of `pipeline_slots` (no `layer_split`)",
                                     "Megatron-LM `core/transformer/transformer_config.py`");
  }
  template <class Spec, class Sink>
  static constexpr void check(const Spec& spec, Sink& sink) {
    const auto& split = spec.layer_split;
    const std::int64_t slots = split.embedding_slot + split.loss_slot;
    if (split.counts.length != 0 || slots == 0) return;
    const std::int64_t stages = spec.schedule.stages(spec.pp);
    detail::must_divide(sink, detail::stages_name(spec, stages), stages, quantity::layers_and_slots, spec.model.layers + slots);
  }
};

/// No stage of a `layer_split` is empty, unless something else stands in a block's place.
struct no_stage_is_empty {
  template <class Listed = listed_rule>
  static constexpr Listed about() {
    return detail::plain_rule<Listed>(2, rule::empty_stage, "no stage is empty where nothing stands in a block's place", "by definition");
  }
  template <class Spec, class Sink>
  static constexpr void check(const Spec& spec, Sink& sink) {
    const auto& counts = spec.layer_split.counts;
    const std::int64_t stages = spec.schedule.stages(spec.pp);
    for (std::size_t at = 0; at < counts.length; ++at)
      if (counts.values[at] == 0 && !detail::may_be_empty(spec, static_cast<std::int64_t>(at), stages))
        sink.add_stage(static_cast<std::int64_t>(at));
  }
};

/// A `layer_split` has one count a stage (a chunk).
struct split_has_every_stage {
  template <class Listed = listed_rule>
  static constexpr Listed about() {
    return detail::pair_rule<Listed>(2, rule::does_not_match, {quantity::layer_split_entries}, {quantity::pp, quantity::pp_x_chunks},
                                     "a `layer_split` has one count a stage (a chunk)", "by definition");
  }
  template <class Spec, class Sink>
  static constexpr void check(const Spec& spec, Sink& sink) {
    const std::int64_t stages = spec.schedule.stages(spec.pp);
    if (spec.layer_split.counts.length != 0 && spec.layer_split.entries() != stages)
      sink.add_pair(rule::does_not_match, {quantity::layer_split_entries, spec.layer_split.entries()},
                    {detail::stages_name(spec, stages), stages});
  }
};

/// A `layer_split` has the sum of the layers.
struct split_has_every_layer {
  template <class Listed = listed_rule>
  static constexpr Listed about() {
    return detail::pair_rule<Listed>(2, rule::does_not_match, {quantity::layer_split_sum}, {quantity::layers},
                                     "a `layer_split` has the sum of the layers", "by definition");
  }
  template <class Spec, class Sink>
  static constexpr void check(const Spec& spec, Sink& sink) {
    const auto& counts = spec.layer_split.counts;
    if (counts.length == 0) return;
    std::int64_t sum = 0;
    for (std::size_t at = 0; at < counts.length; ++at) sum += counts.values[at];
    if (sum != spec.model.layers)
      sink.add_pair(rule::does_not_match, {quantity::layer_split_sum, sum}, {quantity::layers, spec.model.layers});
  }
};

}  // namespace rules

namespace detail {

// The rules about layers on stages.
template <class Sink, class Spec>
constexpr void check_stages(const Spec& spec, Sink& sink) {
  const auto& split = spec.layer_split;
  if (split.next_token_stage != unset) rules::next_token_stage_is_a_stage::check(spec, sink);
  if (split.counts.length == 0) {
    rules::stages_divide_layers::check(spec, sink);
    if (split.embedding_slot || split.loss_slot) rules::stages_divide_layers_and_slots::check(spec, sink);
    return;
  }
  rules::no_stage_is_empty::check(spec, sink);
  rules::split_has_every_stage::check(spec, sink);
  rules::split_has_every_layer::check(spec, sink);
}

}  // namespace detail

}  // namespace shardplan
