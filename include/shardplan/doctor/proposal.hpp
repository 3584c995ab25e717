// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/size.hpp>
#include <shardplan/core/static_vector.hpp>
#include <shardplan/doctor/cause.hpp>
#include <shardplan/doctor/parallel_evidence.hpp>
#include <shardplan/parallel/stages.hpp>
#include <shardplan/plan/remedy.hpp>
#include <shardplan/plan/violation.hpp>
#include <shardplan/spec/plan_spec.hpp>

#include <cstdint>

namespace shardplan {

/// Most changes that are tried for one cause.
inline constexpr std::size_t most_changes = 32;
/// The changes that are tried for one cause, the least first.
using change_list = static_vector<remedy, most_changes>;

namespace detail {

// Whether a change of the plan is tried at all: not against what is no matter of one.
constexpr bool changes_with_plan(cause which) {
  switch (which) {
    case cause::hang_preproc:
    case cause::hang_uneven:
    case cause::hang_fabric:
    case cause::hang_eval:
    case cause::num_cp_mask:
    case cause::num_sp_grad:
    case cause::num_clip:
    case cause::num_tied:
    case cause::num_ga:
    case cause::num_compose:
    case cause::perf_fabric_cfg:
    case cause::perf_overlap:
    case cause::perf_jitter:
    case cause::perf_slow_gpu:
    case cause::perf_data:
    case cause::ckpt_layout: return false;
    default: return true;
  }
}

// Only what can be meant: a list that is full takes no more.
template <class List>
constexpr void propose(List& list, remedy_kind kind, std::int64_t value = 0) {
  if (list.length < most_changes) list.push_back({kind, value});
}
// Of the changes that make plans fit (`first_remedy`), in their order, those that `is_meant` wants; of micro-batches each the half of the
// one before, or less.
template <class List, class Spec, class Wanted>
constexpr void propose_remedies(List& list, const Spec& spec, Wanted is_meant) {
  std::int64_t micro = spec.micro_batch;
  first_remedy(spec, [&](remedy suggested) {
    if (!is_meant(suggested.kind)) return false;
    if (suggested.kind == remedy_kind::micro_batch) {
      if (suggested.value > micro / 2) return false;
      micro = suggested.value;
    }
    propose(list, suggested.kind, suggested.value);
    return false;
  });
}
constexpr bool shrinks_states(remedy_kind kind) {
  switch (kind) {
    case remedy_kind::zero:
    case remedy_kind::fsdp:
    case remedy_kind::shard_ranks:
    case remedy_kind::ep:
    case remedy_kind::tp:
    case remedy_kind::pp:
    case remedy_kind::pp_slots:
    case remedy_kind::pp_split:
    case remedy_kind::optimizer_adamw_8bit:
    case remedy_kind::offload_states_to_host: return true;
    default: return false;
  }
}
constexpr bool shrinks_activations(remedy_kind kind) {
  switch (kind) {
    case remedy_kind::recompute_attention:
    case remedy_kind::recompute_pointwise:
    case remedy_kind::recompute_experts:
    case remedy_kind::recompute_full:
    case remedy_kind::micro_batch:
    case remedy_kind::tp:
    case remedy_kind::cp: return true;
    default: return false;
  }
}
template <class List>
constexpr void propose_smaller_micro_batch(List& list, const plan_spec& spec) {
  if (spec.micro_batch >= 2) propose(list, remedy_kind::micro_batch, spec.micro_batch / 2);
  if (spec.micro_batch >= 4) propose(list, remedy_kind::micro_batch, 1);
}
template <class List>
constexpr void propose_double(List& list, remedy_kind kind, std::int64_t degree, std::int64_t most) {
  for (int twice = 0; twice < 2 && degree >= 1 && degree <= most / 2; ++twice) propose(list, kind, degree *= 2);
}
template <class List>
constexpr void propose_half(List& list, remedy_kind kind, std::int64_t degree) {
  for (; degree > 1 && degree % 2 == 0; degree /= 2) propose(list, kind, degree / 2);
}
template <class List>
constexpr void propose_larger_batch(List& list, const plan_spec& spec) {
  for (std::int64_t more = 2; more <= 8; more *= 2)
    if (spec.global_batch >= 1 && spec.global_batch <= (std::int64_t{1} << 28))
      propose(list, remedy_kind::global_batch, spec.global_batch * more);
}
constexpr std::int64_t next_multiple(std::int64_t value, std::int64_t of) {
  return value < 1 || of < 1 || value > (std::int64_t{1} << 40) || of > (std::int64_t{1} << 40) ? value : (value + of - 1) / of * of;
}

template <class List>
constexpr void propose_even_split(List& list, const plan_spec& spec) {
  const std::int64_t stages = spec.schedule.chunks < 1 ? 0 : times(spec.pp, spec.schedule.chunks);
  if (stages >= 2 && stages <= spec.model.layers && stages <= static_cast<std::int64_t>(most_layer_split_entries))
    propose(list, remedy_kind::layer_split, spec.schedule.stages(spec.pp));
}

}  // namespace detail

}  // namespace shardplan
