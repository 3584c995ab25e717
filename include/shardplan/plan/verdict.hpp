// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/bytes.hpp>
#include <shardplan/core/part.hpp>
#include <shardplan/parallel/degrees.hpp>
#include <shardplan/parallel/sharding.hpp>
#include <shardplan/parallel/stages.hpp>
#include <shardplan/parallel/vocabulary.hpp>
#include <shardplan/plan/fact_of.hpp>
#include <shardplan/plan/facts.hpp>
#include <shardplan/plan/framework_has.hpp>
#include <shardplan/plan/plan.hpp>
#include <shardplan/plan/remedy.hpp>
#include <shardplan/plan/remedy_layout.hpp>
#include <shardplan/plan/rules/check.hpp>
#include <shardplan/plan/violation.hpp>
#include <shardplan/recipe/batch.hpp>
#include <shardplan/recipe/headroom.hpp>
#include <shardplan/recipe/offload.hpp>
#include <shardplan/recipe/optimizer.hpp>
#include <shardplan/recipe/recompute.hpp>
#include <shardplan/schedule/one_f_one_b.hpp>
#include <shardplan/schedule/schedule_spec.hpp>

#include <cstdint>

#if defined(__cpp_static_assert) && __cpp_static_assert >= 202306L
#define SHARDPLAN_HAS_COMPUTED_MESSAGES 1
#include <shardplan/plan/sentence.hpp>
#else
#define SHARDPLAN_HAS_COMPUTED_MESSAGES 0
#endif

