// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/text.hpp>
#include <shardplan/recipe/framework.hpp>
#include <shardplan/recipe/offload.hpp>
#include <shardplan/schedule/schedule_spec.hpp>

#include <cstdint>

// What a framework has: the one place that searches, remedies, offers against idling and diagnoses ask, so that none of them names what
// the user's framework cannot say. `frameworks::generic` has everything.
namespace shardplan {

/// Whether a framework shards by ZeRO stages: Megatron-LM (the distributed optimizer is ZeRO-1; Megatron-FSDP's
/// --data-parallel-sharding-strategy `optim`, `optim_grads` and `optim_grads_params` are ZeRO-1 to 3) and DeepSpeed
/// (`zero_optimization.stage`). torchtitan (`parallelism.data_parallel_shard_degree`) and `fully_shard` itself have FSDP alone.
constexpr bool has_zero_stages(frameworks framework) { return framework != frameworks::torchtitan && framework != frameworks::fsdp2; }

/// Whether a framework has `fsdp<>` and `hsdp<>`: torchtitan, `fully_shard` itself and Megatron-LM (--use-torch-fsdp2, which asserts pp 1
/// and ep 1, and --use-megatron-fsdp, which asserts neither: training/arguments.py). DeepSpeed's word for it is ZeRO-3.
constexpr bool has_fsdp(frameworks framework) { return framework != frameworks::deepspeed; }

/// Whether a framework moves states to NVMe: DeepSpeed (`offload_optimizer.device`, ZeRO-Infinity).
constexpr bool has_nvme(frameworks framework) { return framework == frameworks::deepspeed || framework == frameworks::generic; }

/// Whether a framework has an optimizer with 8-bit moments (`optimizers::adamw_8bit`). DeepSpeed takes any optimizer of PyTorch's interface
/// (`zero_allow_untested_optimizer`; Hugging Face's `adamw_bnb_8bit`), and `fully_shard` itself is run with one's own (torchao's
/// AdamW8bit). torchtitan builds Adam and AdamW (components/optimizer.py), Megatron-LM has --optimizer adam, sgd and muon.
template <class Framework = frameworks>
constexpr bool has_8bit_optimizer(Framework framework) {
  return framework != frameworks::torchtitan && framework != frameworks::megatron;
}

/// Whether a framework lets embedding and loss count as a layer each (`pipeline_slots<embedding_slot, loss_slot>`): Megatron-LM
/// (account_for_embedding_in_pipeline_split, account_for_loss_in_pipeline_split) and torchtitan, where they do by default. DeepSpeed's
/// PipelineModule and PyTorch's stages are told layers.
template <class Framework = frameworks>
constexpr bool has_pipeline_slots(Framework framework) {
  return framework != frameworks::deepspeed && framework != frameworks::fsdp2;
}

/// Whether a framework recomputes parts of a block by name (`recomputes::layernorm`, `mlp_act`, `moe` ...): Megatron-LM's
/// --recompute-modules; under DeepSpeed and `fully_shard` the model calls the checkpoint function itself. torchtitan's
/// `activation_checkpoint` has `full` and `selective`.
template <class Framework = frameworks>
constexpr bool has_module_recompute(Framework framework) {
  return framework != frameworks::torchtitan;
}

/// Whether nothing can be gathered ahead (`prefetch<0>`): DeepSpeed's `stage3_prefetch_bucket_size` 0, Megatron-LM without
/// --overlap-param-gather, FSDP1's `forward_prefetch` and `backward_prefetch`. `fully_shard` always gathers the next unit ahead.
template <class Framework = frameworks>
constexpr bool has_prefetch_off(Framework framework) {
  return framework != frameworks::torchtitan && framework != frameworks::fsdp2;
}

/// What a `remedy_kind::offload_states_to_host` says beside `states_to<storage::host>`, or in its place: bits of its value.
namespace offload_words {
inline constexpr std::int64_t gradients = 1;         ///< `gradients_to<storage::host>`
inline constexpr std::int64_t weights = 2;           ///< `weights_to<storage::host>`
inline constexpr std::int64_t inputs = 4;            ///< `inputs_to_host`
inline constexpr std::int64_t moments = 8;           ///< `moments_to_host<100>` in the place of `states_to<storage::host>`
inline constexpr std::int64_t weights_to_nvme = 16;  ///< `weights_to<storage::nvme>`
}  // namespace offload_words

namespace detail {

// Megatron-LM's --optimizer-cpu-offload moves moments and keeps master weights (memory_peaks: 8 bytes a parameter); CPUOffloadPolicy of
// `fully_shard`, which torchtitan's enable_cpu_offload sets, moves sharded weights, gradients and states; DeepSpeed's offload_optimizer
// moves master weights and states.
template <class Offload>
constexpr std::int64_t offload_value(frameworks framework, const Offload& offload) {
  const bool moves_all = framework == frameworks::torchtitan || framework == frameworks::fsdp2;
  std::int64_t value = framework == frameworks::megatron ? offload_words::moments : 0;
  if (moves_all || offload.gradients == storage::host) value |= offload_words::gradients;
  if (offload.weights == storage::nvme) value |= offload_words::weights_to_nvme;
  if (offload.weights == storage::host || (moves_all && offload.weights == storage::device)) value |= offload_words::weights;
  if (offload.inputs == storage::host) value |= offload_words::inputs;
  return value;
}

constexpr unsigned framework_bit(frameworks framework) { return 1u << (static_cast<unsigned>(framework) & 31u); }

// Who has a schedule of that name. A schedule that is not listed is the user's own.
struct schedule_owners {
  literal name{};
  unsigned owners = 0;  // bits of frameworks; none: papers and forks alone
};

// Megatron-LM core/pipeline_parallel/schedules.py, get_forward_backward_func: 1F1B and its interleaved form, in groups of
// --microbatch-group-size-per-virtual-pipeline-stage. DeepSpeed runtime/pipe/schedule.py: TrainSchedule, which is 1F1B. PyTorch
// torch/distributed/pipelining/schedules.py, get_schedule_class (torchtitan takes its names): GPipe, 1F1B, Interleaved1F1B, LoopedBFS,
// InterleavedZeroBubble, ZBVZeroBubble, DualPipeV. ZB-H1 would be an InterleavedZeroBubble of one stage a rank, of which torchtitan makes
// two at least (distributed/pipeline_parallel.py).
constexpr bool is_owner(frameworks framework, literal name) {
  constexpr unsigned torch = framework_bit(frameworks::torchtitan) | framework_bit(frameworks::fsdp2);
  constexpr unsigned megatron = framework_bit(frameworks::megatron);
  constexpr unsigned deepspeed = framework_bit(frameworks::deepspeed);
  constexpr schedule_owners known[] = {{"one_f_one_b", megatron | deepspeed | torch},
                                       {"interleaved", megatron | torch},
                                       {"grouped_interleaved", megatron},
                                       {"gpipe", torch},
                                       {"looped_bfs", torch},
                                       {"interleaved_zb", torch},
                                       {"zb_v", torch},
                                       {"dual_pipe_v", torch},
                                       {"eager_1f1b", 0},
                                       {"zb_h1", 0},
                                       {"zb_h2", 0},
                                       {"zb_capped", 0},
                                       {"v_half", 0},
                                       {"v_min", 0},
                                       {"one_f_one_b_v", 0},
                                       {"dual_pipe", 0},
                                       {"chimera", 0},
                                       {"seq_1f1b", 0},
                                       {"hanayo", 0},
                                       {"pipedream", 0},
                                       {"pipedream_2bw", 0}};
  for (const schedule_owners& one : known)
    if (one.name == name) return (one.owners & framework_bit(framework)) != 0;
  return true;
}

}  // namespace detail

/// Whether a framework has a schedule of the catalog, by its name; a schedule of one's own is the user's business. Forks have others:
/// running one is an advice (`advice::not_in_framework`), not a violation.
template <class Schedule = schedule_spec>
constexpr bool has_schedule(frameworks framework, const Schedule& order) {
  return framework == frameworks::generic || detail::is_owner(framework, order.name);
}

}  // namespace shardplan
