// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/plan/least_states.hpp>
#include <shardplan/plan/rules/check.hpp>
#include <shardplan/plan/violation.hpp>
#include <shardplan/spec/plan_spec.hpp>

#include <cstdint>

namespace shardplan {

/// `spec` with that one change made.
constexpr plan_spec changed(const plan_spec& spec, remedy change) {
  plan_spec result = spec;
  switch (change.kind) {
    case remedy_kind::nothing_small_helps: break;
    case remedy_kind::zero: result.zero = change.value; break;
    case remedy_kind::recompute_full: result.recompute = recomputes::full; break;
    case remedy_kind::micro_batch: result.micro_batch = change.value; break;
    case remedy_kind::tp: result.tp = change.value; break;
    case remedy_kind::pp: result.pp = change.value; break;
    case remedy_kind::cp: result.cp = change.value; break;
    case remedy_kind::offload_states_to_host: result.offload.states = storage::host; break;
    case remedy_kind::optimizer_adamw_8bit: result.optimizer = optimizers::adamw_8bit::spec; break;
  }
  return result;
}

namespace detail {
// One less; halved while it is so large that trying all would never end.
constexpr std::int64_t smaller_micro_batch(std::int64_t micro) { return micro > 64 ? micro / 2 : micro - 1; }
}  // namespace detail

/// The changes that are tried, from the smallest to the largest, in this order: shard the optimizer (no extra traffic), recompute, the next
/// smaller micro-batches that divide the global batch (halved while above 64), shard gradients, shard weights, tp doubled up to the node,
/// pp doubled up to the layers, cp doubled up to the cluster, an 8-bit optimizer, optimizer state to the host. Calls `visit(remedy)` for
/// each until it returns true; returns that one, or `nothing_small_helps`. Whether a change is legal is for `visit` to find out.
template <class Visit>
constexpr remedy first_remedy(const plan_spec& spec, Visit visit) {
  remedy change{};
  const auto try_out = [&](remedy_kind kind, std::int64_t value) {
    change = {kind, value};
    return visit(change);
  };
  if (spec.zero < 1 && try_out(remedy_kind::zero, 1)) return change;
  if (spec.recompute != recomputes::full && try_out(remedy_kind::recompute_full, 0)) return change;
  for (std::int64_t micro = detail::smaller_micro_batch(spec.micro_batch); micro >= 1; micro = detail::smaller_micro_batch(micro))
    if (spec.global_batch % micro == 0 && try_out(remedy_kind::micro_batch, micro)) return change;
  if (spec.zero < 2 && try_out(remedy_kind::zero, 2)) return change;
  if (spec.zero < 3 && try_out(remedy_kind::zero, 3)) return change;
  for (std::int64_t tp = spec.tp * 2; tp <= spec.devices_per_node; tp *= 2)
    if (try_out(remedy_kind::tp, tp)) return change;
  for (std::int64_t pp = spec.pp * 2; pp <= spec.model.layers; pp *= 2)
    if (try_out(remedy_kind::pp, pp)) return change;
  for (std::int64_t cp = spec.cp * 2; cp <= spec.devices_per_node * spec.nodes && cp <= limits::degree; cp *= 2)
    if (try_out(remedy_kind::cp, cp)) return change;
  if (spec.optimizer.bits == 0 && try_out(remedy_kind::optimizer_adamw_8bit, 0)) return change;
  if (spec.offload.states == storage::device &&
      try_out(remedy_kind::offload_states_to_host, spec.offload.gradients == storage::device ? 0 : 1))
    return change;
  return {};
}

namespace detail {
// The candidate with that index; `nothing_small_helps` beyond the last.
template <class Spec = plan_spec>
constexpr remedy remedy_at(const Spec& spec, int index) {
  return first_remedy(spec, [&](remedy) { return index-- == 0; });
}
}  // namespace detail

/// The smallest single change that makes `spec` valid, every rule asked again on the changed plan.
template <class Spec = plan_spec>
constexpr remedy smallest_remedy(const Spec& spec) {
  const detail::parameter_totals totals = detail::totals_of(spec);
  return first_remedy(spec, [&](remedy change) {
    return detail::least_memory(spec, totals, change) <= spec.device.memory.count && detail::count_violations(changed(spec, change)) == 0;
  });
}

}  // namespace shardplan
