// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/unset.hpp>
#include <shardplan/memory/memory.hpp>
#include <shardplan/plan/layout_search.hpp>
#include <shardplan/plan/least_states.hpp>
#include <shardplan/plan/remedy.hpp>
#include <shardplan/plan/remedy_set.hpp>
#include <shardplan/plan/remedy_walk.hpp>
#include <shardplan/plan/rules/check.hpp>
#include <shardplan/plan/violation.hpp>
#include <shardplan/spec/plan_spec.hpp>

namespace shardplan {

namespace detail {

// Whether a plan can be computed and its device or its host has too little memory.
template <bool JudgesHost = true, class Spec = plan_spec>
constexpr bool lacks_memory(const Spec& spec) {
  if (!is_computable(spec)) return false;
  if (!memory_fits(spec)) return true;
  if constexpr (JudgesHost) {
    counting_sink sink{};
    if (spec.host_memory_gibibytes != unset) rules::host_fits::check(spec, memory_layout_of(spec), sink);
    return sink.count != 0;
  } else {
    return false;
  }
}

// The smallest set of the same kinds that helps, from one that does.
template <class Spec>
constexpr remedy_set smallest_set(const Spec& spec, const parameter_totals& totals, const remedy_set& strong) {
  size_walk walk = first_step(spec, strong);
  while (!walk.done) walk = next_step(spec, walk, set_helps(spec, totals, walk.candidate));
  return walk.best;
}

// Three changes that help together, or two, by leaving out of all that can be made; none where more are needed.
template <class Spec>
constexpr remedy_set few_of_all(const Spec& spec, const parameter_totals& totals, const strong_set& all) {
  const auto helps = [&](const strong_set& changes) {
    const Spec with = changed_by_all(spec, changes);
    return least_memory(with, totals, remedy{}) <= spec.device.memory.count && count_violations(with) == 0;
  };
  if (!helps(all)) return {};
  const unsigned used = axes_of(all);
  leaving now{used, 0};
  while (!ends(now)) {
    const unsigned without = axes_without(now);
    now = next_leaving(now, used, without != now.axes && helps(strong_changes(spec, without)));
  }
  return set_of(strong_changes(spec, now.axes));
}

// Pairs of strong changes that help, and where there is none three; calls `visit(set)` for each until it returns true. None where all
// changes together are not enough.
template <class Spec, class Visit>
constexpr void each_set(const Spec& spec, const parameter_totals& totals, Visit visit) {
  strong_set all{};
  bool enough = false;
  for (int index = 0; index < most_everythings && !enough; ++index) {
    all = strong_changes(spec, axes_of_everything(index));
    const Spec with_all = changed_by_all(spec, all);
    enough = least_memory(with_all, totals, remedy{}) <= spec.device.memory.count && memory_fits(with_all);
  }
  if (!enough) return;
  remedy strongest[strong_kinds]{};
  for (int axis = 0; axis < strong_kinds; ++axis) strongest[axis] = strong_remedy(spec, axis);
  bool found = false;
  for (int index = 0; index < strong_pairs; ++index) {
    const pair_of_kinds kinds = kinds_of_pair(index);
    const remedy_set pair = strong_pair(spec, strongest[kinds.first], strongest[kinds.second], index);
    if (!is_change(pair.first) || !set_helps(spec, totals, pair)) continue;
    found = true;
    if (visit(pair)) return;
  }
  if (found) return;
  const remedy_set few = few_of_all(spec, totals, all);
  if (is_change(few.first)) visit(few);
}

}  // namespace detail

/// The smallest changes that make `spec` valid, every rule asked again on the changed plan: the first single one (`smallest_remedy`); else
/// the first two together whose strongest values help, each as small as it can be (no smaller values of the same two kinds help); else
/// three, each as small as it can be with the others; else, on the devices that there are, other degrees with as much sharding,
/// recomputation and offloading as they need (`remedy_kind::layout`); else more nodes, doubled up to 64 times as many.
template <class Spec = plan_spec>
constexpr remedy_set best_remedy(const Spec& spec) {
  const auto single = smallest_remedy(spec);
  if (single.kind != remedy_kind::nothing_small_helps) return {single, {}, {}};
  const detail::parameter_totals totals = detail::totals_of(spec);
  remedy_set found{};
  detail::each_set(spec, totals, [&](const remedy_set& strong) {
    found = detail::smallest_set(spec, totals, strong);
    return true;
  });
  if (detail::is_change(found.first)) return found;
  const auto layout = detail::find_layout(spec, totals);
  if (detail::is_change(layout)) return {layout, {}, {}};
  // More nodes are more ranks to share states: where those of the most are too few, no fewer are enough.
  for (int doublings = detail::most_doublings; doublings >= 1; --doublings) {
    const auto most = detail::more_nodes(spec, doublings);
    if (most.kind == remedy_kind::nothing_small_helps) continue;
    if (detail::least_memory(changed(spec, most), totals, remedy{}) > spec.device.memory.count) return {};
    break;
  }
  for (int doublings = 1; doublings <= detail::most_doublings; ++doublings) {
    const auto nodes = detail::more_nodes(spec, doublings);
    if (nodes.kind != remedy_kind::nothing_small_helps && detail::count_violations(changed(spec, nodes)) == 0) return {nodes, {}, {}};
  }
  return {};
}

}  // namespace shardplan
