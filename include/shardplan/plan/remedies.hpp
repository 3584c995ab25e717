// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/bytes.hpp>
#include <shardplan/core/size.hpp>
#include <shardplan/core/static_vector.hpp>
#include <shardplan/core/unset.hpp>
#include <shardplan/plan/evaluate.hpp>
#include <shardplan/plan/plan.hpp>
#include <shardplan/plan/remedy.hpp>
#include <shardplan/plan/rules/check.hpp>
#include <shardplan/plan/step_cost.hpp>
#include <shardplan/plan/verdict.hpp>
#include <shardplan/recipe/recompute.hpp>
#include <shardplan/spec/plan_spec.hpp>

#include <cstdint>

namespace shardplan {

/// A change, or two together, that was checked to make a plan valid, and what it costs.
struct remedy_offer {
  remedy_pair changes{};             ///< what to change
  bytes peak{};                      ///< `peak_memory` with it
  std::int64_t devices = 0;          ///< devices with it
  std::int64_t micro_batches = 0;    ///< micro-batches of a replica with it
  std::int64_t forward_passes = 0;   ///< forward passes of a block a micro-batch: 2 under full recomputation, about a third more arithmetic
  std::int64_t gathers_weights = 0;  ///< times a micro-batch gathers sharded weights over the network: 2 (ZeRO-3, FSDP), else 0
  bool reduces_each_micro_batch = false;  ///< gradients are reduced for each micro-batch, not once a step: ZeRO-2 and 3, FSDP
  step_cost cost{};                       ///< bytes over network and PCIe and the time of a step with it
  step_cost cost_before{};                ///< the same of the plan as it is, which does not fit

  friend constexpr bool operator==(const remedy_offer&, const remedy_offer&) = default;
};

/// Most offers of one plan.
inline constexpr std::size_t most_offers = 24;

/// The offers of a plan, from the smallest change to the largest.
using remedy_offers = static_vector<remedy_offer, most_offers>;

namespace detail {

template <class Spec>
constexpr remedy_offer offer_of(const Spec& spec, remedy_pair changes, const step_cost& before) {
  const Spec with = changed_by_both(spec, changes);
  const plan_figures figures = computed_figures(with);
  return {changes,
          figures.peak_memory,
          figures.world_size,
          figures.micro_batches,
          with.recompute == recomputes::full ? 2 : 1,
          shards_weights(with) ? 2 : 0,
          shards_gradients(with),
          computed_cost(with),
          before};
}

// Of each kind the smallest value that helps is enough.
constexpr bool has_kind(const remedy_offers& list, remedy_kind kind) {
  for (std::size_t at = 0; at < list.length; ++at)
    if (list.values[at].changes.first.kind == kind && list.values[at].changes.second.kind == remedy_kind::nothing_small_helps) return true;
  return false;
}

// Whether a plan can be computed and its device or its host has too little memory.
template <class Spec>
constexpr bool does_not_fit_somewhere(const Spec& spec) {
  if (!is_computable(spec)) return false;
  if (!memory_fits(spec)) return true;
  counting_sink sink{};
  if (spec.host_memory_gibibytes != unset) rules::host_fits::check(spec, memory_layout_of(spec), sink);
  return sink.count != 0;
}

// The same at compile time, a constant for each candidate, as in plan.hpp.
template <class Core>
inline constexpr step_cost cost_before = computed_cost(Core::spec);
template <class Core, remedy_kind Kind, std::int64_t Value, remedy_kind Further, std::int64_t FurtherValue>
inline constexpr remedy_offer offer = offer_of(Core::spec, {{Kind, Value}, {Further, FurtherValue}}, cost_before<Core>);
template <class Core, int Index>
constexpr void add_singles(remedy_offers& list) {
  constexpr remedy change = candidate<Core, Index>;
  if constexpr (change.kind != remedy_kind::nothing_small_helps) {
    if constexpr (candidate_helps<Core, Index>) {
      if (!has_kind(list, change.kind)) list.push_back(offer<Core, change.kind, change.value, remedy_kind::nothing_small_helps, 0>);
    }
    add_singles<Core, Index + 1>(list);
  }
}
template <class Core, int Index>
constexpr void add_pairs(remedy_offers& list) {
  if constexpr (Index < strong_pairs) {
    constexpr remedy_pair pair = candidate_pair<Core, Index>;
    if constexpr (pair.first.kind != remedy_kind::nothing_small_helps) {
      if constexpr (pair_helps<Core, Index>) {
        if (list.length < most_offers - 1)
          list.push_back(offer<Core, pair.first.kind, pair.first.value, pair.second.kind, pair.second.value>);
      }
    }
    add_pairs<Core, Index + 1>(list);
  }
}
template <class Core>
constexpr remedy_offers offers_of_plan() {
  remedy_offers list{};
  if constexpr (Core::violation_count != 0) {
    if constexpr (does_not_fit_somewhere(Core::spec)) {
      add_singles<Core, 0>(list);
      if constexpr (remedy_from<Core, 0>().kind == remedy_kind::nothing_small_helps && all_help<Core>) add_pairs<Core, 0>(list);
      constexpr remedy nodes = nodes_from<Core, 1>();
      if constexpr (nodes.kind != remedy_kind::nothing_small_helps)
        list.push_back(offer<Core, nodes.kind, nodes.value, remedy_kind::nothing_small_helps, 0>);
    }
  }
  return list;
}
}  // namespace detail

/// Every change that makes a plan valid which only does not fit, on its device or on its host, from the smallest to the largest: of each
/// kind of change (in the order of `first_remedy`) the smallest value that helps, pairs where no single change does, more nodes at last.
/// Each was checked by evaluating the changed plan, all rules, and says what a step then costs. Empty for a plan that is valid, or that
/// breaks other rules.
template <class Spec = plan_spec>
constexpr remedy_offers remedies_in(const Spec& spec) {
  remedy_offers list{};
  if (!detail::does_not_fit_somewhere(spec)) return list;
  const step_cost before = detail::computed_cost(spec);
  first_remedy(spec, [&](remedy suggested) {
    if (!detail::has_kind(list, suggested.kind) && detail::count_violations(changed(spec, suggested)) == 0)
      list.push_back(detail::offer_of(spec, {suggested, {}}, before));
    return false;
  });
  if (list.empty() && detail::memory_fits(detail::changed_by_all(spec)))
    for (int index = 0; index < detail::strong_pairs && list.length < most_offers - 1; ++index) {
      const detail::pair_of_kinds kinds = detail::kinds_of_pair(index);
      const remedy_pair pair =
          detail::strong_pair(spec, detail::strong_remedy(spec, kinds.first), detail::strong_remedy(spec, kinds.second), index);
      if (pair.first.kind != remedy_kind::nothing_small_helps && detail::count_violations(changed_by_both(spec, pair)) == 0)
        list.push_back(detail::offer_of(spec, pair, before));
    }
  for (int doublings = 1; doublings <= detail::most_doublings; ++doublings) {
    const remedy nodes = detail::more_nodes(spec, doublings);
    if (nodes.kind == remedy_kind::nothing_small_helps || detail::count_violations(changed(spec, nodes)) != 0) continue;
    list.push_back(detail::offer_of(spec, {nodes, {}}, before));
    break;
  }
  return list;
}

/// `remedies_in` of a plan type, as a constant: `remedies_of<run>[0].changes.first`.
template <plan_type Plan>
inline constexpr remedy_offers remedies_of = detail::offers_of_plan<detail::asked_plan<Plan>>();

}  // namespace shardplan
