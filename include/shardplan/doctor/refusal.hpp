// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/bytes.hpp>
#include <shardplan/core/checked.hpp>
#include <shardplan/core/part.hpp>
#include <shardplan/doctor/cause_list.hpp>
#include <shardplan/memory/memory.hpp>
#include <shardplan/plan/quantity.hpp>
#include <shardplan/plan/rules/combinations.hpp>
#include <shardplan/plan/rules/divisibility.hpp>
#include <shardplan/plan/rules/ranges.hpp>
#include <shardplan/plan/violation.hpp>
#include <shardplan/recipe/framework.hpp>
#include <shardplan/spec/plan_spec.hpp>

#include <cstdint>

namespace shardplan {

/// The framework's name as people write it; "any framework" of the generic one.
constexpr const char* words_of(frameworks whose) {
  constexpr const char* words[] = {"any framework", "Megatron-LM", "DeepSpeed", "torchtitan", "PyTorch's fully_shard"};
  return detail::nth_of(words, static_cast<int>(whose));
}

/// A rule of the plan that a cause of `symptom::refused_at_start` stands for: broken, or broken under a framework that the plan does not
/// say.
struct refusal {
  int count = 0;        ///< broken rules that the cause stands for; 0: none, and the rest says nothing
  violation first{};    ///< the first of them, with its numbers
  frameworks whose{};   ///< who refuses the plan; another than the plan's where the plan says none and would be refused there only
  bool is_said = true;  ///< whether it is the plan's own framework, so that the plan is refused for certain
};

namespace detail {

// Of a rule about two numbers.
constexpr cause cause_of_pair(quantity first, quantity second) {
  switch (second) {
    case quantity::sequence:
    case quantity::positions: return cause::cfg_seq;
    case quantity::layers:
    case quantity::layers_and_slots:
    case quantity::layers_a_stage:
    case quantity::virtual_stages: return cause::cfg_layers;
    case quantity::heads:
    case quantity::kv_heads: return cause::cfg_heads;
    case quantity::expert_count:
    case quantity::expert_ffn:
    case quantity::ep: return cause::cfg_ep;
    case quantity::global_batch: return cause::cfg_batch;
    case quantity::interleave_group: return cause::cfg_vpp;
    default: break;
  }
  switch (first) {
    case quantity::layer_split_entries: return cause::cfg_layers;
    case quantity::kv_heads: return cause::cfg_heads;
    case quantity::etp_x_ep_x_pp: return cause::cfg_ep;
    case quantity::interleave_group:
    case quantity::interleave_rounds: return cause::cfg_vpp;
    case quantity::shard_ranks:
    case quantity::shard_groups:
    case quantity::hpz:
    case quantity::node_ranks:
    case quantity::inner_all_to_all: return cause::cfg_grid;
    default: return second == quantity::device_count ? cause::cfg_grid : cause::cfg_other;
  }
}

}  // namespace detail

/// The cause of `symptom::refused_at_start` that a broken rule belongs to, by the rule and what its numbers are; `cfg_other` where no other
/// cause is about it. Every rule has one but those of memory (`does_not_fit`, `host_does_not_fit`), which are other symptoms.
constexpr cause cause_of_violation(const violation& item) {
  switch (item.broken) {
    case rule::does_not_divide:
    case rule::neither_multiple_nor_divisor:
    case rule::does_not_match:
    case rule::exceeds: return detail::cause_of_pair(item.first.what, item.second.what);
    case rule::empty_stage: return cause::cfg_layers;
    case rule::micro_batches_fewer_than_stages: return cause::cfg_m_lt_p;
    case rule::not_supported:
      if (item.unsupported == feature::sharded_gradients_in_pipeline) return cause::cfg_zero_pp;
      if (item.unsupported == feature::interleaving_without_pipeline) return cause::cfg_vpp;
      return item.unsupported == feature::expert_parallel_with_zero_3 ||
                     item.unsupported == feature::experts_in_tp_without_sequence_parallel || item.unsupported == feature::etp_apart_from_tp
                 ? cause::cfg_ep
                 : cause::cfg_other;
    default: return cause::cfg_other;
  }
}

namespace detail {

// Keeps the first broken rule of one cause.
struct refusal_sink {
  cause which{};
  int count = 0;
  refusal found{};
  bool takes_any = false;

  constexpr void take(const violation& item) {
    ++count;
    if ((takes_any || cause_of_violation(item) == which) && found.count++ == 0) found.first = item;
  }
  static constexpr violation of(rule broken, measured first = {}, measured second = {}) {
    violation item{};
    item.broken = broken;
    item.first = first;
    item.second = second;
    return item;
  }
  constexpr void add_part(rule broken, part_kind part) {
    violation item = of(broken);
    item.part = part;
    take(item);
  }
  constexpr void add_range(measured number, std::int64_t least, std::int64_t most) {
    violation item = of(rule::out_of_range, number);
    item.least = least;
    item.most = most;
    take(item);
  }
  constexpr void add_large(measured bound, std::int64_t most) {
    violation item = of(rule::too_large, bound);
    item.most = most;
    take(item);
  }
  constexpr void add_pair(rule broken, measured first, measured second) { take(of(broken, first, second)); }
  constexpr void add_stage(std::int64_t stage) {
    violation item = of(rule::empty_stage);
    item.stage = stage;
    take(item);
  }
  constexpr void add_feature(feature unsupported) {
    violation item = of(rule::not_supported);
    item.unsupported = unsupported;
    take(item);
  }
};

// Rules of the third tier are asked beside broken ones of the second, which they do not need: a run meets whichever comes first.
template <class Spec>
constexpr refusal refusal_under(const Spec& spec, cause which) {
  refusal_sink sink{which};
  check_ranges(spec, sink);
  if (sink.count == 0) {
    check_divisibility(spec, sink);
    check_combinations(spec, sink);
  }
  sink.found.whose = spec.framework;
  return sink.found;
}

// Why a plan cannot be computed: the first broken rule of the first tier, or else of the second.
template <class Spec>
constexpr refusal obstacle_of(const Spec& spec) {
  refusal_sink sink{};
  sink.takes_any = true;
  check_ranges(spec, sink);
  if (sink.count == 0) check_divisibility(spec, sink);
  sink.found.whose = spec.framework;
  return sink.found;
}

// The same question of a changed plan: by the framework that refused it before, and no other.
template <class Spec>
constexpr refusal refusal_after(const Spec& with, cause which, const refusal& before) {
  Spec asked = with;
  asked.framework = before.whose;
  refusal found = refusal_under(asked, which);
  found.is_said = before.is_said;
  return found;
}

}  // namespace detail

/// The rule that a cause of `symptom::refused_at_start` stands for in this plan: broken for certain, or, where the plan says no framework,
/// broken under the first of them that refuses it.
template <class Spec = plan_spec>
constexpr refusal refusal_of(const Spec& spec, cause which) {
  refusal found = detail::refusal_under(spec, which);
  if (found.count > 0 || spec.framework != frameworks::generic) return found;
  Spec with = spec;
  for (int at = static_cast<int>(frameworks::megatron); at <= static_cast<int>(frameworks::fsdp2); ++at) {
    const auto whose = static_cast<frameworks>(at);
    with.framework = whose;
    found = detail::refusal_under(with, which);
    found.is_said = false;
    if (found.count > 0) return found;
  }
  return refusal{};
}

}  // namespace shardplan
