// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/bytes.hpp>
#include <shardplan/core/part.hpp>
#include <shardplan/core/static_vector.hpp>
#include <shardplan/memory/phase.hpp>
#include <shardplan/memory/report.hpp>
#include <shardplan/plan/quantity.hpp>

#include <cstdint>

namespace shardplan {

/// The rules that a plan can break. The type that an error line shows has the same name (plan/verdict.hpp) and a section of that name in
/// docs/troubleshooting.md.
enum class rule {
  // tier one
  missing_part,    ///< a part that every plan needs was not said
  repeated_part,   ///< a part was said more than once
  out_of_range,    ///< a field is zero, negative or larger than anything that can be computed exactly
  too_large,       ///< a product of fields could leave 63 bits
  malformed_part,  ///< what a part says is no value of its kind
  // tier two
  does_not_divide,                  ///< the first number must divide the second
  neither_multiple_nor_divisor,     ///< the first number must be a multiple or a divisor of the second
  does_not_match,                   ///< the two numbers must be equal
  empty_stage,                      ///< a pipeline stage owns no layer
  micro_batches_fewer_than_stages,  ///< the schedule, or the framework's, starts with fewer micro-batches than it needs
  // tier three
  exceeds,            ///< the first number must not be larger than the second
  not_supported,      ///< no engine does this
  does_not_fit,       ///< the worst stage needs more memory than its device has
  host_does_not_fit,  ///< what is offloaded needs more memory than a host has
};

/// What `not_supported` can be about.
enum class feature {
  gradients_to_nvme,                        ///< gradients are offloaded to the host only
  inputs_to_nvme,                           ///< inputs of blocks are offloaded to the host only
  weights_off_without_zero_3,               ///< whole weights stay on the device: only shards of them leave it
  fsdp_with_zero,                           ///< `fsdp` and `hsdp` stand in the place of `zero`
  groups_of_whole_states,                   ///< only sharded states have shard groups
  hpz_without_zero_3,                       ///< hpZ is a form of ZeRO-3
  megatron_buckets_without_zero_1,          ///< Megatron-LM's distributed optimizer is a form of ZeRO-1
  gathering_of_whole_weights,               ///< only sharded weights are gathered and can be freed or prefetched
  gather_unit_without_zero_3,               ///< only ZeRO-3 has a unit of gathering to choose
  sharded_gradients_in_pipeline,            ///< DeepSpeed's pipeline engine takes ZeRO-1 at most
  expert_parallel_with_zero_3,              ///< DeepSpeed's experts take ZeRO-2 at most
  experts_in_tp_without_sequence_parallel,  ///< Megatron-LM's experts under tensor parallelism want a shared sequence
  interleaving_without_pipeline,            ///< Megatron-LM has no virtual stages without a pipeline
  fp8_weights_of_whole_states,              ///< Megatron-LM gathers FP8 weights only where states are sharded
  states_to_nvme_without_zero_3,            ///< below ZeRO-3 DeepSpeed leaves states that go to NVMe on the device
  tied_embeddings_in_pipeline,              ///< torchtitan ties embedding and head on one stage only
  next_token_layers_in_pipeline,            ///< torchtitan's next-token layers have no pipeline
  etp_apart_from_tp,                        ///< torchtitan divides an expert as it divides a dense block, or not at all
};

/// A change of one part: what remedies, legal values, offers against idling and diagnoses say alike. `changed` makes it.
enum class remedy_kind {
  nothing_small_helps,     ///< no single change that is tried is enough
  zero,                    ///< `zero<value>`
  recompute_full,          ///< `recompute<recomputes::full>`
  micro_batch,             ///< `micro_batch<value>`
  tp,                      ///< `tp<value>`
  pp,                      ///< `pp<value>`
  cp,                      ///< `cp<value>`
  optimizer_adamw_8bit,    ///< `optimizer<optimizers::adamw_8bit>`
  offload_states_to_host,  ///< `offload<states_to<storage::host>>`, with what the framework moves beside it and what the plan moves
                           ///< already; the value says what (`offload_words`, plan/framework_has.hpp)
  nodes,                   ///< that many nodes in `cluster<>`
  ep,                      ///< `ep<value>`
  recompute_attention,     ///< `recompute<recomputes::core_attn>`
  recompute_pointwise,     ///< `recompute<recomputes::layernorm, recomputes::mlp_act>`; value 1: with `recomputes::moe_act`; 2: what
                           ///< torchtitan has in its place, `recompute<recomputes::every_second_matmul>`
  recompute_experts,       ///< `recompute<recomputes::moe>`, beside what is recomputed already
  reshard,                 ///< `reshard_after_forward<value>`, 1 or 0, in `fsdp<>`, `hsdp<>` or `zero<3>`
  shard_ranks,             ///< that many ranks a shard group: `hsdp<value>`, or `mics<value>` in `zero<3>`
  prefetch,                ///< `prefetch<value>` in `fsdp<>`, `hsdp<>` or `zero<3>`
  headroom,                ///< `headroom<value>`, MiB
  fsdp,                    ///< `fsdp<>` in the place of `zero<>`
  pp_slots,                ///< `pp<value>` with `pipeline_slots<embedding_slot, loss_slot>`
  pp_split,                ///< `pp<value>` with the `layer_split<...>` that `layer_split` says
  layout,                  ///< several degrees, sharding, recomputation and micro-batch at once: `layout_of(value)`
  // kinds that only a legal value near an illegal one, an offer against idling or a diagnosis has
  dp,                   ///< `dp<value>`; `unset`: no `dp<>`, what the cluster leaves
  etp,                  ///< `etp<value>`
  sequence,             ///< `sequence<value>`
  global_batch,         ///< `global_batch<value>`
  accumulation,         ///< `accumulation<value>`
  vocabulary_multiple,  ///< `vocabulary_multiple<value>`
  hpz,                  ///< `hpz<value>` in `zero<3>`
  inner_all_to_all,     ///< `inner_all_to_all<value>` in `communication<>`
  node_ranks,           ///< so many ranks of a node in the `quantized_gradients<>` of `communication<>`
  sequence_parallel,    ///< `sequence_parallel<true>`
  pipeline_slots,       ///< `pipeline_slots<embedding_slot, loss_slot>`
  chunks,               ///< `schedule<schedules::interleaved<value>>`; 1: `schedules::one_f_one_b`
  schedule,             ///< another `schedule<>`, which stands beside it (`idle_offer::schedule`)
  loss_chunks,          ///< `cross_entropy<losses::chunked<value>>`
  capacity,             ///< `expert_load<..., value>`: a capacity factor in percent
  fp32_gradients,       ///< `precision<precisions::bf16_fp32_accumulator>`
  states_to_nvme,       ///< `offload<states_to<storage::nvme>>`
  states_to_device,     ///< no `offload<>` of states and gradients
  gradients_to_host,    ///< `gradients_to<storage::host>` in `offload<>`; the value is where the states are, which the part says as well
  layer_split,   ///< `layer_split<...>` of so many counts that differ by one at most, the larger in the middle; no `pipeline_slots<>`
  routed_nodes,  ///< `node_limited_routing<value>`
  dp_tree,       ///< `collectives<dp_by<algorithm::tree>>`
  late_sync,     ///< `communication<late_sync<value>>`, 1 or 0
  hidden_tp,     ///< `overlap<hidden_tp<value>>`, percent
  hidden_cp,     ///< `overlap<hidden_cp<value>>`, percent
  hidden_ep,     ///< `overlap<hidden_ep<value>>`, percent
  hidden_pp,     ///< `overlap<hidden_pp<value>>`, percent
  hidden_dp,     ///< `overlap<hidden_dp<value>>`, percent
};

/// One change of one part, with its new value where it has one.
struct remedy {
  remedy_kind kind = remedy_kind::nothing_small_helps;  ///< which part to change
  std::int64_t value = 0;                               ///< its new value; 0 for a kind without one

