// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/doctor/cause.hpp>
#include <shardplan/doctor/evidence.hpp>
#include <shardplan/doctor/memory_evidence.hpp>
#include <shardplan/doctor/observations.hpp>
#include <shardplan/doctor/parallel_evidence.hpp>
#include <shardplan/doctor/refusal.hpp>
#include <shardplan/doctor/speed_evidence.hpp>
#include <shardplan/doctor/timed_step.hpp>
#include <shardplan/spec/plan_spec.hpp>

namespace shardplan {

namespace detail {

constexpr bool is_of_memory(cause which) { return which <= cause::mem_host; }
constexpr bool is_of_configuration(cause which) { return which >= cause::cfg_m_lt_p && which <= cause::cfg_other; }
constexpr bool is_of_speed(cause which) { return which >= cause::perf_tp_node && which <= cause::perf_offload; }

// Of a plan with its accounts: `who` with phases for causes of memory, `when` for causes of speed, neither for others.
constexpr evidence evidence_in(const patient& who, const timed_step& when, const observations& run, cause which) {
  const bare_facts facts = bare_facts_of(who.spec);
  if (is_of_configuration(which)) return configuration_evidence(who.spec, facts, which, refusal_of(who.spec, which));
  if (which >= cause::hang_preproc && which <= cause::hang_eval) return hang_evidence(who.spec, facts, run, which);
  if (which >= cause::num_vocab && which <= cause::num_compose) return loss_evidence(who.spec, facts, run, which);
  if (which == cause::ckpt_layout) return layout_evidence(who.spec);
  if (!who.computable) return {standing::not_in_plan, 0, 0, 0};
  return is_of_memory(which) ? memory_evidence(who, which) : speed_evidence(who, when, facts, run, which);
}

}  // namespace detail

/// The evidence of a cause in a plan, and in what was observed of its run. Figures that need more than single fields say `not_in_plan` when
/// a rule of the first two tiers is broken: `symptom::refused_at_start` has those rules. No error for any spec.
template <class Spec = plan_spec>
constexpr evidence evidence_of(const Spec& spec, cause which, const observations& run = {}) {
  const bool counts = detail::is_of_memory(which) || detail::is_of_speed(which);
  const detail::patient who = counts ? detail::examined(spec, detail::is_of_memory(which)) : detail::patient{spec, false, {}, {}, {}};
  const bool times = who.computable && detail::is_of_speed(which);
  return detail::evidence_in(who, times ? detail::timed_step_of(spec) : detail::timed_step{}, run, which);
}

}  // namespace shardplan