namespace shardplan {

// One type for each rule, never defined: an error line shows it with its numbers. Each has a section in docs/troubleshooting.md.

/// A part that every plan needs was not said.
template <part_kind Part>
struct missing_part;
/// A part was said more than once.
template <part_kind Part>
struct repeated_part;
/// A number lies outside the range that can be computed exactly.
template <class Number, class Least, class Most>
struct out_of_range;
/// A bound on a figure lies beyond what can be computed exactly: the plan is far larger than anything that is trained.
template <class Bound, class Most>
struct too_large;
// Where a number is at fault, `Legal` are the nearest legal values of its part, below and above: `try_<tp<2>>, try_<tp<4>>`.

/// What a part says is no value of its kind: a `rank_order` that is no order of the axes, a schedule without one of its functions.
template <part_kind Part>
struct malformed_part;

/// The first number must divide the second.
template <class Divisor, class Dividend, class... Legal>
struct does_not_divide;
/// The first number must be a multiple or a divisor of the second.
template <class First, class Second, class... Legal>
struct neither_multiple_nor_divisor;
/// The two numbers must be equal.
template <class First, class Second, class... Legal>
struct does_not_match;
/// A pipeline stage (a chunk of it, with several) owns no layer.
template <class Stage>
struct empty_stage;
/// The schedule needs as many micro-batches as the second number says.
template <class First, class Second, class... Legal>
struct micro_batches_fewer_than_stages;
/// The first number must not be larger than the second.
template <class First, class Second, class... Legal>
struct exceeds;
/// No engine does this; a change after which it is supported, where there is one: `try_<zero<1>>`.
template <feature What, class... Legal>
struct not_supported;
/// The worst stage needs more memory than its device has.
template <class Stage, class Needs, class Has, class Largest, class Remedy>
struct does_not_fit;

/// What `offload<>` moves to one host needs more memory than it has.
template <class Needs, class Has, class Remedy>
struct host_does_not_fit;

/// Further violations of the same tier that found no room in the list.
template <std::int64_t Count>
struct and_more;

/// The broken rules of a plan as types.
template <class... Violations>
struct violations {
  /// How many there are; 0 for a valid plan.
  static constexpr int count = static_cast<int>(sizeof...(Violations));
};

/// Declared and never defined: naming its size is the one error of a plan that is insisted on.
template <class... Violations>
struct plan_rejected;

namespace detail {

template <remedy_kind Kind, std::int64_t Value>
struct remedy_key {};
template <std::int64_t Value>
nothing_small_helps* remedy_of(remedy_key<remedy_kind::nothing_small_helps, Value>);
template <std::int64_t Value>
try_<zero<Value>>* remedy_of(remedy_key<remedy_kind::zero, Value>);
template <std::int64_t Value>
try_<recompute<recomputes::full>>* remedy_of(remedy_key<remedy_kind::recompute_full, Value>);
template <std::int64_t Value>
try_<micro_batch<Value>>* remedy_of(remedy_key<remedy_kind::micro_batch, Value>);
template <std::int64_t Value>
try_<tp<Value>>* remedy_of(remedy_key<remedy_kind::tp, Value>);
template <std::int64_t Value>
try_<pp<Value>>* remedy_of(remedy_key<remedy_kind::pp, Value>);
template <std::int64_t Value>
try_<cp<Value>>* remedy_of(remedy_key<remedy_kind::cp, Value>);
template <std::int64_t Value>
try_<offload<states_to<storage::nvme>>>* remedy_of(remedy_key<remedy_kind::states_to_nvme, Value>);
template <std::int64_t Value>
try_<optimizer<optimizers::adamw_8bit>>* remedy_of(remedy_key<remedy_kind::optimizer_adamw_8bit, Value>);
template <std::int64_t Value>
try_<nodes<Value>>* remedy_of(remedy_key<remedy_kind::nodes, Value>);
template <std::int64_t Value>
try_<recompute<recomputes::core_attn>>* remedy_of(remedy_key<remedy_kind::recompute_attention, Value>);
try_<recompute<recomputes::layernorm, recomputes::mlp_act>>* remedy_of(remedy_key<remedy_kind::recompute_pointwise, 0>);
try_<recompute<recomputes::layernorm, recomputes::mlp_act, recomputes::moe_act>>* remedy_of(
    remedy_key<remedy_kind::recompute_pointwise, 1>);
try_<recompute<recomputes::every_second_matmul>>* remedy_of(remedy_key<remedy_kind::recompute_pointwise, 2>);
template <std::int64_t Value>
try_<recompute<recomputes::moe>>* remedy_of(remedy_key<remedy_kind::recompute_experts, Value>);
template <std::int64_t Value>
try_<reshard_after_forward<Value != 0>>* remedy_of(remedy_key<remedy_kind::reshard, Value>);
template <std::int64_t Value>
try_<shard_ranks<Value>>* remedy_of(remedy_key<remedy_kind::shard_ranks, Value>);
template <std::int64_t Value>
try_<prefetch<Value>>* remedy_of(remedy_key<remedy_kind::prefetch, Value>);
template <std::int64_t Value>
try_<headroom<Value>>* remedy_of(remedy_key<remedy_kind::headroom, Value>);
template <std::int64_t Value>
try_<fsdp<>>* remedy_of(remedy_key<remedy_kind::fsdp, Value>);
template <std::int64_t Value>
try_<pp<Value>, pipeline_slots<embedding_slot, loss_slot>>* remedy_of(remedy_key<remedy_kind::pp_slots, Value>);
template <std::int64_t Value>
try_<pipeline_slots<embedding_slot, loss_slot>>* remedy_of(remedy_key<remedy_kind::pipeline_slots, Value>);
template <std::int64_t Value>
try_<sequence_parallel<true>>* remedy_of(remedy_key<remedy_kind::sequence_parallel, Value>);
try_<schedule<schedules::one_f_one_b>>* remedy_of(remedy_key<remedy_kind::chunks, 1>);
try_<offload<gradients_to<storage::host>>>* remedy_of(remedy_key<remedy_kind::gradients_to_host, 0>);
try_<offload<states_to<storage::host>, gradients_to<storage::host>>>* remedy_of(remedy_key<remedy_kind::gradients_to_host, 1>);
try_<offload<states_to<storage::nvme>, gradients_to<storage::host>>>* remedy_of(remedy_key<remedy_kind::gradients_to_host, 2>);
template <std::int64_t Value>
try_<dp<Value>>* remedy_of(remedy_key<remedy_kind::dp, Value>);
template <std::int64_t Value>
try_<ep<Value>>* remedy_of(remedy_key<remedy_kind::ep, Value>);
template <std::int64_t Value>
try_<etp<Value>>* remedy_of(remedy_key<remedy_kind::etp, Value>);
template <std::int64_t Value>
try_<sequence<Value>>* remedy_of(remedy_key<remedy_kind::sequence, Value>);
template <std::int64_t Value>
try_<global_batch<Value>>* remedy_of(remedy_key<remedy_kind::global_batch, Value>);
template <std::int64_t Value>
try_<accumulation<Value>>* remedy_of(remedy_key<remedy_kind::accumulation, Value>);
template <std::int64_t Value>
try_<vocabulary_multiple<Value>>* remedy_of(remedy_key<remedy_kind::vocabulary_multiple, Value>);
template <std::int64_t Value>
try_<hpz<Value>>* remedy_of(remedy_key<remedy_kind::hpz, Value>);
template <std::int64_t Value>
try_<inner_all_to_all<Value>>* remedy_of(remedy_key<remedy_kind::inner_all_to_all, Value>);
template <std::int64_t Value>
try_<node_ranks<Value>>* remedy_of(remedy_key<remedy_kind::node_ranks, Value>);

// Changes that help together only.
template <class... First, class... Second>
try_<First..., Second...>* together(try_<First...>*, try_<Second...>*);
template <class... First, class... Second, class... Third>
try_<First..., Second..., Third...>* together(try_<First...>*, try_<Second...>*, try_<Third...>*);

// What an `offload<>` says: it replaces the plan's own, and says that again.
template <bool Said, class Target>
constexpr auto target_if() {
  if constexpr (Said) {
    return static_cast<offload<Target>*>(nullptr);
  } else {
    return static_cast<offload<>*>(nullptr);
  }
}
template <class... First, class... Second, class... Third, class... Fourth, class... Fifth, class... Sixth>
try_<offload<First..., Second..., Third..., Fourth..., Fifth..., Sixth...>>* offload_of(offload<First...>*, offload<Second...>*,
                                                                                        offload<Third...>*, offload<Fourth...>*,
                                                                                        offload<Fifth...>*, offload<Sixth...>*);
template <std::int64_t Words>
constexpr auto spell_offload() {
  constexpr auto says = [](std::int64_t word) { return (Words & word) != 0; };
  return decltype(offload_of(target_if<!says(offload_words::moments), states_to<storage::host>>(),
                             target_if<says(offload_words::moments), moments_to_host<100>>(),
                             target_if<says(offload_words::gradients), gradients_to<storage::host>>(),
                             target_if<says(offload_words::weights), weights_to<storage::host>>(),
                             target_if<says(offload_words::weights_to_nvme), weights_to<storage::nvme>>(),
                             target_if<says(offload_words::inputs), inputs_to_host>()))(nullptr);
}

// A change of a plan. A split of layers says the layers of each stage.
template <class Plan, remedy_kind Kind, std::int64_t Value>
inline constexpr plan_spec spec_with = changed(Plan::spec, {Kind, Value});
template <class Plan, remedy_kind Kind, std::int64_t Value, int... Stages>
try_<layer_split<spec_with<Plan, Kind, Value>.layer_split.counts.values[Stages]...>>* split_of(index_pack<int, Stages...>);
template <class Plan, remedy_kind Kind, std::int64_t Value>
constexpr auto spell_split() {
  constexpr int stages = static_cast<int>(spec_with<Plan, Kind, Value>.layer_split.counts.length);
  return decltype(split_of<Plan, Kind, Value>(make_index_pack<stages>{}))(nullptr);
}
template <class Plan, std::int64_t Value>
constexpr auto spell_layout();
template <class Plan, remedy_kind Kind, std::int64_t Value>
constexpr auto change_of() {
  if constexpr (Kind == remedy_kind::pp_split) {
    return decltype(together(remedy_of(remedy_key<remedy_kind::pp, Value>{}), spell_split<Plan, Kind, Value>()))(nullptr);
  } else if constexpr (Kind == remedy_kind::layer_split) {
    return spell_split<Plan, Kind, Value>();
  } else if constexpr (Kind == remedy_kind::offload_states_to_host) {
    return spell_offload<Value>();
  } else if constexpr (Kind == remedy_kind::layout) {
    return spell_layout<Plan, Value>();
  } else {
    return decltype(remedy_of(remedy_key<Kind, Value>{}))(nullptr);
  }
}

// The parts that a layout says, in the order in which they are made.
template <class Plan, bool Said, remedy_kind Kind, std::int64_t Value>
constexpr auto change_if() {
  if constexpr (Said) {
    return change_of<Plan, Kind, Value>();
  } else {
    return static_cast<try_<>*>(nullptr);
  }
}
template <class Plan, std::int64_t Value>
constexpr auto spell_stages() {
  constexpr layout_change says = layout_of(Value);
  if constexpr (says.pp != 0 && says.stages == remedy_kind::pp_split) {
    return decltype(together(change_of<Plan, remedy_kind::pp, says.pp>(), spell_split<Plan, remedy_kind::layout, Value>()))(nullptr);
  } else {
    return change_if<Plan, says.pp != 0, says.stages, says.pp>();
  }
}
template <class Plan, std::int64_t Value>
constexpr auto spell_layout() {
  constexpr layout_change says = layout_of(Value);
  constexpr remedy_kind all = remedy_kind::layout;
  constexpr auto degrees =
      decltype(together(change_if<Plan, says.tp != 0, remedy_kind::tp, says.tp>(), spell_stages<Plan, Value>()))(nullptr);
  constexpr std::int64_t stage = static_cast<std::int64_t>(says.states) - static_cast<std::int64_t>(layout_states::zero_0);
  constexpr bool is_stage = stage >= 0 && says.states != layout_states::fsdp;
  constexpr auto sharded = decltype(together(
      together(change_if<Plan, says.cp != 0, remedy_kind::cp, says.cp>(), change_if<Plan, says.ep != 0, remedy_kind::ep, says.ep>(),
               change_if<Plan, says.says_dp, remedy_kind::dp, spec_with<Plan, all, Value>.dp>()),
      change_if<Plan, is_stage, remedy_kind::zero, stage>(),
      change_if<Plan, says.states == layout_states::fsdp, remedy_kind::fsdp, 0>()))(nullptr);
  constexpr auto smaller = decltype(together(
      together(change_if<Plan, says.recompute_full, remedy_kind::recompute_full, 0>(),
               change_if<Plan, says.micro_batch_one, remedy_kind::micro_batch, 1>()),
      change_if<Plan, says.one_f_one_b, remedy_kind::chunks, 1>(),
      change_if<Plan, says.offloads, remedy_kind::offload_states_to_host, offload_value(Plan::spec.framework, Plan::spec.offload)>()))(
      nullptr);
  return decltype(together(degrees, sharded, smaller))(nullptr);
}

template <std::int64_t Rank, std::int64_t Needs, std::int64_t Has, component Which, std::int64_t Amount, class Remedy>
does_not_fit<stage<Rank>, needs<GiB<Needs / 10, Needs % 10>>, has<GiB<Has / 10, Has % 10>>, largest<Which, GiB<Amount / 10, Amount % 10>>,
             Remedy>*
misfit_of(Remedy*);
template <std::int64_t Needs, std::int64_t Has, class Remedy>
host_does_not_fit<needs<GiB<Needs / 10, Needs % 10>>, has<GiB<Has / 10, Has % 10>>, Remedy>* host_misfit_of(Remedy*);
template <feature What, class... Legal>
not_supported<What, Legal...>* unsupported_of(Legal*...);
template <template <class, class, class...> class Rule, class First, class Second, class... Legal>
Rule<First, Second, Legal...>* pair_of(First*, Second*, Legal*...);
template <std::int64_t Least, std::int64_t Most, class Number>
out_of_range<Number, at_least<Least>, at_most<Most>>* range_of(Number*);
template <std::int64_t Most, class Bound>
too_large<Bound, at_most<Most>>* large_of(Bound*);

// The pair that a rule is about, and the legal values near it.
template <class Plan, int Index, template <class, class, class...> class Rule>
constexpr auto spell_pair() {
  constexpr auto item = Plan::found.items.values[Index];
  using first = fact_key<item.first.what, item.first.value>;
  using second = fact_key<item.second.what, item.second.value>;
  using below = remedy_key<item.legal[0].kind, item.legal[0].value>;
  using above = remedy_key<item.legal[1].kind, item.legal[1].value>;
  if constexpr (item.try_this.kind != remedy_kind::nothing_small_helps) {
    // Of layers: other values of pp, and what deals them out to the same stages.
    constexpr auto kept = change_of<Plan, item.try_this.kind, item.try_this.value>();
    constexpr bool has_below = item.legal[0].kind != remedy_kind::nothing_small_helps;
    constexpr bool has_above = item.legal[1].kind != remedy_kind::nothing_small_helps;
    if constexpr (has_below && has_above) {
      return decltype(pair_of<Rule>(fact_of(first{}), fact_of(second{}), remedy_of(below{}), remedy_of(above{}), kept))(nullptr);
    } else if constexpr (has_below || has_above) {
      using one = remedy_key<item.legal[has_below ? 0 : 1].kind, item.legal[has_below ? 0 : 1].value>;
      return decltype(pair_of<Rule>(fact_of(first{}), fact_of(second{}), remedy_of(one{}), kept))(nullptr);
    } else {
      return decltype(pair_of<Rule>(fact_of(first{}), fact_of(second{}), kept))(nullptr);
    }
  } else if constexpr (item.legal[0].kind != remedy_kind::nothing_small_helps && item.legal[1].kind != remedy_kind::nothing_small_helps) {
    return decltype(pair_of<Rule>(fact_of(first{}), fact_of(second{}), remedy_of(below{}), remedy_of(above{})))(nullptr);
  } else if constexpr (item.legal[0].kind != remedy_kind::nothing_small_helps) {
    return decltype(pair_of<Rule>(fact_of(first{}), fact_of(second{}), remedy_of(below{})))(nullptr);
  } else if constexpr (item.legal[1].kind != remedy_kind::nothing_small_helps) {
    return decltype(pair_of<Rule>(fact_of(first{}), fact_of(second{}), remedy_of(above{})))(nullptr);
  } else {
    return decltype(pair_of<Rule>(fact_of(first{}), fact_of(second{})))(nullptr);
  }
}

// The one, two or three changes that a violation about memory names, of the plan in which other rules are put right. A plan type is known
// by its parts.
template <class... Parts>
plan_core<Parts...> core_of(const plan_core<Parts...>*);
template <class Plan>
using core_of_plan = decltype(core_of(static_cast<const Plan*>(nullptr)));
template <class Plan, int Index>
constexpr auto spell_remedy() {
  constexpr auto item = Plan::found.items.values[Index];
  using core = typename remedied_core<core_of_plan<Plan>>::type;
  constexpr auto one = change_of<core, item.try_this.kind, item.try_this.value>();
  if constexpr (item.waits) {
    return static_cast<other_rules_first*>(nullptr);
  } else if constexpr (item.and_this.kind == remedy_kind::nothing_small_helps) {
    return one;
  } else if constexpr (item.further.kind == remedy_kind::nothing_small_helps) {
    return decltype(together(one, change_of<core, item.and_this.kind, item.and_this.value>()))(nullptr);
  } else {
    return decltype(together(one, change_of<core, item.and_this.kind, item.and_this.value>(),
                             change_of<core, item.further.kind, item.further.value>()))(nullptr);
  }
}

// From the value of a violation to its type, reading the plan's constant field by field: GCC 12 takes no struct as a template argument.
template <class Plan, int Index>
constexpr auto spell() {
  constexpr auto item = Plan::found.items.values[Index];
  using first = fact_key<item.first.what, item.first.value>;
  if constexpr (item.broken == rule::missing_part) {
    return static_cast<missing_part<item.part>*>(nullptr);
  } else if constexpr (item.broken == rule::repeated_part) {
    return static_cast<repeated_part<item.part>*>(nullptr);
  } else if constexpr (item.broken == rule::malformed_part) {
    return static_cast<malformed_part<item.part>*>(nullptr);
  } else if constexpr (item.broken == rule::out_of_range) {
    return decltype(range_of<item.least, item.most>(fact_of(first{})))(nullptr);
  } else if constexpr (item.broken == rule::too_large) {
    return decltype(large_of<item.most>(fact_of(first{})))(nullptr);
  } else if constexpr (item.broken == rule::does_not_divide) {
    return spell_pair<Plan, Index, does_not_divide>();
  } else if constexpr (item.broken == rule::neither_multiple_nor_divisor) {
    return spell_pair<Plan, Index, neither_multiple_nor_divisor>();
  } else if constexpr (item.broken == rule::does_not_match) {
    return spell_pair<Plan, Index, does_not_match>();
  } else if constexpr (item.broken == rule::micro_batches_fewer_than_stages) {
    return spell_pair<Plan, Index, micro_batches_fewer_than_stages>();
  } else if constexpr (item.broken == rule::exceeds) {
    return spell_pair<Plan, Index, exceeds>();
  } else if constexpr (item.broken == rule::empty_stage) {
    return static_cast<empty_stage<stage<item.stage>>*>(nullptr);
  } else if constexpr (item.broken == rule::not_supported && item.legal[0].kind == remedy_kind::nothing_small_helps) {
    return static_cast<not_supported<item.unsupported>*>(nullptr);
  } else if constexpr (item.broken == rule::not_supported) {
    return decltype(unsupported_of<item.unsupported>(change_of<Plan, item.legal[0].kind, item.legal[0].value>()))(nullptr);
  } else if constexpr (item.broken == rule::host_does_not_fit) {
    return decltype(host_misfit_of<tenths_of_gib(item.needs, true), tenths_of_gib(item.has, false)>(spell_remedy<Plan, Index>()))(nullptr);
  } else {
    return decltype(misfit_of<item.stage, tenths_of_gib(item.needs, true), tenths_of_gib(item.has, false), item.largest,
                              tenths_of_gib(item.largest_needs, true)>(spell_remedy<Plan, Index>()))(nullptr);
  }
}

template <class... Violations>
violations<Violations...> collect(Violations*...);
template <class Plan, int... Indices>
constexpr auto spell_all(index_pack<int, Indices...>) {
  if constexpr (Plan::found.left_out == 0) {
    return static_cast<decltype(collect(spell<Plan, Indices>()...))*>(nullptr);
  } else {
    return static_cast<decltype(collect(spell<Plan, Indices>()..., static_cast<and_more<Plan::found.left_out>*>(nullptr)))*>(nullptr);
  }
}

template <class Pointer>
struct plain_target;
template <class Target>
struct plain_target<Target*> {
  using type = Target;
};

// A valid plan, the common case, never builds the list of records.
template <class Plan, bool Valid = Plan::violation_count == 0>
struct verdict_of {
  using type = violations<>;
};
template <class Plan>
struct verdict_of<Plan, false> {
  using type = typename plain_target<decltype(spell_all<Plan>(make_index_pack<static_cast<int>(Plan::found.items.length)>{}))>::type;
};

template <class Plan, class Verdict>
struct judge;
template <class Plan>
struct judge<Plan, violations<>> {
  static constexpr bool ok = true;
};
template <class Plan, class... Violations>
struct judge<Plan, violations<Violations...>> {
  enum : unsigned long { explanation = sizeof(plan_rejected<Violations...>) };  // the one error line
#if SHARDPLAN_HAS_COMPUTED_MESSAGES
#if defined(__clang__)
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wunknown-warning-option"
#pragma clang diagnostic ignored "-Wc++26-extensions"
#endif
  static_assert(sizeof...(Violations) == 0, sentence_of(Plan::found));
#if defined(__clang__)
#pragma clang diagnostic pop
#endif
#endif
  static constexpr bool ok = true;  // so that nothing fails a second time
};

}  // namespace detail

/// Declared here for the questions below; its definition and its meaning are at the end of this header.
template <detail::needed_part... Parts>
struct checked_plan;

namespace detail {
// Asking must not insist: of a `checked_plan` the plan behind it is asked, which is never completed into an error.
template <class Plan>
struct asked {
  using type = Plan;
};
template <class... Parts>
struct asked<checked_plan<Parts...>> {
  using type = plan<Parts...>;
};
template <class Plan>
using asked_plan = typename asked<Plan>::type;
}  // namespace detail

/// A type that can be asked and insisted on: `plan<...>`, `checked_plan<...>` or a type derived from one.
template <class Type>
concept plan_type = requires {
  detail::asked_plan<Type>::violation_count;
};

/// Asks: whether a plan keeps all rules. Never a hard error.
template <plan_type Plan>
inline constexpr bool valid = detail::asked_plan<Plan>::violation_count == 0;

/// The broken rules of a plan as a list of types, empty when it is valid: `violations<does_not_divide<tp<3>, heads<16>>, ...>`.
template <plan_type Plan>
using violations_of = typename detail::verdict_of<detail::asked_plan<Plan>>::type;

namespace detail {
// A plan that fits never builds its list of records; one that does not carries the broken rules in the type that a failed constraint
// prints.
template <class Plan, bool Fits = Plan::violation_count == 0 || memory_fits(Plan::spec)>
struct memory_verdict {
  using type = violations<>;
};
template <class Plan>
struct memory_verdict<Plan, false> {
  using type = typename verdict_of<Plan>::type;
};
// Over the verdict and not over the plan, because compilers print a failed constraint with its argument: the broken rules and their
// numbers.
template <class Verdict>
concept nothing_broken = Verdict::count == 0;
}  // namespace detail

/// Asks: whether the plan can be computed and its worst stage fits its device. Other rules of tier three are not asked.
template <class Plan>
concept fits = detail::nothing_broken<typename detail::memory_verdict<detail::asked_plan<Plan>>::type>;

/// Insists: `static_assert(sp::checked<run>)` compiles when the plan is valid; otherwise one error line names `plan_rejected` with every
/// violation, its numbers and a remedy.
template <plan_type Plan>
inline constexpr bool checked = detail::judge<detail::asked_plan<Plan>, violations_of<Plan>>::ok;

/// A plan that insists by itself: the first use of any of its members compiles only when the plan is valid. Naming the type asks nothing,
/// and `valid`, `fits` and `violations_of` may ask it as they ask a `plan`.
template <detail::needed_part... Parts>
struct checked_plan : plan<Parts...> {
  /// True: there is no other. Asking for it is what insists.
  enum : bool { is_checked = checked<plan<Parts...>> };
};

}  // namespace shardplan
