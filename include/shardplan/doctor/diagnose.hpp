// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/bytes.hpp>
#include <shardplan/core/index_pack.hpp>
#include <shardplan/core/static_vector.hpp>
#include <shardplan/doctor/cause.hpp>
#include <shardplan/doctor/change.hpp>
#include <shardplan/doctor/evidence.hpp>
#include <shardplan/doctor/memory_evidence.hpp>
#include <shardplan/doctor/parallel_evidence.hpp>
#include <shardplan/doctor/speed_evidence.hpp>
#include <shardplan/doctor/symptom.hpp>
#include <shardplan/doctor/treatment.hpp>
#include <shardplan/plan/evaluate.hpp>
#include <shardplan/plan/plan.hpp>
#include <shardplan/plan/remedy.hpp>
#include <shardplan/plan/rules/check.hpp>
#include <shardplan/plan/step_cost.hpp>
#include <shardplan/plan/verdict.hpp>
#include <shardplan/schedule/schedule_spec.hpp>
#include <shardplan/spec/plan_spec.hpp>

#include <cstdint>

namespace shardplan {

/// What a finding offers against its cause.
enum class help_kind {
  nothing,  ///< the cause is excluded, or it is supported and no change was found to help, alone or with others
  change,   ///< a change of the plan (`try_this`, `and_this`), recomputed
  action,   ///< something to do that a plan does not say (`cause_entry::action`, for what a plan cannot tell `cause_entry::advice`)
};

/// A cause of a symptom in a plan, with what supports or excludes it, and a change that was checked to help.
struct finding {
  cause which{};      ///< the cause
  evidence now{};     ///< its evidence
  help_kind help{};   ///< what is offered against it
  remedy try_this{};  ///< supported causes: the first change, of those that are tried, the least first, after which it is excluded and no
                      ///< rule is broken, and, where the cause is one of speed, more tokens a second are read; else
                      ///< `nothing_small_helps`
  remedy and_this{};  ///< with `try_this`, where no single change helps
  remedy further{};   ///< with both, where it takes three
  schedule_spec schedule{};  ///< of the kind `schedule`: the new one
  evidence after{};          ///< its evidence in the changed plan
  bytes peak{};              ///< memory of the worst rank; 0 where it could not be computed
  bytes peak_after{};        ///< the same in the changed plan
  step_cost cost{};          ///< what a step costs: bytes between ranks, estimated times
  step_cost cost_after{};    ///< the same in the changed plan
};

/// `spec` with what a finding says to change.
template <class Spec = plan_spec>
constexpr Spec changed_by_finding(const Spec& spec, const finding& item) {
  Spec result = changed(changed_by_both(spec, {item.try_this, item.and_this}), item.further);
  const remedy steps[] = {item.try_this, item.and_this, item.further};
  for (const remedy& step : steps)
    if (step.kind == remedy_kind::schedule) result.schedule = item.schedule;
  return result;
}

/// Most causes that a symptom has.
inline constexpr std::size_t most_causes = 16;
/// The causes of a symptom: supported ones first, the heaviest first, then those that a plan cannot tell, then the excluded.
using diagnosis = static_vector<finding, most_causes>;

/// The evidence of a cause in a plan. Figures that need more than single fields say `not_in_plan` when a rule of the first two tiers is
/// broken: `symptom::refused_at_start` has those rules. No error for any spec.
template <class Spec = plan_spec>
constexpr evidence evidence_of(const Spec& spec, cause which) {
  const detail::bare_facts facts = detail::bare_facts_of(spec);
  if (which >= cause::cfg_m_lt_p && which <= cause::cfg_ep) return detail::configuration_evidence(spec, facts, which);
  if (which >= cause::hang_preproc && which <= cause::hang_eval) return detail::hang_evidence(spec, facts, which);
  if (which >= cause::num_vocab && which <= cause::num_compose) return detail::loss_evidence(spec, facts, which);
  if (which == cause::ckpt_layout) return detail::layout_evidence(spec);
  const detail::patient who = detail::examined(spec, which <= cause::mem_host);
  if (!who.computable) return {standing::not_in_plan, 0, 0, 0};
  if (which <= cause::mem_host) return detail::memory_evidence(who, which);
  return detail::speed_evidence(who, detail::timed_step_of(spec), facts, which);
}

namespace detail {

template <class Spec>
constexpr bytes peak_if_computable(const Spec& spec) {
  return is_computable(spec) ? peak_of(spec, memory_layout_of(spec)).total : bytes{};
}

constexpr bool is_of_speed(cause which) { return which >= cause::perf_tp_node && which <= cause::perf_offload; }

// Whether a change helps: the cause is gone, no rule is broken, and against slowness the plan is faster (as far as its device can be
// timed). `result` has the figures then.
template <class Spec>
constexpr bool helps(const Spec& spec, remedy_pair what, finding& result, remedy third = {}) {
  const Spec other = with_proposed(spec, what.first, what.second, third);
  if (count_violations(other) != 0) return false;
  const evidence after = evidence_of(other, result.which);
  if (after.says == standing::supported) return false;
  const step_cost cost = computed_cost(other);
  if (is_of_speed(result.which) && result.cost.seconds > 0 && !(cost.tokens_per_second > result.cost.tokens_per_second)) return false;
  result.help = help_kind::change;
  result.try_this = what.first;
  result.and_this = what.second;
  result.further = third;
  remedy* const steps[] = {&result.try_this, &result.and_this, &result.further};
  for (remedy* step : steps)
    if (step->kind == remedy_kind::schedule) {
      result.schedule = other.schedule;
      step->value = other.schedule.chunks;
    }
  result.after = after;
  result.peak_after = computed_figures(other).peak_memory;
  result.cost_after = cost;
  return true;
}

// The finding with that change, or as it was where the change does not help.
template <class Spec>
constexpr finding with_pair(const Spec& spec, const finding& before, remedy_pair what, remedy third = {}) {
  finding result = before;
  helps(spec, what, result, third);
  return result;
}

// Of the plan as it is, the same for every cause.
struct plan_now {
  bytes peak{};
  step_cost cost{};
};
template <class Spec>
constexpr plan_now plan_now_of(const Spec& spec) {
  return {peak_if_computable(spec), step_cost_of(spec)};
}

template <class Spec>
constexpr finding found_in(const Spec& spec, const plan_now& now, cause which) {
  finding result{};
  result.which = which;
  result.now = evidence_of(spec, which);
  result.peak = now.peak;
  result.cost = now.cost;
  if (has_action(spec, now.peak, which, result.now.says)) result.help = help_kind::action;
  return result;
}

// Whether a plan keeps all rules of numbers and does not fit.
template <class Spec>
constexpr bool is_left_to_fit(const Spec& spec) {
  return is_computable(spec) && peak_of(spec, memory_layout_of(spec)).total > spec.device.memory;
}

// What makes a plan fit that does not.
template <class Spec>
constexpr remedy_pair what_fits(const Spec& spec, bytes peak) {
  return peak > spec.device.memory ? best_remedy(spec) : remedy_pair{};
}

template <class Spec = plan_spec>
constexpr finding finding_of(const Spec& spec, const plan_now& now, cause which) {
  finding result = found_in(spec, now, which);
  if (result.now.says != standing::supported || !changes_with_plan(which)) return result;
  for (const remedy what : changes_for(spec, which))
    if (helps(spec, {what, {}}, result)) return result;
  const remedy_pair fits = what_fits(spec, now.peak);
  if (fits.first.kind != remedy_kind::nothing_small_helps && helps(spec, fits, result)) return result;
  const step_list firsts = first_steps(spec, which, legal_steps(violations_in(spec)));
  for (std::size_t at = 0; at < firsts.length; ++at)
    for (const remedy further : second_steps(spec, which, firsts, at))
      if (helps(spec, {firsts.values[at], further}, result)) return result;
  // A change against the cause, after which two more make the plan fit.
  for (const remedy what : firsts) {
    const Spec with = with_proposed(spec, what);
    if (!is_left_to_fit(with)) continue;
    const remedy_pair room = best_remedy(with);
    if (room.second.kind != remedy_kind::nothing_small_helps && helps(spec, {what, room.first}, result, room.second)) break;
  }
  return result;
}

// Whether the first is ranked before the second.
constexpr bool goes_before(const finding& left, const finding& right) {
  if (left.now.says != right.now.says) return left.now.says < right.now.says;
  return left.now.weight > right.now.weight;
}

template <class List>
constexpr void rank_in(List& list, const finding& item) {
  list.push_back(item);
  for (std::size_t at = list.length - 1; at > 0 && goes_before(item, list.values[at - 1]); --at) {
    list.values[at] = list.values[at - 1];
    list.values[at - 1] = item;
  }
}

}  // namespace detail

/// What can be behind a symptom in this plan: every cause that is known for it, each supported or excluded by a figure of the plan, the
/// supported ones with a change that was checked by recomputing the plan. The run-time twin of `diagnose`. No error for any spec.
template <class Spec = plan_spec>
constexpr diagnosis diagnosis_of(const Spec& spec, symptom seen) {
  diagnosis list{};
  const detail::plan_now now = detail::plan_now_of(spec);
  for (int at = 0; at < cause_count; ++at)
    if (explains(static_cast<cause>(at), seen)) detail::rank_in(list, detail::finding_of(spec, now, static_cast<cause>(at)));
  return list;
}

namespace detail {

// A constant for each cause and each change: together they would leave what Clang evaluates in one.
template <class Core>
inline constexpr plan_now core_now = plan_now_of(Core::spec);
template <class Core, cause Which>
inline constexpr finding first_look = found_in(Core::spec, core_now<Core>, Which);
template <class Core, cause Which>
inline constexpr change_list tried_changes = changes_for(Core::spec, Which);
template <class Core, cause Which, std::size_t Index>
inline constexpr finding with_change = with_pair(Core::spec, first_look<Core, Which>, {tried_changes<Core, Which>.values[Index], {}});
// As in `finding_of`, for a plan that does not fit.
template <class Core>
inline constexpr remedy_pair core_fits = remedy_of_plan<Core>();
template <class Core, cause Which>
inline constexpr finding with_what_fits = with_pair(Core::spec, first_look<Core, Which>, core_fits<Core>);
// As in `finding_of`, two changes.
template <class Core>
inline constexpr step_list legal_steps_of =
    legal_steps(spoken_rules<Core>(make_index_pack<static_cast<int>(broken_rules_of<Core>.items.length)>{}));
template <class Core, cause Which>
inline constexpr step_list tried_firsts = first_steps(Core::spec, Which, legal_steps_of<Core>);
template <class Core, cause Which, std::size_t First>
inline constexpr step_list tried_seconds = second_steps(Core::spec, Which, tried_firsts<Core, Which>, First);
template <class Core, cause Which, std::size_t First, std::size_t Second>
inline constexpr finding with_both = with_pair(Core::spec, first_look<Core, Which>,
                                               {tried_firsts<Core, Which>.values[First], tried_seconds<Core, Which, First>.values[Second]});
// As in `finding_of`, a change and two that make room for it: what `remedy_of_plan` finds for the plan with the change.
template <class Core, cause Which, std::size_t First>
struct core_with_first {
  static constexpr auto spec = with_proposed(Core::spec, tried_firsts<Core, Which>.values[First]);
  static constexpr bool judges_host = Core::judges_host;
  static constexpr int violation_count = is_left_to_fit(spec) ? 1 : 0;
};
template <class Core, cause Which, std::size_t First>
inline constexpr remedy_pair room_for_first = remedy_of_plan<core_with_first<Core, Which, First>>();
template <class Core, cause Which, std::size_t First>
inline constexpr finding with_room = with_pair(Core::spec, first_look<Core, Which>,
                                               {tried_firsts<Core, Which>.values[First], room_for_first<Core, Which, First>.first},
                                               room_for_first<Core, Which, First>.second);
template <class Core, cause Which, std::size_t First = 0>
constexpr finding treated_by_three() {
  if constexpr (First >= tried_firsts<Core, Which>.length) {
    return first_look<Core, Which>;
  } else if constexpr (room_for_first<Core, Which, First>.second.kind == remedy_kind::nothing_small_helps) {
    return treated_by_three<Core, Which, First + 1>();
  } else if constexpr (with_room<Core, Which, First>.help == help_kind::change) {
    return with_room<Core, Which, First>;
  } else {
    return treated_by_three<Core, Which, First + 1>();
  }
}
template <class Core, cause Which, std::size_t First = 0, std::size_t Second = 0>
constexpr finding treated_by_both() {
  if constexpr (First >= tried_firsts<Core, Which>.length) {
    return treated_by_three<Core, Which>();
  } else if constexpr (Second >= tried_seconds<Core, Which, First>.length) {
    return treated_by_both<Core, Which, First + 1>();
  } else if constexpr (with_both<Core, Which, First, Second>.help == help_kind::change) {
    return with_both<Core, Which, First, Second>;
  } else {
    return treated_by_both<Core, Which, First, Second + 1>();
  }
}
template <class Core, cause Which>
constexpr finding treated_to_fit() {
  if constexpr (core_fits<Core>.first.kind == remedy_kind::nothing_small_helps) {
    return treated_by_both<Core, Which>();
  } else if constexpr (with_what_fits<Core, Which>.help == help_kind::change) {
    return with_what_fits<Core, Which>;
  } else {
    return treated_by_both<Core, Which>();
  }
}
template <class Core, cause Which, std::size_t Index = 0>
constexpr finding treated() {
  if constexpr (first_look<Core, Which>.now.says != standing::supported || !changes_with_plan(Which)) {
    return first_look<Core, Which>;
  } else if constexpr (Index >= tried_changes<Core, Which>.length) {
    return treated_to_fit<Core, Which>();
  } else if constexpr (with_change<Core, Which, Index>.help == help_kind::change) {
    return with_change<Core, Which, Index>;
  } else {
    return treated<Core, Which, Index + 1>();
  }
}
template <class Core, symptom Seen, int Index>
constexpr void add_cause(diagnosis& list) {
  if constexpr (explains(static_cast<cause>(Index), Seen)) rank_in(list, treated<Core, static_cast<cause>(Index)>());
}
template <class Core, symptom Seen, int... Causes>
constexpr diagnosis diagnosis_of_plan(index_pack<int, Causes...>) {
  diagnosis list{};
  (add_cause<Core, Seen, Causes>(list), ...);
  return list;
}

template <class... Parts>
plan_core<Parts...> core_of(const plan<Parts...>*);

}  // namespace detail

/// The causes of a symptom in a plan type, ranked, as a constant: `diagnose<run, symptoms::out_of_memory>[0].which`. See `diagnosis_of`.
template <plan_type Plan, class Symptom>
inline constexpr diagnosis diagnose =
    detail::diagnosis_of_plan<decltype(detail::core_of(static_cast<const detail::asked_plan<Plan>*>(nullptr))), Symptom::value>(
        detail::make_index_pack<cause_count>{});

/// The axes that cut states differently in two plans: their checkpoints in shards do not fit each other.
struct axis_changes {
  bool tp = false;        ///< tensor parallel degree
  bool pp = false;        ///< pipeline parallel degree, or layers of a stage
  bool chunks = false;    ///< model chunks on a rank
  bool experts = false;   ///< ep or etp
  bool sharding = false;  ///< ZeRO stage, FSDP, or the ranks that share states

  /// How many changed.
  constexpr int count() const { return tp + pp + chunks + experts + sharding; }
};

/// Which axes changed from one plan to the other.
template <class Spec = plan_spec>
constexpr axis_changes changed_axes(const Spec& before, const Spec& after) {
  axis_changes result{};
  result.tp = before.tp != after.tp;
  result.pp = before.pp != after.pp || !(before.layer_split == after.layer_split);
  result.chunks = before.schedule.chunks != after.schedule.chunks || before.schedule.layout != after.schedule.layout;
  result.experts = before.ep != after.ep || before.etp != after.etp;
  const bool shards = sharding_stage(before) > 0 || sharding_stage(after) > 0;
  const detail::bare_facts old = detail::bare_facts_of(before);
  const detail::bare_facts now = detail::bare_facts_of(after);
  result.sharding = sharding_stage(before) != sharding_stage(after) || !(before.sharding == after.sharding) ||
                    (shards && (old.dp != now.dp || before.cp != after.cp));
  return result;
}

}  // namespace shardplan
