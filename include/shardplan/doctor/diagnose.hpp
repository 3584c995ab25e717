// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/index_pack.hpp>
#include <shardplan/core/size.hpp>
#include <shardplan/core/static_vector.hpp>
#include <shardplan/doctor/axis_changes.hpp>
#include <shardplan/doctor/cause.hpp>
#include <shardplan/doctor/constant_trial.hpp>
#include <shardplan/doctor/evidence.hpp>
#include <shardplan/doctor/evidence_of.hpp>
#include <shardplan/doctor/finding.hpp>
#include <shardplan/doctor/observations.hpp>
#include <shardplan/doctor/symptom.hpp>
#include <shardplan/doctor/trial.hpp>
#include <shardplan/plan/plan.hpp>
#include <shardplan/plan/verdict.hpp>
#include <shardplan/spec/plan_spec.hpp>

namespace shardplan {

/// Most causes that a symptom has.
inline constexpr std::size_t most_causes = 16;
/// The causes of a symptom: supported ones first, the heaviest first, then those that a plan cannot tell, then the excluded.
using diagnosis = static_vector<finding, most_causes>;

namespace detail {

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

/// What can be behind a symptom in this plan: every cause that is known for it, each supported or excluded by a figure of the plan (or of
/// what was observed of its run), the supported ones with changes that were checked by recomputing the plan, or with what is to be done and
/// why no change of the plan is offered. The run-time twin of `diagnose`. No error for any spec; `argument_out_of_range`
/// for a symptom that is none.
template <class Spec = plan_spec>
constexpr diagnosis diagnosis_of(const Spec& spec, symptom seen, const observations& run = {}) {
  diagnosis list{};
  const detail::plan_now now = detail::plan_now_of(spec);
  for (int at = 0; at < cause_count; ++at)
    if (explains(static_cast<cause>(at), seen)) detail::rank_in(list, detail::finding_of(spec, now, run, static_cast<cause>(at)));
  return list;
}

namespace detail {

template <class Core, symptom Seen, class Observed, int Index>
constexpr void add_cause(diagnosis& list) {
  if constexpr (explains(static_cast<cause>(Index), Seen)) rank_in(list, treated<Core, Observed, static_cast<cause>(Index)>());
}
template <class Core, symptom Seen, class Observed, int... Causes>
constexpr diagnosis diagnosis_of_plan(index_pack<int, Causes...>) {
  diagnosis list{};
  (add_cause<Core, Seen, Observed, Causes>(list), ...);
  return list;
}

template <class... Parts>
plan_core<Parts...> core_of(const plan<Parts...>*);

}  // namespace detail

/// The causes of a symptom in a plan type, ranked, as a constant: `diagnose<run, symptoms::out_of_memory>[0].which`. `Observed` is a type
/// with `static constexpr observations value`: what was measured in a run and no plan says. See `diagnosis_of`.
template <plan_type Plan, symptom_type Symptom, observations_type Observed = nothing_observed>
inline constexpr diagnosis diagnose =
    detail::diagnosis_of_plan<decltype(detail::core_of(static_cast<const detail::asked_plan<Plan>*>(nullptr))), Symptom::value, Observed>(
        detail::make_index_pack<cause_count>{});

}  // namespace shardplan
