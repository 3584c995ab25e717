// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/bytes.hpp>
#include <shardplan/core/size.hpp>
#include <shardplan/core/static_vector.hpp>
#include <shardplan/plan/best_remedy.hpp>
#include <shardplan/plan/evaluate.hpp>
#include <shardplan/plan/feature_change.hpp>
#include <shardplan/plan/layout_search.hpp>
#include <shardplan/plan/legal_values.hpp>
#include <shardplan/plan/plan.hpp>
#include <shardplan/plan/remedy.hpp>
#include <shardplan/plan/remedy_beside.hpp>
#include <shardplan/plan/remedy_of_plan.hpp>
#include <shardplan/plan/remedy_set.hpp>
#include <shardplan/plan/rules/check.hpp>
#include <shardplan/plan/step_cost.hpp>
#include <shardplan/plan/verdict.hpp>
#include <shardplan/recipe/recompute.hpp>
#include <shardplan/spec/plan_spec.hpp>

#include <cstdint>

namespace shardplan {

/// A change, or two or three together, that was checked to make a plan valid, and what it costs.
struct remedy_offer {
  remedy_set changes{};              ///< what to change
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

/// Why there is no offer for a plan.
enum class no_offer {
  none,           ///< there are offers
  fits,           ///< nothing lacks memory
  not_asked,      ///< a rule of the first two tiers is broken: memory is not asked yet
  other_rules,    ///< a rule that is not about memory is broken too, and no change that is tried puts it right
  nothing_helps,  ///< no change that is tried makes it fit
};

/// The offers of a plan, from the smallest change to the largest.
struct remedy_offers : static_vector<remedy_offer, most_offers> {
  repair_list beside{};           ///< what other broken rules ask for: each offer was tried together with all of it
  no_offer why = no_offer::fits;  ///< why the list is empty

