// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/doctor/parallel_evidence.hpp>
#include <shardplan/spec/derived.hpp>
#include <shardplan/spec/plan_spec.hpp>

namespace shardplan {

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
