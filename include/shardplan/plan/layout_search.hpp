// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/size.hpp>
#include <shardplan/core/static_vector.hpp>
#include <shardplan/core/unset.hpp>
#include <shardplan/plan/framework_has.hpp>
#include <shardplan/plan/least_states.hpp>
#include <shardplan/plan/remedy.hpp>
#include <shardplan/plan/remedy_layout.hpp>
#include <shardplan/plan/remedy_set.hpp>
#include <shardplan/plan/rules/check.hpp>
#include <shardplan/plan/violation.hpp>
#include <shardplan/recipe/framework.hpp>
#include <shardplan/recipe/recompute.hpp>
#include <shardplan/spec/derived.hpp>
#include <shardplan/spec/plan_spec.hpp>

#include <cstdint>

// The last resort on the same devices: degrees up and down, with everything else as strong as it can be; what is not needed of that is
// taken back. Listed by the number of parameters alone, then judged one by one, a constant each in a plan type, so that a plan which is
// refused costs a bounded time and one that is not costs none.
namespace shardplan::detail {

// Most layouts that are judged of one plan. Of 10,000 random plans that do not fit 9 in 10 that any of 33 helped were helped by these.
inline constexpr std::size_t most_layouts = 24;
using layout_list = static_vector<std::int64_t, most_layouts>;

// A degree as it is, doubled and halved, and 1: the nearest first. So few that all together stay far within what Clang evaluates in one.
using degree_list = static_vector<std::int64_t, 8>;
template <class List = degree_list>
constexpr List degrees_around(std::int64_t said, std::int64_t most) {
  List list{};
  list.push_back(said);
  std::int64_t lower = said;
  bool halves = true;
  for (std::int64_t upper = said * 2; list.length + 3 <= list.capacity() && (upper <= most || halves); upper *= 2) {
    if (upper <= most) list.push_back(upper);
    halves = halves && lower % 2 == 0;
    if (halves) list.push_back(lower /= 2);
  }
  if (lower > 1) list.push_back(1);
  return list;
}

// The most sharding that the framework takes with these degrees.
template <class Spec>
constexpr layout_states strongest_states(const Spec& with) {
  if (with.sharding.is_fsdp()) return layout_states::as_said;
  if (!has_zero_stages(with.framework)) return layout_states::fsdp;
  std::int64_t stage = 3;
  if (with.sharding.layout == shard_layout::megatron_buckets) stage = 1;
  if (with.framework == frameworks::deepspeed) stage = with.pp > 1 ? 1 : with.model.experts.count > 0 && with.ep > 1 ? 2 : 3;
  if (stage == with.zero) return layout_states::as_said;
  return static_cast<layout_states>(static_cast<int>(layout_states::zero_0) + static_cast<int>(stage));
}

template <class Spec>
constexpr layout_change strongest_layout(const Spec& spec, const Spec& with, bool offloads) {
  layout_change change{};
  change.tp = with.tp == spec.tp ? 0 : with.tp;
  change.cp = with.cp == spec.cp ? 0 : with.cp;
  change.ep = with.ep == spec.ep ? 0 : with.ep;
  change.one_f_one_b = outlives_one_f_one_b(spec.schedule) || (spec.schedule.chunks > 1 && with.pp == 1);
  if (with.pp != spec.pp) {
    change.pp = with.pp;
    change.stages = with.pp == 1 && spec.layer_split.counts.length == 0 ? remedy_kind::pp : pipeline_kind(spec, with.pp);
  }
  change.states = strongest_states(with);
  change.recompute_full = spec.recompute != recomputes::full;
  change.micro_batch_one = spec.micro_batch > 1;
  change.says_dp = spec.dp != unset && with.tp * with.pp * with.cp != spec.tp * spec.pp * spec.cp;
  change.offloads = offloads;
  return change;
}

// What may fit by the number of its parameters alone, fewest degrees changed first.
template <class Spec>
constexpr layout_list layouts_of(const Spec& spec, const parameter_totals& totals, bool offloads) {
  layout_list list{};
  const std::int64_t world = spec.devices_per_node * spec.nodes;
  const std::int64_t most_stages = limits::stages > spec.model.layers ? spec.model.layers : limits::stages;
  const std::int64_t experts = spec.model.experts.count;
  const degree_list tps = degrees_around(spec.tp, limits::degree > spec.devices_per_node ? spec.devices_per_node : limits::degree);
  const degree_list pps = degrees_around(spec.pp, most_stages);
  const degree_list cps = degrees_around(spec.cp, most_context_ranks(spec));
  const degree_list eps = experts > 0 ? degrees_around(spec.ep, experts) : degree_list{{spec.ep}, 1};
  Spec with = spec;
  if (offloads) {
    if (spec.offload.states != storage::device) return list;
    make_change(with, {remedy_kind::offload_states_to_host, offload_value(spec.framework, spec.offload)});
  }
  for (int changes = 0; changes <= 4; ++changes)
    for (const std::int64_t ep : eps)
      for (const std::int64_t tp : tps)
        for (const std::int64_t pp : pps) {
          const int others = int(ep != spec.ep) + int(tp != spec.tp) + int(pp != spec.pp);
          if (others > changes || others + 1 < changes) continue;
          for (const std::int64_t cp : cps) {
            if (others + int(cp != spec.cp) != changes) continue;
            const std::int64_t replica = saturating_multiply(saturating_multiply(tp, pp), cp);
            if (replica > world || world % replica != 0 || spec.model.heads % tp != 0) continue;
            if (experts > 0 && (experts % ep != 0 || world % saturating_multiply(saturating_multiply(ep, spec.etp), pp) != 0)) continue;
            with.tp = tp;
            with.pp = pp;
            with.cp = cp;
            with.ep = ep;
            with.zero = spec.zero;
            const layout_states said = strongest_states(with);
            if (said >= layout_states::zero_0 && said <= layout_states::zero_3)
              with.zero = static_cast<std::int64_t>(said) - static_cast<std::int64_t>(layout_states::zero_0);
            const remedy fsdp = said == layout_states::fsdp ? remedy{remedy_kind::fsdp, 0} : remedy{};
            if (least_memory(with, totals, fsdp) > spec.device.memory.count) continue;
            list.push_back(remedy_of_layout(strongest_layout(spec, with, offloads)).value);
            if (list.length == list.capacity()) return list;
          }
        }
  return list;
}

// What is taken back, the costliest first; a step with nothing to take back is passed over.
inline constexpr int steps_of_relaxing = 5;
template <class Change = layout_change>
constexpr std::int64_t relaxed(std::int64_t value, int step) {
  Change change = layout_of<Change>(value);
  switch (step) {
    case 0: change.offloads = false; break;
    case 1: change.recompute_full = false; break;
    case 2: change.micro_batch_one = false; break;
    case 3: change.states = layout_states::as_said; break;
    default: change.one_f_one_b = false; break;
  }
  return remedy_of_layout(change).value;
}

// Where something is moved to the host the plan must be one whose framework moves it.
// (`Change` depends, here and below, so that a file which only includes this instantiates nothing.)
template <bool JudgesHost = true, class Change = layout_change, class Spec = plan_spec>
constexpr bool layout_helps(const Spec& spec, std::int64_t value) {
  if (layout_of<Change>(value).offloads && !moves_states(changed(spec, {remedy_kind::layout, relaxed<Change>(value, 0)}))) return false;
  return count_violations<JudgesHost>(changed(spec, {remedy_kind::layout, value})) == 0;
}

// The first layout that helps, without what is not needed of it; none where none of the listed does.
template <class Change = layout_change, class Spec = plan_spec>
constexpr remedy find_layout(const Spec& spec, const parameter_totals& totals) {
  for (int offloads = 0; offloads < 2; ++offloads)
    for (std::int64_t value : layouts_of(spec, totals, offloads != 0)) {
      if (!layout_helps(spec, value)) continue;
      for (int step = 0; step < steps_of_relaxing; ++step) {
        const std::int64_t less = relaxed<Change>(value, step);
        if (less != value && layout_helps(spec, less)) value = less;
      }
      return {remedy_kind::layout, value};
    }
  return {};
}

}  // namespace shardplan::detail
