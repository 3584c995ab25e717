// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/bytes.hpp>
#include <shardplan/core/checked.hpp>
#include <shardplan/core/fraction.hpp>
#include <shardplan/core/size.hpp>
#include <shardplan/core/static_vector.hpp>
#include <shardplan/core/text.hpp>
#include <shardplan/plan/evaluate.hpp>
#include <shardplan/plan/remedy.hpp>
#include <shardplan/plan/rules/check.hpp>
#include <shardplan/plan/verdict.hpp>
#include <shardplan/schedule/catalog.hpp>
#include <shardplan/schedule/closed_form.hpp>
#include <shardplan/spec/derived.hpp>
#include <shardplan/spec/plan_spec.hpp>

#include <cstdint>

namespace shardplan {

/// What may be changed so that a pipeline idles less.
enum class idle_change {
  smaller_micro_batch,  ///< half the micro-batch, twice the micro-batches; a step's work is the same
  larger_batch,         ///< twice the global batch: another recipe
  schedule,             ///< another schedule
};

/// A change that makes a valid plan idle less and keeps it valid.
struct idle_offer {
  idle_change change{};      ///< what to change
  std::int64_t value = 0;    ///< the new micro-batch or global batch; chunks of the new schedule
  literal schedule{};        ///< the new schedule
  fraction idle = 0;         ///< idle share of a step with it
  fraction idle_before = 0;  ///< idle share of a step as the plan is
  bytes peak{};              ///< `peak_memory` with it: GPipe's grows with the micro-batches, 1F1B's does not
};

/// Most offers of one plan.
inline constexpr std::size_t most_idle_offers = 16;
/// The offers of a plan; the least idle first.
using idle_offers = static_vector<idle_offer, most_idle_offers>;

namespace detail {

// Idle share of a step: bubble / (work + bubble), stages alike.
template <class Schedule>
constexpr closed_form closed_idle(std::int64_t ranks, std::int64_t micro_batches) {
  const closed_form efficiency = closed_efficiency<Schedule>(ranks, micro_batches, stage_times{});
  return efficiency.known ? closed_form{fraction{1} - efficiency.value} : efficiency;
}

template <class... Schedules>
struct idle_schedules {
  // Of the schedule with that name and so many chunks.
  static constexpr closed_form idle_of(const schedule_spec& schedule, std::int64_t ranks, std::int64_t micro_batches) {
    closed_form found{};
    ((Schedules::spec.name == schedule.name && Schedules::spec.chunks == schedule.chunks && Schedules::spec.in_flight == schedule.in_flight
          ? void(found = closed_idle<Schedules>(ranks, micro_batches))
          : void()),
     ...);
    return found;
  }
  template <class Visit>
  static constexpr void each(Visit visit) {
    (visit(Schedules::spec), ...);
  }
};
using known_idle_schedules =
    idle_schedules<schedules::gpipe, schedules::one_f_one_b, schedules::eager_1f1b, schedules::interleaved<2>, schedules::interleaved<3>,
                   schedules::interleaved<4>, schedules::interleaved<5>, schedules::interleaved<6>, schedules::interleaved<8>,
                   schedules::looped_bfs<2>, schedules::looped_bfs<4>, schedules::zb_h1, schedules::zb_h2, schedules::zb_v,
                   schedules::dual_pipe_v>;

template <class Spec>
constexpr void offer_idle(const Spec& with, idle_offer offer, idle_offers& list) {
  if (!is_computable(with)) return;
  const closed_form idle = known_idle_schedules::idle_of(with.schedule, with.pp, derive(with).micro_batches);
  if (!idle.known || !(idle.value < offer.idle_before) || count_violations(with) != 0) return;
  offer.idle = idle.value;
  offer.peak = computed_figures(with).peak_memory;
  // The least idle first, equals as they come.
  std::size_t at = list.length;
  if (at == most_idle_offers) return;
  list.push_back(offer);
  for (; at > 0 && offer.idle < list.values[at - 1].idle; --at) list.values[at] = list.values[at - 1];
  list.values[at] = offer;
}

}  // namespace detail

/// The share of a step that a pipeline rank idles, by the closed form of its schedule: stages alike, forward : backward = 1 : 2, no
/// transfer. Not known for a schedule without a formula, or for a plan that breaks a rule of the first two tiers.
template <class Spec = plan_spec>
constexpr closed_form idle_share_of(const Spec& spec) {
  if (!detail::is_computable(spec)) return {};
  if (spec.pp == 1) return fraction{0};
  return detail::known_idle_schedules::idle_of(spec.schedule, spec.pp, derive(spec).micro_batches);
}

/// What makes a valid plan idle less and keeps it valid, the least idle first: a smaller micro-batch (more of them), a larger batch,
/// another schedule that keeps synchronous steps. Empty for a plan without a pipeline, that breaks a rule, or whose schedule has no
/// formula.
template <class Spec = plan_spec>
constexpr idle_offers less_idle(const Spec& spec) {
  idle_offers list{};
  const closed_form now = idle_share_of(spec);
  if (!now.known || now.value == fraction{0} || detail::count_violations(spec) != 0) return list;
  for (std::int64_t micro = spec.micro_batch / 2; micro >= 1; micro /= 2) {
    Spec with = spec;
    with.micro_batch = micro;
    detail::offer_idle(with, {idle_change::smaller_micro_batch, micro, {}, {}, now.value, {}}, list);
  }
  for (std::int64_t times = 2; times <= 4; times *= 2) {
    Spec with = spec;
    with.global_batch = saturating_multiply(spec.global_batch, times);
    detail::offer_idle(with, {idle_change::larger_batch, with.global_batch, {}, {}, now.value, {}}, list);
  }
  detail::known_idle_schedules::each([&](const schedule_spec& schedule) {
    Spec with = spec;
    with.schedule = schedule;
    detail::offer_idle(with, {idle_change::schedule, schedule.chunks, schedule.name, {}, now.value, {}}, list);
  });
  return list;
}

/// `less_idle` of a plan type.
template <plan_type Plan>
inline constexpr idle_offers less_idle_of = less_idle(detail::asked_plan<Plan>::spec);

}  // namespace shardplan
