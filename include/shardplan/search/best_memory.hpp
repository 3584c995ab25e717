// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/unset.hpp>
#include <shardplan/memory/memory.hpp>
#include <shardplan/memory/uneven_chunks.hpp>
#include <shardplan/parallel/sharding.hpp>
#include <shardplan/parallel/stages.hpp>
#include <shardplan/schedule/schedule_spec.hpp>
#include <shardplan/spec/plan_spec.hpp>

#include <cstdint>

namespace shardplan::detail {

// Whether a rank's memory follows from its extent alone: not from its place, as with buffers whose ends are padded, or versions of weights.
constexpr bool follows_from_extent(const plan_spec& spec) {
  return (spec.sharding.layout == shard_layout::flat || spec.sharding.layout == shard_layout::tensors) && spec.schedule.drains;
}
// Whether two orders deal out the same stages to the same ranks: then they differ in waiting, and in micro-batches alive, alone.
constexpr bool has_same_stages(const schedule_spec& left, const schedule_spec& right) {
  return left.chunks == right.chunks && left.slices == right.slices && int(left.layout) == int(right.layout) && left.drains && right.drains;
}
// Whether all ranks between the first and the last differ in nothing but the micro-batches that are alive. (What counts as a layer in
// front and at the end is on those two.)
constexpr bool inner_ranks_are_alike(const plan_spec& spec, bool even_inner_stages) {
  return even_inner_stages && spec.layer_split.next_token_stage == unset && follows_from_extent(spec) &&
         spec.model.experts.leading_dense == 0 && spec.model.experts.layer_step <= 1;
}
// Whether `next` needs no more than `before`: the same layers, no more micro-batches alive.
constexpr bool needs_no_more(const stage_extent& next, const stage_extent& before) {
  return next.layers == before.layers && next.dense_layers == before.dense_layers && next.is_first == before.is_first &&
         next.is_last == before.is_last && next.has_next_token == before.has_next_token && next.copies_head == before.copies_head &&
         next.recomputed.layers == before.recomputed.layers && next.recomputed.dense_layers == before.recomputed.dense_layers &&
         next.recomputed.groups == before.recomputed.groups && next.in_flight <= before.in_flight;
}

// What is known of the ranks of the last plan, for the next one that differs from it in the order alone: the first rank, the last, and the
// fullest between them.
struct known_ranks {
  bool known = false;
  schedule_spec schedule{};
  stage_extent extents[3]{};
  std::int64_t totals[3]{};
  int count = 0;  // of them; what comes behind a rank that is too large was not asked
};

// Memory of the fullest rank where all between the first and the last are alike. `known`: of the same plan but for its schedule, or
// nothing.
template <class Spec>
constexpr std::int64_t fullest_of_alike(const Spec& spec, const memory_layout& layout, known_ranks& known) {
  const std::int64_t last = spec.pp - 1;
  const std::int64_t firsts[] = {0, last, 1};
  const int asked = last < 2 ? static_cast<int>(last) + 1 : 3;
  if (!known.known || !has_same_stages(known.schedule, spec.schedule)) {
    known.known = true;
    known.schedule = spec.schedule;
    known.count = 0;
  }
  std::int64_t most = 0;
  for (int at = 0; at < asked; ++at) {
    stage_extent& extent = known.extents[at];
    const bool is_new = at >= known.count;
    if (is_new) {
      extent = extent_of_stage(spec, layout.facts, firsts[at]);
      known.count = at + 1;
    }
    std::int64_t alive = extent.in_flight;
    if (last > 0) {
      alive = spec.schedule.in_flight(spec.pp, layout.facts.micro_batches, spec.schedule.chunks, firsts[at]);
      for (std::int64_t rank = 2; at == 2 && rank < last; ++rank) {
        const std::int64_t more = spec.schedule.in_flight(spec.pp, layout.facts.micro_batches, spec.schedule.chunks, rank);
        if (more > alive) alive = more;
      }
    }
    if (is_new || alive != extent.in_flight) {
      extent.in_flight = alive;
      known.totals[at] = unchecked_total(account_of_extent(spec, layout, extent).device);
    }
    if (known.totals[at] > most) most = known.totals[at];
    if (most > spec.device.memory.count) break;
  }
  return most;
}

// Memory of the fullest rank. Beyond what the device has the search does not care by how much: the first rank that is too large ends it.
// `are_alike`: `inner_ranks_are_alike`.
template <class Spec>
constexpr std::int64_t fullest_rank(const Spec& spec, const memory_layout& layout, bool are_alike, known_ranks& known) {
  if (are_alike) return fullest_of_alike(spec, layout, known);
  const std::int64_t has = spec.device.memory.count;
  const bool may_skip = follows_from_extent(spec) && !has_uneven_chunks(spec);
  std::int64_t most = 0;
  stage_extent before{};
  for (std::int64_t at = 0; at < spec.pp; ++at) {
    const stage_extent extent = extent_of_stage(spec, layout.facts, at);
    if (may_skip && at > 0 && needs_no_more(extent, before)) continue;
    const std::int64_t rank_total = unchecked_total(account_of_extent(spec, layout, extent).device);
    if (rank_total > most) most = rank_total;
    if (most > has) break;
    before = extent;
  }
  return most;
}

}  // namespace shardplan::detail
