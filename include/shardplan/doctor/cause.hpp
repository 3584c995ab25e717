// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/checked.hpp>
#include <shardplan/core/text.hpp>
#include <shardplan/doctor/cause_list.hpp>
#include <shardplan/doctor/symptom.hpp>

#include <cstdint>

namespace shardplan {

/// The unit of a cause's figure.
enum class figure_unit {
  bytes,              ///< bytes
  per_mille,          ///< thousandths
  count,              ///< things, which `cause_entry::one` and `many` name
  bytes_per_second,   ///< bytes a second
  tokens_per_second,  ///< tokens a second
  zero_stage,         ///< stage of ZeRO
};

/// What is known of a cause without a plan.
struct cause_entry {
  literal name{};         ///< the enumerator
  unsigned symptoms = 0;  ///< bit `symptom` of each that it explains
  figure_unit unit{};     ///< of its figure
  literal one{};          ///< what is counted, of one ("rank"); empty where the figure is no number of things
  literal many{};         ///< the same of several ("ranks")
  literal figure{};       ///< what the figure is, in words
  literal advice{};       ///< what helps, in words
  literal action{};       ///< of it, what is no change of a plan; empty: all of it is one, or the plan cannot tell the cause
};

namespace detail {
template <class... Symptoms>
constexpr unsigned symptom_bits(Symptoms... which) {
  return ((1u << static_cast<int>(which)) | ...);
}

inline constexpr cause_entry cause_table[] = {
    {"mem_states", symptom_bits(symptom::out_of_memory), figure_unit::bytes, "", "",
     "weights, gradients, optimizer state and the reserve on the fullest stage, against nine tenths of the device (a warning) and all of "
     "it",
     "shard the optimizer first, then tp inside the node, then pp"},
    {"mem_activations", symptom_bits(symptom::out_of_memory), figure_unit::bytes, "", "",
     "tensors kept for backward, against the memory that all else leaves free",
     "recompute, smaller micro-batches, tp with sequence parallelism, cp"},
    {"mem_logits", symptom_bits(symptom::out_of_memory, symptom::out_of_memory_on_end_stage), figure_unit::bytes, "", "",
     "logits and what the loss makes of them on the last stage; more than a tenth of the device is a warning",
     "a fused or chunked cross-entropy, smaller micro-batches, cp; check that the fused path is on under pp"},
    {"mem_first_stage", symptom_bits(symptom::out_of_memory, symptom::out_of_memory_on_end_stage), figure_unit::per_mille, "", "",
     "memory of the first stage, as a share of the mean of all stages",
     "fewer layers on the end stages, embedding and head as slots, recompute, smaller micro-batches"},
    {"mem_last_stage", symptom_bits(symptom::out_of_memory, symptom::out_of_memory_on_end_stage), figure_unit::per_mille, "", "",
     "memory of the last stage, as a share of the mean of all stages",
     "a chunked cross-entropy, fewer layers on the end stages, embedding and head as slots, more tp"},
    {"mem_in_flight", symptom_bits(symptom::out_of_memory_on_end_stage), figure_unit::bytes, "", "",
     "what the first stage keeps for the micro-batches that it holds at once and the last stage does not",
     "recompute, smaller micro-batches, fewer layers on the first stage, a schedule that holds fewer micro-batches, fewer stages"},
    {"mem_embedding", symptom_bits(symptom::out_of_memory_on_end_stage), figure_unit::bytes, "", "",
     "weights, gradients and optimizer state of the embedding on the first stage", "more tp, a sharded optimizer, the embedding as a slot"},
    {"mem_head", symptom_bits(symptom::out_of_memory_on_end_stage), figure_unit::bytes, "", "",
     "weights, gradients and optimizer state of the head on the last stage", "more tp, a sharded optimizer, the head as a slot"},
    {"mem_first_step", symptom_bits(symptom::out_of_memory), figure_unit::bytes, "", "",
     "what the optimizer adds after the first backward pass, against the memory that is free by then",
     "count the optimizer in; shard it; a fused optimizer; more pp, not more dp, where it is sharded already"},
    {"mem_unit", symptom_bits(symptom::out_of_memory), figure_unit::bytes, "", "",
     "what ZeRO-3 or FSDP gather at once, with its gradients, against the free memory or against a unit of a tenth of the model",
     "wrap every block, the embedding and the head apart; less prefetch", "wrap every block, the embedding and the head apart"},
    {"mem_nosync", symptom_bits(symptom::out_of_memory), figure_unit::bytes, "", "",
     "what gradients add that stay whole until the last micro-batch (late_sync, no_sync()), against the memory that all else leaves free; "
     "without late_sync a plan does not say whether they do",
     "no no_sync(): reduce-scatter each micro-batch", "no no_sync(): reduce-scatter each micro-batch"},
    {"mem_comms", symptom_bits(symptom::out_of_memory), figure_unit::bytes, "", "",
     "context and communicators of this plan's groups, against the memory that everything else leaves free",
     "merge groups, start them late, no NVLS for small groups; make room for them",
     "merge groups, start them late, no NVLS for small groups"},
    {"mem_moe_skew", symptom_bits(symptom::out_of_memory_later), figure_unit::bytes, "", "",
     "the fullest stage if the experts of one rank get twice the even load, against the device",
     "a capacity factor, a balance loss, recomputed experts, more ep", "a balance loss"},
    {"mem_fragment", symptom_bits(symptom::out_of_memory_later), figure_unit::per_mille, "", "",
     "the peak, as a share of the device; above nine tenths the allocator has no room for fragments",
     "expandable segments, fixed shapes, 5 to 10 percent left free", "expandable segments (PYTORCH_CUDA_ALLOC_CONF), fixed shapes"},
    {"mem_resume", symptom_bits(symptom::out_of_memory_on_resume), figure_unit::bytes, "", "",
     "the states and a second copy of what a checkpoint holds, against the device", "load states shard by shard through the host",
     "load states shard by shard through the host"},
    {"mem_host", symptom_bits(symptom::host_out_of_memory), figure_unit::bytes, "", "",
     "what is offloaded to one host, against eight tenths of its memory", "NVMe, more nodes, partial offload"},
    {"cfg_m_lt_p", symptom_bits(symptom::refused_at_start, symptom::hang), figure_unit::count, "micro-batch", "micro-batches",
     "micro-batches that fill the pipeline (one a stage, or what the schedule asks for), against those that the batch gives a replica",
     "a larger global batch or a smaller micro-batch"},
    {"cfg_vpp", symptom_bits(symptom::refused_at_start), figure_unit::count, "micro-batch", "micro-batches",
     "micro-batches that fill no group of an interleaved schedule (1 where it has one stage only, which Megatron-LM refuses)",
     "change the micro-batches, the group or the chunks"},
    {"cfg_layers", symptom_bits(symptom::refused_at_start), figure_unit::count, "layer or stage", "layers or stages",
     "layers (with slots), or stages, left over when layers are dealt out to stages", "an explicit layout; embedding and head as slots"},
    {"cfg_batch", symptom_bits(symptom::refused_at_start), figure_unit::count, "sequence", "sequences",
     "sequences by which micro-batch x dp (x accumulation, where that is said) misses the global batch",
     "fix dp: it is world / (tp x pp x cp); or change the micro-batch or the global batch"},
    {"cfg_seq", symptom_bits(symptom::refused_at_start), figure_unit::count, "token", "tokens",
     "tokens left over when a sequence is dealt out to cp and tp ranks, or beyond the learned positions",
     "pad the sequence, or shorten it to the learned positions"},
    {"cfg_heads", symptom_bits(symptom::refused_at_start), figure_unit::count, "head or rank", "heads or ranks",
     "heads, or ranks, left over when heads are dealt out to tp ranks (with Ulysses to tp x cp)",
     "a smaller tp or Ulysses degree, a ring for the rest"},
    {"cfg_zero_pp", symptom_bits(symptom::refused_at_start), figure_unit::zero_stage, "", "",
     "the ZeRO stage of a plan with a pipeline; DeepSpeed takes stage 1 at most", "ZeRO-1 with pp, or a framework that combines them"},
    {"cfg_ep", symptom_bits(symptom::refused_at_start), figure_unit::count, "broken rule", "broken rules",
     "rules that the degrees of the experts break",
     "degrees that divide; sequence parallelism with tp and experts; under DeepSpeed ZeRO-2 at most"},
    {"cfg_grid", symptom_bits(symptom::refused_at_start), figure_unit::count, "rank", "ranks",
     "ranks left over when degrees are dealt out over the devices, or shard groups over the replicas",
     "degrees whose product is the number of devices; groups that divide dp x cp"},
    {"cfg_other", symptom_bits(symptom::refused_at_start), figure_unit::count, "broken rule", "broken rules",
     "rules that the plan breaks and no other cause stands for",
     "change what the broken rule names; docs/troubleshooting.md has a section for each"},
    {"hang_preproc", symptom_bits(symptom::hang), figure_unit::count, "rank", "ranks",
     "ranks that wait while rank 0 prepares data; how long that takes is not in a plan",
     "tokenise before the run, or wait longer (the timeout of the process group)"},
    {"hang_uneven", symptom_bits(symptom::hang), figure_unit::count, "sequence", "sequences",
     "sequences in a step, or, where the samples are known, those left over in the last step of an epoch; samples are not in a plan",
     "drop the last batch (drop_last), pad it, or let the others join (torch's Join)"},
    {"hang_zero3_moe", symptom_bits(symptom::hang), figure_unit::count, "expert", "experts",
     "experts whose weights are gathered one by one, in an order that depends on routing", "make the block one unit, or use ep",
     "make the block of experts one unit (leaf module)"},
    {"hang_fabric", symptom_bits(symptom::hang), figure_unit::count, "node", "nodes",
     "nodes that talk at once; whether the network bears it is not in a plan",
     "launch kernels one by one, switch NVLS off, halve the nodes until the bad one is found"},
    {"hang_eval", symptom_bits(symptom::hang), figure_unit::count, "rank", "ranks",
     "ranks that must all leave the evaluation before the next step; evaluation is not in a plan",
     "a barrier behind the evaluation, fewer loader workers"},
    {"num_vocab", symptom_bits(symptom::diverges_in_parallel), figure_unit::count, "row", "rows",
     "rows left over when the padded vocabulary is dealt out to tp ranks", "pad to 128 x tp"},
    {"num_cp_mask", symptom_bits(symptom::diverges_in_parallel), figure_unit::count, "rank", "ranks",
     "cp ranks, each of which must hold a token that is not masked; masks are not in a plan", "normalise by the tokens of all ranks"},
    {"num_sp_grad", symptom_bits(symptom::diverges_in_parallel), figure_unit::count, "rank", "ranks",
     "tp ranks that must sum their gradients of norms and biases under sequence parallelism; whether they do is not in a plan",
     "turn the reduction on, in fp32"},
    {"num_clip", symptom_bits(symptom::diverges_in_parallel), figure_unit::count, "axis", "axes",
     "axes that the norm of a clipped gradient must cover; whether it does is not in a plan", "clip by one norm over all of them"},
    {"num_tied", symptom_bits(symptom::diverges_in_parallel), figure_unit::count, "stage", "stages",
     "stages that hold a copy of a tied embedding and must sum its gradients; whether they do is not in a plan",
     "sum them over the first and the last stage, and over that of next-token layers"},
    {"num_ga", symptom_bits(symptom::diverges_in_parallel), figure_unit::count, "micro-batch", "micro-batches",
     "micro-batches whose losses are averaged, which is wrong where they differ in tokens; that is not in a plan",
     "divide by the tokens of the whole batch"},
    {"num_bf16_reduce", symptom_bits(symptom::diverges_in_parallel), figure_unit::count, "replica", "replicas",
     "replicas that sum gradients of 2 bytes; 128 are too many", "reduce in fp32"},
    {"num_compose", symptom_bits(symptom::diverges_in_parallel), figure_unit::count, "feature", "features",
     "features that are on together; which pairs are known to be wrong is not in a plan",
     "compare the loss with that of one device, at small scale"},
    {"perf_tp_node", symptom_bits(symptom::low_utilisation), figure_unit::count, "group", "groups",
     "tp groups that reach beyond the fabric domain", "tp no larger than the domain; pp or cp across"},
    {"perf_bubble", symptom_bits(symptom::low_utilisation), figure_unit::per_mille, "", "",
     "waiting, as a share of the time of the pipeline", "more micro-batches, more chunks, a zero-bubble schedule, fewer stages"},
    {"perf_zero3_net", symptom_bits(symptom::low_utilisation), figure_unit::per_mille, "", "",
     "time of gathering and scattering by ZeRO-3 or FSDP, before anything hides it, as a share of computing time",
     "hsdp or hpz, larger micro-batches, no resharding, tp and pp",
     "see in a profile whether gathers overlap with computing (prefetch, overlap_comm), and whether the fabric is as fast as it should be"},
    {"perf_zero23_ga", symptom_bits(symptom::low_utilisation), figure_unit::per_mille, "", "",
     "time of what ZeRO-2 and ZeRO-3 send again for each further micro-batch, as a share of computing time",
     "ZeRO-1 with accumulation; larger micro-batches",
     "see in a profile whether reductions overlap with backward (overlap_comm, buckets of several layers)"},
    {"perf_fabric_cfg", symptom_bits(symptom::low_utilisation), figure_unit::bytes_per_second, "", "",
     "what a rank should send in an all-reduce of the replicas; what it really sends is not in a plan",
     "check the hosts: PCIe ACS off, GPUDirect RDMA on, a NIC beside each device"},
    {"perf_latency", symptom_bits(symptom::low_utilisation), figure_unit::per_mille, "", "",
     "latency, as a share of the time of transfers of states and gradients", "bigger buckets, fewer ranks in a group, tree or NVLS"},
    {"perf_tile", symptom_bits(symptom::low_utilisation), figure_unit::count, "width", "widths",
     "widths on a rank that are no multiple of the tile (128; heads 64)", "aligned shapes",
     "a model whose hidden and feed-forward widths are multiples of 128 x tp, with heads of a multiple of 64"},
    {"perf_uneven", symptom_bits(symptom::low_utilisation), figure_unit::per_mille, "", "",
     "how much longer the fullest stage works than the mean, as a share of the mean", "layers and slots that the stages divide"},
    {"perf_ep_node", symptom_bits(symptom::low_utilisation), figure_unit::per_mille, "", "",
     "time of the all-to-all of experts, as a share of the experts' computing time, where ep reaches beyond the fabric domain",
     "ep inside the domain, node-limited routing, FP8 dispatch, overlap; a plain all-to-all for ep up to 8",
     "overlap dispatch and combine with another micro-batch (DualPipe), dispatch in FP8, a library of all-to-alls by levels (DeepEP)"},
    {"perf_overlap", symptom_bits(symptom::low_utilisation), figure_unit::per_mille, "", "",
     "time of transfers between ranks, as a share of computing time; whether launches are ordered so that both overlap is not in a plan",
     "set CUDA_DEVICE_MAX_CONNECTIONS=1 before Blackwell; leave SMs to communication"},
    {"perf_recompute", symptom_bits(symptom::low_utilisation), figure_unit::per_mille, "", "",
     "memory that stays free if only attention is recomputed instead of everything, as a share of the device",
     "selective recomputation with sequence parallelism"},
    {"perf_jitter", symptom_bits(symptom::low_utilisation, symptom::step_time_jitter), figure_unit::count, "rank", "ranks",
     "ranks, each of which makes the others wait when it collects garbage", "collect garbage on a fixed step",
     "switch automatic garbage collection off and collect on a fixed step, on all ranks at once"},
    {"perf_slow_gpu", symptom_bits(symptom::low_utilisation, symptom::step_time_jitter), figure_unit::count, "device", "devices",
     "devices that wait for the slowest one; how fast it is, is not in a plan", "find the node and take it out"},
    {"perf_data", symptom_bits(symptom::low_utilisation, symptom::step_time_jitter), figure_unit::tokens_per_second, "", "",
     "what the plan reads; how much the loaders deliver is not in a plan", "more workers, tokens prepared before the run, prefetch"},
    {"perf_offload", symptom_bits(symptom::low_utilisation, symptom::slow_after_offload), figure_unit::per_mille, "", "",
     "time of the host's optimizer step and of transfers over PCIe and NVMe that nothing hides, as a share of computing time",
     "more micro-batches a step, cores bound, all memory channels filled, partial offload, NVMe last",
     "bind each process to the cores beside its device, fill all memory channels, offload a part (Twin-Flow)"},
    {"ckpt_layout", symptom_bits(symptom::checkpoint_does_not_load), figure_unit::count, "axis", "axes",
     "axes that cut the states of this plan; a checkpoint in shards has them in its files",
     "convert, or save in a layout-free format; changed_axes says which changed",
     "load it with the layout that saved it and convert, or save in a layout-free format; changed_axes says which axes changed"},
};
static_assert(sizeof cause_table / sizeof cause_table[0] == cause_count);
}  // namespace detail

/// What is known of a cause without a plan.
constexpr const cause_entry& entry_of(cause which) { return detail::nth_of(detail::cause_table, static_cast<int>(which)); }
/// The cause as one writes it.
constexpr const char* name_of(cause which) { return entry_of(which).name.c_str(); }
/// Whether a cause can have that symptom. Error: `argument_out_of_range` for a symptom that is none.
constexpr bool explains(cause which, symptom seen) {
  if (!detail::is_known(seen)) argument_out_of_range();
  return (entry_of(which).symptoms >> static_cast<int>(seen) & 1u) != 0;
}

}  // namespace shardplan
