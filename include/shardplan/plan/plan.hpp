// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/bytes.hpp>
#include <shardplan/core/part.hpp>
#include <shardplan/memory/memory.hpp>
#include <shardplan/memory/report.hpp>
#include <shardplan/plan/evaluate.hpp>
#include <shardplan/plan/rules/check.hpp>
#include <shardplan/plan/violation.hpp>
#include <shardplan/spec/plan_spec.hpp>

#include <cstddef>
#include <cstdint>

namespace shardplan {

namespace detail {

// Copied by every plan: cheaper than evaluating the default of each field anew.
inline constexpr plan_spec unsaid{};

template <class Part>
constexpr void apply_part(plan_spec& spec) {
  if constexpr (part<Part>) Part::apply(spec);  // what is no part was refused by name already
}

template <class... Parts>
constexpr plan_spec fold_parts() {
  plan_spec spec = unsaid;
  (apply_part<Parts>(spec), ...);
  spec.said_parts = 0;
  return spec;
}

// Compiler built-ins instead of <utility>, which would cost as much as half of the core.
template <class Index, Index... Indices>
struct index_pack {};
#if defined(__clang__)
template <int Count>
using make_index_pack = __make_integer_seq<index_pack, int, Count>;
#else
template <int Count>
using make_index_pack = index_pack<int, __integer_pack(Count)...>;
#endif

template <class Core>
struct layout_of_plan {
  static constexpr bool computable = Core::violation_count == 0 || is_computable(Core::spec);
  static constexpr memory_layout layout = computable ? memory_layout_of(Core::spec) : memory_layout{};
  static constexpr stage_account account(std::int64_t stage) {
    return computable ? account_of_stage(Core::spec, layout, stage) : stage_account{};
  }
};

// A raw array in a base class: a kernel can read its elements by constant index, which it cannot do with any wrapper that has operator[].
template <class Core, class Stages>
struct stage_arrays;
template <class Core, int... Stages>
struct stage_arrays<Core, index_pack<int, Stages...>> : Core {
  /// The report of each pipeline rank, pp of them; all zero when the plan breaks a rule of the first two tiers.
  static constexpr memory_report memory[sizeof...(Stages)] = {layout_of_plan<Core>::account(Stages).device...};
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
  /// Broken rules; 0 when the plan is valid.
  static constexpr int violation_count = detail::count_violations(spec);
};

/// A training run as a type: parts in any order, each at most once. It describes and is never an error by itself; `valid`, `fits` and
/// `violations_of` ask about it, `checked` and `checked_plan` insist. A type that is no part fails the concept `part`.
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
  /// The broken rules as values; `violations_of<plan>` has them as types.
  static constexpr violation_list found = violations_in(plan_core<Parts...>::spec);
};

}  // namespace shardplan
