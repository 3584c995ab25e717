// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/bytes.hpp>
#include <shardplan/core/checked.hpp>
#include <shardplan/core/fraction.hpp>
#include <shardplan/core/index_pack.hpp>
#include <shardplan/core/size.hpp>
#include <shardplan/core/static_vector.hpp>
#include <shardplan/core/unset.hpp>
#include <shardplan/plan/evaluate.hpp>
#include <shardplan/plan/framework_has.hpp>
#include <shardplan/plan/micro_batch_room.hpp>
#include <shardplan/plan/remedy.hpp>
#include <shardplan/plan/rules/check.hpp>
#include <shardplan/plan/step_cost.hpp>
#include <shardplan/plan/verdict.hpp>
#include <shardplan/schedule/catalog.hpp>
#include <shardplan/schedule/closed_form.hpp>
#include <shardplan/spec/derived.hpp>
#include <shardplan/spec/plan_spec.hpp>

#include <cstdint>

namespace shardplan {

/// The share of a step that a pipeline rank idles, by the formula of its schedule (`schedule_spec::bubble`, a user's own too): stages
/// alike, forward : backward = 1 : 2, no transfer. 0 without a pipeline and where steps run into each other. Not known for a schedule
/// without a formula, or for a plan that breaks a rule of the first two tiers.
template <class Spec = plan_spec>
constexpr closed_form idle_share_of(const Spec& spec) {
  if (!detail::is_computable(spec)) return {};
  if (spec.pp == 1 || !spec.schedule.drains) return fraction{0};
  const bubble_formula& formula = spec.schedule.bubble;
  if (!formula.known) return {};
  const std::int64_t micro_batches = derive(spec).micro_batches;
  const stage_times times{};
  const closed_form bubble = formula.value(spec.pp, micro_batches, times);
  if (!bubble.known) return {};
  const fraction waits = bubble.value * fraction{formula.chunks, spec.schedule.chunks};  // as `timing` takes it for another v
  return waits / (waits + detail::whole_pass(times) * fraction{micro_batches});
}

/// A change that makes a valid plan wait less and keeps it valid.
struct idle_offer {
  remedy change{};           ///< `micro_batch` (half of it, twice the micro-batches), `global_batch` (another recipe), `schedule`, or an
                             ///< overlap, whose gain is what hiding all of a channel's transfers would give
  schedule_spec schedule{};  ///< of the kind `schedule`: the new one
  fraction idle = 0;         ///< idle share of a step with it
  fraction idle_before = 0;  ///< idle share of a step as the plan is
  bytes peak{};              ///< `peak_memory` with it: GPipe's grows with the micro-batches, 1F1B's does not
  step_cost cost{};          ///< bytes over the network and estimated times with it
  step_cost cost_before{};   ///< the same of the plan as it is
};

/// `spec` with that change made.
template <class Spec = plan_spec>
constexpr Spec changed_by_offer(const Spec& spec, const idle_offer& offer) {
  Spec result = changed(spec, offer.change);
  if (offer.change.kind == remedy_kind::schedule) result.schedule = offer.schedule;
  return result;
}

/// Most offers of one plan.
inline constexpr std::size_t most_idle_offers = 40;
/// Why there is no offer against idling.
enum class no_idle_offer {
  none,             ///< there are offers
  rules_broken,     ///< a rule is broken: nothing was looked for
  nothing_to_hide,  ///< there is no pipeline, and no communication that the plan does not hide: nothing was tried
  nothing_helps,    ///< no change that is tried makes the plan wait less and keeps it valid
};

/// The offers of a plan: the most tokens a second first; of a device without a rate, the least idle first.
struct idle_offers : static_vector<idle_offer, most_idle_offers> {
  micro_batch_room room{};  ///< where more micro-batches of the plan's size end, of a pipeline; `most` 0: nothing was looked for
  no_idle_offer why = no_idle_offer::rules_broken;  ///< why the list is empty
};

namespace detail {

// Schedules that are tried: those that keep synchronous steps. One without a formula is passed over.
template <class... Schedules>
struct tried_schedules {
  static constexpr int count = sizeof...(Schedules);
  static constexpr schedule_spec at(int index) {
    schedule_spec found{};
    int here = 0;
    ((here++ == index ? void(found = Schedules::spec) : void()), ...);
    return found;
  }
};
using idle_schedules =
    tried_schedules<schedules::gpipe, schedules::one_f_one_b, schedules::eager_1f1b, schedules::interleaved<2>, schedules::interleaved<3>,
                    schedules::interleaved<4>, schedules::interleaved<5>, schedules::interleaved<6>, schedules::interleaved<8>,
                    schedules::looped_bfs<2>, schedules::looped_bfs<4>, schedules::zb_h1, schedules::interleaved_zb<2>, schedules::zb_h2,
                    schedules::zb_v, schedules::v_half, schedules::v_min, schedules::one_f_one_b_v, schedules::dual_pipe,
                    schedules::dual_pipe_v, schedules::chimera, schedules::hanayo<1>, schedules::hanayo<2>>;

// Changes by number, as far as a plan has them: halves of the micro-batch, larger batches (the last as large as memory lets it be),
// overlaps, schedules.
inline constexpr int idle_halves = 8;
inline constexpr int idle_batches = 3;
inline constexpr int idle_overlaps = 5;
template <class Schedules = idle_schedules>
inline constexpr int idle_candidates = idle_halves + idle_batches + idle_overlaps + Schedules::count;

constexpr remedy less_visible(remedy_kind kind, bool is_used, std::int64_t percent) {
  return is_used && percent < 100 ? remedy{kind, 100} : remedy{};
}

// As many sequences as fit, where memory ends them beside those that are doubled.
template <class Spec>
constexpr remedy largest_batch(const Spec& spec, const micro_batch_room& room) {
  const std::int64_t most = most_legal_micro_batches(spec, room);
  const std::int64_t now = derive(spec).micro_batches;
  if (most == 0 || most == 2 * now || most == 4 * now || spec.accumulation != unset) return {};
  return {remedy_kind::global_batch, with_micro_batches(spec, most).global_batch};
}

// `nothing_small_helps` where the plan, or its framework, has no such change. `room` is only looked at for a pipeline.
template <class Spec, class Schedules = idle_schedules>
constexpr idle_offer idle_candidate(const Spec& spec, const micro_batch_room& room, int index) {
  idle_offer offer{};
  if (index < idle_halves) {
    const std::int64_t micro = spec.micro_batch >> (index + 1);
    if (spec.pp > 1 && micro >= 1) offer.change = {remedy_kind::micro_batch, micro};
    return offer;
  }
  index -= idle_halves;
  if (index < idle_batches) {
    if (spec.pp <= 1) return offer;
    offer.change = index == idle_batches - 1
                       ? largest_batch(spec, room)
                       : remedy{remedy_kind::global_batch, saturating_multiply(spec.global_batch, std::int64_t{2} << index)};
    return offer;
  }
  index -= idle_batches;
  if (index < idle_overlaps) {
    const overlap_spec& now = spec.overlap;
    switch (index) {
      case 0: offer.change = less_visible(remedy_kind::hidden_tp, spec.tp > 1, now.tp); break;
      case 1: offer.change = less_visible(remedy_kind::hidden_cp, spec.cp > 1, now.cp); break;
      case 2: offer.change = less_visible(remedy_kind::hidden_ep, spec.ep > 1, now.ep); break;
      case 3: offer.change = less_visible(remedy_kind::hidden_pp, spec.pp > 1, now.pp); break;
      default: offer.change = less_visible(remedy_kind::hidden_dp, true, now.dp); break;
    }
    return offer;
  }
  if (spec.pp == 1) return offer;
  offer.schedule = Schedules::at(index - idle_overlaps);
  if (has_schedule(spec.framework, offer.schedule)) offer.change = {remedy_kind::schedule, offer.schedule.chunks};
  return offer;
}

// A valid plan that waits for something, as it is: what offers are held against.
struct idle_now {
  bool asked = false;  // whether there is anything to look for
  closed_form idle{};
  step_cost cost{};
  micro_batch_room room{};  // of a pipeline
};
// (Without the room, which takes more than one constant.)
template <class Spec>
constexpr idle_now idle_now_of(const Spec& spec) {
  if (!is_computable(spec) || count_violations(spec) != 0) return {};
  return {true, idle_share_of(spec), computed_cost(spec), {}};
}

// Whether the change is legal and the plan waits less with it: `offer` has the figures then.
template <class Spec>
constexpr bool waits_less(const Spec& spec, const idle_now& now, idle_offer& offer) {
  if (!now.asked || offer.change.kind == remedy_kind::nothing_small_helps) return false;
  const bool overlaps = offer.change.kind >= remedy_kind::hidden_tp;
  const Spec with = changed_by_offer(spec, offer);
  const closed_form idle = idle_share_of(with);
  if (!overlaps && (!now.idle.known || !idle.known || !(idle.value < now.idle.value))) return false;
  if (count_violations(with) != 0) return false;
  offer.cost = computed_cost(with);
  if ((overlaps || now.cost.seconds > 0) && offer.cost.tokens_per_second <= now.cost.tokens_per_second) return false;
  offer.idle = idle.value;
  offer.idle_before = now.idle.value;
  offer.cost_before = now.cost;
  offer.peak = computed_figures(with).peak_memory;
  return true;
}

// The candidate with that number and its figures; without a change where it does not help.
template <class Spec>
constexpr idle_offer answered(const Spec& spec, const idle_now& now, int index) {
  if (!now.asked) return {};
  idle_offer offer = idle_candidate(spec, now.room, index);
  if (!waits_less(spec, now, offer)) offer.change = {};
  return offer;
}

// Why a list is empty, or that it is not.
template <class Spec>
constexpr no_idle_offer why_no_offer(const Spec& spec, const idle_now& now, bool is_empty) {
  if (!is_empty) return no_idle_offer::none;
  if (!now.asked) return no_idle_offer::rules_broken;
  bool tries = spec.pp > 1;
  for (int index = 0; index < idle_overlaps; ++index)
    tries = tries || idle_candidate(spec, now.room, idle_halves + idle_batches + index).change.kind != remedy_kind::nothing_small_helps;
  return tries ? no_idle_offer::nothing_helps : no_idle_offer::nothing_to_hide;
}

constexpr bool goes_before(const idle_offer& left, const idle_offer& right) {
  if (left.cost.tokens_per_second > right.cost.tokens_per_second) return true;
  return !(left.cost.tokens_per_second < right.cost.tokens_per_second) && left.idle < right.idle;
}
template <class List>
constexpr void rank_in(List& list, const idle_offer& offer) {
  list.push_back(offer);  // there is room for all candidates
  for (std::size_t at = list.length - 1; at > 0 && goes_before(offer, list.values[at - 1]); --at) {
    list.values[at] = list.values[at - 1];
    list.values[at - 1] = offer;
  }
}

// A constant for each candidate, as in plan.hpp.
template <class Core>
inline constexpr idle_now idle_before_room = idle_now_of(Core::spec);
template <class Core>
constexpr idle_now idle_now_of_plan() {
  idle_now now = idle_before_room<Core>;
  if constexpr (idle_before_room<Core>.asked && Core::spec.pp > 1) now.room = room_of_plan<Core>();
  return now;
}
template <class Core>
inline constexpr idle_now idle_before = idle_now_of_plan<Core>();
template <class Core, int Index>
inline constexpr idle_offer idle_answer = answered(Core::spec, idle_before<Core>, Index);
template <class Core, int... Indices>
constexpr idle_offers idle_offers_of(index_pack<int, Indices...>) {
  static_assert(sizeof...(Indices) <= most_idle_offers);
  idle_offers list{};
  list.room = idle_before<Core>.room;
  ((idle_answer<Core, Indices>.change.kind != remedy_kind::nothing_small_helps ? rank_in(list, idle_answer<Core, Indices>) : void()), ...);
  list.why = why_no_offer(Core::spec, idle_before<Core>, list.empty());
  return list;
}

}  // namespace detail

/// What makes a valid plan wait less and keeps it valid, the most tokens a second first: a smaller micro-batch (more of them), a larger
/// batch (twice, four times, and as large as memory lets it be where that ends it), another schedule that keeps synchronous steps and that
/// the framework has (framework_has.hpp), communication that hides. Each idles less by the formulas of the schedules (an
/// overlap: no more), and is faster by the estimate of `timing` where the device has a rate. Empty for a plan that breaks a rule (`why`
/// says so); a schedule without a formula is only offered overlaps.
template <class Spec = plan_spec>
constexpr idle_offers less_idle(const Spec& spec) {
  idle_offers list{};
  detail::idle_now now = detail::idle_now_of(spec);
  if (!now.asked) return list;
  if (spec.pp > 1) now.room = room_for_micro_batches(spec);
  list.room = now.room;
  for (int index = 0; index < detail::idle_candidates<>; ++index) {
    const idle_offer offer = detail::answered(spec, now, index);
    if (offer.change.kind != remedy_kind::nothing_small_helps) detail::rank_in(list, offer);
  }
  list.why = detail::why_no_offer(spec, now, list.empty());
  return list;
}

/// `less_idle` of a plan type, as a constant.
template <plan_type Plan>
inline constexpr idle_offers less_idle_of =
    detail::idle_offers_of<detail::asked_plan<Plan>>(detail::make_index_pack<detail::idle_candidates<>>{});

}  // namespace shardplan
