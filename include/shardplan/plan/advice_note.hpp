// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/bytes.hpp>
#include <shardplan/core/checked.hpp>
#include <shardplan/core/text.hpp>
#include <shardplan/plan/quantity.hpp>
#include <shardplan/plan/sentence.hpp>

#include <cstdint>

namespace shardplan {

/// What may be better in a plan that works: a warning, which never stops a build. Each has a line in docs/reference/rules.md.
enum class advice {
  tp_across_nodes,                ///< tensor parallel groups leave their fabric: each layer talks over the network or through the host
  zero_with_one_replica,          ///< there is nobody to share states with
  sequence_parallel_at_tp_1,      ///< there is nobody to share the sequence with
  replicated_kv_heads,            ///< fewer key/value heads than tp ranks: each holds a copy; torch's tensor parallelism refuses it
  sharded_gradients_in_pipeline,  ///< gradients are reduced for each micro-batch; DeepSpeed refuses it
  experts_in_tp_without_sequence_parallel,  ///< each tp rank routes all tokens; Megatron-LM refuses it
  narrow_matrices,                          ///< tp leaves widths that are no multiple of 128: kernels waste part of their tiles
  little_memory_left,                       ///< more than 90 % of the device: fragmentation may end the run
  tight_host_memory,                        ///< more than 80 % of the host: pinned buffers and processes need the rest
  uneven_stages,                            ///< the fullest stage needs more than 15 % above the mean
  large_logits,                             ///< logits and what the loss makes of them take more than 10 % of the device
  needless_recompute,                       ///< blocks are computed again, and the plan fits without
  pipeline_idles,                           ///< more than 10 % of a step
  fewer_micro_batches_than_stages,          ///< some ranks of the pipeline never work at the same time; torchtitan refuses it
  host_cannot_load,                         ///< each rank loading the whole model takes more than the host has
  tp_on_few_links,                          ///< on a switchless mesh tensor parallel groups use some of a device's links only
  not_in_framework,                         ///< the framework has no such schedule, or no such word for how states are sharded
};

/// The number of kinds of advice.
inline constexpr int advice_kinds = static_cast<int>(advice::not_in_framework) + 1;

/// One advice with its numbers.
struct advice_note {
  advice kind{};       ///< what
  bool given = false;  ///< whether it holds
  measured first{};    ///< the number it is about
  measured second{};   ///< what it is held against

