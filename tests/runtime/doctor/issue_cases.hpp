// SPDX-License-Identifier: BSL-1.0
// Public issues with the cause that they turned out to have, as plans (and what was observed of their runs). Where an issue states its
// numbers they are here; the rest is chosen to show the cause.
#pragma once

#include "plans.hpp"

#include <shardplan/doctor/cause.hpp>
#include <shardplan/doctor/evidence.hpp>
#include <shardplan/doctor/observations.hpp>
#include <shardplan/model/catalog.hpp>
#include <shardplan/recipe/cross_entropy.hpp>
#include <shardplan/schedule/catalog.hpp>

#include <vector>

namespace doctor {

struct issue_case {
  const char* ref;
  sp::cause which;
  sp::standing wanted;
  sp::plan_spec spec;
  sp::observations run;
};

inline std::vector<issue_case> issue_cases() {
  constexpr auto yes = sp::standing::supported;
  constexpr auto no = sp::standing::excluded;
  constexpr auto open = sp::standing::not_in_plan;
  using sp::cause;
  const sp::transformer mixtral = sp::models::mixtral_8x7b::shape;
  std::vector<issue_case> list;
  const auto add = [&](const char* ref, cause which, sp::standing wanted, auto change) {
    list.push_back({ref, which, wanted, plain(), {}});
    change(list.back().spec, list.back().run);
  };
  using spec_of = sp::plan_spec;
  using seen_in = sp::observations;
  const auto logits = [](spec_of& spec, std::int64_t sequence, std::int64_t micro) {
    spec.model = sp::models::llama3_8b::shape;
    spec.sequence = sequence;
    spec.micro_batch = micro;
    spec.zero = 3;
    spec.recompute = sp::recomputes::full;
    spec.loss = sp::losses::torch_eager_float::spec;
  };
  add("NovaSky-AI/SkyRL#1610", cause::mem_logits, yes, [&](spec_of& spec, seen_in&) { logits(spec, 65536, 1); });
  add("NVIDIA-NeMo/Automodel#3907", cause::mem_logits, yes, [&](spec_of& spec, seen_in&) { logits(spec, 4096, 4); });
  add("NVIDIA-NeMo/Automodel#2681", cause::mem_logits, yes, [&](spec_of& spec, seen_in&) { logits(spec, 8192, 2), spec.pp = 2; });
  add("ISEEKYAN/Megatron-LM#132", cause::mem_logits, yes,
      [&](spec_of& spec, seen_in&) { logits(spec, 8192, 1), spec.model.vocab = 151936; });
  add("NVIDIA-NeMo/Automodel#2546", cause::mem_first_step, yes, [](spec_of&, seen_in&) {});
  add("verl-project/verl#1349", cause::mem_first_step, yes, [](spec_of&, seen_in&) {});
  // 70B on 16 devices: 2 + 2 bytes and 12 of 16 shares of a parameter fit, a second copy of those does not.
  add("NVIDIA/Megatron-LM#4638", cause::mem_resume, yes, [](spec_of& spec, seen_in&) { spec.nodes = 1, spec.tp = 2, spec.zero = 0; });
  add("deepspeedai/DeepSpeed#2984", cause::mem_host, yes,
      [](spec_of& spec, seen_in&) { spec.zero = 3, spec.offload.states = sp::storage::host, spec.host_memory_gibibytes = 64; });
  add("databricks/megablocks#154", cause::mem_moe_skew, yes,
      [&](spec_of& spec, seen_in&) { spec.model = mixtral, spec.nodes = 8, spec.zero = 3, spec.micro_batch = 2, spec.global_batch = 128; });
  const auto groups = [](spec_of& spec, seen_in&) { fill_up(spec); };
  add("NVIDIA/nccl#964", cause::mem_comms, yes, groups);
  add("NVIDIA/nccl#986", cause::mem_comms, yes, groups);
  add("NVIDIA/JAX-Toolbox#383", cause::mem_comms, yes, groups);
  add("NVIDIA/NeMo-Framework-Launcher#127", cause::mem_comms, yes, groups);
  add("NVIDIA-NeMo/Megatron-Bridge#5077", cause::mem_first_stage, yes, [](spec_of& spec, seen_in&) {
    spec.pp = 4, spec.zero = 1;
    for (const std::int64_t layers : {11, 7, 7, 7}) spec.layer_split.push_back(layers);
  });
  add("pytorch/torchtitan#2389", cause::mem_fragment, yes, [](spec_of&, seen_in&) {});
  // 4 micro-batches for 8 stages of PyTorch's pipelining.
  const auto few = [](spec_of& spec, seen_in&) { spec.pp = 8, spec.global_batch = 4, spec.framework = sp::frameworks::torchtitan; };
  add("pytorch/pytorch#144702", cause::cfg_m_lt_p, yes, few);
  add("AMD-AGI/Primus#1003", cause::cfg_m_lt_p, yes, few);
  add("NVIDIA-NeMo/Automodel#2575", cause::cfg_m_lt_p, yes, few);
  // 64 is not 1 x 4 x 8; nor 1 x 8 x 1, where the world size was read as 1.
  add("deepspeedai/DeepSpeed#6914", cause::cfg_batch, yes, [](spec_of& spec, seen_in&) { spec.accumulation = 4; });
  add("deepspeedai/DeepSpeed#17", cause::cfg_batch, yes, [](spec_of& spec, seen_in&) { spec.accumulation = 4; });
  add("OpenRLHF/OpenRLHF#346", cause::cfg_batch, yes, [](spec_of& spec, seen_in&) { spec.micro_batch = 3; });
  add("bigcode-project/starcoder#41", cause::cfg_batch, yes,
      [](spec_of& spec, seen_in&) { spec.devices_per_node = 1, spec.accumulation = 8; });
  add("NVIDIA-NeMo/Speech#8869", cause::cfg_seq, yes,
      [](spec_of& spec, seen_in&) { spec.cp = 4, spec.sequence = 4100, spec.framework = sp::frameworks::megatron; });
  add("NVIDIA/Megatron-LM#708", cause::cfg_seq, yes, [](spec_of& spec, seen_in&) { spec.cp = 2, spec.sequence = 4097; });
  const auto prepares = [](spec_of&, seen_in& run) { run.preparation_minutes = 31; };
  add("dvlab-research/LongLoRA#45", cause::hang_preproc, yes, prepares);
  add("huggingface/nanotron#280", cause::hang_preproc, yes, prepares);
  add("axolotl-ai-cloud/axolotl#921", cause::hang_preproc, yes, prepares);
  const auto uneven = [](spec_of&, seen_in& run) { run.samples = 100'003; };
  add("pytorch/pytorch#33148", cause::hang_uneven, yes, uneven);
  add("Lightning-AI/pytorch-lightning#13498", cause::hang_uneven, yes, uneven);
  // The leaf modules that end it.
  add("deepspeedai/DeepSpeed#5008", cause::hang_zero3_moe, no,
      [&](spec_of& spec, seen_in& run) { spec.model = mixtral, spec.zero = 3, run.experts_are_units = sp::toggle::on; });
  const auto scale = [](spec_of& spec, seen_in& run) { spec.nodes = 40, run.tested_nodes = 20; };
  add("NVIDIA/nccl#1197", cause::hang_fabric, yes, scale);
  add("pytorch/pytorch#76287", cause::hang_fabric, yes, scale);
  add("pytorch/pytorch#25158", cause::hang_eval, open, [](spec_of&, seen_in&) {});
  add("NVIDIA/Megatron-LM#1764", cause::num_cp_mask, yes, [](spec_of& spec, seen_in& run) { spec.cp = 4, run.least_unmasked_tokens = 0; });
  const auto norms = [](sp::toggle summed) {
    return [summed](spec_of& spec, seen_in& run) { spec.tp = 4, run.sums_norm_gradients = summed; };
  };
  add("EleutherAI/gpt-neox#1257", cause::num_sp_grad, yes, norms(sp::toggle::off));
  add("EleutherAI/gpt-neox#1259", cause::num_sp_grad, no, norms(sp::toggle::on));  // the fix
  add("PaddlePaddle/PaddleNLP#7610", cause::num_sp_grad, yes, norms(sp::toggle::off));
  const auto differs = [](auto change) {
    return [change](spec_of& spec, seen_in& run) {
      change(spec);
      run.agrees_in_parity_test = sp::toggle::off;
    };
  };
  add("NVIDIA/Megatron-LM#7452", cause::num_compose, yes, differs([](spec_of& spec) { spec.tp = 2, spec.pp = 2; }));
  add("NVIDIA-NeMo/Automodel#3530", cause::num_compose, yes, differs([](spec_of& spec) { spec.pp = 2; }));
  add("hiyouga/LlamaFactory#6372", cause::num_compose, yes,
      differs([](spec_of& spec) { spec.nodes = 2, spec.zero = 3, spec.sharding.secondary = 8; }));
  add("NVIDIA/Megatron-LM#5976", cause::num_compose, yes, differs([](spec_of& spec) { spec.tp = 2, spec.zero = 1; }));
  add("pytorch/torchtitan#4382", cause::num_compose, yes, differs([](spec_of& spec) { spec.tp = 2, spec.zero = 1; }));
  add("NVIDIA-NeMo/Megatron-Bridge#5380", cause::num_tied, yes, [](spec_of& spec, seen_in& run) {
    spec.model = sp::models::deepseek_v3::shape, spec.model.next_token_layers = 1, spec.pp = 8, run.sums_tied_embedding = sp::toggle::off;
  });
  add("NVIDIA/Megatron-LM#299", cause::num_tied, yes,
      [](spec_of& spec, seen_in& run) { spec.pp = 2, spec.model.tied_embeddings = true, run.sums_tied_embedding = sp::toggle::off; });
  const auto means = [](spec_of&, seen_in& run) { run.averages_by_token = sp::toggle::off; };
  add("huggingface/transformers#34191", cause::num_ga, yes, means);
  add("huggingface/transformers#34373", cause::num_ga, yes, means);
  add("deepspeedai/DeepSpeed#2928", cause::perf_zero3_net, yes,
      [](spec_of& spec, seen_in&) { spec.zero = 3, spec.nodes = 8, spec.tp = 8; });
  add("saforem2/ezpz#214", cause::perf_zero3_net, yes, [](spec_of& spec, seen_in&) {
    spec.sharding.layout = sp::shard_layout::tensors, spec.nodes = 8, spec.device.network.bytes_per_second /= 4;
  });
  add("NVIDIA/nccl#2409", cause::perf_latency, yes, [](spec_of& spec, seen_in&) {
    spec.model = sp::models::gpt2::shape, spec.model.vocab = 50304, spec.nodes = 512, spec.sequence = 1024, spec.global_batch = 4096;
  });
  const auto pauses = [](spec_of& spec, seen_in&) { spec.nodes = 64, spec.global_batch = 512; };
  add("pytorch/torchtitan#148", cause::perf_jitter, yes, pauses);
  add("allenai/OLMo#509", cause::perf_jitter, yes, pauses);
  const auto offloads = [](spec_of& spec, seen_in&) { spec.zero = 2, spec.offload.states = sp::storage::host, spec.global_batch = 8; };
  add("deepspeedai/DeepSpeed#6834", cause::perf_offload, yes, offloads);
  add("deepspeedai/DeepSpeed#6695", cause::perf_offload, yes, offloads);
  add("deepspeedai/DeepSpeed#7474", cause::perf_offload, yes, offloads);
  // 512 micro-batches of 8 stages: 7 of 519.
  add("NVIDIA/Megatron-LM#258", cause::perf_bubble, no, [](spec_of& spec, seen_in&) { spec.pp = 8, spec.global_batch = 512; });
  add("pytorch/examples#387", cause::perf_data, yes, [](spec_of&, seen_in& run) { run.loader_tokens_per_second = 1000; });
  add("Microsoft/Tutel#160", cause::perf_ep_node, yes,
      [](spec_of& spec, seen_in&) { spec.model = sp::models::deepseek_v3::shape, spec.nodes = 32, spec.ep = 64, spec.global_batch = 256; });
  return list;
}

// Those that no plan, and no observation, says.
struct unsaid_issue {
  const char* ref;
  const char* reason;
};
inline constexpr unsaid_issue unsaid_issues[] = {
    {"deepspeedai/DeepSpeed#1535", "what the overflow check of a loss scaler allocates"},
    {"NVIDIA/Megatron-LM#750", "whether sends between two ranks overlap, without which interleaving deadlocks"},
};

}  // namespace doctor
