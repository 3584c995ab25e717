// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/size.hpp>
#include <shardplan/doctor/cause.hpp>
#include <shardplan/doctor/change.hpp>
#include <shardplan/doctor/evidence.hpp>
#include <shardplan/doctor/evidence_of.hpp>
#include <shardplan/doctor/finding.hpp>
#include <shardplan/doctor/observations.hpp>
#include <shardplan/doctor/repair.hpp>
#include <shardplan/doctor/timed_step.hpp>
#include <shardplan/doctor/treatment.hpp>
#include <shardplan/doctor/trial.hpp>
#include <shardplan/plan/evaluate.hpp>
#include <shardplan/plan/legal.hpp>
#include <shardplan/plan/plan.hpp>
#include <shardplan/plan/remedy.hpp>
#include <shardplan/plan/rules/check.hpp>
#include <shardplan/plan/step_cost.hpp>
#include <shardplan/plan/violation.hpp>

// `finding_of` for a plan type, with the same steps: a constant for each change that is tried, because together they would leave what Clang
// evaluates in one, and none for what is not reached. It goes from change to change of one list at a time, so that no recursion is deep.
namespace shardplan::detail {

// Of the plan as it is.
template <class Core>
inline constexpr patient core_patient = examined(Core::spec);
template <class Core>
constexpr timed_step timed_if_computable() {
  if constexpr (core_patient<Core>.computable) {
    return timed_step_of(Core::spec);
  } else {
    return {};
  }
}
template <class Core>
inline constexpr timed_step core_timed = timed_if_computable<Core>();
template <class Core>
inline constexpr step_cost core_cost = step_cost_of(Core::spec);

// Of causes that are no matter of time none is taken.
template <class Core, class Observed, cause Which>
constexpr finding looked_at() {
  if constexpr (is_of_speed(Which)) {
    return found_in(core_patient<Core>, core_timed<Core>, core_cost<Core>, Observed::value, Which);
  } else {
    return found_in(core_patient<Core>, timed_step{}, core_cost<Core>, Observed::value, Which);
  }
}
template <class Core, class Observed, cause Which>
inline constexpr finding first_look = looked_at<Core, Observed, Which>();

// A plan with changes, as plan.hpp asks about one.
template <class Core, class Steps>
struct core_with {
  static constexpr auto spec = with_treatment(Core::spec, Steps::value);
  static constexpr bool judges_host = Core::judges_host;
  static constexpr int violation_count = count_violations<judges_host>(spec);
};
struct no_steps {
  static constexpr treatment value{};
};

// A repair, round by round.
template <class Core>
inline constexpr remedy legal_step_of = legal_step(Core::spec, rules_with_values<Core>());
template <class Core>
inline constexpr bool core_computes = is_computable(Core::spec);
template <class Core>
inline constexpr bool core_has_room = memory_fits(Core::spec);
template <class Core>
inline constexpr remedy_set small_repair_of = remedy_of_plan<Core>();
template <class Core>
constexpr remedy_set next_repair_of() {
  if constexpr (legal_step_of<Core>.kind != remedy_kind::nothing_small_helps || !core_computes<Core>) {
    return {legal_step_of<Core>, {}};
  } else if constexpr (core_has_room<Core>) {
    return {remedy_from<Core, 0>(), {}};
  } else if constexpr (small_repair_of<Core>.first.kind != remedy_kind::nothing_small_helps) {
    return small_repair_of<Core>;
  } else {
    return {strong_step(Core::spec), {}};
  }
}
constexpr repair added(const treatment& before, remedy_set found) {
  repair result{before, false};
  result.done = add_repair(result.steps, found);
  return result;
}
template <class Core, class Steps>
struct next_round {
  static constexpr repair round = added(Steps::value, next_repair_of<Core>());
  static constexpr treatment value = round.steps;
};
template <class Origin, class Core, class Steps, int Round>
constexpr repair repair_from() {
  if constexpr (Core::violation_count == 0) {
    return {Steps::value, true};
  } else if constexpr (Round == most_repair_rounds) {
    return {};
  } else if constexpr (!next_round<Core, Steps>::round.done) {
    return {};
  } else {
    return repair_from<Origin, core_with<Origin, next_round<Core, Steps>>, next_round<Core, Steps>, Round + 1>();
  }
}
template <class Core>
inline constexpr repair core_repair = repair_from<Core, Core, no_steps, 0>();
template <class Core>
struct repair_steps {
  static constexpr treatment value = core_repair<Core>.steps;
};

// The plan as it is, or as its repair leaves it, and the changes that are tried there.
template <class Core, bool Repaired>
struct ground {
  using core = Core;
  using base = no_steps;
};
template <class Core>
struct ground<Core, true> {
  using core = core_with<Core, repair_steps<Core>>;
  using base = repair_steps<Core>;
};
template <class Core, cause Which, bool Repaired>
inline constexpr change_list first_changes = changes_for(ground<Core, Repaired>::core::spec, Which);

template <class Core, cause Which>
constexpr finding tried(const treatment& steps) {
  finding result = first_look<Core, nothing_observed, Which>;
  helps(Core::spec, steps, result);
  return result;
}
constexpr bool is_change(const finding& item) { return item.help == help_kind::change; }
// What is left of two searches, of which the first found no change.
constexpr finding or_else(const finding& before, const finding& after) {
  return is_change(after) || before.why != no_change::nothing_faster ? after : before;
}

template <class Core, cause Which, bool Repaired, std::size_t At>
struct first_steps {
  static constexpr treatment value = steps_of(ground<Core, Repaired>::base::value, first_changes<Core, Which, Repaired>.values[At]);
};
template <class Core, cause Which, bool Repaired, std::size_t At>
inline constexpr finding by_one = tried<Core, Which>(first_steps<Core, Which, Repaired, At>::value);
template <class Core, cause Which, bool Repaired, std::size_t At = 0>
constexpr finding search_one() {
  if constexpr (At >= first_changes<Core, Which, Repaired>.length) {
    return first_look<Core, nothing_observed, Which>;
  } else if constexpr (is_change(by_one<Core, Which, Repaired, At>)) {
    return by_one<Core, Which, Repaired, At>;
  } else {
    return or_else(by_one<Core, Which, Repaired, At>, search_one<Core, Which, Repaired, At + 1>());
  }
}
template <class Core, cause Which, bool Repaired>
inline constexpr finding best_one = search_one<Core, Which, Repaired>();

template <class Core>
inline constexpr change_list makers_of = room_makers(Core::spec);
template <class Core, cause Which, bool Repaired, std::size_t First>
inline constexpr second_list second_changes = second_steps(ground<Core, Repaired>::core::spec, Which, first_changes<Core, Which, Repaired>,
                                                           makers_of<typename ground<Core, Repaired>::core>, totals_of_plan<Core>, First);
template <class Core, cause Which, bool Repaired, std::size_t First, std::size_t Second>
inline constexpr finding by_two = tried<Core, Which>(steps_of(ground<Core, Repaired>::base::value,
                                                              first_changes<Core, Which, Repaired>.values[First],
                                                              second_changes<Core, Which, Repaired, First>.values[Second]));
template <class Core, cause Which, bool Repaired, std::size_t First, std::size_t Count, std::size_t Second = 0>
constexpr finding search_second() {
  if constexpr (Second >= Count) {
    return first_look<Core, nothing_observed, Which>;
  } else if constexpr (is_change(by_two<Core, Which, Repaired, First, Second>)) {
    return by_two<Core, Which, Repaired, First, Second>;
  } else {
    return or_else(by_two<Core, Which, Repaired, First, Second>, search_second<Core, Which, Repaired, First, Count, Second + 1>());
  }
}
template <class Core, cause Which, bool Repaired, std::size_t First, std::size_t Count>
inline constexpr finding best_second = search_second<Core, Which, Repaired, First, Count>();
template <class Core, cause Which, bool Repaired, std::size_t First = 0, std::size_t Left = most_pairs>
constexpr finding search_two() {
  if constexpr (Left == 0 || First >= first_changes<Core, Which, Repaired>.length) {
    return first_look<Core, nothing_observed, Which>;
  } else {
    constexpr std::size_t pairs = second_changes<Core, Which, Repaired, First>.length;
    constexpr std::size_t count = pairs < Left ? pairs : Left;
    if constexpr (is_change(best_second<Core, Which, Repaired, First, count>)) {
      return best_second<Core, Which, Repaired, First, count>;
    } else {
      return or_else(best_second<Core, Which, Repaired, First, count>, search_two<Core, Which, Repaired, First + 1, Left - count>());
    }
  }
}
template <class Core, cause Which, bool Repaired>
inline constexpr finding best_two = search_two<Core, Which, Repaired>();

// A change, and what makes the plan with it keep all rules.
template <class Core, cause Which>
inline constexpr bool is_worth_room_of = is_worth_room(Core::spec, Which);
template <class Core, class Steps, cause Which>
constexpr finding by_room() {
  using with = core_with<Core, Steps>;
  if constexpr (with_room(Steps::value, core_repair<with>).length == 0) {
    return first_look<Core, nothing_observed, Which>;
  } else {
    return tried<Core, Which>(with_room(Steps::value, core_repair<with>));
  }
}
template <class Core, cause Which, std::size_t At>
inline constexpr finding with_room_for = by_room<Core, first_steps<Core, Which, false, At>, Which>();
template <class Core, cause Which, int Rooms = most_rooms, std::size_t At = 0>
constexpr finding search_room() {
  if constexpr (Rooms == 0 || At >= first_changes<Core, Which, false>.length) {
    return first_look<Core, nothing_observed, Which>;
  } else if constexpr (!is_worth_room_of<core_with<Core, first_steps<Core, Which, false, At>>, Which>) {
    return search_room<Core, Which, Rooms, At + 1>();
  } else if constexpr (is_change(with_room_for<Core, Which, At>)) {
    return with_room_for<Core, Which, At>;
  } else {
    return or_else(with_room_for<Core, Which, At>, search_room<Core, Which, Rooms - 1, At + 1>());
  }
}

template <class Core, cause Which>
constexpr finding treated_by_two_of_repaired() {
  if constexpr (!adds_any(core_repair<Core>)) {
    return search_room<Core, Which>();
  } else if constexpr (is_change(best_two<Core, Which, true>)) {
    return best_two<Core, Which, true>;
  } else {
    return or_else(best_two<Core, Which, true>, search_room<Core, Which>());
  }
}
template <class Core, cause Which>
constexpr finding treated_by_two() {
  if constexpr (!is_worth_two(first_look<Core, nothing_observed, Which>)) {
    return first_look<Core, nothing_observed, Which>;
  } else if constexpr (!core_patient<Core>.computable) {
    return treated_by_two_of_repaired<Core, Which>();
  } else if constexpr (is_change(best_two<Core, Which, false>)) {
    return best_two<Core, Which, false>;
  } else {
    return or_else(best_two<Core, Which, false>, treated_by_two_of_repaired<Core, Which>());
  }
}
template <class Core, cause Which>
inline constexpr finding by_repair = tried<Core, Which>(core_repair<Core>.steps);
template <class Core, cause Which>
constexpr finding treated_by_repair() {
  if constexpr (!adds_any(core_repair<Core>)) {
    return treated_by_two<Core, Which>();
  } else if constexpr (is_change(by_repair<Core, Which>)) {
    return by_repair<Core, Which>;
  } else if constexpr (is_change(best_one<Core, Which, true>)) {
    return best_one<Core, Which, true>;
  } else {
    return or_else(or_else(by_repair<Core, Which>, best_one<Core, Which, true>), treated_by_two<Core, Which>());
  }
}
template <class Core, class Observed, cause Which>
constexpr finding treated() {
  if constexpr (!is_to_be_treated(first_look<Core, Observed, Which>)) {
    return first_look<Core, Observed, Which>;
  } else if constexpr (is_change(best_one<Core, Which, false>)) {
    return best_one<Core, Which, false>;
  } else {
    return or_else(best_one<Core, Which, false>, treated_by_repair<Core, Which>());
  }
}

}  // namespace shardplan::detail
