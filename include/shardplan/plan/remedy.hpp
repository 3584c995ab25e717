// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/checked.hpp>
#include <shardplan/core/unset.hpp>
#include <shardplan/plan/least_states.hpp>
#include <shardplan/plan/rules/check.hpp>
#include <shardplan/plan/violation.hpp>
#include <shardplan/recipe/attention.hpp>
#include <shardplan/recipe/collectives.hpp>
#include <shardplan/recipe/headroom.hpp>
#include <shardplan/recipe/offload.hpp>
#include <shardplan/recipe/optimizer.hpp>
#include <shardplan/recipe/precision.hpp>
#include <shardplan/recipe/recompute.hpp>
#include <shardplan/schedule/interleaved.hpp>
#include <shardplan/schedule/one_f_one_b.hpp>
#include <shardplan/spec/derived.hpp>
#include <shardplan/spec/plan_spec.hpp>

#include <cstdint>

namespace shardplan {

namespace detail {
// Counts that differ by one at most, the larger in the middle: the ends have embedding and head beside their layers.
template <class Split>
constexpr void split_evenly(Split& split, std::int64_t layers, std::int64_t parts) {
  const std::int64_t next_token = split.next_token_stage;
  split = {};
  split.next_token_stage = next_token;
  if (parts < 1 || parts > layers) return;
  const std::int64_t larger = layers % parts;
  const std::int64_t from = (parts - larger) / 2;
  for (std::int64_t at = 0; at < parts; ++at) split.push_back(layers / parts + (at >= from && at < from + larger ? 1 : 0));
}

// Makes that one change: a search over many values of one field copies the spec once. (`Chunked` depends, so that a file which only
// includes this instantiates no schedule.)
template <class Spec, int Chunked = 2>
constexpr void make_change(Spec& result, remedy change) {
  switch (change.kind) {
    case remedy_kind::nothing_small_helps:
    case remedy_kind::schedule: break;
    case remedy_kind::zero: result.zero = change.value; break;
    case remedy_kind::recompute_full: result.recompute = recomputes::full; break;
    case remedy_kind::micro_batch: result.micro_batch = change.value; break;
    case remedy_kind::tp: result.tp = change.value; break;
    case remedy_kind::pp: result.pp = change.value; break;
    case remedy_kind::cp: result.cp = change.value; break;
    case remedy_kind::offload_states_to_host: result.offload.states = storage::host; break;
    case remedy_kind::optimizer_adamw_8bit: result.optimizer = optimizers::adamw_8bit::spec; break;
    case remedy_kind::nodes: result.nodes = change.value; break;
    case remedy_kind::ep: result.ep = change.value; break;
    case remedy_kind::recompute_attention:
      result.recompute = recomputes::core_attn;
      result.recompute_layers = {};
      break;
    case remedy_kind::recompute_pointwise:
      result.recompute = recomputes::layernorm | recomputes::mlp_act | (change.value == 0 ? recomputes::none : recomputes::moe_act);
      break;
    case remedy_kind::recompute_experts: result.recompute = result.recompute | recomputes::moe; break;
    case remedy_kind::reshard: result.sharding.reshard_after_forward = change.value != 0; break;
    case remedy_kind::shard_ranks: result.sharding.ranks = change.value; break;
    case remedy_kind::prefetch: result.sharding.prefetch = change.value; break;
    case remedy_kind::headroom: result.headroom_mebibytes = change.value; break;
    case remedy_kind::dp: result.dp = change.value; break;
    case remedy_kind::etp: result.etp = change.value; break;
    case remedy_kind::sequence: result.sequence = change.value; break;
    case remedy_kind::global_batch: result.global_batch = change.value; break;
    case remedy_kind::accumulation: result.accumulation = change.value; break;
    case remedy_kind::vocabulary_multiple: result.vocabulary_multiple = change.value; break;
    case remedy_kind::hpz: result.sharding.secondary = change.value; break;
    case remedy_kind::inner_all_to_all: result.communication.context_inner = change.value; break;
    case remedy_kind::node_ranks: result.communication.node_ranks = change.value; break;
    case remedy_kind::sequence_parallel: result.sequence_parallel = toggle::on; break;
    case remedy_kind::pipeline_slots: result.layer_split.embedding_slot = result.layer_split.loss_slot = 1; break;
    case remedy_kind::chunks:
      result.schedule = change.value == 1 ? schedules::one_f_one_b::spec : schedules::interleaved<Chunked>::spec;
      result.schedule.chunks = change.value;
      break;
    case remedy_kind::loss_chunks: result.loss.chunks = change.value; break;
    case remedy_kind::capacity: result.expert_load.capacity = change.value; break;
    case remedy_kind::fp32_gradients: result.precision = precisions::bf16_fp32_accumulator::spec; break;
    case remedy_kind::states_to_nvme: result.offload.states = storage::nvme; break;
    case remedy_kind::states_to_device: result.offload.states = result.offload.gradients = storage::device; break;
    case remedy_kind::layer_split: split_evenly(result.layer_split, result.model.layers, change.value); break;
    case remedy_kind::routed_nodes: result.routed_nodes = change.value; break;
    case remedy_kind::dp_tree: result.collectives.dp = algorithm::tree; break;
    case remedy_kind::hidden_tp: result.overlap.tp = change.value; break;
    case remedy_kind::hidden_cp: result.overlap.cp = change.value; break;
    case remedy_kind::hidden_ep: result.overlap.ep = change.value; break;
    case remedy_kind::hidden_pp: result.overlap.pp = change.value; break;
    case remedy_kind::hidden_dp: result.overlap.dp = change.value; break;
  }
}
}  // namespace detail

/// `spec` with that one change made: of every kind but `schedule`, which says no schedule by itself.
template <class Spec = plan_spec>
constexpr Spec changed(const Spec& spec, remedy change) {
  Spec result = spec;
  detail::make_change(result, change);
  return result;
}

namespace detail {
// One less; halved while it is so large that trying all would never end.
constexpr std::int64_t smaller_micro_batch(std::int64_t micro) { return micro > 64 ? micro / 2 : micro - 1; }
}  // namespace detail

/// The changes that are tried, from the smallest to the largest, in this order: shard the optimizer (no extra traffic), free gathered
/// weights after forward, recompute attention where its scores are kept, what goes number by number (norms, activation functions), the
/// experts, everything, the next smaller micro-batches that divide the global batch (halved
/// while above 64), shard gradients, shard weights, larger shard groups, nothing gathered ahead, ep doubled up to the experts, tp doubled
/// up to the node, pp doubled up to the layers, cp doubled up to the cluster, an 8-bit optimizer, optimizer state to the host, no more
/// headroom than the default, states that fill a host whose memory is said to NVMe. Calls `visit(remedy)` for each until it returns true;
/// returns that one, or `nothing_small_helps`. Whether a change is legal is for `visit` to find out. `zero` is no change of a plan under
/// FSDP.
template <class Visit, class Spec>
constexpr remedy first_remedy(const Spec& spec, Visit visit) {
  remedy change{};
  const auto try_out = [&](remedy_kind kind, std::int64_t to_value) {
    change = {kind, to_value};
    return visit(change);
  };
  const bool is_fsdp = spec.sharding.is_fsdp();
  const bool gathers = shards_weights(spec);
  if (spec.zero <= 0 && !is_fsdp && try_out(remedy_kind::zero, 1)) return change;
  if (gathers && !spec.sharding.reshard_after_forward && try_out(remedy_kind::reshard, 1)) return change;
  if (spec.recompute == recomputes::none && spec.recompute_layers == recompute_layers_spec{}) {
    const bool routes = spec.model.experts.count > 0;
    const attentions kernel = spec.attention == attentions::by_kernels ? spec.kernels.attention : spec.attention;
    if (kernel == attentions::materialised && try_out(remedy_kind::recompute_attention, 0)) return change;
    if (try_out(remedy_kind::recompute_pointwise, routes ? 1 : 0)) return change;
    if (routes && try_out(remedy_kind::recompute_experts, 0)) return change;
  }
  if (spec.recompute != recomputes::full && try_out(remedy_kind::recompute_full, 0)) return change;
  for (std::int64_t micro = detail::smaller_micro_batch(spec.micro_batch); micro >= 1; micro = detail::smaller_micro_batch(micro))
    if (spec.global_batch % micro == 0 && try_out(remedy_kind::micro_batch, micro)) return change;
  if (spec.zero <= 1 && !is_fsdp && try_out(remedy_kind::zero, 2)) return change;
  if (spec.zero <= 2 && !is_fsdp && try_out(remedy_kind::zero, 3)) return change;
  if (spec.sharding.ranks != unset)
    for (std::int64_t ranks = spec.sharding.ranks * 2; ranks <= spec.devices_per_node * spec.nodes; ranks *= 2)
      if (try_out(remedy_kind::shard_ranks, ranks)) return change;
  if (gathers && spec.sharding.prefetch > 0 && try_out(remedy_kind::prefetch, 0)) return change;
  for (std::int64_t ep = spec.ep * 2; ep <= spec.model.experts.count; ep *= 2)
    if (try_out(remedy_kind::ep, ep)) return change;
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
  constexpr std::int64_t usual_headroom = default_headroom::total.count >> 20;
  if (spec.headroom_mebibytes > usual_headroom && try_out(remedy_kind::headroom, usual_headroom)) return change;
  const bool fills_host = spec.host_memory_gibibytes != unset && spec.offload.states == storage::host;
  if (fills_host && try_out(remedy_kind::states_to_nvme, 0)) return change;
  return {};
}

/// One change, or two that help together only.
struct remedy_pair {
  remedy first{};   ///< `nothing_small_helps`: none was found
  remedy second{};  ///< `nothing_small_helps`: the first alone is enough