  friend constexpr bool operator==(const remedy& left, const remedy& right) {
    return int(left.kind) == int(right.kind) && left.value == right.value;
  }
};

/// A broken rule as a value, with its numbers. Which fields count depends on the rule.
struct violation {
  rule broken{};           ///< the rule
  part_kind part{};        ///< missing_part, repeated_part, malformed_part
  measured first{};        ///< the number at fault (out_of_range, too_large), or the first of two
  measured second{};       ///< the second of two
  std::int64_t least = 0;  ///< out_of_range: the smallest legal value
  std::int64_t most = 0;   ///< out_of_range, too_large: the largest legal value
  feature unsupported{};   ///< not_supported
  std::int64_t stage = 0;  ///< empty_stage, does_not_fit
  phase when{};            ///< does_not_fit: the stage's peak phase
  bytes needs{};           ///< does_not_fit: the stage's total; host_does_not_fit: the fullest node's
  bytes has{};             ///< does_not_fit: the device's capacity; host_does_not_fit: the host's
  component largest{};     ///< does_not_fit: the stage's largest component
  bytes largest_needs{};   ///< does_not_fit: its bytes
  remedy try_this{};       ///< does_not_fit, host_does_not_fit: the smallest change that was checked to make the plan valid, together with
                           ///< the first legal values of other broken rules; of layers that do not divide: what deals them out all the same
  remedy and_this{};       ///< the same: with `try_this`, where no single change is enough
  remedy further{};        ///< the same: with both, where it takes three
  remedy legal[2]{};       ///< the nearest legal values of the number at fault, below and above it; not_supported: a change after which the
                           ///< rule is kept; `nothing_small_helps`: none. Beside does_not_fit only what was tried with its remedy
  bool waits = false;      ///< does_not_fit, host_does_not_fit: nothing to try was found because of another rule, which no change that is
                           ///< tried puts right
  bool searched = false;   ///< does_not_fit, host_does_not_fit: a change was looked for; where not (`remedy_search::off`), a sentence does
                           ///< not say that none helps

