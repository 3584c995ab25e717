// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/unset.hpp>
#include <shardplan/memory/memory.hpp>
#include <shardplan/memory/uneven_chunks.hpp>
#include <shardplan/parallel/sharding.hpp>
#include <shardplan/parallel/stages.hpp>
#include <shardplan/spec/plan_spec.hpp>
#include <shardplan/spec/stage_layers.hpp>

#include <cstdint>

namespace shardplan::detail {

// Whether a rank's memory follows from its extent alone: not from its place, as with buffers whose ends are padded, or versions of weights.
constexpr bool follows_from_extent(const plan_spec& spec) {
  return (spec.sharding.layout == shard_layout::flat || spec.sharding.layout == shard_layout::tensors) && spec.schedule.drains;
}
// Whether all ranks between the first and the last differ in nothing but the micro-batches that are alive. (What counts as a layer in
// front and at the end is on those two.)
constexpr bool inner_ranks_are_alike(const plan_spec& spec) {
  return has_even_inner_stages(spec) && spec.layer_split.next_token_stage == unset && follows_from_extent(spec) &&
         spec.model.experts.leading_dense == 0 && spec.model.experts.layer_step <= 1;
}
// Whether `next` needs no more than `before`: the same layers, no more micro-batches alive.
constexpr bool needs_no_more(const stage_extent& next, const stage_extent& before) {
  return next.layers == before.layers && next.dense_layers == before.dense_layers && next.is_first == before.is_first &&
         next.is_last == before.is_last && next.has_next_token == before.has_next_token && next.copies_head == before.copies_head &&
         next.recomputed.layers == before.recomputed.layers && next.recomputed.dense_layers == before.recomputed.dense_layers &&
         next.recomputed.groups == before.recomputed.groups && next.in_flight <= before.in_flight;
}

// Memory of the fullest rank. Beyond what the device has the search does not care by how much: the first rank that is too large ends it.
template <class Spec>
constexpr std::int64_t fullest_rank(const Spec& spec, const memory_layout& layout) {
  const std::int64_t has = spec.device.memory.count;
  std::int64_t most = 0;
  const auto compare = [&](const stage_extent& rank_extent) {
    const std::int64_t rank_total = unchecked_total(account_of_extent(spec, layout, rank_extent).device);
    if (rank_total > most) most = rank_total;
    return most <= has;
  };
  const auto rank = [&](std::int64_t pipeline_rank) { return compare(extent_of_stage(spec, layout.facts, pipeline_rank)); };
  const std::int64_t last = spec.pp - 1;
  if (last < 2 || !inner_ranks_are_alike(spec)) {
    const bool may_skip = follows_from_extent(spec) && !has_uneven_chunks(spec);
    stage_extent before{};
    for (std::int64_t at = 0; at <= last; ++at) {
      const stage_extent extent = extent_of_stage(spec, layout.facts, at);
      if (may_skip && at > 0 && needs_no_more(extent, before)) continue;
      if (!compare(extent)) break;
      before = extent;
    }
    return most;
  }
  if (!rank(0) || !rank(last)) return most;
  stage_extent inner = extent_of_stage(spec, layout.facts, 1);
  for (std::int64_t at = 2; at < last; ++at) {
    const std::int64_t alive = spec.schedule.in_flight(spec.pp, layout.facts.micro_batches, spec.schedule.chunks, at);
    if (alive > inner.in_flight) inner.in_flight = alive;
  }
  compare(inner);
  return most;
}

}  // namespace shardplan::detail
