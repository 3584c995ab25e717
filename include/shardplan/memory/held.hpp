// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/memory/memory.hpp>
#include <shardplan/memory/units.hpp>
#include <shardplan/model/tensor.hpp>
#include <shardplan/parallel/sharding.hpp>
#include <shardplan/spec/derived.hpp>
#include <shardplan/spec/plan_spec.hpp>

#include <cstdint>

namespace shardplan {

/// Parameters of a pipeline rank or of a part of a model, in elements.
struct parameter_sum {
  std::int64_t dense = 0;   ///< all but routed experts
  std::int64_t routed = 0;  ///< routed experts
};

namespace detail {
template <class Layout>
constexpr std::int64_t sum_of_units(const Layout& layout, const stage_extent& extent, std::int64_t unit::*field) {
  const model_units& units = layout.units;
  const std::int64_t experts = extent.layers - extent.dense_layers;
  return extent.layers * units[place::every_block].*field + extent.dense_layers * units[place::dense_block].*field +
         experts * units[place::expert_block].*field + (extent.is_first ? units[place::input].*field : 0) +
         (extent.is_last ? units[place::output].*field : 0) + (extent.has_next_token ? units[place::next_token].*field : 0) +
         (extent.copies_head ? units.tied_head.*field : 0);
}
}  // namespace detail

/// What a pipeline rank with that extent holds, before ZeRO shares it out. Templates here and in host.hpp, so that the umbrella pays for
/// nothing that it does not ask.
template <class Layout = memory_layout>
constexpr parameter_sum held_by(const Layout& layout, const stage_extent& extent) {
  return {detail::sum_of_units(layout, extent, &unit::dense), detail::sum_of_units(layout, extent, &unit::routed)};
}

/// The rank's share of it where states are sharded, and all of it where they are not: flat buffers rounded up once, or tensor by tensor.
template <class Spec = plan_spec>
constexpr std::int64_t share_of(const Spec& spec, const memory_layout& layout, const stage_extent& extent) {
  if (spec.sharding.layout != shard_layout::flat)
    return detail::sum_of_units(layout, extent, &unit::dense_share) + detail::sum_of_units(layout, extent, &unit::routed_share);
  const parameter_sum held = held_by(layout, extent);
  const derived& facts = layout.facts;
  if (facts.stage == 0) return held.dense + held.routed;
  return flat_shard(held.dense, facts.dense_shards) + (held.routed > 0 ? flat_shard(held.routed, facts.expert_shards) : 0);
}

}  // namespace shardplan
