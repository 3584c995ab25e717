// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/bytes.hpp>
#include <shardplan/core/checked.hpp>
#include <shardplan/doctor/observations.hpp>
#include <shardplan/memory/memory.hpp>
#include <shardplan/plan/rules/check.hpp>
#include <shardplan/spec/derived.hpp>
#include <shardplan/spec/plan_spec.hpp>

#include <cstdint>

namespace shardplan {

/// What a plan says of a cause.
enum class standing {
  supported,    ///< its figure is beyond its limit
  not_in_plan,  ///< the plan does not say: the figure is what is at stake
  excluded,     ///< its figure is within its limit
};

/// The name of a standing.
constexpr const char* name_of(standing which) {
  constexpr const char* names[] = {"supported", "not in the plan", "excluded"};
  return detail::nth_of(names, static_cast<int>(which));
}

/// The figure of a plan that supports or excludes a cause. Its unit is that of the cause (`entry_of(cause).unit`).
struct evidence {
  standing says = standing::excluded;  ///< supported exactly when the figure is above the limit, and the plan can tell
  std::int64_t figure = 0;             ///< see `cause_entry::figure`
  std::int64_t limit = 0;              ///< the largest value that excludes it
  std::int64_t weight = 0;             ///< per mille of the device, of the step or of all that went wrong: what causes are ranked by
  std::int64_t grave = 0;              ///< the largest value that is a warning only; the limit, where anything beyond it is a fault

  /// Whether the figure is beyond what is a warning only.
  constexpr bool is_grave() const { return says == standing::supported && figure > grave; }

  friend constexpr bool operator==(const evidence& left, const evidence& right) {
    return left.says == right.says && left.figure == right.figure && left.limit == right.limit && left.weight == right.weight &&
           left.grave == right.grave;
  }
};

namespace detail {

// A plan with the accounts that several causes read.
struct patient {
  const plan_spec& spec;
  bool computable = false;  // the rest counts only then
  memory_layout layout{};
  peak_account peak{};
  phase_reports worst{};  // of the peak stage
};

template <class Spec = plan_spec>
constexpr patient examined(const Spec& spec, bool phases = true) {
  patient result{spec, is_computable(spec), {}, {}, {}};
  if (!result.computable) return result;
  result.layout = memory_layout_of(spec);
  result.peak = peak_of(spec, result.layout);
  if (phases) result.worst = phases_of_stage(spec, result.layout, result.peak.stage);
  return result;
}

// `part` of `whole` in thousandths, rounded down; no overflow.
constexpr std::int64_t per_mille(std::int64_t part, std::int64_t whole) {
  if (whole <= 0 || part <= 0) return 0;
  while (part > INT64_MAX / 1000) {
    part /= 2;
    whole /= 2;
  }
  return whole == 0 ? 1000 : part * 1000 / whole;
}

// `part` of `whole` in thousandths, rounded up: above a limit exactly when the share is.
constexpr std::int64_t per_mille_up(std::int64_t part, std::int64_t whole) {
  const std::int64_t share = per_mille(part, whole);
  if (whole <= 0 || part <= 0 || part > INT64_MAX / 1000) return share;
  return share + (part * 1000 % whole != 0);
}

constexpr evidence judged_twice(std::int64_t figure, std::int64_t limit, std::int64_t grave, std::int64_t weight) {
  return {figure > limit ? standing::supported : standing::excluded, figure, limit, weight, grave > limit ? grave : limit};
}
constexpr evidence judged(std::int64_t figure, std::int64_t limit, std::int64_t weight) {
  return judged_twice(figure, limit, limit, weight);
}
// A cause that is no matter of degree: when it is there, it is all that went wrong.
constexpr evidence judged(std::int64_t figure, std::int64_t limit = 0) { return judged(figure, limit, figure > limit ? 1000 : 0); }
// What a plan cannot tell; excluded where nothing is at stake.
constexpr evidence unsaid_in_plan(std::int64_t at_stake, std::int64_t nothing = 0) {
  return {at_stake > nothing ? standing::not_in_plan : standing::excluded, at_stake, nothing, 0, nothing};
}
// The same where it was observed: all that is at stake, or nothing of it.
constexpr evidence observed_in_run(seen what, std::int64_t at_stake, std::int64_t nothing, std::int64_t weight = 1000) {
  if (what == seen::unknown || at_stake <= nothing) return unsaid_in_plan(at_stake, nothing);
  return judged(at_stake, what == seen::wrong ? nothing : at_stake, what == seen::wrong ? weight : 0);
}

}  // namespace detail

}  // namespace shardplan
