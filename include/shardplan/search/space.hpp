// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/checked.hpp>
#include <shardplan/core/part.hpp>
#include <shardplan/core/static_vector.hpp>
#include <shardplan/core/unset.hpp>
#include <shardplan/parallel/sharding.hpp>
#include <shardplan/parallel/topology.hpp>
#include <shardplan/plan/framework_has.hpp>
#include <shardplan/plan/remedy.hpp>
#include <shardplan/plan/rules/ranges.hpp>
#include <shardplan/recipe/attention.hpp>
#include <shardplan/recipe/framework.hpp>
#include <shardplan/recipe/recompute.hpp>
#include <shardplan/schedule/interleaved.hpp>
#include <shardplan/schedule/one_f_one_b.hpp>
#include <shardplan/schedule/schedule_spec.hpp>
#include <shardplan/schedule/zb_h1.hpp>
#include <shardplan/spec/derived.hpp>
#include <shardplan/spec/plan_spec.hpp>
#include <shardplan/spec/stage_layers.hpp>

#include <cstddef>
#include <cstdint>

namespace shardplan {

/// How states are divided: what `zero<>`, `fsdp<>` and `hsdp<>` write into a spec.
struct sharding_choice {
  std::int64_t zero = 0;     ///< ZeRO stage; 0 under FSDP
  sharding_spec sharding{};  ///< beside the stage

  friend constexpr bool operator==(const sharding_choice& left, const sharding_choice& right) {
    return left.zero == right.zero && left.sharding == right.sharding;
  }
};

/// Most numbers in one list of a `search_space`.
inline constexpr std::size_t most_numbers = 32;
/// Most ways of sharding, or of recomputing, in a `search_space`.
inline constexpr std::size_t most_ways = 16;
/// Most schedules in a `search_space`.
inline constexpr std::size_t most_schedules = 64;

/// A list of numbers of a `search_space`.
using number_list = static_vector<std::int64_t, most_numbers>;

/// What a search goes through: every combination of one value of each list. An empty list leaves that field as the spec says it. dp is what
/// the devices leave, v the chunks of a schedule. A value that no plan can have is no error: its candidates are refused by a rule.
struct search_space {
  /// Devices that are used. Up to those of one host they lie on one host; beyond they must be whole hosts (`argument_out_of_range`).
  number_list devices{};
  number_list cp{};                                         ///< context parallel degrees
  number_list ep{};                                         ///< expert parallel degrees
  number_list etp{};                                        ///< tensor parallel degrees of routed experts
  number_list tp{};                                         ///< tensor parallel degrees
  number_list pp{};                                         ///< pipeline parallel degrees
  number_list micro_batch{};                                ///< sequences of a micro-batch
  static_vector<sharding_choice, most_ways> sharding{};     ///< ZeRO stages, FSDP
  static_vector<recomputes, most_ways> recompute{};         ///< what backward computes again
  static_vector<schedule_spec, most_schedules> schedule{};  ///< orders in the pipeline

