// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/bytes.hpp>
#include <shardplan/core/size.hpp>
#include <shardplan/doctor/cause.hpp>
#include <shardplan/doctor/change.hpp>
#include <shardplan/doctor/evidence.hpp>
#include <shardplan/doctor/evidence_of.hpp>
#include <shardplan/doctor/finding.hpp>
#include <shardplan/doctor/observations.hpp>
#include <shardplan/doctor/refusal.hpp>
#include <shardplan/doctor/repair.hpp>
#include <shardplan/doctor/timed_step.hpp>
#include <shardplan/doctor/treatment.hpp>
#include <shardplan/plan/least_states.hpp>
#include <shardplan/plan/rules/check.hpp>
#include <shardplan/plan/step_cost.hpp>
#include <shardplan/spec/plan_spec.hpp>

// Changes of a plan, each judged by recomputing it.
namespace shardplan::detail {

// Whether a plan whose numbers are legal keeps the other rules too.
constexpr bool keeps_rules(const patient& who) {
  counting_sink sink{};
  check_before_memory<true>(who.spec, who.layout, sink);
  return sink.count == 0 && who.peak.total <= who.spec.device.memory;
}

// Whether more tokens a second are read, and by each device where there are more of them.
template <class Spec>
constexpr bool is_faster(const Spec& before, const Spec& after, double tokens_before, double tokens_after) {
  const double devices = after.nodes > before.nodes ? static_cast<double>(after.nodes) / static_cast<double>(before.nodes) : 1;
  return tokens_after > tokens_before * devices;
}

// Whether the changes help: the cause is gone, no rule is broken, and against slowness the plan is faster (as far as its device can be
// timed). `result` has the figures then.
template <class Spec>
constexpr bool helps(const Spec& spec, const treatment& steps, finding& result) {
  const Spec other = with_treatment(spec, steps);
  const patient who = examined(other, is_of_memory(result.which));
  if (!who.computable || !keeps_rules(who)) return false;
  const bool of_speed = is_of_speed(result.which);
  timed_step when{};
  if (of_speed) when = timed_step_of(other);
  const evidence after = is_of_configuration(result.which) ? configuration_evidence(other, bare_facts_of(other), result.which,
                                                                                    refusal_after(other, result.which, result.refused))
                                                           : evidence_in(who, when, {}, result.which);
  if (after.says == standing::supported) return false;
  if (of_speed && result.cost.seconds > 0 && !is_faster(spec, other, result.cost.tokens_per_second, when.report.tokens_per_second)) {
    result.why = no_change::nothing_faster;
    return false;
  }
  result.help = help_kind::change;
  result.why = no_change::none;
  for (std::size_t at = 0; at < steps.length; ++at) {
    remedy step = steps.values[at];
    if (step.kind == remedy_kind::schedule) {
      result.schedule = other.schedule;
      step.value = other.schedule.chunks;
    }
    if (at == 0) result.try_this = step;
    if (at == 1) result.and_this = step;
    if (at == 2) result.further = step;
    if (at > 2) result.more.push_back(step);
  }
  result.after = after;
  result.peak_after = who.peak.total;
  result.cost_after = computed_cost(other);
  return true;
}

// Of the plan as it is, the same for every cause.
struct plan_now {
  patient who;
  timed_step when{};
  step_cost cost{};
};
template <class Spec>
constexpr plan_now plan_now_of(const Spec& spec) {
  plan_now now{examined(spec), {}, {}};
  if (!now.who.computable) return now;
  now.when = timed_step_of(spec);
  now.cost = computed_cost(spec);
  return now;
}

constexpr finding found_in(const patient& who, const timed_step& when, const step_cost& cost, const observations& run, cause which) {
  finding result{};
  result.which = which;
  result.now = evidence_in(who, when, run, which);
  result.peak = who.peak.total;
  result.memory = who.spec.device.memory;
  result.stage = who.peak.stage;
  result.cost = cost;
  if (result.now.says == standing::excluded) return result;
  if (is_of_configuration(which)) result.refused = refusal_of(who.spec, which);
  if (!who.computable && (is_of_memory(which) || is_of_speed(which))) result.refused = obstacle_of(who.spec);
  result.help = help_kind::action;
  result.why = result.now.says == standing::not_in_plan ? no_change::not_in_plan
               : changes_with_plan(which)               ? no_change::nothing_found
                                                        : no_change::of_no_plan;
  return result;
}

// Whether a cause is tried to be ended by changes of the plan.
constexpr bool is_to_be_treated(const finding& item) { return item.why == no_change::nothing_found; }
// Whether more than one change against it is tried: not where all that there is to gain is less than a hundredth of a step.
constexpr bool is_worth_two(const finding& item) { return !is_of_speed(item.which) || item.now.weight >= 10; }

constexpr treatment steps_of(const treatment& base, remedy first, remedy second = {}) {
  treatment steps = base;
  add_to(steps, first);
  add_to(steps, second);
  return steps;
}
constexpr bool adds_any(const repair& what) { return what.done && what.steps.length > 0; }

// Whether a change ends the cause in a plan that breaks rules with it, so that it is worth making that keep them; a plan that cannot be
// computed does not tell.
template <class Spec>
constexpr bool is_worth_room(const Spec& with, cause which) {
  return !is_computable(with) || evidence_of(with, which).says != standing::supported;
}
// The steps of both; none where they find no room.
constexpr treatment with_room(const treatment& first, const repair& room) {
  treatment steps = first;
  if (!adds_any(room)) return treatment{};
  for (const remedy& step : room.steps)
    if (!add_to(steps, step)) return treatment{};
  return steps;
}
template <class Spec>
constexpr bool helps_with_room(const Spec& spec, const treatment& base, remedy what, finding& result, int& rooms) {
  const treatment first = steps_of(base, what);
  const Spec with = with_treatment(spec, first);
  if (rooms == 0 || !is_worth_room(with, result.which)) return false;
  --rooms;
  const treatment steps = with_room(first, repair_of(with));
  return steps.length > 0 && helps(spec, steps, result);
}

// Most pairs that are judged. Of 912 plans one cause is ended by a later one.
inline constexpr std::size_t most_pairs = 72;
template <class Spec>
constexpr bool helps_in_pairs(const Spec& spec, const Spec& sound, const treatment& base, const change_list& firsts, finding& result) {
  const change_list makers = room_makers(sound);
  const parameter_totals totals = totals_of(sound);
  std::size_t left = most_pairs;
  for (std::size_t at = 0; at < firsts.length && left > 0; ++at) {
    const second_list seconds = second_steps(sound, result.which, firsts, makers, totals, at);
    const std::size_t count = seconds.length < left ? seconds.length : left;
    left -= count;
    for (std::size_t second = 0; second < count; ++second)
      if (helps(spec, steps_of(base, firsts.values[at], seconds.values[second]), result)) return true;
  }
  return false;
}

// Repairs of changed plans cost as much as all else together: of the first changes that end a cause alone.
inline constexpr int most_rooms = 2;

// Tries one change; what makes a plan that breaks rules keep them, with one change; two changes; two with what makes the plan keep its
// rules; a change, and what makes the plan with it keep them. The first that helps is taken. (constant_trial.hpp has the same steps.)
template <class Spec>
constexpr finding finding_of(const Spec& spec, const plan_now& now, const observations& run, cause which) {
  finding result = found_in(now.who, now.when, now.cost, run, which);
  if (!is_to_be_treated(result)) return result;
  const change_list firsts = changes_for(spec, which);
  for (const remedy& what : firsts)
    if (helps(spec, steps_of(treatment{}, what), result)) return result;
  const repair base = repair_of(spec);
  const bool mends = adds_any(base);
  const Spec sound = with_treatment(spec, base.steps);
  const change_list sound_firsts = changes_for(sound, which);
  if (mends && helps(spec, base.steps, result)) return result;
  if (mends)
    for (const remedy& what : sound_firsts)
      if (helps(spec, steps_of(base.steps, what), result)) return result;
  if (!is_worth_two(result)) return result;
  if (now.who.computable && helps_in_pairs(spec, spec, treatment{}, firsts, result)) return result;
  if (mends && helps_in_pairs(spec, sound, base.steps, sound_firsts, result)) return result;
  int rooms = most_rooms;
  for (const remedy& what : firsts)
    if (helps_with_room(spec, treatment{}, what, result, rooms)) return result;
  return result;
}

}  // namespace shardplan::detail
