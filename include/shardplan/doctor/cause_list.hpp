// SPDX-License-Identifier: BSL-1.0
#pragma once

namespace shardplan {

/// Causes that a symptom can have. Each stands for a rule with real issues behind it, but for eight: `mem_activations`, four of the ends of
/// a pipeline (`mem_last_stage`, `mem_in_flight`, `mem_embedding`, `mem_head`), `cfg_grid`, `cfg_other` and `ckpt_layout`.
enum class cause {
  mem_states,  ///< weights, gradients, optimizer state and the reserve on the fullest stage, against nine tenths of the device (a warning)
               ///< and all of it
  mem_activations,  ///< tensors kept for backward, against the memory that all else leaves free
  mem_logits,       ///< logits and what the loss makes of them on the last stage; more than a tenth of the device is a warning
  mem_first_stage,  ///< memory of the first stage, as a share of the mean of all stages
  mem_last_stage,   ///< memory of the last stage, as a share of the mean of all stages
  mem_in_flight,    ///< what the first stage keeps for the micro-batches that it holds at once and the last stage does not
  mem_embedding,    ///< weights, gradients and optimizer state of the embedding on the first stage
  mem_head,         ///< weights, gradients and optimizer state of the head on the last stage
  mem_first_step,   ///< what the optimizer adds after the first backward pass, against the memory that is free by then
  mem_unit,  ///< what ZeRO-3 or FSDP gather at once, with its gradients, against the free memory or against a unit of a tenth of the model
  mem_nosync,    ///< what gradients add that stay whole until the last micro-batch (`late_sync`), against the memory left for them
  mem_comms,     ///< context and communicators of this plan's groups, against the memory that everything else leaves free
  mem_moe_skew,  ///< the fullest stage if the experts of one rank get twice the even load, against the device
  mem_fragment,  ///< the peak, as a share of the device; above nine tenths the allocator has no room for fragments
  mem_resume,    ///< the states and a second copy of what a checkpoint holds, against the device
  mem_host,      ///< what is offloaded to one host, against eight tenths of its memory
  cfg_m_lt_p,   ///< micro-batches that fill the pipeline (one a stage, or what the schedule asks for), against those that the batch gives a
                ///< replica
  cfg_vpp,      ///< micro-batches that fill no group of an interleaved schedule (1 where it has one stage only, which Megatron-LM refuses)
  cfg_layers,   ///< layers (with slots), or stages, left over when layers are dealt out to stages
  cfg_batch,    ///< sequences by which micro-batch x dp (x accumulation, where that is said) misses the global batch
  cfg_seq,      ///< tokens left over when a sequence is dealt out to cp and tp ranks, or beyond the learned positions
  cfg_heads,    ///< heads, or ranks, left over when heads are dealt out to tp ranks (with Ulysses to tp x cp)
  cfg_zero_pp,  ///< the ZeRO stage of a plan with a pipeline; DeepSpeed takes stage 1 at most
  cfg_ep,       ///< rules that the degrees of the experts break
  cfg_grid,     ///< ranks left over when degrees are dealt out over the devices, or shard groups over the replicas
  cfg_other,    ///< rules that the plan breaks and no other cause stands for
  hang_preproc,  ///< ranks that wait while rank 0 prepares data; how long that takes is not in a plan
  hang_uneven,   ///< sequences in a step, or, where the samples are known, those left over in the last step of an epoch; samples are not in
                 ///< a plan
  hang_zero3_moe,  ///< experts whose weights are gathered one by one, in an order that depends on routing
  hang_fabric,     ///< nodes that talk at once; whether the network bears it is not in a plan
  hang_eval,       ///< ranks that must all leave the evaluation before the next step; evaluation is not in a plan
  num_vocab,       ///< rows left over when the padded vocabulary is dealt out to tp ranks
  num_cp_mask,     ///< cp ranks, each of which must hold a token that is not masked; masks are not in a plan
  num_sp_grad,  ///< tp ranks that must sum their gradients of norms and biases under sequence parallelism; whether they do is not in a plan
  num_clip,     ///< axes that the norm of a clipped gradient must cover; whether it does is not in a plan
  num_tied,     ///< stages that hold a copy of a tied embedding and must sum its gradients; whether they do is not in a plan
  num_ga,       ///< micro-batches whose losses are averaged, which is wrong where they differ in tokens; that is not in a plan
  num_bf16_reduce,  ///< replicas that sum gradients of 2 bytes; 128 are too many
  num_compose,      ///< features that are on together; which pairs are known to be wrong is not in a plan
  perf_tp_node,     ///< tp groups that reach beyond the fabric domain
  perf_bubble,      ///< waiting, as a share of the time of the pipeline
  perf_zero3_net,   ///< time of gathering and scattering by ZeRO-3 or FSDP, before anything hides it, as a share of computing time
  perf_zero23_ga,   ///< time of what ZeRO-2 and ZeRO-3 send again for each further micro-batch, as a share of computing time
  perf_fabric_cfg,  ///< what a rank should send in an all-reduce of the replicas; what it really sends is not in a plan
  perf_latency,     ///< latency, as a share of the time of transfers of states and gradients
  perf_tile,        ///< widths on a rank that are no multiple of the tile (128; heads 64)
  perf_uneven,      ///< how much longer the fullest stage works than the mean, as a share of the mean
  perf_ep_node,     ///< time of the all-to-all of experts, as a share of the experts' computing time, where ep reaches beyond the fabric
                    ///< domain
  perf_overlap,     ///< time of transfers between ranks, as a share of computing time; whether launches are ordered so that both overlap is
                    ///< not in a plan
  perf_recompute,   ///< memory that stays free if only attention is recomputed instead of everything, as a share of the device
  perf_jitter,      ///< ranks, each of which makes the others wait when it collects garbage
  perf_slow_gpu,    ///< devices that wait for the slowest one; how fast it is, is not in a plan
  perf_data,        ///< what the plan reads; how much the loaders deliver is not in a plan
  perf_offload,  ///< time of the host's optimizer step and of transfers over PCIe and NVMe that nothing hides, as a share of computing time
  ckpt_layout,   ///< axes that cut the states of this plan; a checkpoint in shards has them in its files
};
/// Causes there are.
inline constexpr int cause_count = static_cast<int>(cause::ckpt_layout) + 1;

}  // namespace shardplan
