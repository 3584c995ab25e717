// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/size.hpp>
#include <shardplan/core/static_vector.hpp>
#include <shardplan/core/unset.hpp>
#include <shardplan/memory/host.hpp>
#include <shardplan/memory/memory.hpp>
#include <shardplan/memory/phase.hpp>
#include <shardplan/memory/rank_of_head.hpp>
#include <shardplan/parallel/axis.hpp>
#include <shardplan/parallel/topology.hpp>
#include <shardplan/plan/advice_note.hpp>
#include <shardplan/plan/evaluate.hpp>
#include <shardplan/plan/fact_of.hpp>
#include <shardplan/plan/facts.hpp>
#include <shardplan/plan/framework_has.hpp>
#include <shardplan/plan/idle.hpp>
#include <shardplan/plan/quantity.hpp>
#include <shardplan/plan/rules/check.hpp>
#include <shardplan/plan/verdict.hpp>
#include <shardplan/spec/derived.hpp>
#include <shardplan/spec/mesh_of.hpp>
#include <shardplan/spec/plan_spec.hpp>

#include <cstdint>

namespace shardplan {

/// The advice on one plan, in the order of `advice`.
using advice_notes = static_vector<advice_note, advice_kinds>;

namespace detail {

constexpr advice_note note_if(advice kind, bool holds, measured first, measured second) {
  if (!holds) return {kind};
  return {kind, true, first, second};
}

constexpr std::int64_t percent_of_whole(std::int64_t part, std::int64_t whole) {
  return whole < 100 ? 100 * part / whole : part / (whole / 100);
}

template <class Spec>
constexpr advice_note note_uneven_stages(const Spec& spec) {
  const std::int64_t most_stages = 128;  // more are not summed in one constant
  std::int64_t sum = 0;
  std::int64_t fullest = 0;
  if (spec.pp == 1 || spec.pp > most_stages) return {advice::uneven_stages};
  const memory_layout layout = memory_layout_of(spec);
  for (std::int64_t stage = 0; stage < spec.pp; ++stage) {
    const std::int64_t total = unchecked_total(account_of_stage(spec, layout, stage).device);
    sum += total / spec.pp;
    if (total > fullest) fullest = total;
  }
  const std::int64_t percent = percent_of_whole(fullest, sum);
  return note_if(advice::uneven_stages, percent > 115, {quantity::percent, percent}, {quantity::pp, spec.pp});
}

template <class Spec>
constexpr advice_note note_needless_recompute(const Spec& spec) {
  if (spec.recompute != recomputes::full) return {advice::needless_recompute};
  Spec without = spec;
  without.recompute = recomputes::none;
  return note_if(advice::needless_recompute, count_violations(without) == 0, {quantity::micro_batch, spec.micro_batch},
                 {quantity::sequence, spec.sequence});
}

template <class Spec>
constexpr advice_note note_idle(const Spec& spec) {
  const closed_form idle = idle_share_of(spec);
  const std::int64_t percent = idle.known ? 100 * idle.value.numerator / idle.value.denominator : 0;
  return note_if(advice::pipeline_idles, percent > 10, {quantity::percent, percent}, {quantity::micro_batches, derive(spec).micro_batches});
}

template <class Spec>
constexpr advice_note note_memory(const Spec& spec) {
  const std::int64_t peak = peak_of(spec, memory_layout_of(spec)).total.count;
  const std::int64_t percent = percent_of_whole(peak, spec.device.memory.count);
  return note_if(advice::little_memory_left, percent > 90 && peak <= spec.device.memory.count, {quantity::percent, percent},
                 {quantity::device_memory_bytes, spec.device.memory.count});
}

template <class Spec>
constexpr advice_note note_host(const Spec& spec) {
  if (spec.host_memory_gibibytes == unset) return {advice::tight_host_memory};
  const std::int64_t needs = host_account(spec, memory_layout_of(spec)).total().count;
  const std::int64_t percent = percent_of_whole(needs, spec.host_memory_gibibytes << 30);
  return note_if(advice::tight_host_memory, percent > 80 && percent <= 100, {quantity::percent, percent},
                 {quantity::host_memory, spec.host_memory_gibibytes});
}

template <class Spec>
constexpr advice_note note_loading(const Spec& spec) {
  if (spec.host_memory_gibibytes == unset) return {advice::host_cannot_load};
  const std::int64_t needs = host_account(spec, memory_layout_of(spec)).loading.count;
  const std::int64_t has = spec.host_memory_gibibytes << 30;
  return note_if(advice::host_cannot_load, needs > has, {quantity::percent, percent_of_whole(needs - 1, has) + 1},  // rounded up
                 {quantity::host_memory, spec.host_memory_gibibytes});
}

// Held against the devices that a group leaves: those of a host, or those that the fabric joins where that is less, or more than a host.
template <class Spec>
constexpr advice_note note_fabric(const Spec& spec) {
  if (spec.tp == 1) return {advice::tp_across_nodes};
  const topology where = topology_of(spec);
  const axis_link link = link_of(mesh_of(spec), where, axis::tp);
  const bool leaves_host = link.kind == link_kind::network && where.fabric_domain <= where.devices_per_node;
  return note_if(
      advice::tp_across_nodes, link.over_fabric.astride() > 0, {quantity::tp, spec.tp},
      leaves_host ? measured{quantity::devices_per_node, where.devices_per_node} : measured{quantity::fabric_domain, where.fabric_domain});
}

// A pair of a switchless mesh has one link: a group of n ranks uses n - 1 of each device (topology.hpp, `link_of`).
template <class Spec>
constexpr advice_note note_links(const Spec& spec) {
  const topology where = topology_of(spec);
  if (spec.tp == 1 || where.fabric_pair == 0) return {advice::tp_on_few_links};
  const axis_link link = link_of(mesh_of(spec), where, axis::tp);
  return note_if(advice::tp_on_few_links, link.kind == link_kind::fabric && link.bytes_per_second < where.fabric, {quantity::tp, spec.tp},
                 {quantity::fabric_domain, where.fabric_domain});
}

template <class Spec>
constexpr advice_note note_micro_batches(const Spec& spec) {
  const std::int64_t count = derive(spec).micro_batches;
  return note_if(advice::fewer_micro_batches_than_stages, count < spec.pp, {quantity::micro_batches, count}, {quantity::pp, spec.pp});
}

// On the rank that has the head, while the loss or the head's backward runs.
template <class Spec>
constexpr advice_note note_logits(const Spec& spec) {
  const memory_layout layout = memory_layout_of(spec);
  const phase_reports phases = phases_of_stage(spec, layout, rank_of_head(spec, layout.facts));
  const std::int64_t in_loss = phases[phase::loss].logits.count;
  const std::int64_t behind = phases[phase::head_backward].logits.count;
  const std::int64_t percent = percent_of_whole(in_loss > behind ? in_loss : behind, spec.device.memory.count);
  return note_if(advice::large_logits, percent > 10, {quantity::percent, percent}, {quantity::vocabulary, layout.facts.vocabulary});
}

// By what plan/framework_has.hpp knows. Forks have other schedules, and people say ZeRO-2 and 3 of FSDP: nothing is refused.
template <class Spec>
constexpr advice_note note_framework(const Spec& spec) {
  const bool has_sharding = spec.sharding.is_fsdp() ? has_fsdp(spec.framework) : spec.zero <= 0 || has_zero_stages(spec.framework);
  if (has_sharding)
    return note_if(advice::not_in_framework, spec.pp > 1 && !has_schedule(spec.framework, spec.schedule),
                   {quantity::chunks, spec.schedule.chunks}, {quantity::pp, spec.pp});
  return note_if(advice::not_in_framework, true, {quantity::zero, sharding_stage(spec)},
                 {quantity::dp_x_cp, derive(spec).grid.dense_shards()});
}

// Whether one advice holds for a spec that broke no rule of the first two tiers.
template <class Spec>
constexpr advice_note note_of(const Spec& spec, advice kind) {
  const auto& shape = spec.model;
  const std::int64_t kv_heads = shape.key_value_heads();
  switch (kind) {
    case advice::tp_across_nodes: return note_fabric(spec);
    case advice::zero_with_one_replica:
      return note_if(kind, sharding_stage(spec) > 0 && derive(spec).grid.dense_shards() == 1, {quantity::zero, sharding_stage(spec)},
                     {quantity::dp_x_cp, 1});
    case advice::sequence_parallel_at_tp_1:
      return note_if(kind, spec.tp == 1 && spec.sequence_parallel == toggle::on, {quantity::tp, 1}, {quantity::sequence, spec.sequence});
    case advice::replicated_kv_heads: return note_if(kind, spec.tp > kv_heads, {quantity::kv_heads, kv_heads}, {quantity::tp, spec.tp});
    case advice::sharded_gradients_in_pipeline:
      return note_if(kind, spec.pp > 1 && shards_gradients(spec), {quantity::zero, sharding_stage(spec)}, {quantity::pp, spec.pp});
    case advice::experts_in_tp_without_sequence_parallel:
      return note_if(kind, shape.experts.count > 0 && spec.tp > 1 && !is_sequence_parallel(spec), {quantity::tp, spec.tp},
                     {quantity::expert_count, shape.experts.count});
    case advice::narrow_matrices: {
      const bool hidden = shape.hidden / spec.tp % 128 != 0;
      const std::int64_t width = hidden ? shape.hidden : shape.ffn;
      return note_if(kind, spec.tp > 1 && width / spec.tp % 128 != 0, {quantity::tp, spec.tp},
                     {hidden ? quantity::hidden : quantity::ffn, width});
    }
    case advice::little_memory_left: return note_memory(spec);
    case advice::tight_host_memory: return note_host(spec);
    case advice::uneven_stages: return note_uneven_stages(spec);
    case advice::large_logits: return note_logits(spec);
    case advice::needless_recompute: return note_needless_recompute(spec);
    case advice::pipeline_idles: return note_idle(spec);
    case advice::fewer_micro_batches_than_stages: return note_micro_batches(spec);
    case advice::host_cannot_load: return note_loading(spec);
    case advice::tp_on_few_links: return note_links(spec);
    case advice::not_in_framework: return note_framework(spec);
  }
  return {};
}

}  // namespace detail

/// What may be better in `spec`: warnings, in the order of `advice`. Empty when a rule of the first two tiers is broken.
template <class Spec = plan_spec>
constexpr advice_notes advice_in(const Spec& spec) {
  advice_notes list{};
  if (!detail::is_computable(spec)) return list;
  for (int kind = 0; kind < advice_kinds; ++kind) {
    const advice_note note = detail::note_of(spec, static_cast<advice>(kind));
    if (note.given) list.push_back(note);
  }
  return list;
}

/// An advice as a type, never defined: what it is, its number and what that is held against.
template <advice Kind, class First, class Second>
struct advised;

/// The advice on a plan as types.
template <class... Notes>
struct advice_list {
  /// How many there are.
  static constexpr int count = static_cast<int>(sizeof...(Notes));
};

namespace detail {

// A constant for each, so that each has a budget of its own.
template <class Plan, int Kind>
inline constexpr advice_note note_of_plan = note_of(Plan::spec, static_cast<advice>(Kind));

template <advice Kind, class First, class Second, class... Notes>
advice_list<advised<Kind, First, Second>, Notes...>* in_front(First*, Second*, const advice_list<Notes...>*);

template <class Plan, int Kind>
constexpr auto notes_from() {
  if constexpr (Kind == advice_kinds) {
    return static_cast<advice_list<>*>(nullptr);
  } else if constexpr (!note_of_plan<Plan, Kind>.given) {
    return notes_from<Plan, Kind + 1>();
  } else {
    constexpr advice_note note = note_of_plan<Plan, Kind>;
    using first = fact_key<note.first.what, note.first.value>;
    using second = fact_key<note.second.what, note.second.value>;
    return decltype(in_front<note.kind>(fact_of(first{}), fact_of(second{}), notes_from<Plan, Kind + 1>()))(nullptr);
  }
}
template <class Plan>
constexpr auto notes_of_plan() {
  if constexpr (is_computable(Plan::spec)) {
    return notes_from<Plan, 0>();
  } else {
    return static_cast<advice_list<>*>(nullptr);
  }
}

}  // namespace detail

/// What may be better in a plan, as a list of types: `advice_list<advised<advice::tp_across_nodes, tp<16>, devices_per_node<8>>>`. It never
/// stops a build, and a plan that is not asked pays nothing.
template <plan_type Plan>
using advice_of = typename detail::plain_target<decltype(detail::notes_of_plan<detail::asked_plan<Plan>>())>::type;

}  // namespace shardplan
