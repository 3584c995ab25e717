// SPDX-License-Identifier: BSL-1.0
#pragma once

/// The exhaustive search for types, cut into constants that stay inside a compiler's default limits. At run time: search/best_of.hpp.
#include <shardplan/core/index_pack.hpp>
#include <shardplan/core/part.hpp>
#include <shardplan/core/static_vector.hpp>
#include <shardplan/core/unset.hpp>
#include <shardplan/plan/verdict.hpp>
#include <shardplan/plan/violation.hpp>
#include <shardplan/search/best_asked.hpp>
#include <shardplan/search/best_listed.hpp>
#include <shardplan/search/best_options.hpp>
#include <shardplan/search/best_played.hpp>
#include <shardplan/search/best_result.hpp>

#include <cstddef>
#include <cstdint>

namespace shardplan {

/// Declared and never defined: the plan of a search in which no candidate is legal and fits, with what stands in the way. It is not
/// `valid`, and `checked` names it in the one error line.
template <class Candidates, class Reason>
struct no_plan_fits;
/// Memory, where any candidate keeps all other rules (`because<rule::does_not_fit>`, or `host_does_not_fit`); else the rule that refused
/// most candidates, with the numbers, the part or the feature that it is about: `because<rule::does_not_divide, quantity::tp,
/// quantity::heads>`.
template <rule Broken, auto... About>
struct because;

namespace detail {
// What `valid`, `fits`, `violations_of` and `checked` take for it: a plan that breaks one rule, whose line names it.
template <class Candidates, class Reason>
struct nothing_fitted {
  static constexpr plan_spec spec{};
  static constexpr int violation_count = 1;
};
template <class Candidates, class Reason>
struct asked<no_plan_fits<Candidates, Reason>> {
  using type = nothing_fitted<Candidates, Reason>;
};
template <class Candidates, class Reason>
struct verdict_of<nothing_fitted<Candidates, Reason>, false> {
  using type = violations<no_plan_fits<Candidates, Reason>>;
};
template <class Candidates, class Reason>
struct judge<nothing_fitted<Candidates, Reason>, violations<no_plan_fits<Candidates, Reason>>> {
  enum : unsigned long { explanation = sizeof(plan_rejected<no_plan_fits<Candidates, Reason>>) };
  static constexpr bool ok = true;
};

template <class Asked>
inline constexpr int simulated_plans = static_cast<int>(played_of(ranked_by_formula<Asked>.top, Asked::setup.by, Asked::setup.simulated,
                                                                  Asked::setup.simulated_passes));

template <class Asked, int... At>
constexpr search_result played_again(index_pack<int, At...>) {
  search_result result = ranked_by_formula<Asked>;
  ((result.top.values[At].simulated_step = played_step<Asked, At>), ...);
  result.simulated = count_played(result.top, sizeof...(At));
  rank_again(result.top, sizeof...(At));
  if (result.found) result.plan = spec_of_listed(Asked::fixed, result.top.values[0]);
  return result;
}

// Where a plan of the final list stands in that of the closed forms.
constexpr int place_of(const search_result& formula, std::int64_t index) {
  int at = 0;
  for (const listed_plan& found : formula.top) {
    if (found.index == index) break;
    ++at;
  }
  return at;
}
// What a search that found nothing is told by: refusals are in order, most first.
constexpr refused_rule what_refuses(const search_result& result) {
  for (const refused_rule& one : result.refusals)
    if (one.broken == rule::does_not_fit || one.broken == rule::host_does_not_fit) return one;
  refused_rule most = result.refusals.empty() ? refused_rule{} : result.refusals.values[0];
  // Without them there is no default space, and a micro-batch that nobody has to say would be what lacks.
  const bool lacks_part = most.broken == rule::missing_part;
  if (lacks_part && result.plan.global_batch == unset) most.part = part_kind::global_batch;
  if (lacks_part && result.plan.sequence == unset) most.part = part_kind::sequence;
  return most;
}
template <class Of>
struct reason_of_search {
  static constexpr refused_rule why = what_refuses(Of::result);
  static constexpr auto told() {
    if constexpr (why.broken == rule::missing_part || why.broken == rule::repeated_part || why.broken == rule::malformed_part) {
      return static_cast<because<why.broken, why.part>*>(nullptr);
    } else if constexpr (why.broken == rule::not_supported) {
      return static_cast<because<why.broken, why.unsupported>*>(nullptr);
    } else if constexpr (why.broken == rule::out_of_range || why.broken == rule::too_large) {
      return static_cast<because<why.broken, why.first>*>(nullptr);
    } else if constexpr (why.broken == rule::does_not_fit || why.broken == rule::host_does_not_fit || why.broken == rule::empty_stage) {
      return static_cast<because<why.broken>*>(nullptr);
    } else {
      return static_cast<because<why.broken, why.first, why.second>*>(nullptr);
    }
  }
};

template <class Pointer>
struct pointed;
template <class Type>
struct pointed<Type*> {
  using type = Type;
};

template <class Model, class Cluster, class Asked>
struct best_of_types {
  static constexpr search_result result = played_again<Asked>(make_index_pack<simulated_plans<Asked>>{});
  template <int At>
  static constexpr auto plan_at() {
    if constexpr (At < static_cast<int>(result.top.length)) {
      constexpr int place = place_of(ranked_by_formula<Asked>, result.top.values[At].index);
      return static_cast<typename plan_of_listed<Model, Cluster, Asked, place>::type*>(nullptr);
    } else {
      using reason = typename pointed<decltype(reason_of_search<best_of_types>::told())>::type;
      return static_cast<no_plan_fits<candidates<result.considered>, reason>*>(nullptr);
    }
  }
};
}  // namespace detail

/// The best of all legal plans that fit, for a model type, a `cluster<...>` and further parts. What a part says is fixed (sequence and
/// global batch must be said, `tp<8>` may be); what no part says is searched: tp, pp, cp, ep, the micro-batch, ZeRO, recompute and the
/// schedule with its chunks, dp being what the devices leave. The values are those of `default_space_of` or those of `among<...>`; further
/// options are `rank_by`, `device_counts`, `simulate_best` and `most_candidates`:
/// `best<models::llama2_70b, cluster<devices::h100_sxm_80gb, 8, 8>, sequence<4096>, global_batch<512>>::plan`.
/// The answer is that of `best_of` with the same options. Errors, each one line: what is no part and no option, and those of
/// search/refusals.hpp; a part that is said and searched as well is refused by the constraint.
template <transformer_model Model, detail::needed_part Cluster, detail::search_part... Parts>
requires(detail::says_each_once<Model, Cluster, Parts...>) struct best {
  /// True: there is no other. Asking for it is what insists on a space that a compiler can search.
  enum : bool {
    is_searched =
        (detail::says_values<Parts> && ...) &&
        detail::can_be_asked<detail::asked_search<Model, Cluster, Parts...>, detail::asked_search<Model, Cluster, Parts...>::refusal>
  };
  /// What was found, as `best_of` returns it.
  static constexpr search_result result = detail::best_of_types<Model, Cluster, detail::asked_search<Model, Cluster, Parts...>>::result;
  /// One of the best plans as a plan type, 0 for the best; `no_plan_fits<...>`, which is never defined, where the list ends before.
  template <int At>
  using plan_at = typename detail::pointed<
      decltype(detail::best_of_types<Model, Cluster, detail::asked_search<Model, Cluster, Parts...>>::template plan_at<At>())>::type;
  /// The best plan, a plan type.
  using plan = plan_at<0>;
  static constexpr bool found = result.found;                    ///< whether any legal plan fits
  static constexpr std::int64_t considered = result.considered;  ///< candidates
  static constexpr std::int64_t fitting = result.fitting;        ///< of these legal and within memory
  static constexpr std::int64_t timed = result.timed;            ///< of these timed: those that could enter the list
  static constexpr std::int64_t simulated = result.simulated;    ///< plans of the list that were ranked again by simulation
  /// The best plans as values, in order.
  static constexpr const static_vector<listed_plan, most_listed>& top = result.top;
  /// Refused candidates, by `rule`: each is counted once, under the first rule that it breaks.
  static constexpr const std::int64_t (&rejected_by_rule)[rule_slots] = result.rejected_by_rule;
};

}  // namespace shardplan
