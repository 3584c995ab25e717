// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/bytes.hpp>
#include <shardplan/core/index_pack.hpp>
#include <shardplan/core/part.hpp>
#include <shardplan/core/unset.hpp>
#include <shardplan/memory/memory.hpp>
#include <shardplan/memory/phase.hpp>
#include <shardplan/memory/report.hpp>
#include <shardplan/plan/evaluate.hpp>
#include <shardplan/plan/remedy_beside.hpp>
#include <shardplan/plan/remedy_of_plan.hpp>
#include <shardplan/plan/rules/check.hpp>
#include <shardplan/plan/violation.hpp>
#include <shardplan/spec/plan_spec.hpp>
#include <shardplan/timing/timing.hpp>
#include <shardplan/traffic/traffic.hpp>

#include <cstdint>

namespace shardplan {

/// Declared here for what is asked of one below; its definition and its meaning stand before `plan`.
template <class... Parts>
struct plan_core;

namespace detail {

// GCC does not print the type that a concept refused, so the refusal is an error of its own, and the concept holds after it: nothing fails
// twice.
template <class Type>
struct refused {
  enum : unsigned long { explanation = sizeof(no_part_of_a_plan<Type>) };
  static constexpr bool ok = true;
};
template <class Type>
concept applicable_part = part<Type> && requires(plan_spec& spec) {
  Type::apply(spec);
};
template <class Type>
concept needed_part = applicable_part<Type> || refused<Type>::ok;

// Copied by every plan: cheaper than evaluating the default of each field anew.
inline constexpr plan_spec unsaid{};

// What is no part was refused by name already.
template <class Part>
constexpr void apply_known(plan_spec& spec) {
  if constexpr (applicable_part<Part>) Part::apply(spec);
}
template <class... Parts>
constexpr plan_spec fold_parts() {
  plan_spec spec = unsaid;
  if constexpr (sizeof...(Parts) > 64) {
    // Clang folds no more than 256 operands; a list is dearer and only for plans that break a rule anyway.
    [[maybe_unused]] const int in_order[] = {0, (apply_known<Parts>(spec), 0)...};
  } else if constexpr ((applicable_part<Parts> && ...)) {
    (Parts::apply(spec), ...);
  } else {
    (apply_known<Parts>(spec), ...);
  }
  spec.said_parts = 0;
  return spec;
}

// The broken rules of a plan, the legal values of each a constant of its own.
template <class Core>
inline constexpr bool has_only_parts = true;
template <class... Parts>
inline constexpr bool has_only_parts<plan_core<Parts...>> = (applicable_part<Parts> && ...);
// Of a plan that has something that is no part, which was refused by name, only what is wrong by itself: it may stand for a part that is
// missing, and for what would keep a rule about several (a `layer_split`, a `zero`).
template <class List>
constexpr List without_what_waits(const List& list) {
  List result{};
  for (std::size_t at = 0; at < list.items.length; ++at) {
    const rule broken = list.items.values[at].broken;
    if (broken != rule::missing_part && broken < rule::does_not_divide) result.items.values[result.items.length++] = list.items.values[at];
  }
  return result;
}
template <class Core>
constexpr violation_list rules_of_core() {
  if constexpr (has_only_parts<Core>) {
    return broken_rules<Core::judges_host>(Core::spec);
  } else {
    return without_what_waits(broken_rules<Core::judges_host>(Core::spec));
  }
}
template <class Core>
inline constexpr violation_list broken_rules_of = rules_of_core<Core>();
template <class Core, int Index>
inline constexpr auto answer_of_plan = answer(answer_of_plan<Core, Index - 1>.after, answer_of_plan<Core, Index - 1>.answered,
                                              broken_rules_of<Core>, Index);
template <class Core>
inline constexpr auto answer_of_plan<Core, 0> = answer(Core::spec, 0, broken_rules_of<Core>, 0);
template <class Core, int Index>
inline constexpr violation answer_alone_of_plan = answer_alone(Core::spec, broken_rules_of<Core>, Index);
template <class Core, int... Indices>
constexpr violation_list answered_rules(index_pack<int, Indices...>) {
  violation_list list = broken_rules_of<Core>;
  ((list.items.values[index_at(broken_rules_of<Core>, Indices)] = answer_of_plan<Core, Indices>.item), ...);
  return list;
}
template <class Core, int... Indices>
constexpr violation_list rules_answered_alone(index_pack<int, Indices...>) {
  violation_list list = broken_rules_of<Core>;
  ((list.items.values[Indices] = answer_alone_of_plan<Core, Indices>), ...);
  return list;
}
template <class Core, bool Alone, class Indices>
constexpr violation_list rules_answered_alone_if(Indices indices) {
  if constexpr (Alone) {
    return rules_answered_alone<Core>(indices);
  } else {
    return {};
  }
}
template <class Core, class Indices>
constexpr violation_list legal_rules(Indices indices) {
  constexpr violation_list list = answered_rules<Core>(Indices{});
  constexpr int last = static_cast<int>(broken_rules_of<Core>.items.length) - 1;
  constexpr bool together = work_together(list, answer_of_plan<Core, last>.after);
  violation_list result = together ? list : rules_answered_alone_if<Core, !together>(indices);
  keep_stages(Core::spec, together ? answer_of_plan<Core, last>.after : Core::spec, result);
  return result;
}
template <class Core>
constexpr violation_list rules_with_values() {
  violation_list list = broken_rules_of<Core>;
  if constexpr (has_legal_values(broken_rules_of<Core>))
    list = legal_rules<Core>(make_index_pack<static_cast<int>(broken_rules_of<Core>.items.length)>{});
  if constexpr (has_features(broken_rules_of<Core>)) find_all_supported(Core::spec, list);
  return list;
}

// The plan once its other broken rules are put right, as `find_remedy_beside` asks about it.
template <class Core>
struct repaired_core {
  static constexpr repair_list repairs = repairs_in(rules_with_values<Core>());
  static constexpr auto spec = changed_by_repairs(Core::spec, repairs);
  static constexpr bool judges_host = Core::judges_host;
  static constexpr bool keeps_others = keeps_other_rules(spec);
  static constexpr int violation_count = count_violations<judges_host>(spec);
};
template <class Core>
constexpr remedy_set remedy_of_repaired() {
  using other = repaired_core<Core>;
  if constexpr (!other::keeps_others) {
    return {};
  } else if constexpr (other::violation_count == 0) {
    return set_of_repairs(other::repairs);
  } else {
    return remedy_of_plan<other>();
  }
}
// The plan on which changes are made that make it fit: itself, or once its other rules are put right.
template <class Core, bool HasOthers = has_other_rules(broken_rules_of<Core>)>
struct remedied_core {
  using type = Core;
};
template <class Core, bool Found = is_change(remedy_of_repaired<Core>().first)>
struct better_core {
  using type = repaired_core<Core>;
};
template <class Core>
struct better_core<Core, false> {
  using type = Core;
};
template <class Core>
struct remedied_core<Core, true> : better_core<Core> {};

template <class Core>
constexpr violation_list rules_with_remedy_beside() {
  auto list = rules_with_values<Core>();  // of a type that depends: nothing is instantiated for a plan that is not refused
  if constexpr (is_change(remedy_of_repaired<Core>().first)) {
    set_remedy(list, remedy_of_repaired<Core>());
    keep_first_values(list);
  } else {
    set_remedy(list, remedy_of_plan<Core>());
    if (is_change(remedy_of_plan<Core>().first)) {
      forget_values(list);
    } else if (!repaired_core<Core>::keeps_others) {
      note_that_it_waits(list);
    }
  }
  return list;
}
template <class Core>
constexpr violation_list spoken_rules() {
  if constexpr (!wants_remedy(broken_rules_of<Core>)) {
    return rules_with_values<Core>();
  } else if constexpr (has_other_rules(broken_rules_of<Core>)) {
    return rules_with_remedy_beside<Core>();
  } else {
    violation_list list = broken_rules_of<Core>;
    set_remedy(list, remedy_of_plan<Core>());
    return list;
  }
}

template <class Core>
struct layout_of_plan {
  static constexpr bool computable = Core::violation_count == 0 || is_computable(Core::spec);
  static constexpr memory_layout layout = computable ? memory_layout_of(Core::spec) : memory_layout{};
  static constexpr phase_reports phases(std::int64_t stage) {
    return computable ? phases_of_stage(Core::spec, layout, stage) : phase_reports{};
  }
  static constexpr stage_account account(std::int64_t stage) {
    return computable ? account_of_stage(Core::spec, layout, stage) : stage_account{};
  }
};

// What traffic and timing of a plan share; no micro-batches when the plan breaks a rule of the first two tiers.
template <class Spec>
constexpr traffic_layout traffic_layout_if(const Spec& spec, bool is_valid) {
  return is_valid || is_computable(spec) ? traffic_layout_of(spec) : traffic_layout{};
}
template <class Core>
inline constexpr traffic_layout traffic_layout_in = traffic_layout_if(Core::spec, Core::violation_count == 0);
// All arguments are said: one more call that returns a report is 4 % of what reading one costs GCC.
template <class Spec>
constexpr timing_report timing_if(const Spec& spec, const traffic_layout& layout) {
  return layout.facts.micro_batches > 0 ? timing_of(spec, layout, default_timing_constants, spec.communication) : timing_report{};
}
template <class Spec>
constexpr traffic_report traffic_if(const Spec& spec, const traffic_layout& layout, std::int64_t stage, int stages) {
  if (stage < 0 || stage >= stages) index_out_of_range();
  return layout.facts.micro_batches > 0 ? traffic_of_stage(spec, layout, stage, spec.communication) : traffic_report{};
}

// No array as `memory` is: the report of one stage costs a compiler as much as the memory of eight, and few plans are asked for more than
// one or two.
template <class Core>
struct traffic_of_plan {
  constexpr traffic_report operator[](std::int64_t stage) const {
    return traffic_if(Core::spec, traffic_layout_in<Core>, stage, Core::stages);
  }
};

// A raw array in a base class: a kernel can read its elements by constant index, which it cannot do with any wrapper that has operator[].
template <class Core, class Stages>
struct stage_arrays;
template <class Core, int... Stages>
struct stage_arrays<Core, index_pack<int, Stages...>> : Core {
  /// The report of each pipeline rank, pp of them; all zero when the plan breaks a rule of the first two tiers.
  static constexpr memory_report memory[sizeof...(Stages)] = {layout_of_plan<Core>::account(Stages).device...};
  /// The memory of each pipeline rank in each phase; `memory[i]` is the report of `phases[i].peak`.
  static constexpr phase_reports phases[sizeof...(Stages)] = {layout_of_plan<Core>::phases(Stages)...};
  /// What `offload<>` moved from each pipeline rank to host memory and to NVMe.
  static constexpr offload_report offloaded[sizeof...(Stages)] = {layout_of_plan<Core>::account(Stages).offloaded...};
};

}  // namespace detail

/// What every plan has before a figure is asked for.
template <class... Parts>
struct plan_core {
  /// All parts folded into one `plan_spec`. (`auto`, so that the calls below depend on the parts and no rule is compiled before a plan is
  /// asked.)
  static constexpr auto spec = detail::fold_parts<Parts...>();
  /// Pipeline ranks, the length of the arrays; 1 when `pp` is out of its range.
  static constexpr int stages = spec.pp >= 1 && spec.pp <= limits::stages ? static_cast<int>(spec.pp) : 1;
  /// Whether the plan says the memory of its hosts, which must then hold what is offloaded.
  static constexpr bool judges_host = spec.host_memory_gibibytes != unset;
  /// Broken rules; 0 when the plan is valid.
  static constexpr int violation_count = detail::count_violations<judges_host>(spec);
};

/// A training run as a type: parts in any order, each at most once. It describes and is never an error by itself; `valid`, `fits` and
/// `violations_of` ask about it, `checked` and `checked_plan` insist. A type that is no part is one error line that names
/// `no_part_of_a_plan<Type>`.
/// Everything it knows is a constant; what is not named is not computed.
template <detail::needed_part... Parts>
struct plan : detail::stage_arrays<plan_core<Parts...>, detail::make_index_pack<plan_core<Parts...>::stages>> {
  /// The figures that are one number, together; all zero when a rule of the first two tiers is broken.
  static constexpr plan_figures figures = plan_core<Parts...>::violation_count == 0 ? detail::computed_figures(plan_core<Parts...>::spec)
                                                                                    : figures_of(plan_core<Parts...>::spec);
  static constexpr std::int64_t world_size = figures.world_size;        ///< devices
  static constexpr std::int64_t data_parallel = figures.data_parallel;  ///< replicas of the batch, without cp
  static constexpr std::int64_t micro_batches = figures.micro_batches;  ///< of one replica in a step
  static constexpr bytes peak_memory = figures.peak_memory;             ///< the largest total of all stages
  static constexpr std::int64_t peak_stage = figures.peak_stage;        ///< the first stage that reaches it
  static constexpr phase peak_phase = figures.peak_phase;               ///< the phase in which it does
  /// What a rank of each stage sends and receives in a step: `traffic[0]`, computed where it is named; all zero when the plan breaks a rule
  /// of the first two tiers. Error: `index_out_of_range` when there is no such stage.
  static constexpr detail::traffic_of_plan<plan_core<Parts...>> traffic{};
  /// The same for one stage as a constant that a kernel can read: `run::traffic_at<0>::report.sent_over[...]`. A plan that does not name it
  /// pays nothing. Error: `index_out_of_range` when there is no such stage.
  template <int Stage>
  struct traffic_at {
    static constexpr traffic_report report =
        detail::traffic_if(plan_core<Parts...>::spec, detail::traffic_layout_in<plan_core<Parts...>>, Stage, plan_core<Parts...>::stages);
  };
  /// Estimate: how long a step takes, and why; all zero when the plan breaks a rule of the first two tiers.
  static constexpr timing_report timing = detail::timing_if(plan_core<Parts...>::spec, detail::traffic_layout_in<plan_core<Parts...>>);
  /// The broken rules as values; `violations_of<plan>` has them as types.
  static constexpr violation_list found = detail::spoken_rules<plan_core<Parts...>>();
};

}  // namespace shardplan
