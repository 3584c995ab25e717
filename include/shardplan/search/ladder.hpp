// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/bytes.hpp>
#include <shardplan/core/checked.hpp>
#include <shardplan/core/static_vector.hpp>
#include <shardplan/memory/memory.hpp>
#include <shardplan/plan/evaluate.hpp>
#include <shardplan/plan/framework_has.hpp>
#include <shardplan/plan/remedy.hpp>
#include <shardplan/plan/rules/check.hpp>
#include <shardplan/plan/violation.hpp>
#include <shardplan/recipe/offload.hpp>
#include <shardplan/recipe/recompute.hpp>
#include <shardplan/spec/plan_spec.hpp>

#include <cstdint>

namespace shardplan {

/// What a rung of a ladder changes.
enum class rung_kind {
  nothing,    ///< the plan as it was
  tp,         ///< the tensor parallel degree
  pp,         ///< the pipeline parallel degree
  zero,       ///< the ZeRO stage
  recompute,  ///< full recomputation
  offload,    ///< optimizer state to the host, as the framework moves it
  fsdp,       ///< everything is sharded: in the place of a ZeRO stage where the framework has none
};

/// The name of what a rung changes.
constexpr const char* name_of(rung_kind kind) {
  constexpr const char* names[] = {"nothing", "tp", "pp", "zero", "recompute", "offload", "fsdp"};
  return detail::nth_of(names, static_cast<int>(kind));
}

/// One change that was tried, with the figure that judged it.
struct rung {
  rung_kind kind = rung_kind::nothing;  ///< what was changed
  std::int64_t value = 0;               ///< its new value; 0 for a kind without one
  bool legal = false;                   ///< whether the cluster and the model allow it; the rest counts only then
  bytes needs{};                        ///< the worst rank's memory
  bool fits = false;                    ///< whether that is within the device

  friend constexpr bool operator==(const rung& left, const rung& right) {
    return left.kind == right.kind && left.value == right.value && left.legal == right.legal && left.needs == right.needs &&
           left.fits == right.fits;
  }
};

/// Most changes that are tried for one question.
inline constexpr std::size_t most_rungs = 8;
/// The changes that were tried for one question, in order.
using rungs = static_vector<rung, most_rungs>;

namespace detail {

template <class Spec>
constexpr void apply_rung(Spec& spec, rung_kind kind, std::int64_t value) {
  switch (kind) {
    case rung_kind::nothing: break;
    case rung_kind::tp: spec.tp = value; break;
    case rung_kind::pp: spec.pp = value; break;
    case rung_kind::zero: spec.zero = value; break;
    case rung_kind::recompute: spec.recompute = recomputes::full; break;
    case rung_kind::offload:
      if (moves_states(spec)) make_change(spec, {remedy_kind::offload_states_to_host, offload_value(spec.framework, spec.offload)});
      break;
    case rung_kind::fsdp: make_change(spec, {remedy_kind::fsdp, 0}); break;
  }
}

// A question about memory must not fail because the batch does not divide over the replicas of that layout: it is asked with the largest
// batch below that does, one micro-batch each at least. (The plan that is returned keeps its own batch.)
constexpr void make_batch_whole(plan_spec& spec) {
  const auto in_range = [](std::int64_t number, std::int64_t most) { return number >= 1 && number <= most; };
  if (!in_range(spec.devices_per_node, limits::devices_per_node) || !in_range(spec.nodes, limits::nodes) ||
      !in_range(spec.tp, limits::degree) || !in_range(spec.pp, limits::stages) || !in_range(spec.cp, limits::degree) ||
      !in_range(spec.micro_batch, limits::micro_batch))
    return;
  const std::int64_t replica = spec.tp * spec.pp * spec.cp;
  const std::int64_t world = spec.devices_per_node * spec.nodes;
  if (world % replica != 0) return;
  const std::int64_t together = spec.micro_batch * (world / replica);
  spec.global_batch = spec.global_batch < together ? together : spec.global_batch / together * together;
}

// The rung's figures on a copy of `spec`; `legal` is false when a rule of the first two tiers is broken.
template <class Spec = plan_spec>
constexpr rung try_rung(Spec spec, rung_kind kind, std::int64_t value) {
  rung tried{kind, value, false, {}, false};
  if (kind == rung_kind::offload && !moves_states(spec)) return tried;
  apply_rung(spec, kind, value);
  make_batch_whole(spec);
  if (kind == rung_kind::tp && value > spec.devices_per_node) return tried;
  if (!is_computable(spec)) return tried;
  tried.legal = true;
  tried.needs = peak_of(spec, memory_layout_of(spec)).total;
  tried.fits = tried.needs <= spec.device.memory;
  return tried;
}

// Goes up: tries the values one by one until the plan fits. Keeps the first that does, and where none does the last that is legal. Returns
// whether the plan fits.
template <class Spec, class List>
constexpr bool climb(Spec& spec, rung_kind kind, const std::int64_t* values, std::size_t count, List& tried) {
  // Where the framework has no stages the first of them is all there is.
  if (kind == rung_kind::zero && !has_zero_stages(spec.framework)) {
    constexpr std::int64_t once[] = {0};
    return !spec.sharding.is_fsdp() && climb(spec, rung_kind::fsdp, once, 1, tried);
  }
  std::int64_t kept = 0;
  bool fits = false;
  for (std::size_t at = 0; at < count && !fits; ++at) {
    const rung one = try_rung(spec, kind, values[at]);
    tried.push_back(one);
    if (one.legal) kept = values[at];
    fits = one.fits;
  }
  const bool has_no_value = kind == rung_kind::recompute || kind == rung_kind::offload || kind == rung_kind::fsdp;
  if (kept != 0 || has_no_value) apply_rung(spec, kind, kept);
  return fits;
}

}  // namespace detail

}  // namespace shardplan
