// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/checked.hpp>
#include <shardplan/core/unset.hpp>
#include <shardplan/parallel/sharding.hpp>
#include <shardplan/parallel/stages.hpp>
#include <shardplan/plan/framework_has.hpp>
#include <shardplan/plan/least_states.hpp>
#include <shardplan/plan/remedy_layout.hpp>
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
#include <shardplan/spec/stage_layers.hpp>

#include <cstdint>

namespace shardplan {

namespace detail {
// Counts that differ by one at most, the larger in the middle: the ends have embedding and head beside their layers. Under DeepSpeed the
// larger are the first (runtime/utils.py, partition_uniform).
template <class Split>
constexpr void split_evenly(Split& split, std::int64_t layers, std::int64_t parts, frameworks framework) {
  const std::int64_t next_token = split.next_token_stage;
  split = {};
  split.next_token_stage = next_token;
  if (parts < 1 || parts > layers) return;
  const std::int64_t larger = layers % parts;
  const std::int64_t from = framework == frameworks::deepspeed ? 0 : (parts - larger) / 2;
  for (std::int64_t at = 0; at < parts; ++at) split.push_back(layers / parts + (at >= from && at < from + larger ? 1 : 0));
}

// Moves optimizer state to the host, by the words of the remedy.
template <class Offload>
constexpr void move_states(Offload& offload, std::int64_t words) {
  if ((words & offload_words::moments) != 0) {
    offload.moments_percent = 100;
  } else {
    offload.states = storage::host;
    offload.moments_percent = 0;  // they are of what is moved now
  }
  if ((words & offload_words::gradients) != 0) offload.gradients = storage::host;
  if ((words & offload_words::weights) != 0) offload.weights = storage::host;
}
// Whether there is such a move: under DeepSpeed of sharded states only, under `fully_shard` with all that it shards.
template <class Spec>
constexpr bool moves_states(const Spec& spec) {
  if (spec.offload.states != storage::device) return false;
  if (spec.framework == frameworks::megatron) return spec.offload.moments_percent < 100;
  if (spec.framework == frameworks::deepspeed) return sharding_stage(spec) > 0;
  return spec.framework == frameworks::generic || spec.sharding.is_fsdp();
}

// Makes that one change: a search over many values of one field copies the spec once. (`Chunked` depends, so that a file which only
// includes this instantiates no schedule.)
template <class Spec, int Chunked>
constexpr void make_layout(Spec& result, const layout_change& change);
template <class Spec, int Chunked = 2, class Change = layout_change>
constexpr void make_change(Spec& result, remedy change) {
  switch (change.kind) {
    case remedy_kind::nothing_small_helps:
    case remedy_kind::schedule: break;
    case remedy_kind::zero:
      if (change.value > 0 && result.sharding.is_fsdp()) result.sharding = {};  // a stage stands in the place of `fsdp<>`
      result.zero = change.value;
      break;
    case remedy_kind::recompute_full: result.recompute = recomputes::full; break;
    case remedy_kind::micro_batch: result.micro_batch = change.value; break;
    case remedy_kind::tp: result.tp = change.value; break;
    case remedy_kind::pp: result.pp = change.value; break;
    case remedy_kind::cp: result.cp = change.value; break;
    case remedy_kind::offload_states_to_host: move_states(result.offload, change.value); break;
    case remedy_kind::optimizer_adamw_8bit: result.optimizer = optimizers::adamw_8bit::spec; break;
    case remedy_kind::nodes: result.nodes = change.value; break;
    case remedy_kind::ep: result.ep = change.value; break;
    case remedy_kind::recompute_attention:
      result.recompute = recomputes::core_attn;
      result.recompute_layers = {};
      break;
    case remedy_kind::recompute_pointwise:
      result.recompute = change.value == 2
                             ? recomputes::every_second_matmul
                             : recomputes::layernorm | recomputes::mlp_act | (change.value == 0 ? recomputes::none : recomputes::moe_act);
      break;
    case remedy_kind::recompute_experts: result.recompute = result.recompute | recomputes::moe; break;
    case remedy_kind::reshard: result.sharding.reshard_after_forward = change.value != 0; break;
    case remedy_kind::shard_ranks: result.sharding.ranks = change.value; break;
    case remedy_kind::prefetch: result.sharding.prefetch = change.value; break;
    case remedy_kind::headroom: result.headroom_mebibytes = change.value; break;
    case remedy_kind::fsdp:
      result.zero = 0;
      result.sharding = {};
      result.sharding.layout = shard_layout::tensors;
      break;
    case remedy_kind::pp_slots:
      result.pp = change.value;
      result.layer_split.embedding_slot = result.layer_split.loss_slot = 1;
      break;
    case remedy_kind::pp_split:
      result.pp = change.value;
      split_evenly(result.layer_split, result.model.layers, result.schedule.stages(change.value), result.framework);
      break;
    case remedy_kind::layout: make_layout<Spec, Chunked>(result, layout_of<Change>(change.value)); break;
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
    case remedy_kind::gradients_to_host: result.offload.gradients = storage::host; break;
    case remedy_kind::states_to_device: result.offload.states = result.offload.gradients = storage::device; break;
    case remedy_kind::layer_split: split_evenly(result.layer_split, result.model.layers, change.value, result.framework); break;
    case remedy_kind::routed_nodes: result.routed_nodes = change.value; break;
    case remedy_kind::dp_tree: result.collectives.dp = algorithm::tree; break;
    case remedy_kind::late_sync: result.communication.late_sync = change.value != 0; break;
    case remedy_kind::hidden_tp: result.overlap.tp = change.value; break;
    case remedy_kind::hidden_cp: result.overlap.cp = change.value; break;
    case remedy_kind::hidden_ep: result.overlap.ep = change.value; break;
    case remedy_kind::hidden_pp: result.overlap.pp = change.value; break;
    case remedy_kind::hidden_dp: result.overlap.dp = change.value; break;
  }
}

template <class Spec, int Chunked>
constexpr void make_layout(Spec& result, const layout_change& change) {
  const auto make = [&result](bool is_asked, remedy one) {
    if (is_asked) make_change<Spec, Chunked>(result, one);
  };
  make(change.one_f_one_b, {remedy_kind::chunks, 1});
  make(change.tp != 0, {remedy_kind::tp, change.tp});
  make(change.pp != 0, {change.stages, change.pp});
  make(change.cp != 0, {remedy_kind::cp, change.cp});
  make(change.ep != 0, {remedy_kind::ep, change.ep});
  make(change.states == layout_states::fsdp, {remedy_kind::fsdp, 0});
  if (change.states >= layout_states::zero_0 && change.states <= layout_states::zero_3)
    result.zero = static_cast<std::int64_t>(change.states) - static_cast<std::int64_t>(layout_states::zero_0);
  make(change.recompute_full, {remedy_kind::recompute_full, 0});
  make(change.micro_batch_one, {remedy_kind::micro_batch, 1});
  make(change.offloads, {remedy_kind::offload_states_to_host, offload_value(result.framework, result.offload)});
  const std::int64_t replica = saturating_multiply(saturating_multiply(result.tp, result.pp), result.cp);
  if (change.says_dp && replica > 0) result.dp = saturating_multiply(result.devices_per_node, result.nodes) / replica;
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

/// Tokens of a sequence that context parallelism leaves a rank, in what is tried: below, exchanging keys and values takes longer than
/// computing with them.
inline constexpr std::int64_t least_context_tokens = 4096;

namespace detail {
// More pipeline ranks: as they are where the layers can be dealt out to their stages, else with the embedding and the loss in the place of
// a layer each, else with a split that says the layers of each.
template <class Spec>
constexpr remedy_kind pipeline_kind(const Spec& spec, std::int64_t ranks) {
  const std::int64_t stages = ranks > limits::stages ? ranks : spec.schedule.stages(ranks);
  if (spec.layer_split.counts.length != 0) return remedy_kind::pp_split;
  if (deals_out(spec, stages)) return remedy_kind::pp;
  if (has_pipeline_slots(spec.framework) && (spec.model.layers + 2) % stages == 0) return remedy_kind::pp_slots;
  return stages <= static_cast<std::int64_t>(most_layer_split_entries) ? remedy_kind::pp_split : remedy_kind::pp;
}
// Whether a schedule of one chunk a rank keeps more micro-batches alive than 1F1B, as GPipe does, which idles as long.
template <class Order>
constexpr bool outlives_one_f_one_b(const Order& order) {
  return order.chunks == 1 && order.slices == 1 && order.drains &&
         order.in_flight(4, 64, 1, 0) > schedules::one_f_one_b::spec.in_flight(4, 64, 1, 0);
}
template <class Spec>
constexpr std::int64_t most_context_ranks(const Spec& spec) {
  const std::int64_t by_tokens = spec.sequence / least_context_tokens;
  const std::int64_t by_devices = spec.devices_per_node * spec.nodes;
  const std::int64_t most = by_tokens < by_devices ? by_tokens : by_devices;
  return most < limits::degree ? most : limits::degree;
}
}  // namespace detail

/// The changes that are tried, from the smallest to the largest, in this order: shard the optimizer (no extra traffic; FSDP where the
/// framework has no stages, see framework_has.hpp), free gathered weights after forward, recompute attention where its scores are kept,
/// what goes number by number (norms, activation functions), the experts, everything, the next smaller micro-batches that divide the global
/// batch (halved while above 64), shard gradients, shard weights, larger shard groups, nothing gathered ahead, ep doubled up to the
/// experts, tp doubled up to the node, pp doubled up to the layers (with slots or a split where its stages do not divide them), cp doubled
/// while a rank keeps `least_context_tokens`, an 8-bit optimizer, optimizer state to the host, no more headroom than the default, states
/// that fill a host whose memory is said to NVMe. Calls `visit(remedy)` for each until it returns true; returns that one, or
/// `nothing_small_helps`. Whether a change is legal is for `visit` to find out. `zero` is no change of a plan under FSDP, nor where the
/// framework has no stages.
template <class Visit, class Spec>
constexpr remedy first_remedy(const Spec& spec, Visit visit) {
  remedy change{};
  const auto try_out = [&](remedy_kind kind, std::int64_t to_value) {
    change = {kind, to_value};
    return visit(change);
  };
  const bool has_stages = has_zero_stages(spec.framework) && !spec.sharding.is_fsdp();
  const bool gathers = shards_weights(spec);
  if (spec.zero <= 0 && has_stages && try_out(remedy_kind::zero, 1)) return change;
  if (!has_zero_stages(spec.framework) && !spec.sharding.is_fsdp() && try_out(remedy_kind::fsdp, 0)) return change;
  if (detail::outlives_one_f_one_b(spec.schedule) && try_out(remedy_kind::chunks, 1)) return change;
  if (gathers && !spec.sharding.reshard_after_forward && try_out(remedy_kind::reshard, 1)) return change;
  if (spec.recompute == recomputes::none && spec.recompute_layers == recompute_layers_spec{}) {
    const bool routes = spec.model.experts.count > 0;
    const attentions kernel = spec.attention == attentions::by_kernels ? spec.kernels.attention : spec.attention;
    const bool by_module = has_module_recompute(spec.framework);
    if (by_module && kernel == attentions::materialised && try_out(remedy_kind::recompute_attention, 0)) return change;
    if (try_out(remedy_kind::recompute_pointwise, !by_module ? 2 : routes ? 1 : 0)) return change;
    if (by_module && routes && try_out(remedy_kind::recompute_experts, 0)) return change;
  }
  if (spec.recompute != recomputes::full && try_out(remedy_kind::recompute_full, 0)) return change;
  for (std::int64_t micro = detail::smaller_micro_batch(spec.micro_batch); micro >= 1; micro = detail::smaller_micro_batch(micro))
    if (spec.global_batch % micro == 0 && try_out(remedy_kind::micro_batch, micro)) return change;
  if (spec.zero <= 1 && has_stages && try_out(remedy_kind::zero, 2)) return change;
  if (spec.zero <= 2 && has_stages && try_out(remedy_kind::zero, 3)) return change;
  if (spec.sharding.ranks != unset)
    for (std::int64_t ranks = spec.sharding.ranks * 2; ranks <= spec.devices_per_node * spec.nodes; ranks *= 2)
      if (try_out(remedy_kind::shard_ranks, ranks)) return change;
  if (gathers && has_prefetch_off(spec.framework) && spec.sharding.prefetch > 0 && try_out(remedy_kind::prefetch, 0)) return change;
  for (std::int64_t ep = spec.ep * 2; ep <= spec.model.experts.count; ep *= 2)
    if (try_out(remedy_kind::ep, ep)) return change;
  for (std::int64_t tp = spec.tp * 2; tp <= spec.devices_per_node; tp *= 2)
    if (try_out(remedy_kind::tp, tp)) return change;
  for (std::int64_t pp = spec.pp * 2; pp <= spec.model.layers; pp *= 2)
    if (try_out(detail::pipeline_kind(spec, pp), pp)) return change;
  for (std::int64_t cp = spec.cp * 2; cp <= detail::most_context_ranks(spec); cp *= 2)
    if (try_out(remedy_kind::cp, cp)) return change;
  if (spec.optimizer.bits == 0 && has_8bit_optimizer(spec.framework) && try_out(remedy_kind::optimizer_adamw_8bit, 0)) return change;
  if (detail::moves_states(spec) && try_out(remedy_kind::offload_states_to_host, detail::offload_value(spec.framework, spec.offload)))
    return change;
  constexpr std::int64_t usual_headroom = default_headroom::total.count >> 20;
  if (spec.headroom_mebibytes > usual_headroom && try_out(remedy_kind::headroom, usual_headroom)) return change;
  const bool fills_host = spec.host_memory_gibibytes != unset && spec.offload.states == storage::host;
  if (fills_host && has_nvme(spec.framework) && try_out(remedy_kind::states_to_nvme, 0)) return change;
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
  return first_remedy(spec, [&](remedy suggested) {
    return detail::least_memory(spec, totals, suggested) <= spec.device.memory.count &&
           detail::count_violations(changed(spec, suggested)) == 0;
  });
}

}  // namespace shardplan
