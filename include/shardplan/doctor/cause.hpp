// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/text.hpp>
#include <shardplan/doctor/symptom.hpp>

#include <cstdint>

namespace shardplan {

/// Causes that a symptom can have. Each but `mem_activations` and `ckpt_layout` stands for a rule with real issues behind it.
enum class cause {
  mem_states,       ///< weights, gradients and optimizer state of the fullest stage, with what stays free, near or beyond the device
  mem_activations,  ///< tensors kept for backward, beyond what the states leave free
  mem_logits,       ///< logits and what the loss makes of them on the last stage, more than a tenth of the device
  mem_first_stage,  ///< the first stage against the mean of all stages
  mem_first_step,   ///< what the optimizer adds after the first backward, beyond the room that is left then
  mem_unit,    ///< what ZeRO-3 or FSDP gather at once, with its gradients, beyond the room or beyond that of units of a tenth of the model
  mem_nosync,  ///< whole gradients, if micro-batches are summed without synchronising, beyond what is free
  mem_comms,   ///< context and communicators of this plan's groups, against what the plan keeps free
  mem_moe_skew,    ///< the worst stage when one rank's experts get twice the even load
  mem_fragment,    ///< the peak against the device: above nine tenths the allocator has no room for fragments
  mem_resume,      ///< states and a second copy of what a checkpoint holds, against the device
  mem_host,        ///< what offload puts on one host, against eight tenths of its memory
  cfg_m_lt_p,      ///< pipeline stages, more than micro-batches
  cfg_vpp,         ///< micro-batches that the stages do not divide, or one stage, with several chunks a rank
  cfg_layers,      ///< layers (with slots) that the stages do not divide, or that a layout leaves out
  cfg_batch,       ///< sequences of the batch that are left over: global % (micro x dp), or what a said accumulation misses
  cfg_seq,         ///< tokens that are left over: sequence % (cp x lcm(2, tp))
  cfg_heads,       ///< heads that tp (Ulysses: tp x cp) does not divide, or key/value heads that neither divide it nor are divided
  cfg_zero_pp,     ///< the ZeRO stage with a pipeline, where DeepSpeed takes 1 at most
  cfg_ep,          ///< broken rules of the grid of experts
  hang_preproc,    ///< rank 0 prepares data while others wait: minutes are not in a plan; ranks that wait
  hang_uneven,     ///< samples of an epoch are not in a plan; sequences that a step needs
  hang_zero3_moe,  ///< experts whose weights are gathered in an order that depends on routing
  hang_fabric,     ///< nodes: a fault of the network under load is not in a plan
  hang_eval,       ///< evaluation is not in a plan; ranks that must reach the barrier
  num_vocab,       ///< rows of the vocabulary that are left over: padded vocabulary % tp
  num_cp_mask,     ///< cp ranks, each of which must hold a token that is not masked: masks are not in a plan
  num_sp_grad,  ///< tp ranks whose gradients of norms and biases must be summed under sequence parallelism: not in a plan whether they are
  num_clip,     ///< axes that a gradient norm must cover: not in a plan whether it does
  num_tied,     ///< stages that hold a tied embedding, which must be reduced between them
  num_ga,       ///< micro-batches whose losses are averaged: wrong if their tokens differ, which is not in a plan
  num_bf16_reduce,  ///< replicas that sum gradients of 2 bytes; 128 are too many
  num_compose,      ///< features that are on together: known bad pairs are not in a plan
  perf_tp_node,     ///< tp groups that leave the fabric domain
  perf_bubble,      ///< waiting, share of the time of the pipeline
  perf_zero3_net,   ///< gathering and scattering of ZeRO-3 and FSDP, before anything hides it, against computing
  perf_zero23_ga,   ///< what ZeRO-2 and 3 send again for each further micro-batch, against computing
  perf_fabric_cfg,  ///< rates that the fabric really reaches are not in a plan; bytes a second that replicas should
  perf_latency,     ///< share of latency in the transfers of states and gradients
  perf_tile,        ///< widths of a rank that are no multiple of the tile (128; heads 64)
  perf_uneven,      ///< how much longer the fullest stage works than the mean
  perf_ep_node,     ///< all-to-all of experts against their computing, where ep leaves the fabric domain
  perf_overlap,     ///< launch order is not in a plan; transfers between ranks against computing
  perf_recompute,   ///< memory that stays free when only attention is recomputed, not everything
  perf_jitter,      ///< ranks: the more there are, the more often one collects garbage; 64 are many
  perf_slow_gpu,    ///< the rate of each device is not in a plan; devices that wait for the slowest
  perf_data,        ///< the rate of the loader is not in a plan; tokens a second that the plan reads
  perf_offload,     ///< the host's optimizer step and what is seen of PCIe and NVMe, against the computing of a step
  ckpt_layout,      ///< axes that cut the states of this plan: a checkpoint in shards has them in its files
};
/// Causes there are.
inline constexpr int cause_count = static_cast<int>(cause::ckpt_layout) + 1;

/// The unit of a cause's figure.
enum class figure_unit {
  bytes,      ///< bytes
  per_mille,  ///< thousandths
  count,      ///< things
};

/// What is known of a cause without a plan.
struct cause_entry {
  literal name{};         ///< the enumerator
  unsigned symptoms = 0;  ///< bit `symptom` of each that it explains
  figure_unit unit{};     ///< of its figure
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
    {"mem_states", symptom_bits(symptom::out_of_memory), figure_unit::bytes,
     "weights, gradients and optimizer state of the fullest stage, with what stays free, near or beyond the device",
     "shard the optimizer first, then tp inside the node, then pp"},
    {"mem_activations", symptom_bits(symptom::out_of_memory), figure_unit::bytes,
     "tensors kept for backward, beyond what the states leave free", "recompute, smaller micro-batches, tp with sequence parallelism, cp"},
    {"mem_logits", symptom_bits(symptom::out_of_memory), figure_unit::bytes,
     "logits and what the loss makes of them on the last stage, more than a tenth of the device",
     "a fused or chunked cross-entropy, smaller micro-batches, cp; check that the fused path is on under pp"},
    {"mem_first_stage", symptom_bits(symptom::out_of_memory), figure_unit::per_mille, "the first stage against the mean of all stages",
     "fewer layers on the end stages, embedding and head as slots, recompute, smaller micro-batches"},
    {"mem_first_step", symptom_bits(symptom::out_of_memory), figure_unit::bytes,
     "what the optimizer adds after the first backward, beyond the room that is left then",
     "count the optimizer in; shard it; a fused optimizer; more pp, not more dp, where it is sharded already"},
    {"mem_unit", symptom_bits(symptom::out_of_memory), figure_unit::bytes,
     "what ZeRO-3 or FSDP gather at once, with its gradients, beyond the room or beyond that of units of a tenth of the model",
     "wrap every block, embedding and head apart; less prefetch", "wrap every block, embedding and head apart"},
    {"mem_nosync", symptom_bits(symptom::out_of_memory), figure_unit::bytes,
     "whole gradients, if micro-batches are summed without synchronising, beyond what is free", "reduce-scatter each micro-batch",
     "no no_sync(): reduce-scatter each micro-batch"},
    {"mem_comms", symptom_bits(symptom::out_of_memory), figure_unit::bytes,
     "context and communicators of this plan's groups, against what the plan keeps free",
     "merge groups, start them late, no NVLS for small groups; say it with headroom<>",
     "merge groups, start them late, no NVLS for small groups"},
    {"mem_moe_skew", symptom_bits(symptom::out_of_memory_later), figure_unit::bytes,
     "the worst stage when one rank's experts get twice the even load", "a capacity factor, a balance loss, recomputed experts, more ep",
     "a balance loss"},
    {"mem_fragment", symptom_bits(symptom::out_of_memory_later), figure_unit::per_mille,
     "the peak against the device: above nine tenths the allocator has no room for fragments",
     "expandable segments, fixed shapes, leave 5 to 10 percent", "expandable segments (PYTORCH_CUDA_ALLOC_CONF), fixed shapes"},
    {"mem_resume", symptom_bits(symptom::out_of_memory_on_resume), figure_unit::bytes,
     "states and a second copy of what a checkpoint holds, against the device", "load states shard by shard through the host",
     "load states shard by shard through the host"},
    {"mem_host", symptom_bits(symptom::host_out_of_memory), figure_unit::bytes,
     "what offload puts on one host, against eight tenths of its memory", "NVMe, more nodes, partial offload"},
    {"cfg_m_lt_p", symptom_bits(symptom::refused_at_start, symptom::hang), figure_unit::count, "pipeline stages, more than micro-batches",
     "a larger global batch or a smaller micro-batch"},
    {"cfg_vpp", symptom_bits(symptom::refused_at_start), figure_unit::count,
     "micro-batches that the stages do not divide, or one stage, with several chunks a rank",
     "change the micro-batches, the group or the chunks"},
    {"cfg_layers", symptom_bits(symptom::refused_at_start), figure_unit::count,
     "layers (with slots) that the stages do not divide, or that a layout leaves out", "an explicit layout; embedding and head as slots"},
    {"cfg_batch", symptom_bits(symptom::refused_at_start), figure_unit::count,
     "sequences of the batch that are left over: global % (micro x dp); with accumulation<> what the product misses",
     "dp is world / (tp x pp x cp)"},
    {"cfg_seq", symptom_bits(symptom::refused_at_start), figure_unit::count, "tokens that are left over: sequence % (cp x lcm(2, tp))",
     "pad the sequence"},
    {"cfg_heads", symptom_bits(symptom::refused_at_start), figure_unit::count,
     "heads that tp (with Ulysses tp x cp) does not divide, or key/value heads that neither divide it nor are divided",
     "a smaller tp or Ulysses degree, a ring for the rest"},
    {"cfg_zero_pp", symptom_bits(symptom::refused_at_start), figure_unit::count,
     "the ZeRO stage with a pipeline, where DeepSpeed takes 1 at most", "ZeRO-1 with pp, or a framework that combines them"},
    {"cfg_ep", symptom_bits(symptom::refused_at_start), figure_unit::count, "broken rules of the grid of experts",
     "degrees that divide; sequence parallelism with tp and ep"},
    {"hang_preproc", symptom_bits(symptom::hang), figure_unit::count,
     "rank 0 prepares data while others wait: minutes are not in a plan; ranks that wait", "tokenise before, a longer timeout"},
    {"hang_uneven", symptom_bits(symptom::hang), figure_unit::count, "samples of an epoch are not in a plan; sequences that a step needs",
     "drop_last, join, padding"},
    {"hang_zero3_moe", symptom_bits(symptom::hang), figure_unit::count,
     "experts whose weights are gathered in an order that depends on routing", "make the block one unit, or use ep",
     "make the block of experts one unit (leaf module)"},
    {"hang_fabric", symptom_bits(symptom::hang), figure_unit::count, "nodes: a fault of the network under load is not in a plan",
     "blocking launches, NVLS off, halve the nodes to find it"},
    {"hang_eval", symptom_bits(symptom::hang), figure_unit::count, "evaluation is not in a plan; ranks that must reach the barrier",
     "barriers, fewer loader workers"},
    {"num_vocab", symptom_bits(symptom::diverges_in_parallel), figure_unit::count,
     "rows of the vocabulary that are left over: padded vocabulary % tp", "pad to 128 x tp"},
    {"num_cp_mask", symptom_bits(symptom::diverges_in_parallel), figure_unit::count,
     "cp ranks, each of which must hold a token that is not masked: masks are not in a plan", "normalise by the tokens of all ranks"},
    {"num_sp_grad", symptom_bits(symptom::diverges_in_parallel), figure_unit::count,
     "tp ranks whose gradients of norms and biases must be summed under sequence parallelism: not in a plan whether they are",
     "turn the reduction on, in fp32"},
    {"num_clip", symptom_bits(symptom::diverges_in_parallel), figure_unit::count,
     "axes that a gradient norm must cover: not in a plan whether it does", "one global norm"},
    {"num_tied", symptom_bits(symptom::diverges_in_parallel), figure_unit::count,
     "stages that hold a tied embedding, which must be reduced between them",
     "an embedding group of first and last stage, and that of next-token layers"},
    {"num_ga", symptom_bits(symptom::diverges_in_parallel), figure_unit::count,
     "micro-batches whose losses are averaged: wrong if their tokens differ, which is not in a plan",
     "divide by the tokens of the whole batch"},
    {"num_bf16_reduce", symptom_bits(symptom::diverges_in_parallel), figure_unit::count,
     "replicas that sum gradients of 2 bytes; 128 are too many", "reduce in fp32"},
    {"num_compose", symptom_bits(symptom::diverges_in_parallel), figure_unit::count,
     "features that are on together: known bad pairs are not in a plan", "a parity test at small scale"},
    {"perf_tp_node", symptom_bits(symptom::low_utilisation), figure_unit::count, "tp groups that leave the fabric domain",
     "tp no larger than the domain; pp or cp across"},
    {"perf_bubble", symptom_bits(symptom::low_utilisation), figure_unit::per_mille, "waiting, share of the time of the pipeline",
     "more micro-batches, more chunks, a zero-bubble schedule, fewer stages"},
    {"perf_zero3_net", symptom_bits(symptom::low_utilisation), figure_unit::per_mille,
     "gathering and scattering of ZeRO-3 and FSDP, before anything hides it, against computing",
     "hsdp or hpz, larger micro-batches, no resharding, tp and pp",
     "see in a profile whether gathers overlap with computing (prefetch, overlap_comm), and whether the fabric is as fast as it should be"},
    {"perf_zero23_ga", symptom_bits(symptom::low_utilisation), figure_unit::per_mille,
     "what ZeRO-2 and 3 send again for each further micro-batch, against computing", "ZeRO-1 with accumulation; larger micro-batches",
     "see in a profile whether reductions overlap with backward (overlap_comm, buckets of several layers)"},
    {"perf_fabric_cfg", symptom_bits(symptom::low_utilisation), figure_unit::count,
     "rates that the fabric really reaches are not in a plan; bytes a second that replicas should",
     "host settings: ACS, GPUDirect RDMA, NIC per device"},
    {"perf_latency", symptom_bits(symptom::low_utilisation), figure_unit::per_mille,
     "share of latency in the transfers of states and gradients", "bigger buckets, fewer ranks in a group, tree or NVLS"},
    {"perf_tile", symptom_bits(symptom::low_utilisation), figure_unit::count,
     "widths of a rank that are no multiple of the tile (128; heads 64)", "aligned shapes",
     "a model whose hidden and feed-forward widths are multiples of 128 x tp, with heads of a multiple of 64"},
    {"perf_uneven", symptom_bits(symptom::low_utilisation), figure_unit::per_mille, "how much longer the fullest stage works than the mean",
     "layers and slots that the stages divide"},
    {"perf_ep_node", symptom_bits(symptom::low_utilisation), figure_unit::per_mille,
     "all-to-all of experts against their computing, where ep leaves the fabric domain",
     "ep inside the domain, node-limited routing, FP8 dispatch, overlap; a plain all-to-all for ep up to 8",
     "overlap dispatch and combine with another micro-batch (DualPipe), dispatch in FP8, a library of all-to-alls by levels (DeepEP)"},
    {"perf_overlap", symptom_bits(symptom::low_utilisation), figure_unit::per_mille,
     "launch order is not in a plan; transfers between ranks against computing",
     "CUDA_DEVICE_MAX_CONNECTIONS=1 before Blackwell; leave SMs to communication"},
    {"perf_recompute", symptom_bits(symptom::low_utilisation), figure_unit::per_mille,
     "memory that stays free when only attention is recomputed, not everything", "selective recomputation with sequence parallelism"},
    {"perf_jitter", symptom_bits(symptom::low_utilisation, symptom::step_time_jitter), figure_unit::count,
     "ranks: the more there are, the more often one collects garbage; 64 are many", "collect garbage on a fixed step",
     "switch automatic garbage collection off and collect on a fixed step, on all ranks at once"},
    {"perf_slow_gpu", symptom_bits(symptom::low_utilisation, symptom::step_time_jitter), figure_unit::count,
     "the rate of each device is not in a plan; devices that wait for the slowest", "find the node and take it out"},
    {"perf_data", symptom_bits(symptom::low_utilisation, symptom::step_time_jitter), figure_unit::count,
     "the rate of the loader is not in a plan; tokens a second that the plan reads", "more workers, tokens prepared before, prefetch"},
    {"perf_offload", symptom_bits(symptom::low_utilisation, symptom::slow_after_offload), figure_unit::per_mille,
     "the host's optimizer step and what is seen of PCIe and NVMe, against the computing of a step",
     "more micro-batches a step, cores bound, all memory channels filled, partial offload, NVMe last",
     "bind each process to the cores beside its device, fill all memory channels, offload a part (Twin-Flow)"},
    {"ckpt_layout", symptom_bits(symptom::checkpoint_does_not_load), figure_unit::count,
     "axes that cut the states of this plan: a checkpoint in shards has them in its files",
     "convert, or save in a layout-free format; changed_axes says which changed",
     "load it with the layout that saved it and convert, or save in a layout-free format; changed_axes says which axes changed"},
};
static_assert(sizeof cause_table / sizeof cause_table[0] == cause_count);
}  // namespace detail

/// What is known of a cause without a plan.
constexpr const cause_entry& entry_of(cause which) { return detail::cause_table[static_cast<int>(which)]; }
/// The cause as one writes it.
constexpr const char* name_of(cause which) { return entry_of(which).name.c_str(); }
/// Whether a cause can have that symptom.
constexpr bool explains(cause which, symptom seen) { return (entry_of(which).symptoms >> static_cast<int>(seen) & 1u) != 0; }

}  // namespace shardplan