  // By hand, enumerators as numbers: what a defaulted one asks of each costs a compiler a hundred times as much (tests/static/plan asks it
  // of every field).
  template <class Same>
  requires detail::same<Same, violation>
  friend constexpr bool operator==(const Same& left, const Same& right) {
    return int(left.broken) == int(right.broken) && int(left.part) == int(right.part) && left.first == right.first &&
           left.second == right.second && left.least == right.least && left.most == right.most &&
           int(left.unsupported) == int(right.unsupported) && left.stage == right.stage && int(left.when) == int(right.when) &&
           left.needs.count == right.needs.count && left.has.count == right.has.count && int(left.largest) == int(right.largest) &&
           left.largest_needs.count == right.largest_needs.count && left.try_this == right.try_this && left.and_this == right.and_this &&
           left.further == right.further && left.legal[0] == right.legal[0] && left.legal[1] == right.legal[1] &&
           left.waits == right.waits && left.searched == right.searched;
  }
};

/// Records of one plan. A plan that is wrong in more places has the rest counted in `violation_list::left_out`.
inline constexpr std::size_t most_violations = 64;

/// The broken rules of a plan, in the order of the tiers. `left_out` counts further ones of the same tier that found no room.
struct violation_list {
  static_vector<violation, most_violations> items{};  ///< in the order of the tiers
  std::int64_t left_out = 0;                          ///< further ones that found no room

  /// Whether no rule is broken.
  constexpr bool empty() const { return items.length == 0; }
  /// Violations in the list, those left out not counted.
  constexpr std::size_t size() const { return items.length; }
  /// One of them. Error: `index_out_of_range`.
  constexpr const violation& operator[](std::size_t index) const {
    if (index >= items.length) index_out_of_range();
    return items.values[index];
  }
  /// The first one.
  constexpr const violation* begin() const { return items.values; }
  /// Behind the last one.
  constexpr const violation* end() const { return items.values + items.length; }

  friend constexpr bool operator==(const violation_list&, const violation_list&) = default;
};

}  // namespace shardplan