  /// Candidates: the product of the lengths, an empty list counting as one value. The largest integer where it leaves 63 bits.
  constexpr std::int64_t count() const {
    const std::size_t lengths[] = {devices.length, cp.length,          ep.length,       etp.length,       tp.length,
                                   pp.length,      micro_batch.length, sharding.length, recompute.length, schedule.length};
    std::int64_t product = 1;
    for (const std::size_t length : lengths) product = saturating_multiply(product, length == 0 ? 1 : static_cast<std::int64_t>(length));
    return product;
  }
};

/// The bit of a kind of part in a set of kinds.
constexpr std::uint64_t bit_of(part_kind kind) { return std::uint64_t{1} << static_cast<int>(kind); }

namespace detail {

// The divisors of `number` up to `most` that `accepts` takes, ascending, as many as find room.
template <class Accepts>
constexpr number_list divisors_of(std::int64_t number, std::int64_t most, Accepts accepts) {
  number_list list{};
  for (std::int64_t divisor = 1; divisor <= most && divisor <= number; ++divisor)
    if (number % divisor == 0 && list.length < most_numbers && accepts(divisor)) list.push_back(divisor);
  return list;
}
constexpr std::int64_t clamped(std::int64_t number, std::int64_t least, std::int64_t most) {
  return number < least ? least : number > most ? most : number;
}
// The numbers of devices that are searched: those of the cluster where none are listed.
template <class Spec>
constexpr number_list worlds_of(const Spec& spec, const number_list& devices) {
  if (!devices.empty()) return devices;
  number_list worlds{};
  worlds.push_back(saturating_multiply(spec.devices_per_node, spec.nodes));
  return worlds;
}
// Whether ranks in groups of `degree` are close: inside a host, or inside a fabric that reaches beyond it (NVL72).
template <class Spec>
constexpr bool is_close(const Spec& spec, const number_list& worlds, std::int64_t degree) {
  if (spec.devices_per_node % degree == 0) return true;
  const std::int64_t joined = topology_of(spec.device, spec.devices_per_node, spec.nodes).ranks_in(domain::fabric);
  if (joined <= spec.devices_per_node) return false;
  for (const std::int64_t world : worlds)
    if (world % degree == 0 && (joined % degree == 0 || world <= joined)) return true;
  return false;
}
// Whether so many pipeline ranks, or stages, may be legal: with a `layer_split` they divide its counts.
template <class Spec>
constexpr bool may_have_stages(const Spec& spec, std::int64_t count) {
  return spec.layer_split.counts.length != 0 ? spec.layer_split.entries() % count == 0 : deals_out(spec, count);
}
// Every pp that may be legal and that `accepts` takes, ascending, as many as find room.
template <class List, class Spec, class Accepts>
constexpr void list_pipelines(List& list, const Spec& spec, Accepts accepts) {
  const std::int64_t most = spec.layer_split.counts.length != 0 ? spec.layer_split.entries() : layer_places_of(spec);
  for (std::int64_t degree = 1; degree <= limits::stages && degree <= most; ++degree)
    if (list.length < list.capacity() && may_have_stages(spec, degree) && accepts(degree)) list.push_back(degree);
}
// The powers of two up to `most` that `accepts` takes.
template <class Accepts>
constexpr number_list powers_of_two(std::int64_t most, Accepts accepts) {
  number_list list{};
  for (std::int64_t power = 1; power <= most && list.length < most_numbers; power *= 2)
    if (accepts(power)) list.push_back(power);
  return list;
}

// What costs little to compute again: attention's scores where they are kept, else the results of functions and norms.
template <class Spec>
constexpr recomputes selective_recompute(const Spec& spec) {
  if (attention_of(spec) == attentions::materialised) return recomputes::core_attn;
  const recomputes some = recomputes::layernorm | recomputes::mlp_act;
  return spec.model.experts.count > 0 ? some | recomputes::moe_act : some;
}

template <class Spec>
constexpr void add_default_degrees(search_space& space, const Spec& spec, const number_list& worlds) {
  const transformer& shape = spec.model;
  const auto divides_a_world = [&](std::int64_t degree) {
    for (const std::int64_t world : worlds)
      if (world % degree == 0) return true;
    return false;
  };
  space.tp = divisors_of(shape.heads, limits::degree, [&](std::int64_t degree) { return is_close(spec, worlds, degree); });
  list_pipelines(space.pp, spec, divides_a_world);
  space.cp = divisors_of(spec.sequence, clamped(spec.sequence / least_context_tokens, 1, limits::degree), divides_a_world);
  space.ep = divisors_of(shape.experts.count > 0 ? shape.experts.count : 1, limits::expert_degree, divides_a_world);
}

template <class Spec>
constexpr void add_default_schedules(search_space& space, const Spec& spec) {
  space.schedule.push_back(schedules::one_f_one_b::spec);
  if (space.pp.length == 1 && space.pp.values[0] == 1) return;
  const schedule_spec more[] = {schedules::interleaved<2>::spec, schedules::interleaved<3>::spec, schedules::interleaved<4>::spec,
                                schedules::zb_h1::spec};
  for (const schedule_spec& one : more) {
    if (!has_schedule(spec.framework, one)) continue;
    bool divides = false;
    for (const std::int64_t degree : space.pp)
      divides = divides || (degree > 1 && may_have_stages(spec, saturating_multiply(degree, one.chunks)));
    if (divides || space.pp.empty()) space.schedule.push_back(one);
  }
}

// What lists are made of.
template <class Spec>
constexpr bool has_searchable_ranges(const Spec& spec) {
  const auto in_range = [](std::int64_t said_number, std::int64_t upper_end) { return said_number >= 1 && said_number <= upper_end; };
  return in_range(spec.devices_per_node, limits::devices_per_node) && in_range(spec.nodes, limits::nodes) &&
         in_range(spec.model.layers, limits::layers) && in_range(spec.model.heads, limits::heads) &&
         in_range(spec.sequence, limits::rows) && in_range(spec.global_batch, limits::batch);
}

constexpr void leave_as_said(search_space& space, std::uint64_t said) {
  const auto is_said = [&](part_kind slot) { return (said & bit_of(slot)) != 0; };
  if (is_said(part_kind::tp)) space.tp.length = 0;
  if (is_said(part_kind::pp)) space.pp.length = 0;
  if (is_said(part_kind::cp)) space.cp.length = 0;
  if (is_said(part_kind::ep)) space.ep.length = 0;
  if (is_said(part_kind::etp)) space.etp.length = 0;
  if (is_said(part_kind::micro_batch)) space.micro_batch.length = 0;
  if (is_said(part_kind::zero) || is_said(part_kind::fsdp)) space.sharding.length = 0;
  if (is_said(part_kind::recompute)) space.recompute.length = 0;
  if (is_said(part_kind::schedule)) space.schedule.length = 0;
}

}  // namespace detail

/// The space that `best` searches where nothing else is said, for the model, cluster and batch of `spec`: what is commonly run, and little
/// enough for a compiler. `whole_space_of` (search/whole_space.hpp) leaves nothing out.
/// - tp: divisors of the heads that divide the devices of a host, or of a fabric that reaches beyond it (NVL72) and the cluster;
/// - pp: divisors of the devices that the layers (with slots) can be dealt out to: no other is legal;
/// - cp: divisors of the sequence and of the devices that leave a rank 4,096 tokens; ep: divisors of the experts that divide the devices;
/// etp as said;
/// - micro-batches of 1, 2, 4 and 8 sequences, as far as they divide the batch;
/// - ZeRO 0 to 3; under `frameworks::torchtitan` and `fsdp2` nothing or FSDP2;
/// - recompute none, selective (scores of attention where they are materialised, else norms and functions) and full;
/// - 1F1B, interleaved in 2, 3 and 4 chunks where layers allow, ZB-H1; under DeepSpeed 1F1B alone, under Megatron-LM no ZB-H1.
/// `said` is a set of kinds of parts (`bit_of`) that stay as they are; `devices` the numbers of devices that are searched, those of the
/// cluster where it is empty (it is not copied into the space). A spec that breaks a range has a space of what it says itself.
template <class Spec = plan_spec>
constexpr search_space default_space_of(const Spec& spec, std::uint64_t said = 0, const number_list& devices = {}) {
  search_space space{};
  if (!detail::has_searchable_ranges(spec)) return space;
  detail::add_default_degrees(space, spec, detail::worlds_of(spec, devices));
  space.micro_batch = detail::powers_of_two(8, [&](std::int64_t sequences) { return spec.global_batch % sequences == 0; });
  if (!has_zero_stages(spec.framework)) {
    space.sharding.push_back({});
    space.sharding.push_back({0, {shard_layout::tensors}});
  } else {
    for (std::int64_t stage = 0; stage <= 3; ++stage) space.sharding.push_back({stage, {}});
  }
  space.recompute.push_back(recomputes::none);
  space.recompute.push_back(detail::selective_recompute(spec));
  space.recompute.push_back(recomputes::full);
  if ((said & bit_of(part_kind::pp)) != 0) {
    space.pp.length = 0;
    space.pp.push_back(spec.pp);
  }
  detail::add_default_schedules(space, spec);
  detail::leave_as_said(space, said);
  return space;
}

}  // namespace shardplan
