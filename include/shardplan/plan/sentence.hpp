// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/bytes.hpp>
#include <shardplan/core/checked.hpp>
#include <shardplan/core/part.hpp>
#include <shardplan/core/size.hpp>
#include <shardplan/core/text.hpp>
#include <shardplan/core/unset.hpp>
#include <shardplan/memory/report.hpp>
#include <shardplan/plan/framework_has.hpp>
#include <shardplan/plan/quantity.hpp>
#include <shardplan/plan/remedy_layout.hpp>
#include <shardplan/plan/violation.hpp>

#include <cstdint>

namespace shardplan {

/// Room for one sentence, and for all sentences of a plan.
inline constexpr std::size_t sentence_length = 400;
/// Room for all sentences of a plan, characters.
inline constexpr std::size_t sentences_length = 64 * 320 + 256;

/// The name of a part as one writes it in a plan.
constexpr const char* name_of(part_kind part) {
  constexpr const char* names[] = {"model",
                                   "cluster",
                                   "host_memory",
                                   "framework",
                                   "sequence",
                                   "micro_batch",
                                   "global_batch",
                                   "accumulation",
                                   "tp",
                                   "pp",
                                   "dp",
                                   "cp",
                                   "ep",
                                   "etp",
                                   "sequence_parallel",
                                   "zero",
                                   "fsdp",
                                   "offload",
                                   "layer_split",
                                   "pipeline_slots",
                                   "vocabulary_multiple",
                                   "schedule",
                                   "optimizer",
                                   "precision",
                                   "recompute",
                                   "recompute_layers",
                                   "kernels",
                                   "attention",
                                   "dropout",
                                   "context_exchange",
                                   "expert_load",
                                   "cross_entropy",
                                   "overheads",
                                   "buckets",
                                   "headroom",
                                   "overlap",
                                   "rank_order",
                                   "link_efficiency",
                                   "collectives",
                                   "node_limited_routing",
                                   "communication"};
  static_assert(sizeof names / sizeof names[0] == static_cast<unsigned>(part_kind::communication) + 1);
  return detail::nth_of(names, static_cast<int>(part));
}

/// The name of a component, as the field of `memory_report`.
constexpr const char* name_of(component which) {
  constexpr const char* names[] = {"weights", "gradients", "master", "optimizer", "activations", "logits", "working", "buffers", "reserve"};
  static_assert(sizeof names / sizeof names[0] == static_cast<unsigned>(component::reserve) + 1);
  return detail::nth_of(names, static_cast<int>(which));
}

namespace detail {

template <std::size_t Capacity>
constexpr void append_gib(text<Capacity>& out, bytes amount, bool up) {
  const std::int64_t tenths = tenths_of_gib(amount, up);
  out.append(tenths / 10).append('.').append(tenths % 10).append(" GiB");
}

template <std::size_t Capacity>
constexpr void append_measured(text<Capacity>& out, measured number) {
  out.append(name_of(number.what)).append(' ').append(number.value);
}

template <std::size_t Capacity>
constexpr void append_pair(text<Capacity>& out, const violation& item, const char* between) {
  append_measured(out, item.first);
  out.append(between);
  append_measured(out, item.second);
}

// What stands before the value of a change and behind it; a kind without a value has all before it.
struct change_words {
  const char* before = "";
  const char* behind = nullptr;
};
constexpr change_words words_of(remedy change) {
  switch (change.kind) {
    case remedy_kind::nothing_small_helps: return {"no change that is tried helps"};
    case remedy_kind::zero: return {"zero<", ">"};
    case remedy_kind::recompute_full: return {"recompute<recomputes::full>"};
    case remedy_kind::micro_batch: return {"micro_batch<", ">"};
    case remedy_kind::tp: return {"tp<", ">"};
    case remedy_kind::pp: return {"pp<", ">"};
    case remedy_kind::cp: return {"cp<", ">"};
    case remedy_kind::optimizer_adamw_8bit: return {"optimizer<optimizers::adamw_8bit>"};
    case remedy_kind::offload_states_to_host: return {"offload<> of states"};  // `append_change` says it in full
    case remedy_kind::nodes: return {"", " nodes"};
    case remedy_kind::ep: return {"ep<", ">"};
    case remedy_kind::recompute_attention: return {"recompute<recomputes::core_attn>"};
    case remedy_kind::recompute_pointwise:
      if (change.value == 2) return {"recompute<recomputes::every_second_matmul>"};
      return {change.value == 0 ? "recompute<recomputes::layernorm, recomputes::mlp_act>"
                                : "recompute<recomputes::layernorm, recomputes::mlp_act, recomputes::moe_act>"};
    case remedy_kind::recompute_experts: return {"recompute<recomputes::moe>"};
    case remedy_kind::reshard: return {change.value == 0 ? "reshard_after_forward<false>" : "reshard_after_forward<true>"};
    case remedy_kind::shard_ranks: return {"shard groups of ", " ranks"};
    case remedy_kind::prefetch: return {"prefetch<", ">"};
    case remedy_kind::headroom: return {"headroom<", ">"};
    case remedy_kind::fsdp: return {"fsdp<>"};
    case remedy_kind::pp_slots: return {"pp<", "> with pipeline_slots<embedding_slot, loss_slot>"};
    case remedy_kind::pp_split: return {"pp<", "> with a layer_split<> of counts that differ by one at most"};
    case remedy_kind::layout: return {"another layout"};  // `append_change` says it in full
    case remedy_kind::dp:
      if (change.value == unset) return {"no dp<>"};
      return {"dp<", ">"};
    case remedy_kind::etp: return {"etp<", ">"};
    case remedy_kind::sequence: return {"sequence<", ">"};
    case remedy_kind::global_batch: return {"global_batch<", ">"};
    case remedy_kind::accumulation: return {"accumulation<", ">"};
    case remedy_kind::vocabulary_multiple: return {"vocabulary_multiple<", ">"};
    case remedy_kind::hpz: return {"hpz<", ">"};
    case remedy_kind::inner_all_to_all: return {"inner_all_to_all<", ">"};
    case remedy_kind::node_ranks: return {"quantized_gradients<..., ", ">"};
    case remedy_kind::sequence_parallel: return {"sequence_parallel<true>"};
    case remedy_kind::pipeline_slots: return {"pipeline_slots<embedding_slot, loss_slot>"};
    case remedy_kind::chunks:
      if (change.value == 1) return {"schedule<schedules::one_f_one_b>"};
      return {"schedule<schedules::interleaved<", ">>"};
    case remedy_kind::schedule: return {"another schedule<>"};
    case remedy_kind::loss_chunks: return {"cross_entropy<losses::chunked<", ">>"};
    case remedy_kind::capacity: return {"a capacity factor of ", " percent"};
    case remedy_kind::fp32_gradients: return {"precision<precisions::bf16_fp32_accumulator>"};
    case remedy_kind::states_to_nvme: return {"offload<states_to<storage::nvme>>"};
    case remedy_kind::gradients_to_host: return {"gradients_to<storage::host> in offload<>"};
    case remedy_kind::states_to_device: return {"no offload<> of states"};
    case remedy_kind::layer_split: return {"layer_split<> of ", " counts that differ by one at most"};
    case remedy_kind::routed_nodes: return {"node_limited_routing<", ">"};
    case remedy_kind::dp_tree: return {"collectives<dp_by<algorithm::tree>>"};
    case remedy_kind::late_sync: return {change.value == 0 ? "communication<late_sync<false>>" : "communication<late_sync<true>>"};
    case remedy_kind::hidden_tp: return {"overlap<hidden_tp<", ">>"};
    case remedy_kind::hidden_cp: return {"overlap<hidden_cp<", ">>"};
    case remedy_kind::hidden_ep: return {"overlap<hidden_ep<", ">>"};
    case remedy_kind::hidden_pp: return {"overlap<hidden_pp<", ">>"};
    case remedy_kind::hidden_dp: return {"overlap<hidden_dp<", ">>"};
  }
  return {};
}

// What an `offload<>` says.
template <std::size_t Capacity>
constexpr void append_offload(text<Capacity>& out, std::int64_t words) {
  const auto says = [words](std::int64_t word) { return (words & word) != 0; };
  out.append(says(offload_words::moments) ? "offload<moments_to_host<100>" : "offload<states_to<storage::host>");
  if (says(offload_words::gradients)) out.append(", gradients_to<storage::host>");
  if (says(offload_words::weights)) out.append(", weights_to<storage::host>");
  if (says(offload_words::weights_to_nvme)) out.append(", weights_to<storage::nvme>");
  if (says(offload_words::inputs)) out.append(", inputs_to_host");
  out.append('>');
}

template <class Change = layout_change, std::size_t Capacity>
constexpr void append_layout(text<Capacity>& out, std::int64_t value);
template <std::size_t Capacity>
constexpr void append_change(text<Capacity>& out, remedy change) {
  if (change.kind == remedy_kind::offload_states_to_host) return append_offload(out, change.value);
  if (change.kind == remedy_kind::layout) return append_layout(out, change.value);
  const change_words words = words_of(change);
  out.append(words.before);
  if (words.behind != nullptr) out.append(change.value).append(words.behind);
}
// The parts that a layout says, in the order in which they are made.
template <class Change, std::size_t Capacity>
constexpr void append_layout(text<Capacity>& out, std::int64_t value) {
  const Change says = layout_of<Change>(value);
  bool first = true;
  const auto add = [&](bool said, remedy change) {
    if (!said) return;
    if (!first) out.append(", ");
    first = false;
    append_change(out, change);
  };
  add(says.tp != 0, {remedy_kind::tp, says.tp});
  add(says.pp != 0, {says.stages, says.pp});
  add(says.cp != 0, {remedy_kind::cp, says.cp});
  add(says.ep != 0, {remedy_kind::ep, says.ep});
  if (says.says_dp) out.append(first ? "the dp<> that is left" : ", the dp<> that is left");
  first = first && !says.says_dp;
  const std::int64_t stage = static_cast<std::int64_t>(says.states) - static_cast<std::int64_t>(layout_states::zero_0);
  add(stage >= 0 && says.states != layout_states::fsdp, {remedy_kind::zero, stage});
  add(says.states == layout_states::fsdp, {remedy_kind::fsdp, 0});
  add(says.recompute_full, {remedy_kind::recompute_full, 0});
  add(says.micro_batch_one, {remedy_kind::micro_batch, 1});
  add(says.one_f_one_b, {remedy_kind::chunks, 1});
  if (says.offloads) out.append(first ? "" : ", ").append("optimizer state to the host");
}

template <std::size_t Capacity>
constexpr void append_remedy(text<Capacity>& out, const violation& item) {
  if (!item.searched) return;
  out.append("; ");
  if (item.waits) {
    out.append("what makes it fit is looked for once the other rules are kept");
    return;
  }
  if (item.try_this.kind != remedy_kind::nothing_small_helps) out.append("try ");
  append_change(out, item.try_this);
  const remedy others[] = {item.and_this, item.further};
  for (const remedy& more : others) {
    if (more.kind == remedy_kind::nothing_small_helps) return;
    out.append(" and ");
    append_change(out, more);
  }
}

// The nearest legal values of the number at fault.
template <std::size_t Capacity>
constexpr void append_legal(text<Capacity>& out, const violation& item) {
  const char* const between = item.broken == rule::not_supported ? " (try " : " (legal: ";
  const bool is_memory = item.broken == rule::does_not_fit || item.broken == rule::host_does_not_fit;
  const remedy values[] = {item.legal[0], item.legal[1], is_memory ? remedy{} : item.try_this};
  bool any = false;
  for (const remedy& value : values) {
    if (value.kind == remedy_kind::nothing_small_helps) continue;
    out.append(any ? ", " : between);
    append_change(out, value);
    any = true;
  }
  if (any) out.append(')');
}

}  // namespace detail

/// Why no engine does it, in words.
constexpr const char* reason_of(feature unsupported) {
  switch (unsupported) {
    case feature::gradients_to_nvme: return "gradients cannot be offloaded to NVMe";
    case feature::inputs_to_nvme: return "inputs of blocks cannot be offloaded to NVMe";
    case feature::weights_off_without_zero_3: return "weights are offloaded under ZeRO-3 only";
    case feature::fsdp_with_zero: return "fsdp and hsdp shard everything and stand in the place of zero";
    case feature::groups_of_whole_states: return "only sharded states (zero<1> to zero<3>, fsdp, hsdp) have shard groups";
    case feature::hpz_without_zero_3: return "hpz needs zero<3>";
    case feature::megatron_buckets_without_zero_1: return "megatron_buckets needs zero<1>";
    case feature::interleaving_without_pipeline: return "Megatron-LM interleaves chunks in a pipeline only: pp > 1, or one chunk";
    case feature::fp8_weights_of_whole_states: return "Megatron-LM keeps weights in FP8 with sharded states only: zero<1>";
    case feature::states_to_nvme_without_zero_3: return "DeepSpeed sends states to NVMe under zero<3> only";
    case feature::tied_embeddings_in_pipeline: return "torchtitan ties embedding and head without a pipeline only: pp<1>";
    case feature::next_token_layers_in_pipeline: return "torchtitan trains next-token layers without a pipeline only: pp<1>";
    case feature::etp_apart_from_tp: return "torchtitan divides an expert by tp or not at all: etp<1>";
    case feature::sharded_gradients_in_pipeline: return "DeepSpeed's pipeline engine shards no gradients and no weights: zero<1> at most";
    case feature::expert_parallel_with_zero_3: return "DeepSpeed shards no weights of a model with expert parallelism: zero<2> at most";
    case feature::experts_in_tp_without_sequence_parallel:
      return "Megatron-LM trains experts under tensor parallelism with sequence_parallel<true> only";
    case feature::gather_unit_without_zero_3: return "gather_modules and gather_blocks need zero<3>";
    case feature::gathering_of_whole_weights: return "only sharded weights (zero<3>, fsdp, hsdp) are gathered and prefetched";
  }
  return "";
}

/// A change as one writes it in a plan: "zero<1>", "16 nodes".
constexpr text<sentence_length> sentence_of(remedy change) {
  text<sentence_length> out{};
  detail::append_change(out, change);
  return out;
}

/// A broken rule in words, with its numbers: "stage 0 needs 104.2 GiB in phase loss and has 79.5 GiB; largest: optimizer 56.0 GiB; try
/// zero<1>". What is needed is rounded up and what is there down. The same function serves reports at run time and `static_assert` where
/// the compiler takes a computed message.
constexpr text<sentence_length> sentence_of(const violation& item) {
  text<sentence_length> out{};
  switch (item.broken) {
    case rule::missing_part: out.append("the plan lacks the part ").append(name_of(item.part)); break;
    case rule::repeated_part: out.append("the plan says the part ").append(name_of(item.part)).append(" more than once"); break;
    case rule::malformed_part: out.append("what the part ").append(name_of(item.part)).append(" says is no value of its kind"); break;
    case rule::out_of_range:
      detail::append_measured(out, item.first);
      out.append(item.least == item.most ? " is not " : " is not between ").append(item.least);
      if (item.least != item.most) out.append(" and ").append(item.most);
      break;
    case rule::too_large:
      detail::append_measured(out, item.first);
      out.append(" exceeds ").append(item.most).append(", the most that is computed exactly");
      break;
    case rule::does_not_divide: detail::append_pair(out, item, " does not divide "); break;
    case rule::neither_multiple_nor_divisor: detail::append_pair(out, item, " is neither a multiple nor a divisor of "); break;
    case rule::does_not_match: detail::append_pair(out, item, " does not match "); break;
    case rule::empty_stage: out.append("stage ").append(item.stage).append(" owns no layer"); break;
    case rule::micro_batches_fewer_than_stages: detail::append_pair(out, item, " is less than what the schedule starts with, "); break;
    case rule::exceeds: detail::append_pair(out, item, " exceeds "); break;
    case rule::not_supported: out.append(reason_of(item.unsupported)); break;
    case rule::host_does_not_fit:
      out.append("a host needs ");
      detail::append_gib(out, item.needs, true);
      out.append(" and has ");
      detail::append_gib(out, item.has, false);
      detail::append_remedy(out, item);
      break;
    case rule::does_not_fit:
      out.append("stage ").append(item.stage).append(" needs ");
      detail::append_gib(out, item.needs, true);
      out.append(" in phase ").append(name_of(item.when)).append(" and has ");
      detail::append_gib(out, item.has, false);
      out.append("; largest: ").append(name_of(item.largest)).append(' ');
      detail::append_gib(out, item.largest_needs, true);
      detail::append_remedy(out, item);
      break;
  }
  detail::append_legal(out, item);
  return out;
}

/// All broken rules in words, with "; and " between them; "the plan is valid" for none. While a rule of the first two tiers is broken the
/// others are not asked, and the sentence says so.
constexpr text<sentences_length> sentence_of(const violation_list& list) {
  text<sentences_length> out{};
  if (list.empty()) out.append("the plan is valid");
  for (std::size_t at = 0; at < list.size(); ++at) {
    if (at != 0) out.append("; and ");
    out.append(sentence_of(list[at]).c_str());
  }
  if (list.left_out != 0) out.append("; and ").append(list.left_out).append(" more of the same tier");
  if (!list.empty() && list[0].broken < rule::exceeds) out.append(" (more rules are asked once these are kept)");
  return out;
}

}  // namespace shardplan