  friend constexpr bool operator==(const remedy_offers& left, const remedy_offers& right) {
    return static_cast<const static_vector<remedy_offer, most_offers>&>(left) ==
               static_cast<const static_vector<remedy_offer, most_offers>&>(right) &&
           left.beside == right.beside && int(left.why) == int(right.why);
  }
};

namespace detail {

template <class Spec>
constexpr remedy_offer offer_of(const Spec& spec, const remedy_set& changes, const step_cost& before) {
  const Spec with = changed_by_set(spec, changes);
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

// Of each kind the smallest value that helps is enough; more pipeline ranks are one kind, however their layers are divided.
constexpr bool has_kind(const remedy_offers& list, remedy_kind kind) {
  constexpr int pipeline = axis_of(remedy_kind::pp);
  for (const remedy_offer& offer : list) {
    if (is_change(offer.changes.second)) continue;
    const remedy_kind known = offer.changes.first.kind;
    if (known == kind || (axis_of(known) == pipeline && axis_of(kind) == pipeline)) return true;
  }
  return false;
}
// Adds the offer of a set that is not there yet. Room is left for more nodes.
constexpr bool is_new(const remedy_offers& list, const remedy_set& changes) {
  if (!is_change(changes.first) || list.length >= most_offers - 1) return false;
  for (const remedy_offer& offer : list)
    if (offer.changes == changes) return false;
  return true;
}

// The same at compile time, a constant for each candidate, as in remedy_of_plan.hpp.
template <class Core>
inline constexpr step_cost cost_before = computed_cost(Core::spec);
template <class Core>
inline constexpr step_cost cost_before<repaired_core<Core>> = computed_cost(Core::spec);
template <class Core, remedy_kind Kind, std::int64_t Value, remedy_kind Second, std::int64_t SecondValue, remedy_kind Third,
          std::int64_t ThirdValue>
inline constexpr remedy_offer offer = offer_of(Core::spec, {{Kind, Value}, {Second, SecondValue}, {Third, ThirdValue}}, cost_before<Core>);
template <class Core, remedy_kind Kind, std::int64_t Value>
constexpr void add_single(remedy_offers& list) {
  list.push_back(offer<Core, Kind, Value, remedy_kind::nothing_small_helps, 0, remedy_kind::nothing_small_helps, 0>);
}
template <class Core, int Index>
constexpr void add_singles(remedy_offers& list) {
  constexpr remedy change = candidate<Core, Index>;
  if constexpr (change.kind != remedy_kind::nothing_small_helps) {
    if constexpr (candidate_helps<Core, Index>) {
      if (!has_kind(list, change.kind)) add_single<Core, change.kind, change.value>(list);
    }
    add_singles<Core, Index + 1>(list);
  }
}
template <class Core, int Set>
constexpr void add_set(remedy_offers& list) {
  constexpr remedy_set changes = smallest_set_of<Core, Set>();
  if (is_new(list, changes))
    list.push_back(offer<Core, changes.first.kind, changes.first.value, changes.second.kind, changes.second.value, changes.third.kind,
                         changes.third.value>);
}
template <class Core, int Index>
constexpr void add_pairs(remedy_offers& list) {
  if constexpr (Index < strong_pairs) {
    if constexpr (set_is_enough<Core, Index>) add_set<Core, Index>(list);
    add_pairs<Core, Index + 1>(list);
  }
}
template <class Core>
constexpr remedy_offers offers_of_misfit() {
  remedy_offers list{};
  add_singles<Core, 0>(list);
  if constexpr (remedy_from<Core, 0>().kind == remedy_kind::nothing_small_helps) {
    constexpr bool any = [] {
      if constexpr (all_help<Core>) {
        return first_pair<Core, 0>() != strong_pairs || is_change(strong_set_of<Core, strong_pairs>.first);
      } else {
        return false;
      }
    }();
    if constexpr (any) {
      add_pairs<Core, 0>(list);
      if constexpr (first_pair<Core, 0>() == strong_pairs) add_set<Core, strong_pairs>(list);
    } else if constexpr (is_change(found_layout<Core>)) {
      add_single<Core, remedy_kind::layout, found_layout<Core>.value>(list);
    }
  }
  constexpr remedy nodes = nodes_from<Core, 1>();
  if constexpr (nodes.kind != remedy_kind::nothing_small_helps) add_single<Core, nodes.kind, nodes.value>(list);
  list.why = list.empty() ? no_offer::nothing_helps : no_offer::none;
  return list;
}
template <class Core>
constexpr remedy_offers offers_of_plan() {
  remedy_offers list{};
  if constexpr (!wants_remedy(broken_rules_of<Core>)) {
    list.why = Core::violation_count == 0 || is_computable(Core::spec) ? no_offer::fits : no_offer::not_asked;
  } else if constexpr (!has_other_rules(broken_rules_of<Core>)) {
    list = offers_of_misfit<Core>();
  } else if constexpr (is_change(remedy_of_repaired<Core>().first)) {
    using other = repaired_core<Core>;
    if constexpr (other::violation_count == 0) {
      list.push_back(offer_of(Core::spec, set_of_repairs(other::repairs), cost_before<Core>));
      list.why = no_offer::none;
    } else {
      list = offers_of_misfit<other>();
      list.beside = other::repairs;
    }
  } else {
    list = offers_of_misfit<Core>();
    if (list.empty() && !repaired_core<Core>::keeps_others) list.why = no_offer::other_rules;
  }
  return list;
}

// Of a plan that lacks memory, each on its own or beside what was changed before.
template <class Spec>
constexpr remedy_offers offers_for(const Spec& spec, const step_cost& before) {
  remedy_offers list{};
  first_remedy(spec, [&](remedy suggested) {
    if (!has_kind(list, suggested.kind) && count_violations(changed(spec, suggested)) == 0)
      list.push_back(offer_of(spec, {suggested, {}, {}}, before));
    return false;
  });
  if (list.empty()) {
    const parameter_totals totals = totals_of(spec);
    each_set(spec, totals, [&](const remedy_set& strong) {
      const remedy_set changes = smallest_set(spec, totals, strong);
      if (is_new(list, changes)) list.push_back(offer_of(spec, changes, before));
      return false;
    });
    const remedy layout = list.empty() ? find_layout(spec, totals) : remedy{};
    if (is_change(layout)) list.push_back(offer_of(spec, {layout, {}, {}}, before));
  }
  for (int doublings = 1; doublings <= most_doublings; ++doublings) {
    const remedy nodes = more_nodes(spec, doublings);
    if (nodes.kind == remedy_kind::nothing_small_helps || count_violations(changed(spec, nodes)) != 0) continue;
    list.push_back(offer_of(spec, {nodes, {}, {}}, before));
    break;
  }
  list.why = list.empty() ? no_offer::nothing_helps : no_offer::none;
  return list;
}
}  // namespace detail

/// Every change that makes a plan valid which does not fit, on its device or on its host, from the smallest to the largest: of each kind of
/// change (in the order of `first_remedy`) the smallest value that helps; where no single change does, pairs, each the smallest of its two
/// kinds; where no pair does, three together; where they do not either, another layout on the same devices; more nodes at last. Each was
/// checked by evaluating the changed plan, all rules, and says what a step then costs. Where other rules are broken as well, the changes
/// that they ask for are `beside`, and each was checked together with them. `why` says why there is none.
template <class Spec = plan_spec>
constexpr remedy_offers remedies_in(const Spec& spec) {
  if (!detail::lacks_memory(spec)) {
    remedy_offers none{};
    if (!detail::is_computable(spec)) none.why = no_offer::not_asked;
    return none;
  }
  const step_cost before = detail::computed_cost(spec);
  if (detail::keeps_other_rules(spec)) return detail::offers_for(spec, before);
  violation_list broken = detail::broken_rules(spec);
  detail::find_all_legal(spec, broken);
  detail::find_all_supported(spec, broken);
  const repair_list repairs = detail::repairs_in(broken);
  const Spec other = detail::changed_by_repairs(spec, repairs);
  const bool others_kept = detail::keeps_other_rules(other);
  if (others_kept && !detail::lacks_memory(other)) {
    remedy_offers one{};
    one.push_back(detail::offer_of(spec, detail::set_of_repairs(repairs), before));
    one.why = no_offer::none;
    return one;
  }
  if (others_kept) {
    remedy_offers beside = detail::offers_for(other, before);
    beside.beside = repairs;
    if (!beside.empty()) return beside;
  }
  remedy_offers alone = detail::offers_for(spec, before);
  if (alone.empty() && !others_kept) alone.why = no_offer::other_rules;
  return alone;
}

/// `remedies_in` of a plan type, as a constant: `remedies_of<run>[0].changes.first`.
template <plan_type Plan>
inline constexpr remedy_offers remedies_of = detail::offers_of_plan<detail::core_of_plan<detail::asked_plan<Plan>>>();

}  // namespace shardplan
