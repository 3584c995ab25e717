// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/unset.hpp>
#include <shardplan/plan/quantity.hpp>
#include <shardplan/plan/rules/listed_rule.hpp>
#include <shardplan/plan/violation.hpp>
#include <shardplan/recipe/offload.hpp>
#include <shardplan/spec/derived.hpp>
#include <shardplan/spec/plan_spec.hpp>

#include <cstdint>

namespace shardplan {

namespace rules {

/// A token visits no more experts than there are.
struct top_k_within_experts {
  template <class Listed = listed_rule>
  static constexpr Listed about() {
    return detail::pair_rule<Listed>(3, rule::exceeds, {quantity::top_k}, {quantity::expert_count}, "`top_k` is at most `expert_count`",
                                     "by definition");
  }
  template <class Spec, class Sink>
  static constexpr void check(const Spec& spec, Sink& sink) {
    const auto& experts = spec.model.experts;
    if (experts.count > 0 && experts.top_k > experts.count)
      sink.add_pair(rule::exceeds, {quantity::top_k, experts.top_k}, {quantity::expert_count, experts.count});
  }
};

/// No rank is without an expert.
struct ep_within_experts {
  template <class Listed = listed_rule>
  static constexpr Listed about() {
    return detail::pair_rule<Listed>(3, rule::exceeds, {quantity::ep}, {quantity::expert_count},
                                     "`ep` > 1 is at most `expert_count` (0 for a dense model)", "no expert would be left for a rank");
  }
  template <class Spec, class Sink>
  static constexpr void check(const Spec& spec, Sink& sink) {
    if (spec.ep > 1 && spec.ep > spec.model.experts.count)
      sink.add_pair(rule::exceeds, {quantity::ep, spec.ep}, {quantity::expert_count, spec.model.experts.count});
  }
};

/// Expert tensor parallelism has experts.
struct etp_has_experts {
  template <class Listed = listed_rule>
  static constexpr Listed about() {
    return detail::pair_rule<Listed>(3, rule::exceeds, {quantity::etp}, {quantity::expert_count},
                                     "`etp` > 1 only with experts: on a dense model `exceeds<etp<8>, expert_count<0>>`",
                                     "there is no expert to divide");
  }
  template <class Spec, class Sink>
  static constexpr void check(const Spec& spec, Sink& sink) {
    if (spec.etp > 1 && spec.model.experts.count == 0)
      sink.add_pair(rule::exceeds, {quantity::etp, spec.etp}, {quantity::expert_count, spec.model.experts.count});
  }
};

/// A sequence is no longer than learned positions go.
struct sequence_within_positions {
  template <class Listed = listed_rule>
  static constexpr Listed about() {
    return detail::pair_rule<Listed>(3, rule::exceeds, {quantity::sequence}, {quantity::positions},
                                     "`sequence` is at most `positions` less `position_offset`, when they are learned",
                                     "there is no row for a later token");
  }
  template <class Spec, class Sink>
  static constexpr void check(const Spec& spec, Sink& sink) {
    const std::int64_t positions = spec.model.positions - spec.model.position_offset;
    if (spec.model.positions != 0 && spec.sequence > positions)
      sink.add_pair(rule::exceeds, {quantity::sequence, spec.sequence}, {quantity::positions, positions});
  }
};

/// Gradients are not offloaded to NVMe.
struct gradients_stay_off_nvme {
  template <class Listed = listed_rule>
  static constexpr Listed about() {
    return detail::feature_rule<Listed>(feature::gradients_to_nvme, "gradients are not offloaded to NVMe",
                                        "ZeRO-Infinity, arXiv 2104.07857; DeepSpeed has no such option");
  }
  template <class Spec, class Sink>
  static constexpr void check(const Spec& spec, Sink& sink) {
    if (spec.offload.gradients == storage::nvme) sink.add_feature(feature::gradients_to_nvme);
  }
};

/// Inputs of blocks are not offloaded to NVMe.
struct inputs_stay_off_nvme {
  template <class Listed = listed_rule>
  static constexpr Listed about() {
    return detail::feature_rule<Listed>(feature::inputs_to_nvme, "inputs of blocks are not offloaded to NVMe",
                                        "DeepSpeed's `cpu_checkpointing` knows the host only");
  }
  template <class Spec, class Sink>
  static constexpr void check(const Spec& spec, Sink& sink) {
    if (spec.offload.inputs == storage::nvme) sink.add_feature(feature::inputs_to_nvme);
  }
};

/// Weights are offloaded under ZeRO-3 only.
struct offloaded_weights_are_sharded {
  template <class Listed = listed_rule>
  static constexpr Listed about() {
    return detail::feature_rule<Listed>(feature::weights_off_without_zero_3, "weights are offloaded under ZeRO-3 only",
                                        "DeepSpeed's `offload_param`");
  }
  template <class Spec, class Sink>
  static constexpr void check(const Spec& spec, Sink& sink) {
    if (spec.offload.weights != storage::device && !shards_weights(spec)) sink.add_feature(feature::weights_off_without_zero_3);
  }
};

/// FSDP and ZeRO are two names of one thing: only one is said.
struct fsdp_without_zero {
  template <class Listed = listed_rule>
  static constexpr Listed about() {
    return detail::feature_rule<Listed>(feature::fsdp_with_zero, "`fsdp` and `hsdp` stand without a `zero` above 0",
                                        "they are two names of one thing: PyTorch, DeepSpeed");
  }
  template <class Spec, class Sink>
  static constexpr void check(const Spec& spec, Sink& sink) {
    if (spec.sharding.is_fsdp() && spec.zero != 0) sink.add_feature(feature::fsdp_with_zero);
  }
};

/// `mics` and `shard_group` stand where states are sharded.
struct shard_groups_have_shards {
  template <class Listed = listed_rule>
  static constexpr Listed about() {
    return detail::feature_rule<Listed>(feature::groups_of_whole_states, "`mics` and `shard_group` stand where states are sharded",
                                        "DeepSpeed `runtime/zero/config.py`");
  }
  template <class Spec, class Sink>
  static constexpr void check(const Spec& spec, Sink& sink) {
    if (spec.sharding.ranks != unset && !spec.sharding.is_fsdp() && spec.zero == 0) sink.add_feature(feature::groups_of_whole_states);
  }
};

/// `hpz` stands in `zero<3>`.
struct hpz_under_zero_3 {
  template <class Listed = listed_rule>
  static constexpr Listed about() {
    return detail::feature_rule<Listed>(feature::hpz_without_zero_3, "`hpz` stands in `zero<3>`", "the same");
  }
  template <class Spec, class Sink>
  static constexpr void check(const Spec& spec, Sink& sink) {
    if (spec.sharding.secondary != unset && !(spec.zero >= 3)) sink.add_feature(feature::hpz_without_zero_3);
  }
};

/// `megatron_buckets` stands in `zero<1>`.
struct megatron_buckets_under_zero_1 {
  template <class Listed = listed_rule>
  static constexpr Listed about() {
    return detail::feature_rule<Listed>(feature::megatron_buckets_without_zero_1, "`megatron_buckets` stands in `zero<1>`",
                                        "Megatron-LM `core/optimizer`");
  }
  template <class Spec, class Sink>
  static constexpr void check(const Spec& spec, Sink& sink) {
    if (spec.sharding.layout == shard_layout::megatron_buckets && spec.zero != 1)
      sink.add_feature(feature::megatron_buckets_without_zero_1);
  }
};

/// `reshard_after_forward` and `prefetch` stand where weights are sharded.
struct gathered_weights_are_sharded {
  template <class Listed = listed_rule>
  static constexpr Listed about() {
    return detail::feature_rule<Listed>(feature::gathering_of_whole_weights,
                                        "`reshard_after_forward` and `prefetch` stand where weights are sharded",
                                        "nothing else is gathered");
  }
  template <class Spec, class Sink>
  static constexpr void check(const Spec& spec, Sink& sink) {
    if ((!spec.sharding.reshard_after_forward || spec.sharding.prefetch != 1) && !shards_weights(spec))
      sink.add_feature(feature::gathering_of_whole_weights);
  }
};

/// `gather_modules` and `gather_blocks` stand in `zero<3>`.
struct gather_unit_under_zero_3 {
  template <class Listed = listed_rule>
  static constexpr Listed about() {
    return detail::feature_rule<Listed>(feature::gather_unit_without_zero_3, "`gather_modules` and `gather_blocks` stand in `zero<3>`",
                                        "DeepSpeed `runtime/zero/config.py`; FSDP gathers by block");
  }
  template <class Spec, class Sink>
  static constexpr void check(const Spec& spec, Sink& sink) {
    if (spec.sharding.says_unit() && !(spec.zero >= 3)) sink.add_feature(feature::gather_unit_without_zero_3);
  }
};

/// "When using MoE and tensor parallelism, sequence parallelism must be used": NVIDIA/Megatron-LM training/arguments.py.
struct experts_in_tp_share_the_sequence {
  static constexpr unsigned frameworks_asked = detail::under_megatron;
  template <class Listed = listed_rule>
  static constexpr Listed about() {
    return detail::feature_rule<Listed>(feature::experts_in_tp_without_sequence_parallel, "experts with tp > 1: sequence parallelism",
                                        "its `training/arguments.py`", frameworks_asked);
  }
  template <class Spec, class Sink>
  static constexpr void check(const Spec& spec, Sink& sink) {
    if (spec.model.experts.count > 0 && spec.tp > 1 && !is_sequence_parallel(spec) && detail::is_asked(frameworks_asked, spec.framework))
      sink.add_feature(feature::experts_in_tp_without_sequence_parallel);
  }
};

/// "pipeline-model-parallel size should be greater than 1 with interleaved schedule": NVIDIA/Megatron-LM core/parallel_state.py,
/// training/arguments.py.
struct chunks_need_a_pipeline {
  static constexpr unsigned frameworks_asked = detail::under_megatron;
  template <class Listed = listed_rule>
  static constexpr Listed about() {
    return detail::feature_rule<Listed>(feature::interleaving_without_pipeline, "several chunks a rank with pp > 1 only",
                                        "its `core/parallel_state.py` and `training/arguments.py`", frameworks_asked);
  }
  template <class Spec, class Sink>
  static constexpr void check(const Spec& spec, Sink& sink) {
    if (spec.schedule.chunks > 1 && spec.pp <= 1 && detail::is_asked(frameworks_asked, spec.framework))
      sink.add_feature(feature::interleaving_without_pipeline);
  }
};

/// DeepSpeed's pipeline engine takes ZeRO-1 at most.
struct pipeline_keeps_gradients {
  static constexpr unsigned frameworks_asked = detail::under_deepspeed;
  template <class Listed = listed_rule>
  static constexpr Listed about() {
    return detail::feature_rule<Listed>(feature::sharded_gradients_in_pipeline, "with pp > 1: ZeRO-1 at most",
                                        "its `runtime/pipe/engine.py`", frameworks_asked);
  }
  template <class Spec, class Sink>
  static constexpr void check(const Spec& spec, Sink& sink) {
    if (spec.pp > 1 && shards_gradients(spec) && detail::is_asked(frameworks_asked, spec.framework))
      sink.add_feature(feature::sharded_gradients_in_pipeline);
  }
};

/// DeepSpeed's experts take ZeRO-2 at most.
struct expert_parallel_keeps_weights {
  static constexpr unsigned frameworks_asked = detail::under_deepspeed;
  template <class Listed = listed_rule>
  static constexpr Listed about() {
    return detail::feature_rule<Listed>(feature::expert_parallel_with_zero_3, "with ep > 1: ZeRO-2 at most",
                                        "its `runtime/engine.py`, \"MoE not supported with Stage 3\"", frameworks_asked);
  }
  template <class Spec, class Sink>
  static constexpr void check(const Spec& spec, Sink& sink) {
    if (spec.model.experts.count > 0 && spec.ep > 1 && shards_weights(spec) && detail::is_asked(frameworks_asked, spec.framework))
      sink.add_feature(feature::expert_parallel_with_zero_3);
  }
};

/// "--fp8-param-gather only supported with distributed optimizer, torch fsdp2, megatron fsdp": NVIDIA/Megatron-LM training/arguments.py.
struct fp8_weights_have_shards {
  static constexpr unsigned frameworks_asked = detail::under_megatron;
  template <class Listed = listed_rule>
  static constexpr Listed about() {
    return detail::feature_rule<Listed>(feature::fp8_weights_of_whole_states, "weights in FP8 only where states are sharded",
                                        "its `training/arguments.py`, fp8_param_gather", frameworks_asked);
  }
  template <class Spec, class Sink>
  static constexpr void check(const Spec& spec, Sink& sink) {
    if (spec.precision.linear_bits == 8 && !shards_optimizer(spec) && detail::is_asked(frameworks_asked, spec.framework))
      sink.add_feature(feature::fp8_weights_of_whole_states);
  }
};

/// Below ZeRO-3 the engine moves states to the CPU or nowhere: "nvme" makes a CPU optimizer and leaves its states on the device
/// (deepspeedai/DeepSpeed runtime/engine.py, zero_cpu_offload).
struct states_on_nvme_are_sharded {
  static constexpr unsigned frameworks_asked = detail::under_deepspeed;
  template <class Listed = listed_rule>
  static constexpr Listed about() {
    return detail::feature_rule<Listed>(feature::states_to_nvme_without_zero_3, "states go to NVMe under ZeRO-3 only",
                                        "its `runtime/engine.py`, zero_cpu_offload; arXiv 2104.07857", frameworks_asked);
  }
  template <class Spec, class Sink>
  static constexpr void check(const Spec& spec, Sink& sink) {
    if (spec.offload.states == storage::nvme && !shards_weights(spec) && detail::is_asked(frameworks_asked, spec.framework))
      sink.add_feature(feature::states_to_nvme_without_zero_3);
  }
};

/// "Weight tying is not supported with Pipeline Parallel": pytorch/torchtitan models/common.
struct tied_embeddings_on_one_stage {
  static constexpr unsigned frameworks_asked = detail::under_torchtitan;
  template <class Listed = listed_rule>
  static constexpr Listed about() {
    return detail::feature_rule<Listed>(feature::tied_embeddings_in_pipeline, "with pp > 1: embedding and head are not tied",
                                        "its `models/common/decoder.py`", frameworks_asked);
  }
  template <class Spec, class Sink>
  static constexpr void check(const Spec& spec, Sink& sink) {
    if (spec.model.tied_embeddings && spec.pp > 1 && detail::is_asked(frameworks_asked, spec.framework))
      sink.add_feature(feature::tied_embeddings_in_pipeline);
  }
};

/// "MTP does not support pipeline parallelism yet": the same.
struct next_token_layers_on_one_stage {
  static constexpr unsigned frameworks_asked = detail::under_torchtitan;
  template <class Listed = listed_rule>
  static constexpr Listed about() {
    return detail::feature_rule<Listed>(feature::next_token_layers_in_pipeline, "with pp > 1: no next-token layers", "the same",
                                        frameworks_asked);
  }
  template <class Spec, class Sink>
  static constexpr void check(const Spec& spec, Sink& sink) {
    if (spec.model.next_token_layers > 0 && spec.pp > 1 && detail::is_asked(frameworks_asked, spec.framework))
      sink.add_feature(feature::next_token_layers_in_pipeline);
  }
};

/// "Currently we only support ETP=TP or ETP=1": pytorch/torchtitan distributed/parallel_dims.py; since its pull request 3167 there is no
/// etp but 1.
struct etp_is_tp_or_one {
  static constexpr unsigned frameworks_asked = detail::under_torchtitan;
  template <class Listed = listed_rule>
  static constexpr Listed about() {
    return detail::feature_rule<Listed>(feature::etp_apart_from_tp, "etp is 1 or tp", "its `parallel_dims.py`", frameworks_asked);
  }
  template <class Spec, class Sink>
  static constexpr void check(const Spec& spec, Sink& sink) {
    if (spec.etp != 1 && spec.etp != spec.tp && detail::is_asked(frameworks_asked, spec.framework))
      sink.add_feature(feature::etp_apart_from_tp);
  }
};

/// "MoE models require expert_parallel_degree to be greater than or equal to tensor_parallel_degree", with ep 1 too: routed experts are
/// whole, and the tensor parallel ranks of a block are ranks of its experts (pytorch/torchtitan pull request 4794).
struct tp_within_ep {
  static constexpr unsigned frameworks_asked = detail::under_torchtitan;
  template <class Listed = listed_rule>
  static constexpr Listed about() {
    return detail::pair_rule<Listed>(3, rule::exceeds, {quantity::tp}, {quantity::ep}, "with experts and etp 1: ep is at least tp",
                                     "its pull request 4794", frameworks_asked);
  }
  template <class Spec, class Sink>
  static constexpr void check(const Spec& spec, Sink& sink) {
    if (spec.model.experts.count > 0 && spec.etp == 1 && spec.tp > spec.ep && detail::is_asked(frameworks_asked, spec.framework))
      sink.add_pair(rule::exceeds, {quantity::tp, spec.tp}, {quantity::ep, spec.ep});
  }
};

}  // namespace rules

namespace detail {

// What one framework refuses and another allows.
template <class Sink, class Spec>
constexpr void check_framework(const Spec& spec, Sink& sink) {
  rules::experts_in_tp_share_the_sequence::check(spec, sink);
  rules::chunks_need_a_pipeline::check(spec, sink);
  rules::pipeline_keeps_gradients::check(spec, sink);
  rules::expert_parallel_keeps_weights::check(spec, sink);
  rules::fp8_weights_have_shards::check(spec, sink);
  rules::states_on_nvme_are_sharded::check(spec, sink);
  rules::tied_embeddings_on_one_stage::check(spec, sink);
  rules::next_token_layers_on_one_stage::check(spec, sink);
  rules::etp_is_tp_or_one::check(spec, sink);
  rules::tp_within_ep::check(spec, sink);
}

// Tier three, all but memory: what cannot be right anywhere although every number is legal by itself.
template <class Sink, class Spec>
constexpr void check_combinations(const Spec& spec, Sink& sink) {
  // What most plans do not have is one question for several rules.
  if ((spec.model.experts.count | (spec.ep ^ 1) | (spec.etp ^ 1)) != 0) {
    rules::top_k_within_experts::check(spec, sink);
    rules::ep_within_experts::check(spec, sink);
    rules::etp_has_experts::check(spec, sink);
  }
  if (spec.model.positions != 0) rules::sequence_within_positions::check(spec, sink);
  if (spec.offload.gradients != storage::device) rules::gradients_stay_off_nvme::check(spec, sink);
  if (spec.offload.inputs != storage::device) rules::inputs_stay_off_nvme::check(spec, sink);
  if (spec.offload.weights != storage::device) rules::offloaded_weights_are_sharded::check(spec, sink);
  if (!spec.sharding.is_plain()) {
    rules::fsdp_without_zero::check(spec, sink);
    rules::shard_groups_have_shards::check(spec, sink);
    rules::hpz_under_zero_3::check(spec, sink);
    rules::megatron_buckets_under_zero_1::check(spec, sink);
    rules::gathered_weights_are_sharded::check(spec, sink);
    rules::gather_unit_under_zero_3::check(spec, sink);
  }
  if (spec.framework != frameworks::generic) check_framework(spec, sink);
}

}  // namespace detail

}  // namespace shardplan
