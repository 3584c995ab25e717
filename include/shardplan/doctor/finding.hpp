// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/bytes.hpp>
#include <shardplan/core/size.hpp>
#include <shardplan/core/static_vector.hpp>
#include <shardplan/core/text.hpp>
#include <shardplan/doctor/cause.hpp>
#include <shardplan/doctor/evidence.hpp>
#include <shardplan/doctor/refusal.hpp>
#include <shardplan/plan/remedy.hpp>
#include <shardplan/plan/step_cost.hpp>
#include <shardplan/plan/violation.hpp>
#include <shardplan/schedule/schedule_spec.hpp>
#include <shardplan/spec/plan_spec.hpp>

#include <cstdint>

namespace shardplan {

/// What a finding offers against its cause.
enum class help_kind {
  nothing,  ///< the cause is excluded
  change,   ///< changes of the plan (`try_this` and those behind it), recomputed
  action,   ///< something to do that a plan does not say, see `action_of`; `why` says why no change of the plan is offered
};

/// Why a finding offers no change of the plan but something to do.
enum class no_change {
  none,           ///< it offers one, or the cause is excluded
  not_in_plan,    ///< the plan does not say what the cause hangs on, so nothing can be recomputed
  of_no_plan,     ///< the cause is ended outside a plan: in the program, its files, its settings
  nothing_found,  ///< of all changes that were tried, up to `most_treatment_steps` together, none ended it in a plan that keeps all rules
  nothing_faster  ///< what ends the cause is no faster by the plan's own estimate: computing hides it, or what ends it costs as much
};

/// Why no change is offered, in words; empty where one is, and where the cause itself says it.
constexpr const char* words_of(no_change why) {
  switch (why) {
    case no_change::none:
    case no_change::not_in_plan: return "";
    case no_change::of_no_plan: return "no change of the plan ends it";
    case no_change::nothing_found: return "no change of the plan that was tried, up to six together, ends it and keeps all rules";
    case no_change::nothing_faster: return "changes of the plan that end it are no faster by its estimate";
  }
  return "";
}

/// Most changes that are made together against one cause.
inline constexpr std::size_t most_treatment_steps = 6;

/// A cause of a symptom in a plan, with what supports or excludes it, and changes that were checked to help.
struct finding {
  cause which{};      ///< the cause
  evidence now{};     ///< its evidence
  refusal refused{};  ///< causes of `symptom::refused_at_start` that are not excluded: the broken rule, and who refuses the plan; causes
                      ///< of memory and of slowness in a plan that cannot be computed: the rule that keeps it from being
  help_kind help{};   ///< what is offered against it
  no_change why{};    ///< of the kind `action`: why no change is
  remedy try_this{};  ///< supported causes: the first change, of those that are tried, the least first, after which it is excluded and no
                      ///< rule is broken, and, where the cause is one of speed, more tokens a second are read; else
                      ///< `nothing_small_helps`
  remedy and_this{};  ///< with `try_this`, where no single change helps
  remedy further{};   ///< with both, where it takes three
  static_vector<remedy, most_treatment_steps - 3> more{};  ///< with all three: a plan that breaks several rules at once takes more
  schedule_spec schedule{};                                ///< of the kind `schedule`: the new one
  evidence after{};                                        ///< its evidence in the changed plan
  bytes peak{};                                            ///< memory of the worst rank; 0 where it could not be computed
  bytes memory{};                                          ///< of a device of the plan
  std::int64_t stage = 0;                                  ///< the pipeline stage of that rank
  bytes peak_after{};                                      ///< the same in the changed plan
  step_cost cost{};                                        ///< what a step costs: bytes between ranks, estimated times
  step_cost cost_after{};                                  ///< the same in the changed plan

  /// The change with that number in the order in which they are made; `nothing_small_helps` behind the last.
  constexpr remedy step(std::size_t index) const {
    if (index == 0) return try_this;
    if (index == 1) return and_this;
    if (index == 2) return further;
    return index - 3 < more.length ? more.values[index - 3] : remedy{};
  }
};

/// What a finding of the kind `action` says to do: `cause_entry::action`, and where it has none, or memory is short of what the plan needs
/// anyway, all that helps in general.
constexpr literal action_of(const finding& item) {
  const cause_entry& entry = entry_of(item.which);
  const bool needs_room = item.which <= cause::mem_host && item.which != cause::mem_comms && item.which != cause::mem_nosync;
  return item.now.says != standing::supported || needs_room || entry.action == literal{} ? entry.advice : entry.action;
}

/// `spec` with what a finding says to change.
template <class Spec = plan_spec>
constexpr Spec changed_by_finding(const Spec& spec, const finding& item) {
  Spec result = spec;
  bool reorders = false;
  for (std::size_t index = 0; index < most_treatment_steps; ++index) {
    detail::make_change(result, item.step(index));
    reorders = reorders || item.step(index).kind == remedy_kind::schedule;
  }
  if (reorders) result.schedule = item.schedule;
  return result;
}

}  // namespace shardplan
