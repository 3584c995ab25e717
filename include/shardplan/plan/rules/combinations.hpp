// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/plan/quantity.hpp>
#include <shardplan/plan/violation.hpp>
#include <shardplan/recipe/offload.hpp>
#include <shardplan/spec/derived.hpp>
#include <shardplan/spec/plan_spec.hpp>

namespace shardplan::detail {

// What stands in `zero<>`, `fsdp<>` and `hsdp<>` must belong together.
template <class Sink, class Spec>
constexpr void check_sharding(const Spec& spec, Sink& sink) {
  const auto& sharding = spec.sharding;
  const bool is_fsdp = sharding.is_fsdp();
  if (is_fsdp && spec.zero != 0) sink.add_feature(feature::fsdp_with_zero);
  if (sharding.ranks != unset && !is_fsdp && spec.zero == 0) sink.add_feature(feature::groups_of_whole_states);
  if (sharding.secondary != unset && !(spec.zero >= 3)) sink.add_feature(feature::hpz_without_zero_3);
  if (sharding.layout == shard_layout::megatron_buckets && spec.zero != 1) sink.add_feature(feature::megatron_buckets_without_zero_1);
  if (!shards_weights(spec) && (!sharding.reshard_after_forward || sharding.prefetch != 1))
    sink.add_feature(feature::gathering_of_whole_weights);
  if (sharding.says_unit() && !(spec.zero >= 3)) sink.add_feature(feature::gather_unit_without_zero_3);
}

// What one framework refuses and another allows.
template <class Sink, class Spec>
constexpr void check_framework(const Spec& spec, Sink& sink) {
  const bool has_experts = spec.model.experts.count > 0;
  switch (spec.framework) {
    case frameworks::generic:
    case frameworks::fsdp2: break;
    case frameworks::megatron:
      // "When using MoE and tensor parallelism, sequence parallelism must be used": NVIDIA/Megatron-LM training/arguments.py.
      if (has_experts && spec.tp > 1 && !is_sequence_parallel(spec)) sink.add_feature(feature::experts_in_tp_without_sequence_parallel);
      // "pipeline-model-parallel size should be greater than 1 with interleaved schedule": core/parallel_state.py, training/arguments.py.
      if (spec.schedule.chunks > 1 && spec.pp <= 1) sink.add_feature(feature::interleaving_without_pipeline);
      break;
    case frameworks::deepspeed:
      // deepspeedai/DeepSpeed runtime/pipe/engine.py; "MoE not supported with Stage 3", runtime/engine.py.
      if (spec.pp > 1 && shards_gradients(spec)) sink.add_feature(feature::sharded_gradients_in_pipeline);
      if (has_experts && spec.ep > 1 && shards_weights(spec)) sink.add_feature(feature::expert_parallel_with_zero_3);
      break;
    case frameworks::torchtitan:
      // Since 2026 the tensor parallel ranks of a block are ranks of its experts as well.
      if (has_experts && spec.ep > 1 && spec.etp == 1 && spec.tp > spec.ep)
        sink.add_pair(rule::exceeds, {quantity::tp, spec.tp}, {quantity::ep, spec.ep});
      break;
  }
}

// Tier three, all but memory: what cannot be right anywhere although every number is legal by itself.
template <class Sink, class Spec>
constexpr void check_combinations(const Spec& spec, Sink& sink) {
  const auto& shape = spec.model;
  if (shape.experts.count > 0 && shape.experts.top_k > shape.experts.count)
    sink.add_pair(rule::exceeds, {quantity::top_k, shape.experts.top_k}, {quantity::expert_count, shape.experts.count});
  if (spec.ep > 1 && spec.ep > shape.experts.count)
    sink.add_pair(rule::exceeds, {quantity::ep, spec.ep}, {quantity::expert_count, shape.experts.count});
  if (spec.etp > 1 && shape.experts.count == 0)
    sink.add_pair(rule::exceeds, {quantity::etp, spec.etp}, {quantity::expert_count, shape.experts.count});
  const std::int64_t positions = shape.positions - shape.position_offset;
  if (shape.positions != 0 && spec.sequence > positions)
    sink.add_pair(rule::exceeds, {quantity::sequence, spec.sequence}, {quantity::positions, positions});
  if (spec.offload.gradients == storage::nvme) sink.add_feature(feature::gradients_to_nvme);
  if (spec.offload.inputs == storage::nvme) sink.add_feature(feature::inputs_to_nvme);
  if (spec.offload.weights != storage::device && !shards_weights(spec)) sink.add_feature(feature::weights_off_without_zero_3);
  if (!spec.sharding.is_plain()) check_sharding(spec, sink);
  if (spec.framework != frameworks::generic) check_framework(spec, sink);
}

}  // namespace shardplan::detail
