// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/checked.hpp>
#include <shardplan/core/part.hpp>
#include <shardplan/core/static_vector.hpp>
#include <shardplan/core/unset.hpp>
#include <shardplan/parallel/sharding.hpp>
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
inline constexpr std::size_t most_ways = 8;
/// Most schedules in a `search_space`.
inline constexpr std::size_t most_schedules = 16;

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
constexpr void add_default_degrees(search_space& space, const Spec& spec) {
  const auto any = [](std::int64_t) { return true; };
  const std::int64_t node = spec.devices_per_node;
  const std::int64_t world = saturating_multiply(node, spec.nodes);
  const transformer& shape = spec.model;
  const auto divides_world = [&](std::int64_t cut_in) { return world % cut_in == 0; };
  space.tp = divisors_of(node, limits::degree, [&](std::int64_t cut_in) { return shape.heads % cut_in == 0; });
  const layer_counts& split = spec.layer_split;
  const std::int64_t slots = split.embedding_slot + split.loss_slot;
  space.pp = divisors_of(split.counts.length != 0 ? split.entries() : shape.layers + slots, limits::stages, divides_world);
  space.cp = powers_of_two(world, [&](std::int64_t cut_in) {
    return cut_in == 1 || (divides_world(cut_in) && cut_in <= limits::degree && spec.sequence % cut_in == 0 &&
                           spec.sequence / cut_in >= least_context_tokens);
  });
  space.ep = shape.experts.count > 0 ? divisors_of(shape.experts.count, limits::expert_degree, divides_world) : divisors_of(1, 1, any);
}

template <class Spec>
constexpr void add_default_schedules(search_space& space, const Spec& spec) {
  space.schedule.push_back(schedules::one_f_one_b::spec);
  if (space.pp.length == 1 && space.pp.values[0] == 1) return;
  const schedule_spec more[] = {schedules::interleaved<2>::spec, schedules::interleaved<3>::spec, schedules::interleaved<4>::spec,
                                schedules::zb_h1::spec};
  const layer_counts& split = spec.layer_split;
  const std::int64_t layers = split.counts.length != 0 ? split.entries() : spec.model.layers + split.embedding_slot + split.loss_slot;
  for (const schedule_spec& one : more) {
    if (!has_schedule(spec.framework, one)) continue;
    bool divides = false;
    for (const std::int64_t degree : space.pp) divides = divides || (degree > 1 && degree <= layers && layers % (degree * one.chunks) == 0);
    if (divides || space.pp.empty()) space.schedule.push_back(one);
  }
}

}  // namespace detail

/// The space that `best` searches where nothing else is said, for the model, cluster and batch of `spec`:
/// - tp: divisors of the devices of a host that divide the heads;
/// - pp: divisors of the layers (with slots) that divide the devices: no other is legal;
/// - cp: powers of two that leave a rank 4,096 tokens of a sequence; ep: divisors of the experts that divide the devices; etp as said;
/// - micro-batches of 1, 2, 4 and 8 sequences, as far as they divide the batch;
/// - ZeRO 0 to 3; under `frameworks::torchtitan` and `fsdp2` nothing or FSDP2;
/// - recompute none, selective (scores of attention where they are materialised, else norms and functions) and full;
/// - 1F1B, interleaved in 2, 3 and 4 chunks where layers allow, ZB-H1, as far as the framework has them (plan/framework_has.hpp).
/// `said` is a set of kinds of parts (`bit_of`) that stay as they are. A spec that breaks a range has a space of what it says itself.
template <class Spec = plan_spec>
constexpr search_space default_space_of(const Spec& spec, std::uint64_t said = 0) {
  search_space space{};
  const auto in_range = [](std::int64_t said_number, std::int64_t upper_end) { return said_number >= 1 && said_number <= upper_end; };
  if (!in_range(spec.devices_per_node, limits::devices_per_node) || !in_range(spec.nodes, limits::nodes) ||
      !in_range(spec.model.layers, limits::layers) || !in_range(spec.model.heads, limits::heads) ||
      !in_range(spec.sequence, limits::rows) || !in_range(spec.global_batch, limits::batch))
    return space;
  detail::add_default_degrees(space, spec);
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
  const auto is_said = [&](part_kind slot) { return (said & bit_of(slot)) != 0; };
  if (is_said(part_kind::pp)) {
    space.pp.length = 0;
    space.pp.push_back(spec.pp);
  }
  detail::add_default_schedules(space, spec);
  if (is_said(part_kind::tp)) space.tp.length = 0;
  if (is_said(part_kind::pp)) space.pp.length = 0;
  if (is_said(part_kind::cp)) space.cp.length = 0;
  if (is_said(part_kind::ep)) space.ep.length = 0;
  if (is_said(part_kind::micro_batch)) space.micro_batch.length = 0;
  if (is_said(part_kind::zero) || is_said(part_kind::fsdp)) space.sharding.length = 0;
  if (is_said(part_kind::recompute)) space.recompute.length = 0;
  if (is_said(part_kind::schedule)) space.schedule.length = 0;
  return space;
}

}  // namespace shardplan
