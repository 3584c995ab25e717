// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/checked.hpp>
#include <shardplan/doctor/cause.hpp>
#include <shardplan/doctor/end_stage_evidence.hpp>
#include <shardplan/doctor/evidence.hpp>
#include <shardplan/memory/held.hpp>
#include <shardplan/memory/host.hpp>
#include <shardplan/memory/memory.hpp>
#include <shardplan/memory/rank_of_head.hpp>
#include <shardplan/memory/working_set.hpp>
#include <shardplan/plan/least_states.hpp>
#include <shardplan/recipe/headroom.hpp>
#include <shardplan/spec/derived.hpp>
#include <shardplan/spec/plan_spec.hpp>

#include <cstdint>

namespace shardplan {

/// Memory of one communicator: 0.1 to 0.7 GB each in public reports (NVIDIA/nccl issues 864, 964 and 986).
inline constexpr std::int64_t communicator_bytes = std::int64_t{256} << 20;

/// Context and communicators beyond this are grave where they find no room: a few GB are gone before any tensor.
inline constexpr std::int64_t many_communicators = std::int64_t{2} << 30;

namespace detail {

// Groups that a rank of the plan talks in: one communicator each.
constexpr std::int64_t groups_of_rank(const plan_spec& spec, const degrees& grid) {
  const bool experts = spec.model.experts.count > 0;
  return (grid.tp > 1) + (grid.pp > 1) + (grid.cp > 1) + (grid.dp > 1) + (grid.cp > 1 && grid.dp > 1) + (experts && grid.ep > 1) +
         (experts && grid.etp > 1) + (experts && grid.ep > 1 && grid.expert_shards() > 1) + (grid.pp > 1 && spec.model.tied_embeddings);
}

// The largest value of all pipeline ranks; inner ones that are alike are all represented by one.
template <class Measure>
constexpr std::int64_t most_of_stages(const patient& who, Measure measure) {
  const bool alike = who.spec.pp > 3 && stages_are_alike(who.spec);
  std::int64_t most = 0;
  for (std::int64_t stage = 0; stage < who.spec.pp; ++stage) {
    if (alike && stage > 1 && stage < who.spec.pp - 1) continue;
    const std::int64_t value =
        measure(stage == who.peak.stage ? who.worst[who.worst.peak] : account_of_stage(who.spec, who.layout, stage).device);
    if (value > most) most = value;
  }
  return most;
}

constexpr evidence states_evidence(const patient& who) {
  const std::int64_t capacity = who.spec.device.memory.count;
  const std::int64_t states = most_of_stages(who, [](const memory_report& report) { return report.states().count + report.reserve.count; });
  return judged_twice(states, capacity / 10 * 9, capacity, per_mille(states, capacity));
}

constexpr evidence activations_evidence(const patient& who) {
  const memory_report& report = who.worst[who.worst.peak];
  const std::int64_t capacity = who.spec.device.memory.count;
  const std::int64_t kept = report.activations.count + report.working.count;
  const std::int64_t room = capacity - (report.total().count - kept);
  return judged(kept, room < 0 ? 0 : room, per_mille(kept, capacity));
}

constexpr evidence logits_evidence(const patient& who) {
  const phase_reports last = phases_of_stage(who.spec, who.layout, rank_of_head(who.spec, who.layout.facts));
  const std::int64_t capacity = who.spec.device.memory.count;
  const bool in_loss = last[phase::loss].logits >= last[phase::head_backward].logits;
  const memory_report& report = last[in_loss ? phase::loss : phase::head_backward];
  const std::int64_t most = report.logits.count;
  return judged_twice(most, capacity / 10, capacity - (unchecked_total(report) - most), per_mille(most, capacity));
}

// What later steps need beyond the first backward pass, which ran.
constexpr evidence first_step_evidence(const patient& who) {
  const std::int64_t capacity = who.spec.device.memory.count;
  const std::int64_t before = unchecked_total(who.worst[phase::first_step]);
  std::int64_t after = unchecked_total(who.worst[who.worst.peak]);
  const std::int64_t step = unchecked_total(who.worst[phase::optimizer_step]);
  if (step > after) after = step;
  const std::int64_t growth = after - before;
  // A first backward that does not fit is the end before any optimizer.
  return judged(before > capacity ? 0 : growth, before > capacity ? 0 : capacity - before, per_mille(growth, capacity));
}

// Two units and a gradient, of the largest unit, or what is gathered at once, if that is more: too much where all else leaves room, but
// none for it, and a warning where the unit is more than a tenth of the model.
constexpr evidence unit_evidence(const patient& who) {
  if (!shards_weights(who.spec)) return judged(0);
  const memory_report& report = who.worst[who.worst.peak];
  const std::int64_t capacity = who.spec.device.memory.count;
  const model_units& units = who.layout.units;
  const transformer& shape = who.spec.model;
  const std::int64_t unit = gathered_by(units, shape.dense_layers() > 0, shape.experts.count > 0, true, true, false, false).largest;
  const parameter_totals totals = totals_of(who.spec);
  const std::int64_t model = totals.dense / who.spec.tp + totals.routed / (who.spec.ep * who.spec.etp);
  const std::int64_t bytes_of_unit = 2 * who.spec.precision.compute + who.spec.precision.gradient;
  const std::int64_t working = report.working.count;
  const std::int64_t most = working > unit * bytes_of_unit ? working : unit * bytes_of_unit;
  const std::int64_t room = capacity - (unchecked_total(report) - working);
  const std::int64_t grave = room < 0 ? capacity : room;
  const std::int64_t tenth = unit > model / 10 ? model / 10 * bytes_of_unit : grave;
  return judged_twice(most, tenth < grave ? tenth : grave, grave, per_mille(most, capacity));
}

// What gradients take more whole than sharded. A plan with `late_sync` keeps them whole (states.hpp); of any other it is not known whether
// the program reduces them late all the same: then the peak is without it.
constexpr evidence nosync_evidence(const patient& who) {
  const std::int64_t capacity = who.spec.device.memory.count;
  const memory_report& report = who.worst[who.worst.peak];
  const std::int64_t free = capacity - who.peak.total.count;
  const bool accumulates = shards_gradients(who.spec) && who.layout.facts.micro_batches > 1;
  if (!accumulates) return judged(0, free < 0 ? 0 : free, 0);
  if (shards_weights(who.spec) && who.spec.communication.late_sync) {
    plan_spec early = who.spec;
    early.communication.late_sync = false;
    const phase_reports sharded = phases_of_stage(early, memory_layout_of(early), who.peak.stage);
    const std::int64_t extra = report.gradients.count - sharded[who.worst.peak].gradients.count;
    const std::int64_t room = capacity - (unchecked_total(report) - extra);
    return judged(extra, room < 0 ? 0 : room, per_mille(extra, capacity));
  }
  const parameter_sum held = held_by(who.layout, extent_of_stage(who.spec, who.layout.facts, who.peak.stage));
  const std::int64_t whole = (held.dense + held.routed) * (who.spec.precision.gradient + who.spec.precision.accumulator);
  return unsaid_in_plan(whole - report.gradients.count, free < 0 ? 0 : free);
}

constexpr evidence communicators_evidence(const patient& who) {
  const std::int64_t needs = default_headroom::device_context.count + communicator_bytes * groups_of_rank(who.spec, who.layout.facts.grid);
  // What is left beside everything but the reserve, which stands for them; of a plan that does not fit the reserve alone.
  const std::int64_t free = who.spec.device.memory.count - who.peak.total.count;
  const std::int64_t room = (who.spec.headroom_mebibytes << 20) + (free > 0 ? free : 0);
  return judged_twice(needs, room, many_communicators, per_mille(needs, who.spec.device.memory.count));
}

constexpr evidence skew_evidence(const patient& who) {
  const std::int64_t capacity = who.spec.device.memory.count;
  if (who.spec.model.experts.count == 0) return judged(0, capacity, 0);
  plan_spec uneven = who.spec;
  if (uneven.expert_load.percent < 200) uneven.expert_load.percent = 200;
  const std::int64_t peak = is_computable(uneven) ? peak_of(uneven, memory_layout_of(uneven)).total.count : 0;
  return judged(peak, capacity, per_mille(peak - who.peak.total.count, capacity));
}

constexpr evidence fragment_evidence(const patient& who) {
  const std::int64_t share = per_mille_up(who.peak.total.count, who.spec.device.memory.count);
  return judged(share, 900, share);
}

// A checkpoint has the master copy where there is one, else the weights, and the optimizer state.
constexpr evidence resume_evidence(const patient& who) {
  const auto copy_of = [](const memory_report& report) {
    return (report.master.count > 0 ? report.master.count : report.weights.count) + report.optimizer.count;
  };
  const std::int64_t capacity = who.spec.device.memory.count;
  const std::int64_t needs = most_of_stages(who, [&](const memory_report& report) {
    return report.states().count + report.reserve.count + report.buffers.count + copy_of(report);
  });
  return judged(needs, capacity, per_mille(most_of_stages(who, copy_of), capacity));
}

constexpr evidence host_evidence(const patient& who) {
  const std::int64_t needs = host_account(who.spec, who.layout).total().count;
  if (who.spec.host_memory_gibibytes == unset) return unsaid_in_plan(needs);
  const std::int64_t has = who.spec.host_memory_gibibytes << 30;
  return judged(needs, has / 10 * 8, per_mille(needs, has));
}

constexpr evidence memory_evidence(const patient& who, cause which) {
  switch (which) {
    case cause::mem_states: return states_evidence(who);
    case cause::mem_activations: return activations_evidence(who);
    case cause::mem_logits: return logits_evidence(who);
    case cause::mem_first_stage: return end_stage_evidence(who, 0);
    case cause::mem_last_stage: return end_stage_evidence(who, rank_of_head(who.spec, who.layout.facts));
    case cause::mem_in_flight: return in_flight_evidence(who);
    case cause::mem_embedding: return embedding_evidence(who);
    case cause::mem_head: return head_evidence(who);
    case cause::mem_first_step: return first_step_evidence(who);
    case cause::mem_unit: return unit_evidence(who);
    case cause::mem_nosync: return nosync_evidence(who);
    case cause::mem_comms: return communicators_evidence(who);
    case cause::mem_moe_skew: return skew_evidence(who);
    case cause::mem_fragment: return fragment_evidence(who);
    case cause::mem_resume: return resume_evidence(who);
    default: return host_evidence(who);
  }
}

}  // namespace detail

}  // namespace shardplan
