// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/checked.hpp>
#include <shardplan/doctor/cause.hpp>
#include <shardplan/doctor/evidence.hpp>
#include <shardplan/doctor/observations.hpp>
#include <shardplan/doctor/parallel_evidence.hpp>
#include <shardplan/doctor/timed_step.hpp>
#include <shardplan/memory/memory.hpp>
#include <shardplan/parallel/axis.hpp>
#include <shardplan/parallel/topology.hpp>
#include <shardplan/plan/rules/check.hpp>
#include <shardplan/spec/mesh_of.hpp>
#include <shardplan/spec/plan_spec.hpp>
#include <shardplan/spec/stage_layers.hpp>
#include <shardplan/timing/timing.hpp>

#include <cstdint>

namespace shardplan {

/// What a width that is no multiple of the tile weighs, per mille of a step. An assumption: no source says what it costs.
inline constexpr std::int64_t untiled_width_weight = 50;

/// What ranks that collect garbage each at its own time cost, per mille of a step, on `garbage_ranks` ranks (pytorch/torchtitan issue 148:
/// 1.5 %). That fewer cost less in proportion, and more no more, is an assumption.
inline constexpr std::int64_t garbage_weight = 15;
/// The ranks of `garbage_weight`.
inline constexpr std::int64_t garbage_ranks = 512;

namespace detail {

template <class Spec = plan_spec>
constexpr axis_link link_between(const Spec& spec, axis along) {
  const mesh ranks = mesh_of(spec);
  if (ranks.world == 0) return {};
  return link_of(ranks, topology_of(spec), along);
}

// A cause that stands for a share of the step.
constexpr std::int64_t share_of_step(const timed_step& when, double seconds) { return per_mille(seconds, when.report.step); }
constexpr double exposed_data_parallel(const timed_step& when) {
  return when.report.exposed_over(channel::dp) + when.report.exposed_over(channel::replicas);
}

constexpr evidence tensor_node_evidence(const patient& who, const timed_step& when) {
  const axis_link link = link_between(who.spec, axis::tp);
  const std::int64_t astride = link.kind == link_kind::none ? 0 : link.over_fabric.astride();
  return judged(astride, 0, astride > 0 ? share_of_step(when, when.report.exposed_over(channel::tp)) : 0);
}

constexpr evidence bubble_evidence(const timed_step& when) {
  return judged_twice(per_mille(when.bubble_share(), 1.0), 100, 250, share_of_step(when, when.report.bubble));
}

constexpr evidence sharded_network_evidence(const patient& who, const timed_step& when) {
  if (!shards_weights(who.spec)) return judged(0, 500, 0);
  return judged_twice(per_mille(when.data_parallel(), when.report.compute()), 500, 1000, share_of_step(when, exposed_data_parallel(when)));
}

constexpr evidence accumulation_evidence(const patient& who, const timed_step& when) {
  const std::int64_t micro_batches = who.layout.facts.micro_batches;
  if (!shards_gradients(who.spec) || micro_batches <= 1) return judged(0, 200, 0);
  const bool is_late = shards_weights(who.spec) && who.spec.communication.late_sync;  // gradients once a step
  const double weights = when.data_parallel() - when.gradients;
  const double repeated = is_late ? weights : shards_weights(who.spec) ? when.data_parallel() : when.gradients;
  const double again = repeated * static_cast<double>(micro_batches - 1) / static_cast<double>(micro_batches);
  const double exposed = exposed_data_parallel(when);
  return judged(per_mille(again, when.report.compute()), 200, share_of_step(when, again < exposed ? again : exposed));
}

constexpr evidence latency_evidence(const timed_step& when) {
  const std::int64_t share = per_mille(when.latency, when.data_parallel());
  return judged(share, 500, share_of_step(when, exposed_data_parallel(when)) * share / 1000);
}

constexpr evidence tile_evidence(const patient& who) {
  const transformer& shape = who.spec.model;
  const bool dense = shape.experts.count == 0 || shape.dense_layers() > 0;
  const std::int64_t odd = (shape.hidden / who.spec.tp % 128 != 0) + (dense && shape.ffn / who.spec.tp % 128 != 0) +
                           (shape.experts.count > 0 && shape.expert_width() / who.spec.etp % 128 != 0) + (shape.head_width() % 64 != 0);
  return judged(odd, 0, odd * untiled_width_weight);
}

// The fullest stage, of chunks the fullest one, sets the pace of all.
constexpr evidence uneven_evidence(const patient& who, const timed_step& when) {
  if (who.spec.pp == 1) return judged(0, 50, 0);
  const std::int64_t stages = who.spec.schedule.stages(who.spec.pp);
  const layer_counts& split = who.spec.layer_split;
  std::int64_t most = 0;
  for (std::int64_t stage = 0; stage < stages; ++stage) {
    std::int64_t layers = layers_of_stage(who.spec, stages, stage);
    if (stage == next_token_stage_of(split, stages)) layers += who.spec.model.next_token_layers;
    if (layers > most) most = layers;
  }
  // Slots work as long as a layer: that is what they are for.
  const std::int64_t all = layer_places_of(who.spec) + who.spec.model.next_token_layers;
  const std::int64_t over = per_mille_up(most * stages - all, all);
  return judged(over, 50, when.known ? per_mille(when.report.compute() - when.mean_compute, when.report.step) : over);
}

constexpr evidence expert_node_evidence(const patient& who, const timed_step& when) {
  const transformer& shape = who.spec.model;
  if (shape.experts.count == 0 || who.spec.ep <= 1) return judged(0, 1000, 0);
  const bool leaves = link_between(who.spec, axis::ep).over_fabric.astride() > 0;
  // Forward and backward of the routed experts of the rank that has most.
  std::int64_t routing = 0;
  for (std::int64_t stage = 0; stage < who.spec.pp; ++stage) {
    const stage_extent extent = extent_of_stage(who.spec, who.layout.facts, stage);
    if (extent.layers - extent.dense_layers > routing) routing = extent.layers - extent.dense_layers;
  }
  const double matrices = shape.mlp == mlp::gated ? 3 : 2;
  const double width = static_cast<double>(shape.hidden) * static_cast<double>(shape.expert_width());
  const double tokens = static_cast<double>(who.layout.facts.tokens) / static_cast<double>(who.spec.tp) *
                        static_cast<double>(who.layout.facts.micro_batches * shape.experts.top_k);
  const double rate = matmul_rate(who.spec.device, default_timing_constants) *
                      eight_bit_gain(who.spec.precision, who.spec.device, default_timing_constants);
  const double works = 6 * matrices * width * tokens * static_cast<double>(routing) / rate;
  return judged(leaves ? per_mille(when.over(channel::ep), works) : 0, 1000, share_of_step(when, when.report.exposed_over(channel::ep)));
}

constexpr evidence recompute_evidence(const patient& who, const timed_step& when) {
  if (who.spec.recompute != recomputes::full) return judged(0, 50, 0);
  plan_spec less = who.spec;
  less.recompute = recomputes::core_attn;
  less.recompute_layers = {};
  const std::int64_t capacity = who.spec.device.memory.count;
  const std::int64_t peak = is_computable(less) ? peak_of(less, memory_layout_of(less)).total.count : capacity;
  return judged(per_mille_up(capacity - peak, capacity), 50, per_mille(when.report.recompute, when.report.step));
}

constexpr evidence offload_evidence(const patient& who, const timed_step& when) {
  if (!offloads_anything(who.spec.offload)) return judged(0, 200, 0);
  const double waits = when.report.optimizer + when.host_and_nvme();
  return judged(per_mille(waits, when.report.compute()), 200, share_of_step(when, waits));
}

// A rate of which `least` per mille must be measured. The limit is what the measured rate is enough for.
constexpr evidence measured_rate(std::int64_t promised, std::int64_t measured, std::int64_t least, std::int64_t weight) {
  if (measured < 0 || promised <= 0) return unsaid_in_plan(promised);
  const std::int64_t enough = measured > INT64_MAX / 1000 ? saturating_multiply(measured / least, 1000) : measured * 1000 / least;
  return judged(promised, enough, promised > enough ? weight : 0);
}
constexpr evidence data_evidence(const timed_step& when, const observations& run) {
  const auto needed = static_cast<std::int64_t>(when.report.tokens_per_second);
  return measured_rate(needed, run.loader_tokens_per_second, 1000, 1000 - detail::per_mille(run.loader_tokens_per_second, needed));
}
constexpr evidence overlap_evidence(const patient& who, const timed_step& when, const observations& run) {
  const bool needs_order = who.spec.tp > 1 && who.spec.overlap.tp > 0;
  const seen what = run.device_connections < 0 ? seen::unknown : needs_order && run.device_connections != 1 ? seen::wrong : seen::fine;
  return observed_in_run(what, per_mille(when.between_ranks(), when.report.compute()), 0, share_of_step(when, when.over(channel::tp)));
}

constexpr evidence jitter_evidence(const bare_facts& facts) {
  const std::int64_t ranks = facts.world < garbage_ranks ? facts.world : garbage_ranks;
  return judged(facts.world, 63, facts.world > 63 ? garbage_weight * ranks / garbage_ranks : 0);
}

// Whether the figure of a cause is one of time.
constexpr bool is_timed(cause which) {
  return which != cause::perf_tile && which != cause::perf_tp_node && which != cause::perf_uneven && which != cause::perf_recompute &&
         which != cause::perf_jitter && which != cause::perf_slow_gpu;
}

constexpr evidence speed_evidence(const patient& who, const timed_step& when, const bare_facts& facts, const observations& run,
                                  cause which) {
  if (is_timed(which) && !when.known) return {standing::not_in_plan, 0, 0, 0};
  switch (which) {
    case cause::perf_tp_node: return tensor_node_evidence(who, when);
    case cause::perf_bubble: return bubble_evidence(when);
    case cause::perf_zero3_net: return sharded_network_evidence(who, when);
    case cause::perf_zero23_ga: return accumulation_evidence(who, when);
    case cause::perf_fabric_cfg:
      return measured_rate(static_cast<std::int64_t>(when.dp_rate), run.bus_bytes_per_second, 600,
                           share_of_step(when, exposed_data_parallel(when)));
    case cause::perf_latency: return latency_evidence(when);
    case cause::perf_tile: return tile_evidence(who);
    case cause::perf_uneven: return uneven_evidence(who, when);
    case cause::perf_ep_node: return expert_node_evidence(who, when);
    case cause::perf_overlap: return overlap_evidence(who, when, run);
    case cause::perf_recompute: return recompute_evidence(who, when);
    case cause::perf_jitter: return jitter_evidence(facts);
    case cause::perf_slow_gpu:
      return observed_in_run(seen_at_least(run.slowest_per_mille, 970), facts.world, 1,
                             run.slowest_per_mille < 0 ? 0 : 1000 - run.slowest_per_mille);
    case cause::perf_data: return data_evidence(when, run);
    default: return offload_evidence(who, when);
  }
}

}  // namespace detail

}  // namespace shardplan
