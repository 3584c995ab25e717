// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/checked.hpp>
#include <shardplan/core/size.hpp>
#include <shardplan/core/static_vector.hpp>
#include <shardplan/core/text.hpp>
#include <shardplan/core/unset.hpp>
#include <shardplan/memory/host.hpp>
#include <shardplan/memory/memory.hpp>
#include <shardplan/parallel/axis.hpp>
#include <shardplan/parallel/topology.hpp>
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

/// What may be better in a plan that works: a warning, which never stops a build. Each has a line in docs/reference/rules.md.
enum class advice {
  tp_across_nodes,                ///< tensor parallel groups leave their fabric: each layer talks over the network or through the host
  zero_with_one_replica,          ///< there is nobody to share states with
  sequence_parallel_at_tp_1,      ///< there is nobody to share the sequence with
  replicated_kv_heads,            ///< fewer key/value heads than tp ranks: each holds a copy; torch's tensor parallelism refuses it
  sharded_gradients_in_pipeline,  ///< gradients are reduced for each micro-batch; DeepSpeed refuses it
  experts_in_tp_without_sequence_parallel,  ///< each tp rank routes all tokens; Megatron-LM refuses it
  narrow_matrices,                          ///< tp leaves widths that are no multiple of 128: kernels waste part of their tiles
  little_memory_left,                       ///< more than 90 % of the device: fragmentation may end the run
  tight_host_memory,                        ///< more than 80 % of the host: pinned buffers and processes need the rest
  uneven_stages,                            ///< the fullest stage needs more than 15 % above the mean
  large_logits,                             ///< fp32 logits and their gradient take more than 10 % of the device
  needless_recompute,                       ///< everything is computed again, and the plan fits without
  pipeline_idles,                           ///< more than 10 % of a step
  fewer_micro_batches_than_stages,          ///< some ranks of the pipeline never work at the same time; torchtitan refuses it
  host_cannot_load,                         ///< each rank loading the whole model takes more than the host has
  tp_on_few_links,                          ///< on a switchless mesh tensor parallel groups use some of a device's links only
  not_in_framework,                         ///< the framework has no such schedule, or no such word for how states are sharded
};

/// The number of kinds of advice.
inline constexpr int advice_kinds = static_cast<int>(advice::not_in_framework) + 1;

/// One advice with its numbers.
struct advice_note {
  advice kind{};       ///< what
  bool given = false;  ///< whether it holds
  measured first{};    ///< the number it is about
  measured second{};   ///< what it is held against

  friend constexpr bool operator==(const advice_note&, const advice_note&) = default;
};

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
  return note_if(advice::pipeline_idles, percent > 10, {quantity::percent, percent}, {quantity::accumulation, derive(spec).micro_batches});
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
  return note_if(advice::host_cannot_load, needs > has, {quantity::percent, percent_of_whole(needs, has)},
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
  return note_if(advice::fewer_micro_batches_than_stages, count < spec.pp, {quantity::accumulation, count}, {quantity::pp, spec.pp});
}

