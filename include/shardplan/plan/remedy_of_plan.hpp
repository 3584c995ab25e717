// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/size.hpp>
#include <shardplan/plan/best_remedy.hpp>
#include <shardplan/plan/layout_search.hpp>
#include <shardplan/plan/least_states.hpp>
#include <shardplan/plan/remedy.hpp>
#include <shardplan/plan/remedy_set.hpp>
#include <shardplan/plan/remedy_walk.hpp>
#include <shardplan/plan/rules/check.hpp>
#include <shardplan/plan/violation.hpp>
#include <shardplan/spec/plan_spec.hpp>

// `best_remedy` of a plan type, cut into one constant a candidate: together they would leave what Clang evaluates in one. Variable
// templates, because Clang evaluates a constexpr local again in each call.
namespace shardplan::detail {

template <class Core, int Index>
inline constexpr remedy candidate = remedy_at(Core::spec, Index);
template <class Core>
inline constexpr parameter_totals totals_of_plan = totals_of(Core::spec);
// What cannot fit by the number of its parameters alone is not judged; the first few candidates are judged at once, since counting
// parameters costs as much as judging two.
template <class Core>
constexpr bool single_may_fit(remedy change) {
  return least_memory(Core::spec, totals_of_plan<Core>, change) <= Core::spec.device.memory.count;
}
template <class Core, int Index>
inline constexpr bool candidate_helps = (Index < 3 || single_may_fit<Core>(candidate<Core, Index>)) &&
                                        count_violations<Core::judges_host>(changed(Core::spec, candidate<Core, Index>)) == 0;
template <class Core, int Index>
constexpr remedy remedy_from() {
  if constexpr (candidate<Core, Index>.kind == remedy_kind::nothing_small_helps) {
    return candidate<Core, Index>;
  } else if constexpr (candidate_helps<Core, Index>) {
    return candidate<Core, Index>;
  } else {
    return remedy_from<Core, Index + 1>();
  }
}

// Where no set of strong changes together is enough, no smaller set is looked at.
template <class Core, int Index>
inline constexpr strong_set everything = strong_changes(Core::spec, axes_of_everything(Index));
template <class Core, int Index>
inline constexpr plan_spec spec_with_everything = changed_by_all(Core::spec, everything<Core, Index>);
template <class Core, int Index>
inline constexpr bool everything_fits = memory_fits(spec_with_everything<Core, Index>);
template <class Core, int Index>
constexpr int first_that_fits() {
  if constexpr (Index == most_everythings) {
    return Index;
  } else if constexpr (least_memory(spec_with_everything<Core, Index>, totals_of_plan<Core>, remedy{}) > Core::spec.device.memory.count) {
    return first_that_fits<Core, Index + 1>();
  } else if constexpr (everything_fits<Core, Index>) {
    return Index;
  } else {
    return first_that_fits<Core, Index + 1>();
  }
}
template <class Core>
inline constexpr int everything_index = first_that_fits<Core, 0>();
template <class Core>
inline constexpr bool all_help = everything_index<Core> != most_everythings;

template <class Core, int Axis>
inline constexpr remedy strongest = strong_remedy(Core::spec, Axis);

// Leaving out of all: the state after so many steps, and whether the rest was enough.
template <class Core, unsigned Axes>
inline constexpr plan_spec spec_with_axes = changed_by_all(Core::spec, strong_changes(Core::spec, Axes));
template <class Core, unsigned Axes>
inline constexpr bool axes_help = count_violations<Core::judges_host>(spec_with_axes<Core, Axes>) == 0;
template <class Core, unsigned Axes, int Step>
constexpr unsigned axes_needed() {
  constexpr unsigned used = axes_of(everything<Core, everything_index<Core>>);
  constexpr leaving now{Axes, Step};
  if constexpr (ends(now)) {
    return Axes;
  } else {
    constexpr unsigned without = axes_without(now);
    if constexpr (without == Axes) {
      constexpr leaving next = next_leaving(now, used, false);
      return axes_needed<Core, next.axes, next.step>();
    } else {
      constexpr leaving next = next_leaving(now, used, axes_help<Core, without>);
      return axes_needed<Core, next.axes, next.step>();
    }
  }
}
template <class Core>
constexpr remedy_set few_of_plan() {
  if constexpr (count_violations<Core::judges_host>(spec_with_everything<Core, everything_index<Core>>) == 0) {
    return set_of(strong_changes(Core::spec, axes_needed<Core, axes_of(everything<Core, everything_index<Core>>), 0>()));
  } else {
    return {};
  }
}

// The strong set with that index: pairs, and behind them the three that are left of all.
template <class Core, int Set>
inline constexpr remedy_set strong_set_of = strong_pair(Core::spec, strongest<Core, kinds_of_pair(Set).first>,
                                                        strongest<Core, kinds_of_pair(Set).second>, Set);
template <class Core>
inline constexpr remedy_set strong_set_of<Core, strong_pairs> = few_of_plan<Core>();
template <class Core, int Set>
inline constexpr bool set_is_enough = is_change(strong_set_of<Core, Set>.first) && set_helps<Core::judges_host>(Core::spec,
                                                                                                                totals_of_plan<Core>,
                                                                                                                strong_set_of<Core, Set>);
template <class Core, int Index>
constexpr int first_pair() {
  if constexpr (Index == strong_pairs) {
    return Index;
  } else if constexpr (set_is_enough<Core, Index>) {
    return Index;
  } else {
    return first_pair<Core, Index + 1>();
  }
}

// To the smallest of a set: the state after so many steps.
template <class Core, int Set, int Step>
inline constexpr size_walk walk_of = next_step(Core::spec, walk_of<Core, Set, Step - 1>,
                                               set_helps<Core::judges_host>(Core::spec, totals_of_plan<Core>,
                                                                            walk_of<Core, Set, Step - 1>.candidate));
template <class Core, int Set>
inline constexpr size_walk walk_of<Core, Set, 0> = first_step(Core::spec, strong_set_of<Core, Set>);
template <class Core, int Set, int Step = 0>
constexpr remedy_set smallest_set_of() {
  if constexpr (walk_of<Core, Set, Step>.done) {
    return walk_of<Core, Set, Step>.best;
  } else {
    return smallest_set_of<Core, Set, Step + 1>();
  }
}

// More nodes, from so many doublings.
template <class Core, int Doublings>
inline constexpr bool nodes_help = count_violations<Core::judges_host>(changed(Core::spec, more_nodes(Core::spec, Doublings))) == 0;
template <class Core, int Doublings>
constexpr remedy nodes_from() {
  if constexpr (Doublings > most_doublings || more_nodes(Core::spec, Doublings).kind == remedy_kind::nothing_small_helps) {
    return {};
  } else if constexpr (nodes_help<Core, Doublings>) {
    return more_nodes(Core::spec, Doublings);
  } else {
    return nodes_from<Core, Doublings + 1>();
  }
}

// Layouts: the first that helps, without what is not needed of it.
template <class Core, bool Offloads>
inline constexpr layout_list layouts_of_plan = layouts_of(Core::spec, totals_of_plan<Core>, Offloads);
template <class Core, std::int64_t Value>
inline constexpr bool layout_is_enough = layout_helps<Core::judges_host>(Core::spec, Value);
template <class Core, std::int64_t Value, int Step = 0>
constexpr remedy least_layout() {
  if constexpr (Step == steps_of_relaxing) {
    return {remedy_kind::layout, Value};
  } else if constexpr (constexpr std::int64_t less = relaxed(Value, Step); less == Value) {
    return least_layout<Core, Value, Step + 1>();
  } else if constexpr (layout_is_enough<Core, less>) {
    return least_layout<Core, less, Step + 1>();
  } else {
    return least_layout<Core, Value, Step + 1>();
  }
}
template <class Core, bool Offloads = false, std::size_t At = 0>
constexpr remedy layout_from() {
  if constexpr (At == layouts_of_plan<Core, Offloads>.length) {
    if constexpr (Offloads) {
      return {};
    } else {
      return layout_from<Core, true>();
    }
  } else if constexpr (layout_is_enough<Core, layouts_of_plan<Core, Offloads>.values[At]>) {
    return least_layout<Core, layouts_of_plan<Core, Offloads>.values[At]>();
  } else {
    return layout_from<Core, Offloads, At + 1>();
  }
}
template <class Core>
inline constexpr remedy found_layout = layout_from<Core>();

// What no few changes are enough for.
template <class Core>
constexpr remedy_set last_resort_of_plan() {
  if constexpr (found_layout<Core>.kind != remedy_kind::nothing_small_helps) {
    return {found_layout<Core>, {}, {}};
  } else {
    return {nodes_from<Core, 1>(), {}, {}};
  }
}

template <class Core>
constexpr remedy_set remedy_of_plan() {
  if constexpr (Core::violation_count == 0 || !lacks_memory<Core::judges_host>(Core::spec)) {
    return {};
  } else if constexpr (remedy_from<Core, 0>().kind != remedy_kind::nothing_small_helps) {
    return {remedy_from<Core, 0>(), {}, {}};
  } else if constexpr (!all_help<Core>) {
    return last_resort_of_plan<Core>();
  } else {
    constexpr int pair = first_pair<Core, 0>();
    if constexpr (pair != strong_pairs || is_change(strong_set_of<Core, strong_pairs>.first)) {
      return smallest_set_of<Core, pair>();
    } else {
      return last_resort_of_plan<Core>();
    }
  }
}

}  // namespace shardplan::detail