  friend constexpr bool operator==(const advice_note&, const advice_note&) = default;
};

namespace detail {

// All words about an advice: its name, what is the matter, the two numbers of a note (`@` stands for the first, then for the second), what
// follows from it or helps, and when it is given.
struct advice_words {
  const char* name;
  const char* reason;
  const char* numbers;
  const char* consequence;
  const char* condition;
};
inline constexpr advice_words words_of_advice[] = {
    {"tp_across_nodes", "tensor parallel groups leave the fabric that joins their devices", "@, @",
     "each layer sends four all-reduces, or as many gathers and scatters, over the network or through the host",
     "a tensor parallel group does not lie in one fabric domain"},
    {"zero_with_one_replica", "states are sharded over one rank", "@, @", "nothing is saved", "ZeRO or FSDP with dp x cp = 1"},
    {"sequence_parallel_at_tp_1", "sequence parallelism has no ranks to share a sequence among", "@, @", "Megatron-LM switches it off",
     "`sequence_parallel<true>` with tp 1"},
    {"replicated_kv_heads", "there are fewer key/value heads than tensor parallel ranks", "@, @",
     "each rank holds a copy of one; torchtitan and fsdp2 refuse it", "`kv_heads` < tp"},
    {"sharded_gradients_in_pipeline", "gradients are sharded in a pipeline", "@, @",
     "one reduce-scatter for each micro-batch; DeepSpeed refuses it", "ZeRO-2, 3 or FSDP with pp > 1"},
    {"experts_in_tp_without_sequence_parallel", "tensor parallelism with routed experts goes without sequence parallelism", "@, @",
     "each tensor parallel rank routes all tokens; Megatron-LM refuses it", "experts, tp > 1, sequence not shared"},
    {"narrow_matrices", "the width of a rank's matrices is no multiple of 128", "@, @", "kernels waste part of their tiles",
     "`hidden` / tp or `ffn` / tp is no multiple of 128"},
    {"little_memory_left", "little of the device's memory is left", "@ of @ are needed", "fragmentation may end the run",
     "the plan needs more than 90 % of the device"},
    {"tight_host_memory", "little of the host's memory is left", "@ of @ are needed",
     "data loading and the system need the rest (DeepSpeed issue 3448: 750 to 800 GB where the states are 586)",
     "with `host_memory<>`: more than 80 % of the host"},
    {"uneven_stages", "the stages need unequal memory", "the fullest @ of the mean, @",
     "memory of the other stages stays unused; `pipeline_slots<>` or a `layer_split<>` can even them out",
     "the fullest stage is more than 15 % above the mean"},
    {"large_logits", "logits and what the loss makes of them are large", "@ of the device, @",
     "a chunked or fused cross-entropy holds less of them", "logits and what the loss makes of them take more than 10 % of the device"},
    {"needless_recompute", "the plan fits without full recomputation", "@, @", "computing blocks again costs up to a third more arithmetic",
     "`recomputes::full`, and the plan fits without"},
    {"pipeline_idles", "the pipeline idles", "@ of a step, by formula, with @", "`less_idle_of<Plan>` lists what helps",
     "more than 10 % of a step, by closed form"},
    {"fewer_micro_batches_than_stages", "there are fewer micro-batches than pipeline ranks", "@, @",
     "some ranks wait at any time; torchtitan's 1F1B and Megatron-LM's interleaving refuse it", "m < pp"},
    {"host_cannot_load", "the host cannot hold a copy of the whole model in fp32 for each of its devices", "@ of @ would be needed",
     "load on one rank and broadcast, or on a meta device (transformers issue 25107)",
     "with `host_memory<>`: devices of a node x 4 bytes x parameters are more than it"},
    {"tp_on_few_links", "tensor parallel groups use few of a device's links", "@, @",
     "without a switch a device has one link to each other device: groups over the whole mesh use all of them, tp 1 needs none",
     "on a fabric without a switch (MI300X, Gaudi, Ascend): tp groups of n ranks use n - 1 links of a device, fewer than it has"},
    {"not_in_framework", "the framework does not have this way to shard states, or this schedule", "@, @",
     "a fork may have it; else say `fsdp<>` under torchtitan and fsdp2, `zero<3>` under DeepSpeed, or a schedule that the framework has",
     "`zero<1>` to `zero<3>` under torchtitan and fsdp2, `fsdp` under DeepSpeed, with pp > 1 a schedule of the catalog that the framework "
     "does not have"},
};
static_assert(sizeof words_of_advice / sizeof words_of_advice[0] == advice_kinds);

// A note knows which of the two it is.
inline constexpr advice_words words_of_missing_schedule = {"", "the framework does not have the plan's schedule", "@, @",
                                                           "a fork may have it; else take one that the framework has", ""};
inline constexpr advice_words words_of_missing_sharding = {
    "", "the framework has other words for how states are sharded", "@, @",
    "say `fsdp<>` or `hsdp<>` under torchtitan and fsdp2, a `zero<>` under DeepSpeed", ""};
constexpr const advice_words& words_of(const advice_note& note) {
  if (note.kind != advice::not_in_framework) return nth_of(words_of_advice, static_cast<int>(note.kind));
  return note.first.what == quantity::chunks ? words_of_missing_schedule : words_of_missing_sharding;
}

template <std::size_t Capacity>
constexpr void append_counted(text<Capacity>& out, std::int64_t count, const char* one, const char* many) {
  out.append(count).append(count == 1 ? one : many);
}

// A number of a note with its unit, as prose says it; others by the name of the quantity.
template <std::size_t Capacity>
constexpr void append_in_prose(text<Capacity>& out, measured number) {
  switch (number.what) {
    case quantity::percent: out.append(number.value).append(" %"); break;
    case quantity::device_memory_bytes: append_gib(out, {number.value}, false); break;
    case quantity::host_memory: out.append(number.value).append(" GiB"); break;
    case quantity::devices_per_node: append_counted(out, number.value, " device a node", " devices a node"); break;
    case quantity::fabric_domain: append_counted(out, number.value, " device in a fabric domain", " devices in a fabric domain"); break;
    case quantity::micro_batches: append_counted(out, number.value, " micro-batch", " micro-batches"); break;
    case quantity::micro_batch: out.append("micro-batch ").append(number.value); break;
    case quantity::sequence: append_counted(out, number.value, " token a sequence", " tokens a sequence"); break;
    case quantity::kv_heads: append_counted(out, number.value, " key/value head", " key/value heads"); break;
    case quantity::expert_count: append_counted(out, number.value, " expert a layer", " experts a layer"); break;
    case quantity::chunks: append_counted(out, number.value, " chunk a rank", " chunks a rank"); break;
    case quantity::zero: out.append("sharding stage ").append(number.value); break;
    case quantity::dp_x_cp: out.append("dp x cp ").append(number.value); break;
    default: append_measured(out, number); break;
  }
}

}  // namespace detail

/// The name of an advice.
constexpr const char* name_of(advice kind) { return detail::nth_of(detail::words_of_advice, static_cast<int>(kind)).name; }
/// What is the matter, in words.
constexpr literal reason_of(advice kind) { return detail::nth_of(detail::words_of_advice, static_cast<int>(kind)).reason; }
/// When an advice is given, as tables of rules say it.
constexpr const char* condition_of(advice kind) { return detail::nth_of(detail::words_of_advice, static_cast<int>(kind)).condition; }
/// What follows from it, or what helps.
constexpr const char* consequence_of(advice kind) { return detail::nth_of(detail::words_of_advice, static_cast<int>(kind)).consequence; }

/// "tensor parallel groups leave the fabric that joins their devices (tp 16, 8 devices a node): each layer sends four all-reduces, ..."
constexpr text<sentence_length> sentence_of(const advice_note& note) {
  const detail::advice_words& words = detail::words_of(note);
  text<sentence_length> out{};
  out.append(words.reason).append(" (");
  measured next = note.first;
  for (const char* at = words.numbers; *at != '\0'; ++at) {
    if (*at != '@') {
      out.append(*at);
      continue;
    }
    detail::append_in_prose(out, next);
    next = note.second;
  }
  out.append("): ").append(words.consequence);
  return out;
}

}  // namespace shardplan