template <class Spec>
constexpr advice_note note_logits(const Spec& spec) {
  const derived facts = derive(spec);
  const std::int64_t logits = saturating_multiply(4 * facts.tokens, facts.vocabulary / spec.tp);
  const std::int64_t percent = percent_of_whole(saturating_multiply(2, logits), spec.device.memory.count);
  return note_if(advice::large_logits, percent > 10, {quantity::percent, percent}, {quantity::vocabulary, facts.vocabulary});
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

namespace detail {
// What an advice is called, what it says, when it is given, and what follows from it or helps.
struct advice_words {
  const char* name;
  const char* reason;
  const char* condition;
  const char* consequence;
};
inline constexpr advice_words words_of_advice[] = {
    {"tp_across_nodes", "tensor parallel groups leave their fabric: each layer talks over the network or through the host",
     "a tensor parallel group does not lie in one fabric domain",
     "four all-reduces a layer, or as many gathers and scatters, over the network or PCIe"},
    {"zero_with_one_replica", "there is nobody to share states with", "states are sharded over one rank", "nothing is shared"},
    {"sequence_parallel_at_tp_1", "there is nobody to share the sequence with", "said with tp 1", "Megatron-LM switches it off"},
    {"replicated_kv_heads", "key/value heads are held more than once; torch's tensor parallelism refuses it", "`kv_heads` < tp",
     "each rank holds a copy; torchtitan and fsdp2 refuse it"},
    {"sharded_gradients_in_pipeline", "gradients are reduced for each micro-batch; DeepSpeed refuses it", "ZeRO-2, 3 or FSDP with pp > 1",
     "one reduce-scatter a micro-batch; DeepSpeed refuses it"},
    {"experts_in_tp_without_sequence_parallel", "each tensor parallel rank routes all tokens; Megatron-LM refuses it",
     "experts, tp > 1, sequence not shared", "Megatron-LM refuses it"},
    {"narrow_matrices", "matrices of a rank are no multiple of 128 wide", "`hidden` / tp or `ffn` / tp is no multiple of 128",
     "kernels waste part of their tiles"},
    {"little_memory_left", "more than 90 % of the device's memory is spoken for", "more than 90 % of the device",
     "fragmentation may end the run"},
    {"tight_host_memory", "more than 80 % of the host's memory is spoken for", "more than 80 % of the host",
     "data loading and the system need the rest (DeepSpeed issue 3448: 750 to 800 GB where the states are 586)"},
    {"uneven_stages", "the fullest stage needs much more than the mean", "the fullest stage is more than 15 % above the mean",
     "the others have memory to spare"},
    {"large_logits", "fp32 logits and their gradient take more than 10 % of the device",
     "fp32 logits and their gradient are more than 10 % of the device", "a chunked or fused loss"},
    {"needless_recompute", "the plan fits without full recomputation", "the plan fits without full recomputation",
     "a third of the arithmetic"},
    {"pipeline_idles", "the pipeline idles for more than 10 % of a step", "more than 10 % of a step, by closed form",
     "`less_idle_of<Plan>` says what helps"},
    {"fewer_micro_batches_than_stages", "fewer micro-batches than pipeline ranks: some never work at the same time", "m < pp",
     "pp - m ranks wait at any time; torchtitan's 1F1B and Megatron-LM's interleaving refuse it"},
    {"host_cannot_load", "each rank loading the whole model in fp32 takes more than the host has: load on one, or on a meta device",
     "with `host_memory<>`: devices of a node x 4 bytes x parameters are more than it",
     "load on one rank and broadcast, or on a meta device (transformers issue 25107)"},
    {"tp_on_few_links",
     "each device of a tensor parallel group uses one link of a switchless mesh for each other rank, and leaves the rest idle",
     "on a fabric without a switch (MI300X, Gaudi, Ascend) tp groups of n ranks use n - 1 links of a device, fewer than it has",
     "tp 2 has one of an MI300X's seven links: tp over the whole mesh, or none"},
    {"not_in_framework", "the framework has no such schedule, or no such word for how states are sharded",
     "`zero<1>` to `zero<3>` under torchtitan and fsdp2, `fsdp` under DeepSpeed, with pp > 1 a schedule of the catalog that the framework "
     "does not have",
     "a fork may have it; else say `fsdp<>`, `zero<3>`, or a schedule of [the framework's](plan.md)"},
};
static_assert(sizeof words_of_advice / sizeof words_of_advice[0] == advice_kinds);
}  // namespace detail

/// The name of an advice.
constexpr const char* name_of(advice kind) { return detail::nth_of(detail::words_of_advice, static_cast<int>(kind)).name; }
/// An advice in words.
constexpr literal reason_of(advice kind) { return detail::nth_of(detail::words_of_advice, static_cast<int>(kind)).reason; }
/// When an advice is given, as tables of rules say it.
constexpr const char* condition_of(advice kind) { return detail::nth_of(detail::words_of_advice, static_cast<int>(kind)).condition; }
/// What follows from it, or what helps.
constexpr const char* consequence_of(advice kind) { return detail::nth_of(detail::words_of_advice, static_cast<int>(kind)).consequence; }

/// "tp 16, devices_per_node 8: tensor parallel groups talk over the network for each layer".
constexpr text<200> sentence_of(const advice_note& note) {
  text<200> out{};
  out.append(name_of(note.first.what)).append(' ').append(note.first.value).append(", ");
  out.append(name_of(note.second.what)).append(' ').append(note.second.value).append(": ").append(reason_of(note.kind).c_str());
  return out;
}

}  // namespace shardplan
