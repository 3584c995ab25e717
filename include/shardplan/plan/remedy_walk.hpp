// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/plan/remedy.hpp>
#include <shardplan/plan/remedy_set.hpp>
#include <shardplan/plan/violation.hpp>
#include <shardplan/spec/plan_spec.hpp>

#include <cstdint>

// From changes that are strong enough to the smallest that are. Both walks go in steps, each of which asks whether one more candidate
// helps: a function goes through them in a loop, a plan type has a constant for each, since together they would leave what Clang evaluates
// in one.
namespace shardplan::detail {

// The change of that axis with that index, from the smallest; none beyond the last.
template <class Spec>
constexpr remedy smaller_change(const Spec& spec, int axis, int index) {
  return first_remedy(spec, [&](remedy change) { return axis_of(change.kind) == axis && index-- == 0; });
}

constexpr remedy& change_at(remedy_set& changes, int at) { return at == 0 ? changes.first : at == 1 ? changes.second : changes.third; }
constexpr int count_of(const remedy_set& changes) {
  return is_change(changes.third) ? 3 : is_change(changes.second) ? 2 : is_change(changes.first) ? 1 : 0;
}

// Makes each change of a set that helps as small as it can be with the others, the last one first; then, of two, looks at what is smaller
// in both: afterwards no pair of smaller changes of the same two axes helps.
struct size_walk {
  remedy_set best{};       // helps
  remedy_set candidate{};  // to be asked
  int walked = 0;          // which change; -1: pairs
  int index[2]{};          // of the candidate's changes; while one is walked, of that one in the first
  int below[2]{};          // how many are smaller than those of `best`
  bool done = false;
};

// To the next candidate, or to the end.
template <class Spec>
constexpr void find_next(const Spec& spec, size_walk& walk) {
  const int count = count_of(walk.best);
  while (walk.walked >= 0) {
    const remedy reached = change_at(walk.best, walk.walked);
    const remedy next = smaller_change(spec, axis_of(reached.kind), walk.index[0]);
    if (is_change(next) && !(next == reached)) {
      walk.candidate = walk.best;
      change_at(walk.candidate, walk.walked) = next;
      return;
    }
    if (walk.walked < 2) walk.below[walk.walked] = is_change(next) ? walk.index[0] : 0;
    --walk.walked;
    walk.index[0] = walk.index[1] = 0;
  }
  if (count != 2 || walk.index[1] == walk.below[1]) {
    walk.done = true;
    return;
  }
  walk.candidate = {smaller_change(spec, axis_of(walk.best.first.kind), walk.index[0]),
                    smaller_change(spec, axis_of(walk.best.second.kind), walk.index[1]),
                    {}};
}
template <class Spec>
constexpr size_walk first_step(const Spec& spec, const remedy_set& strong) {
  size_walk walk{};
  walk.best = strong;
  walk.walked = count_of(strong) - 1;
  find_next(spec, walk);
  return walk;
}
template <class Spec>
constexpr size_walk next_step(const Spec& spec, size_walk walk, bool helps) {
  if (helps) {
    walk.best = walk.candidate;
    if (walk.walked < 0) {  // the first of the smallest
      walk.done = true;
      return walk;
    }
    // Found: `find_next` goes to the change before, since this one is reached.
  } else if (walk.walked >= 0) {
    ++walk.index[0];
  } else if (++walk.index[0] > walk.below[0]) {
    walk.index[0] = 0;
    ++walk.index[1];
  }
  find_next(spec, walk);
  return walk;
}

// From all changes to those that are needed: leaves them out one by one, the costliest first, and where more than three are left once more,
// the cheapest first.
inline constexpr int steps_of_leaving = 2 * strong_kinds;
constexpr int axis_left_at(int step) {
  constexpr int costliest_first[strong_kinds] = {7, 6, 5, 8, 4, 3, 2, 1, 0, 9};
  return step < strong_kinds ? costliest_first[step] : costliest_first[steps_of_leaving - 1 - step];
}
struct leaving {
  unsigned axes = 0;  // that are enough
  int step = 0;
};
constexpr int count_bits(unsigned axes) {
  int count = 0;
  for (; axes != 0; axes >>= 1) count += static_cast<int>(axes & 1u);
  return count;
}
constexpr unsigned axes_without(const leaving& now) { return now.axes & ~(1u << axis_left_at(now.step)); }
// `used`: the axes that there is a change of at all.
constexpr leaving next_leaving(leaving now, unsigned used, bool helps_without) {
  if (helps_without) now.axes = axes_without(now);
  if (++now.step == strong_kinds && count_bits(now.axes) > 3) now.axes = used;
  return now;
}
constexpr bool ends(const leaving& now) { return now.step == steps_of_leaving || (now.step >= strong_kinds && count_bits(now.axes) <= 3); }
constexpr unsigned axes_of(const strong_set& changes) {
  unsigned axes = 0;
  for (int axis = 0; axis < strong_kinds; ++axis)
    if (is_change(changes.made[axis])) axes |= 1u << axis;
  return axes;
}
}  // namespace shardplan::detail
