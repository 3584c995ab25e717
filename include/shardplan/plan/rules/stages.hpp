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
#include <shardplan/spec/stage_layers.hpp>

#include <cstdint>

namespace shardplan {

namespace detail {

// The name of the stages of a model.
template <class Spec>
constexpr quantity stages_name(const Spec& spec, std::int64_t stages) {
  return stages == spec.pp ? quantity::pp : quantity::pp_x_chunks;
}

// Whether embedding or head count as layers.
template <class Spec>
constexpr bool has_slots(const Spec& spec) {
  return first_stage_less_of(spec) + last_stage_less_of(spec) > 0;
}

// Whether a stage has something else in the place of a block.
template <class Spec>
constexpr bool may_be_empty(const Spec& spec, std::int64_t stage, std::int64_t stages) {
  return (stage == 0 && first_stage_less_of(spec) > 0) || (stage == stages - 1 && last_stage_less_of(spec) > 0) ||
         (spec.model.next_token_layers > 0 && stage == next_token_stage_of(spec.layer_split, stages));
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

/// pp x chunks divides `layers`, where no `layer_split` says the counts and the framework does not balance.
struct stages_divide_layers {
  static constexpr unsigned frameworks_asked = detail::all_but_torchtitan;
  template <class Listed = listed_rule>
  static constexpr Listed about() {
    return detail::pair_rule<Listed>(2, rule::does_not_divide, {quantity::pp, quantity::pp_x_chunks}, {quantity::layers},
                                     "pp x chunks divides `layers` (no `layer_split`)",
                                     "never a floor: Megatron-LM issues 468, 326, 1303, 1304 trained fewer layers", frameworks_asked);
  }
  template <class Spec, class Sink>
  static constexpr void check(const Spec& spec, Sink& sink) {
    if (spec.layer_split.counts.length != 0 || balances_layers(spec) || detail::has_slots(spec)) return;
    const std::int64_t stages = spec.schedule.stages(spec.pp);
    if (spec.model.layers % stages != 0)
      sink.add_pair(rule::does_not_divide, {detail::stages_name(spec, stages), stages}, {quantity::layers, spec.model.layers});
  }
};

/// pp x chunks divides the layers and the slots, where no `layer_split` says the counts and the framework does not balance.
struct stages_divide_layers_and_slots {
  static constexpr unsigned frameworks_asked = detail::all_but_torchtitan;
  template <class Listed = listed_rule>
  static constexpr Listed about() {
    return detail::pair_rule<Listed>(2, rule::does_not_divide, {quantity::pp, quantity::pp_x_chunks}, {quantity::layers_and_slots},
                                     "pp x chunks divides the layers and the slots of `pipeline_slots` (no `layer_split`)",
                                     "Megatron-LM `core/transformer/transformer_config.py`", frameworks_asked);
  }
  template <class Spec, class Sink>
  static constexpr void check(const Spec& spec, Sink& sink) {
    if (spec.layer_split.counts.length != 0 || balances_layers(spec) || !detail::has_slots(spec)) return;
    const std::int64_t stages = spec.schedule.stages(spec.pp);
    detail::must_divide(sink, detail::stages_name(spec, stages), stages, quantity::layers_and_slots, layer_places_of(spec));
  }
};

/// Where the framework balances, each stage has a place: what pytorch/torchtitan distributed/pipeline_parallel.py at 02ef790 (pipeline_llm,
/// generate_llm_fqn_per_model_part) raises a ValueError for.
struct stages_within_places {
  static constexpr unsigned frameworks_asked = detail::under_torchtitan;
  template <class Listed = listed_rule>
  static constexpr Listed about() {
    return detail::pair_rule<Listed>(
        2, rule::exceeds, {quantity::pp, quantity::pp_x_chunks}, {quantity::layers, quantity::layers_and_slots},
        "pp x chunks is at most the layers, the embedding and the head, which are dealt out (no `layer_split`)",
        "its `distributed/pipeline_parallel.py`, generate_llm_fqn_per_model_part", frameworks_asked);
  }
  template <class Spec, class Sink>
  static constexpr void check(const Spec& spec, Sink& sink) {
    const std::int64_t stages = spec.schedule.stages(spec.pp);
    const std::int64_t places = layer_places_of(spec);
    if (stages > 1 && stages > places && balances_layers(spec))
      sink.add_pair(rule::exceeds, {detail::stages_name(spec, stages), stages},
                    {detail::has_slots(spec) ? quantity::layers_and_slots : quantity::layers, places});
  }
};

/// What embedding and head count as is no more than a stage's share, where layers are dealt out.
struct ends_within_a_stage {
  template <class Listed = listed_rule>
  static constexpr Listed about() {
    return detail::pair_rule<Listed>(2, rule::exceeds, {quantity::first_stage_less, quantity::last_stage_less}, {quantity::layers_a_stage},
                                     "what embedding and head count as is at most a stage's share of the layers (no `layer_split`)",
                                     "torchtitan, the same; else a stage would have fewer layers than none");
  }
  template <class Spec, class Sink>
  static constexpr void check(const Spec& spec, Sink& sink) {
    const std::int64_t stages = spec.schedule.stages(spec.pp);
    if (spec.layer_split.counts.length != 0 || stages == 1) return;
    const measured share{quantity::layers_a_stage, layer_places_of(spec) / stages};
    if (share.value == 0) return;  // another rule has spoken
    const std::int64_t first_less = first_stage_less_of(spec);
    const std::int64_t last_less = last_stage_less_of(spec);
    if (first_less > share.value) sink.add_pair(rule::exceeds, {quantity::first_stage_less, first_less}, share);
    if (last_less > share.value) sink.add_pair(rule::exceeds, {quantity::last_stage_less, last_less}, share);
  }
};

/// Where the framework balances and a rank has more than two chunks, some number of layers a stage makes that many stages.
struct layers_a_stage_make_stages {
  static constexpr unsigned frameworks_asked = detail::under_torchtitan;
  template <class Listed = listed_rule>
  static constexpr Listed about() {
    return detail::pair_rule<Listed>(
        2, rule::does_not_match, {quantity::pp_x_chunks}, {quantity::virtual_stages},
        "more than two chunks a rank: some number of layers a stage makes pp x chunks stages (no `layer_split`)",
        "the same, pipeline_llm: pipeline_parallel_layers_per_stage", frameworks_asked);
  }
  template <class Spec, class Sink>
  static constexpr void check(const Spec& spec, Sink& sink) {
    const std::int64_t stages = spec.schedule.stages(spec.pp);
    const std::int64_t places = layer_places_of(spec);
    if (!balances_layers(spec) || spec.pp == 1 || stages <= 2 * spec.pp || places < stages) return;
    const std::int64_t made = stages_of_equal_layers(places, stages);
    if (made != stages) sink.add_pair(rule::does_not_match, {detail::stages_name(spec, stages), stages}, {quantity::virtual_stages, made});
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
    if (spec.schedule.stages(spec.pp) == 1) return;
    const bool slots = has_slots(spec);
    if (balances_layers(spec))
      rules::stages_within_places::check(spec, sink);
    else if (slots)
      rules::stages_divide_layers_and_slots::check(spec, sink);
    else
      rules::stages_divide_layers::check(spec, sink);
    if (slots) rules::ends_within_a_stage::check(spec, sink);
    if (balances_layers(spec)) rules::layers_a_stage_make_stages::check(spec, sink);
    return;
  }
  rules::no_stage_is_empty::check(spec, sink);
  rules::split_has_every_stage::check(spec, sink);
  rules::split_has_every_layer::check(spec, sink);
}

}  // namespace detail

}  // namespace shardplan