  friend constexpr bool operator==(const remedy_pair&, const remedy_pair&) = default;
};

/// `spec` with both changes made.
template <class Spec = plan_spec>
constexpr Spec changed_by_both(const Spec& spec, remedy_pair changes) {
  Spec result = changed(spec, changes.first);
  detail::make_change(result, changes.second);
  return result;
}

/// Kinds of changes of which pairs are made.
inline constexpr int strong_kinds = 9;

namespace detail {

// The largest doubling of a degree that keeps the first two tiers of rules; the degree itself when none does.
template <class Spec>
constexpr remedy largest_degree(const Spec& spec, remedy_kind kind, std::int64_t degree, std::int64_t most) {
  remedy largest{};
  if (degree * 2 > most) return largest;
  Spec with = spec;
  for (std::int64_t value = degree * 2; value <= most; value *= 2) {
    make_change(with, {kind, value});
    if (is_computable(with)) largest = {kind, value};
  }
  return largest;
}

// The strongest change of each kind, in the order of `first_remedy` but for ep, which is last; `nothing_small_helps` where there is none.
template <class Spec = plan_spec>
constexpr remedy strong_remedy(const Spec& spec, int kind) {
  const bool fsdp = spec.sharding.is_fsdp();
  switch (kind) {
    case 0: return spec.recompute != recomputes::full ? remedy{remedy_kind::recompute_full, 0} : remedy{};
    case 1: return spec.micro_batch > 1 ? remedy{remedy_kind::micro_batch, 1} : remedy{};
    case 2: return spec.zero >= 3 || fsdp ? remedy{} : remedy{remedy_kind::zero, 3};
    case 3: return largest_degree(spec, remedy_kind::tp, spec.tp, spec.devices_per_node);
    case 4: return largest_degree(spec, remedy_kind::pp, spec.pp, limits::stages > spec.model.layers ? spec.model.layers : limits::stages);
    case 5: return largest_degree(spec, remedy_kind::cp, spec.cp, limits::degree);
    case 6: return spec.optimizer.bits == 0 ? remedy{remedy_kind::optimizer_adamw_8bit, 0} : remedy{};
    case 7:
      if (spec.offload.states != storage::device) return {};
      return {remedy_kind::offload_states_to_host, spec.offload.gradients == storage::device ? 0 : 1};
    default: return largest_degree(spec, remedy_kind::ep, spec.ep, spec.model.experts.count);
  }
}

// `spec` with the strongest changes of all kinds, one after the other, as far as they keep the first two tiers.
template <class Spec = plan_spec>
constexpr Spec changed_by_all(const Spec& spec) {
  Spec result = spec;
  for (int kind = 0; kind < strong_kinds; ++kind) {
    const auto change = strong_remedy(result, kind);
    if (change.kind == remedy_kind::nothing_small_helps) continue;
    const Spec with = changed(result, change);
    if (is_computable(with)) result = with;
  }
  return result;
}

// The kinds of a pair: each with all before it.
struct pair_of_kinds {
  int first = 0;
  int second = 1;
};
constexpr pair_of_kinds kinds_of_pair(int index) {
  pair_of_kinds kinds{};
  while (index >= kinds.second) index -= kinds.second++;
  kinds.first = index;
  return kinds;
}

// The pair with that index, of the strongest changes of its two kinds. Of two degrees the second is the largest that is left after the
// first.
template <class Spec = plan_spec, class Change = remedy>
constexpr remedy_pair strong_pair(const Spec& spec, Change one, Change other, int index) {
  if (one.kind == remedy_kind::nothing_small_helps || other.kind == remedy_kind::nothing_small_helps) return {};
  const auto is_degree = [](const Change& what) {
    return what.kind == remedy_kind::tp || what.kind == remedy_kind::pp || what.kind == remedy_kind::cp || what.kind == remedy_kind::ep;
  };
  if (is_degree(one) && is_degree(other)) other = strong_remedy(changed(spec, one), kinds_of_pair(index).second);
  if (other.kind == remedy_kind::nothing_small_helps) return {};
  return {one, other};
}
inline constexpr int strong_pairs = strong_kinds * (strong_kinds - 1) / 2;

// More hosts: doubled that many times. 0 nodes beyond the limit.
inline constexpr int most_doublings = 6;
template <class Spec>
constexpr remedy more_nodes(const Spec& spec, int doublings) {
  const std::int64_t nodes = saturating_multiply(spec.nodes, std::int64_t{1} << doublings);
  if (spec.dp != unset || nodes > limits::nodes) return {};
  return {remedy_kind::nodes, nodes};
}

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
  return first_remedy(spec, [&](remedy suggested) {
    return detail::least_memory(spec, totals, suggested) <= spec.device.memory.count &&
           detail::count_violations(changed(spec, suggested)) == 0;
  });
}

/// The smallest change or pair of changes that makes `spec` valid: the first single one, else the first pair, else more nodes.
template <class Spec = plan_spec>
constexpr remedy_pair best_remedy(const Spec& spec) {
  const auto single = smallest_remedy(spec);
  if (single.kind != remedy_kind::nothing_small_helps) return {single, {}};
  const detail::parameter_totals totals = detail::totals_of(spec);
  const auto may_fit = [&](const Spec& asked) { return detail::least_memory(asked, totals, {}) <= spec.device.memory.count; };
  const Spec all = detail::changed_by_all(spec);
  if (may_fit(all) && detail::memory_fits(all)) {
    remedy firsts[strong_kinds]{};
    for (int kind = 0; kind < strong_kinds; ++kind) firsts[kind] = detail::strong_remedy(spec, kind);
    for (int index = 0; index < detail::strong_pairs; ++index) {
      const detail::pair_of_kinds kinds = detail::kinds_of_pair(index);
      const auto pair = detail::strong_pair(spec, firsts[kinds.first], firsts[kinds.second], index);
      if (pair.first.kind == remedy_kind::nothing_small_helps) continue;
      if (detail::least_memory(spec, totals, pair.first, pair.second) > spec.device.memory.count) continue;
      if (detail::count_violations(changed_by_both(spec, pair)) == 0) return pair;
    }
  }
  // More nodes are more ranks to share states: where those of the most are too few, no fewer are enough.
  for (int doublings = detail::most_doublings; doublings >= 1; --doublings) {
    const auto most = detail::more_nodes(spec, doublings);
    if (most.kind == remedy_kind::nothing_small_helps) continue;
    if (!may_fit(changed(spec, most))) return {};
    break;
  }
  for (int doublings = 1; doublings <= detail::most_doublings; ++doublings) {
    const auto nodes = detail::more_nodes(spec, doublings);
    if (nodes.kind != remedy_kind::nothing_small_helps && detail::count_violations(changed(spec, nodes)) == 0) return {nodes, {}};
  }
  return {};
}

}  // namespace shardplan
