// SPDX-License-Identifier: BSL-1.0
// Each cause's evidence against figures worked out by hand.
#include "../catch.hpp"
#include "plans.hpp"

#include <shardplan/doctor/diagnose.hpp>
#include <shardplan/hardware/catalog.hpp>
#include <shardplan/model/catalog.hpp>
#include <shardplan/plan/evaluate.hpp>

#include <cstdint>

namespace sp = shardplan;
using doctor::plain;
using sp::cause;
using sp::standing;

namespace {

struct sample {
  cause which;
  standing says;
  std::int64_t figure;  // -1: not worked out by hand
  sp::plan_spec spec;
};

// `plain()` with something changed.
template <class Change>
sample with(cause which, standing says, std::int64_t figure, Change change) {
  sample result{which, says, figure, plain()};
  change(result.spec);
  return result;
}

void nothing(sp::plan_spec&) {}

// Fits with shared gradients, and not with whole ones.
sp::plan_spec mixtral_on_64() {
  sp::plan_spec spec = plain();
  spec.model = sp::models::mixtral_8x7b::shape;
  spec.device = sp::devices::h100_sxm_80gb::spec;
  spec.nodes = 8;
  spec.sharding.layout = sp::shard_layout::tensors;
  spec.global_batch = 256;
  return spec;
}

}  // namespace

TEST_CASE("doctor: each cause has a plan that supports it and one that excludes it") {
  constexpr auto yes = standing::supported;
  constexpr auto no = standing::excluded;
  constexpr auto open = standing::not_in_plan;
  const sp::transformer mixtral = sp::models::mixtral_8x7b::shape;
  const sample samples[] = {
      with(cause::mem_states, yes, 16 * std::int64_t{6'738'415'616} + (std::int64_t{1536} << 20), nothing),
      with(cause::mem_states, no, -1, [](sp::plan_spec& spec) { spec.zero = 3; }),
      with(cause::mem_activations, yes, -1, [](sp::plan_spec& spec) { spec.zero = 3, spec.micro_batch = 8; }),
      with(cause::mem_activations, no, -1, [](sp::plan_spec& spec) { spec.zero = 3; }),
      // 8 x 4096 tokens x 32000 words x 14 bytes
      with(cause::mem_logits, yes, std::int64_t{8} * 4096 * 32000 * 14,
           [](sp::plan_spec& spec) { spec.micro_batch = 8, spec.zero = 3, spec.loss = sp::losses::torch_eager_float::spec; }),
      with(cause::mem_logits, no, std::int64_t{4096} * 32000 * 2, nothing),
      with(cause::mem_first_stage, yes, -1, [](sp::plan_spec& spec) { spec.pp = 4, spec.zero = 1; }),
      with(cause::mem_first_stage, no, 1000, nothing),
      // Embedding and head of 256,000 rows: (16 x 4096 x 256000) bytes on either end, where the 8 blocks of a stage have 26 GB.
      with(cause::mem_last_stage, yes, -1,
           [](sp::plan_spec& spec) { spec.pp = 4, spec.model.vocab = 256000, spec.loss = sp::losses::torch_eager_float::spec; }),
      with(cause::mem_last_stage, no, 1000, nothing),
      // 1F1B on 4 stages: three micro-batches more than on the last stage.
      with(cause::mem_in_flight, yes, -1, [](sp::plan_spec& spec) { spec.pp = 4, spec.micro_batch = 2; }),
      with(cause::mem_in_flight, no, 0,
           [](sp::plan_spec& spec) { spec.pp = 4, spec.micro_batch = 2, spec.schedule = sp::schedules::gpipe::spec; }),
      with(cause::mem_embedding, yes, std::int64_t{16} * 4096 * 256000,
           [](sp::plan_spec& spec) { spec.pp = 4, spec.model.vocab = 256000; }),
      with(cause::mem_embedding, no, std::int64_t{16} * 4096 * 32000, [](sp::plan_spec& spec) { spec.pp = 4; }),
      with(cause::mem_embedding, no, 0, [](sp::plan_spec& spec) { spec.model.vocab = 256000; }),
      // The head has the last norm beside it.
      with(cause::mem_head, yes, std::int64_t{16} * (4096 * 256000 + 4096),
           [](sp::plan_spec& spec) { spec.pp = 4, spec.model.vocab = 256000; }),
      with(cause::mem_head, no, std::int64_t{16} * (4096 * 32000 + 4096), [](sp::plan_spec& spec) { spec.pp = 4; }),
      with(cause::mem_first_step, yes, 8 * std::int64_t{6'738'415'616}, nothing),
      with(cause::mem_first_step, no, std::int64_t{6'738'415'616}, [](sp::plan_spec& spec) { spec.zero = 1; }),
      // The embedding, 128256 x 2048, is 21 % of all parameters: a warning, where a block of 1 % is none.
      with(cause::mem_unit, yes, std::int64_t{6} * 128256 * 2048,
           [](sp::plan_spec& spec) { spec.model = sp::models::llama3_2_1b::shape, spec.sharding.layout = sp::shard_layout::tensors; }),
      with(cause::mem_unit, no, -1,
           [](sp::plan_spec& spec) {
             spec.model = sp::models::llama3_1_405b::shape;
             spec.nodes = 128;
             spec.sharding.layout = sp::shard_layout::tensors;
             spec.global_batch = 1024;
           }),
      with(cause::mem_unit, no, 0, nothing),
      // 2 bytes of each parameter, of which a rank of 64 keeps one share: whole they find no room.
      with(cause::mem_nosync, yes, -1, [&](sp::plan_spec& spec) { spec = mixtral_on_64(), spec.communication.late_sync = true; }),
      with(cause::mem_nosync, open, -1, [&](sp::plan_spec& spec) { spec = mixtral_on_64(); }),
      with(cause::mem_nosync, open, -1, [](sp::plan_spec& spec) { spec.zero = 2, spec.precision.accumulator = 4, spec.micro_batch = 2; }),
      // They find room, with late_sync and without: nothing that ends a run.
      with(cause::mem_nosync, no, std::int64_t{2} * 6'738'415'616 / 8 * 7, [](sp::plan_spec& spec) { spec.zero = 3; }),
      with(cause::mem_nosync, no, std::int64_t{2} * 6'738'415'616 / 8 * 7,
           [](sp::plan_spec& spec) { spec.zero = 3, spec.communication.late_sync = true; }),
      with(cause::mem_nosync, no, 0, [](sp::plan_spec& spec) { spec.zero = 1; }),
      // One micro-batch is the last one.
      with(cause::mem_nosync, no, 0,
           [](sp::plan_spec& spec) { spec.zero = 3, spec.global_batch = 8, spec.communication.late_sync = true; }),
      // context 1 GiB, 256 MiB for each of tp, pp, cp
      with(cause::mem_comms, yes, (std::int64_t{1} << 30) + 3 * (std::int64_t{256} << 20),
           [](sp::plan_spec& spec) { doctor::fill_up(spec); }),
      with(cause::mem_comms, no, (std::int64_t{1} << 30) + 3 * (std::int64_t{256} << 20),
           [](sp::plan_spec& spec) { spec.tp = 2, spec.pp = 2, spec.cp = 2; }),
      with(cause::mem_comms, no, (std::int64_t{1} << 30) + (std::int64_t{256} << 20), nothing),
      with(
          cause::mem_moe_skew, yes, -1,
          [&](sp::plan_spec& spec) { spec.model = mixtral, spec.nodes = 8, spec.zero = 3, spec.micro_batch = 2, spec.global_batch = 128; }),
      with(cause::mem_moe_skew, no, 0, nothing),
      with(cause::mem_fragment, yes, -1, nothing),
      with(cause::mem_fragment, no, -1, [](sp::plan_spec& spec) { spec.zero = 3; }),
      with(cause::mem_resume, yes, -1, nothing),
      with(cause::mem_resume, no, -1, [](sp::plan_spec& spec) { spec.zero = 3; }),
      with(cause::mem_host, yes, -1, [](sp::plan_spec& spec) { spec.offload.states = sp::storage::host, spec.host_memory_gibibytes = 64; }),
      with(cause::mem_host, open, -1, [](sp::plan_spec& spec) { spec.offload.states = sp::storage::host; }),
      with(cause::mem_host, no, 0, nothing),
      // 64 / (2 x 16) = 2 micro-batches at pp 4: torchtitan's 1F1B wants one a stage
      with(cause::cfg_m_lt_p, yes, 4,
           [](sp::plan_spec& spec) { spec.pp = 4, spec.micro_batch = 16, spec.framework = sp::frameworks::torchtitan; }),
      // 48 / (2 x 4) = 6, where DualPipeV wants two a rank
      with(cause::cfg_m_lt_p, yes, 8,
           [](sp::plan_spec& spec) {
             spec.pp = 4, spec.micro_batch = 4, spec.global_batch = 48, spec.schedule = sp::schedules::dual_pipe_v::spec;
           }),
      with(cause::cfg_m_lt_p, open, 4, [](sp::plan_spec& spec) { spec.pp = 4, spec.micro_batch = 16; }),
      with(cause::cfg_m_lt_p, no, 1,
           [](sp::plan_spec& spec) { spec.pp = 4, spec.micro_batch = 16, spec.framework = sp::frameworks::megatron; }),
      with(cause::cfg_m_lt_p, no, 1, nothing),
      // 60 / 4 replicas = 15 micro-batches over 2 stages; one stage
      with(cause::cfg_vpp, yes, 1,
           [](sp::plan_spec& spec) {
             spec.schedule = sp::schedules::interleaved<2>::spec, spec.pp = 2, spec.global_batch = 60;
             spec.framework = sp::frameworks::megatron;
           }),
      with(cause::cfg_vpp, open, 1,
           [](sp::plan_spec& spec) { spec.schedule = sp::schedules::interleaved<2>::spec, spec.pp = 2, spec.global_batch = 60; }),
      with(cause::cfg_vpp, open, 1, [](sp::plan_spec& spec) { spec.schedule = sp::schedules::interleaved<2>::spec; }),
      with(cause::cfg_vpp, no, 0,
           [](sp::plan_spec& spec) { spec.schedule = sp::schedules::interleaved<2>::spec, spec.framework = sp::frameworks::torchtitan; }),
      with(cause::cfg_vpp, no, 0, nothing),
      with(cause::cfg_layers, yes, 32 % 5, [](sp::plan_spec& spec) { spec.pp = 5; }),
      with(cause::cfg_layers, no, 0, [](sp::plan_spec& spec) { spec.pp = 4; }),
      with(cause::cfg_batch, yes, 64 % 24, [](sp::plan_spec& spec) { spec.micro_batch = 3; }),
      with(cause::cfg_batch, no, 0, nothing),
      // 4100 is a multiple of cp 4, but not of 2 cp; 4104 is one of 2 cp = 4, not of cp x lcm(2, tp) = 16
      with(cause::cfg_seq, open, 4, [](sp::plan_spec& spec) { spec.cp = 4, spec.sequence = 4100; }),
      with(cause::cfg_seq, yes, 4,
           [](sp::plan_spec& spec) { spec.cp = 4, spec.sequence = 4100, spec.framework = sp::frameworks::megatron; }),
      with(cause::cfg_seq, yes, 8, [](sp::plan_spec& spec) { spec.cp = 2, spec.tp = 8, spec.sequence = 4104, spec.nodes = 2; }),
      with(cause::cfg_seq, yes, 4096 - 1024, [](sp::plan_spec& spec) { spec.model = sp::models::gpt2::shape; }),
      with(cause::cfg_seq, no, 0, nothing),
      with(cause::cfg_heads, yes, 32 % 3, [](sp::plan_spec& spec) { spec.tp = 3; }),
      with(cause::cfg_heads, no, 0, [](sp::plan_spec& spec) { spec.tp = 4; }),
      with(cause::cfg_zero_pp, yes, 2, [](sp::plan_spec& spec) { spec.pp = 2, spec.zero = 2, spec.framework = sp::frameworks::deepspeed; }),
      with(cause::cfg_zero_pp, open, 2, [](sp::plan_spec& spec) { spec.pp = 2, spec.zero = 2; }),
      with(cause::cfg_zero_pp, no, 0, [](sp::plan_spec& spec) { spec.zero = 2, spec.framework = sp::frameworks::deepspeed; }),
      with(cause::cfg_ep, yes, 1,
           [&](sp::plan_spec& spec) {
             spec.model = mixtral, spec.ep = 3, spec.devices_per_node = 6, spec.nodes = 4, spec.zero = 3, spec.global_batch = 72;
           }),
      with(cause::cfg_grid, yes, 8 % 3,
           [](sp::plan_spec& spec) { spec.sharding.layout = sp::shard_layout::tensors, spec.sharding.ranks = 3; }),
      with(cause::cfg_grid, yes, 8 - 4, [](sp::plan_spec& spec) { spec.dp = 4; }),
      with(cause::cfg_grid, no, 0, nothing),
      with(cause::cfg_other, yes, 1, [](sp::plan_spec& spec) { spec.offload.weights = sp::storage::host; }),
      with(cause::cfg_other, no, 0, nothing),
      with(cause::cfg_ep, no, 0, [&](sp::plan_spec& spec) { spec.model = mixtral, spec.ep = 4; }),
      with(cause::hang_preproc, open, 8, nothing),
      with(cause::hang_preproc, no, 1, [](sp::plan_spec& spec) { spec.devices_per_node = 1; }),
      with(cause::hang_uneven, open, 64, nothing),
      with(cause::hang_uneven, no, 0, [](sp::plan_spec& spec) { spec.tp = 8; }),
      with(cause::hang_zero3_moe, yes, 8, [&](sp::plan_spec& spec) { spec.model = mixtral, spec.zero = 3; }),
      with(cause::hang_zero3_moe, no, 0, [&](sp::plan_spec& spec) { spec.model = mixtral, spec.zero = 3, spec.ep = 8; }),
      with(cause::hang_fabric, open, 40, [](sp::plan_spec& spec) { spec.nodes = 40; }),
      with(cause::hang_fabric, no, 1, nothing),
      with(cause::hang_eval, open, 8, nothing),
      with(cause::num_vocab, yes, 50257 % 8, [](sp::plan_spec& spec) { spec.model.vocab = 50257, spec.tp = 8; }),
      with(cause::num_vocab, no, 0,
           [](sp::plan_spec& spec) { spec.model.vocab = 50257, spec.tp = 8, spec.framework = sp::frameworks::megatron; }),
      with(cause::num_cp_mask, open, 4, [](sp::plan_spec& spec) { spec.cp = 4; }),
      with(cause::num_cp_mask, no, 1, nothing),
      with(cause::num_sp_grad, open, 4, [](sp::plan_spec& spec) { spec.tp = 4; }),
      with(cause::num_sp_grad, no, 1, [](sp::plan_spec& spec) { spec.tp = 4, spec.sequence_parallel = sp::toggle::off; }),
      with(cause::num_clip, open, 2, [](sp::plan_spec& spec) { spec.tp = 2, spec.pp = 2; }),
      with(cause::num_clip, no, 0, nothing),
      with(cause::num_tied, open, 2, [](sp::plan_spec& spec) { spec.pp = 2, spec.model.tied_embeddings = true; }),
      with(cause::num_tied, no, 1, [](sp::plan_spec& spec) { spec.model.tied_embeddings = true; }),
      with(cause::num_ga, open, 8, nothing),
      with(cause::num_ga, no, 1, [](sp::plan_spec& spec) { spec.micro_batch = 8; }),
      with(cause::num_bf16_reduce, yes, 128, [](sp::plan_spec& spec) { spec.nodes = 16, spec.global_batch = 1024; }),
      with(cause::num_bf16_reduce, no, 0,
           [](sp::plan_spec& spec) {
             spec.nodes = 16, spec.global_batch = 1024, spec.precision = sp::precisions::bf16_fp32_master_and_gradients::spec;
           }),
      with(cause::num_compose, open, 3, [](sp::plan_spec& spec) { spec.tp = 2, spec.zero = 1; }),
      with(cause::num_compose, no, 1, nothing),
      // 4 groups of 16 over two nodes of 8
      with(cause::perf_tp_node, yes, 1, [](sp::plan_spec& spec) { spec.nodes = 2, spec.tp = 16; }),
      with(cause::perf_tp_node, no, 0, [](sp::plan_spec& spec) { spec.nodes = 2, spec.tp = 8; }),
      // 64 / 2 replicas = 32 micro-batches: 3 of 35; 16 / 2 = 8: 3 of 11
      with(cause::perf_bubble, no, 85, [](sp::plan_spec& spec) { spec.pp = 4; }),
      with(cause::perf_bubble, yes, 272, [](sp::plan_spec& spec) { spec.pp = 4, spec.global_batch = 16; }),
      // 3 x 1.7 GB x 7/8 over 0.9 x 25 GB/s (one rank of each node) are 0.2 s; 6 P / 8 x 4096 at 0.7 of what A100 reaches 0.12 s
      with(cause::perf_zero3_net, yes, -1, [](sp::plan_spec& spec) { spec.zero = 3, spec.nodes = 8, spec.tp = 8; }),
      // A node of one replica each has all its NICs: 3 x 13.5 GB x 63/64 over 0.9 x 200 GB/s are 0.22 s, against 0.87 s; a quarter of them
      with(cause::perf_zero3_net, no, -1, [](sp::plan_spec& spec) { spec.zero = 3, spec.nodes = 8; }),
      with(cause::perf_zero3_net, yes, -1,
           [](sp::plan_spec& spec) { spec.zero = 3, spec.nodes = 8, spec.device.network.bytes_per_second /= 4; }),
      // 3 x 13.5 GB x 7/8 over 0.8 x 300 GB/s: 0.15 s, against 0.87 s
      with(cause::perf_zero3_net, no, -1, [](sp::plan_spec& spec) { spec.zero = 3; }),
      with(cause::perf_zero23_ga, yes, -1, [](sp::plan_spec& spec) { spec.zero = 2, spec.nodes = 8, spec.tp = 8; }),
      // 1 of 2 micro-batches sends again: 1/2 of 0.256 and of 3 x 33 x 63 x 4.7 us (0.03 s); 3 of 4 over a quarter of the network
      with(cause::perf_zero23_ga, no, -1, [](sp::plan_spec& spec) { spec.zero = 3, spec.nodes = 8, spec.global_batch = 128; }),
      with(cause::perf_zero23_ga, yes, -1,
           [](sp::plan_spec& spec) { spec.zero = 3, spec.nodes = 8, spec.global_batch = 256, spec.device.network.bytes_per_second /= 4; }),
      with(cause::perf_zero23_ga, no, 0, [](sp::plan_spec& spec) { spec.zero = 1, spec.nodes = 8, spec.global_batch = 256; }),
      with(cause::perf_fabric_cfg, open, sp::devices::a100_sxm_80gb::spec.fabric.bytes_per_second / 10 * 8, nothing),
      with(cause::perf_fabric_cfg, no, 0, [](sp::plan_spec& spec) { spec.devices_per_node = 1; }),
      with(cause::perf_latency, yes, -1,
           [](sp::plan_spec& spec) {
             spec.model = sp::models::gpt2::shape, spec.nodes = 512, spec.sequence = 1024, spec.global_batch = 4096;
             spec.model.vocab = 50304;
           }),
      with(cause::perf_latency, no, -1, nothing),
      // 4096 / 8 is 512; 11008 / 8 = 1376, no multiple of 128
      with(cause::perf_tile, yes, 1, [](sp::plan_spec& spec) { spec.tp = 8; }),
      with(cause::perf_tile, no, 0, nothing),
      // 7, 7, 7 and 11 layers: 4 x 11 / 32 - 1
      with(cause::perf_uneven, yes, 375,
           [](sp::plan_spec& spec) {
             spec.pp = 4;
             for (const std::int64_t layers : {7, 7, 7, 11}) spec.layer_split.push_back(layers);
           }),
      with(cause::perf_uneven, no, 0, [](sp::plan_spec& spec) { spec.pp = 4; }),
      with(
          cause::perf_ep_node, yes, -1,
          [](sp::plan_spec& spec) { spec.model = sp::models::deepseek_v3::shape, spec.nodes = 32, spec.ep = 64, spec.global_batch = 256; }),
      with(cause::perf_ep_node, no, 0, [&](sp::plan_spec& spec) { spec.model = mixtral, spec.ep = 8; }),
      with(cause::perf_overlap, open, -1, nothing),
      with(cause::perf_overlap, no, 0, [](sp::plan_spec& spec) { spec.devices_per_node = 1; }),
      with(cause::perf_recompute, yes, -1, [](sp::plan_spec& spec) { spec.zero = 1, spec.recompute = sp::recomputes::full; }),
      with(cause::perf_recompute, no, 0, [](sp::plan_spec& spec) { spec.zero = 1; }),
      with(cause::perf_jitter, yes, 64, [](sp::plan_spec& spec) { spec.nodes = 8; }),
      with(cause::perf_jitter, no, 8, nothing),
      with(cause::perf_slow_gpu, open, 8, nothing),
      with(cause::perf_slow_gpu, no, 1, [](sp::plan_spec& spec) { spec.devices_per_node = 1; }),
      with(cause::perf_data, open, static_cast<std::int64_t>(sp::step_timing(plain()).tokens_per_second), nothing),
      with(cause::perf_offload, yes, -1,
           [](sp::plan_spec& spec) { spec.zero = 2, spec.offload.states = sp::storage::host, spec.global_batch = 8; }),
      with(cause::perf_offload, no, 0, nothing),
      with(cause::ckpt_layout, yes, 3, [](sp::plan_spec& spec) { spec.tp = 2, spec.pp = 2, spec.zero = 1; }),
      with(cause::ckpt_layout, no, 0, nothing),
  };
  bool decided[sp::cause_count][3]{};
  for (const sample& item : samples) {
    const sp::evidence found = sp::evidence_of(item.spec, item.which);
    INFO(sp::name_of(item.which) << " wanted " << sp::name_of(item.says) << ", figure " << found.figure << " limit " << found.limit);
    CHECK(found.says == item.says);
    if (found.says == standing::supported) {
      const sp::finding offered = sp::detail::finding_of(item.spec, sp::detail::plan_now_of(item.spec), {}, item.which);
      CHECK(offered.help != sp::help_kind::nothing);
    }
    if (item.figure >= 0) CHECK(found.figure == item.figure);
    decided[static_cast<int>(item.which)][static_cast<int>(item.says)] = true;
  }
  // Every cause is here; one that a plan can tell is here both ways.
  for (int at = 0; at < sp::cause_count; ++at) {
    INFO(sp::name_of(static_cast<cause>(at)));
    const bool* says = decided[at];
    CHECK((says[0] || says[1]));
    if (says[0]) CHECK(says[2]);
  }
}

// What one end of a pipeline has and the others have not, against the plan's own accounts.
TEST_CASE("doctor: ends of a pipeline") {
  sp::plan_spec spec = plain();
  spec.pp = 4;
  spec.micro_batch = 2;
  spec.global_batch = 64;
  // 4 micro-batches on the first stage, 1 on the last.
  const sp::memory_report front = sp::stage_memory(spec, 0).device;
  CHECK(sp::evidence_of(spec, cause::mem_in_flight).figure == front.activations.count / 4 * 3);
  std::int64_t sum = 0;
  for (std::int64_t stage = 0; stage < 4; ++stage) sum += sp::stage_memory(spec, stage).device.total().count;
  CHECK(sp::evidence_of(spec, cause::mem_first_stage).figure == 1 + front.total().count * 1000 / (sum / 4));
  const sp::memory_report back = sp::stage_memory(spec, 3).device;
  CHECK(sp::evidence_of(spec, cause::mem_last_stage).figure == 1 + back.total().count * 1000 / (sum / 4));
  // Tied, either end has its copy.
  spec.model.tied_embeddings = true;
  CHECK(sp::evidence_of(spec, cause::mem_embedding).figure == std::int64_t{16} * 4096 * 32000);
  CHECK(sp::evidence_of(spec, cause::mem_head).figure == std::int64_t{16} * (4096 * 32000 + 4096));
  // In a V the first rank has the head and the logits too.
  spec = plain();
  spec.pp = 4;
  spec.schedule = sp::schedules::zb_v::spec;
  spec.loss = sp::losses::torch_eager_float::spec;
  CHECK(sp::evidence_of(spec, cause::mem_logits).figure == std::int64_t{4096} * 32000 * 14);
  CHECK(sp::evidence_of(spec, cause::mem_last_stage) == sp::evidence_of(spec, cause::mem_first_stage));
}

TEST_CASE("doctor: gradients that are reduced late") {
  const sp::plan_spec early = mixtral_on_64();
  CHECK(sp::figures_of(early).peak_memory < early.device.memory);
  for (const sp::finding& item : sp::diagnosis_of(early, sp::symptom::out_of_memory))
    if (item.which == cause::mem_nosync) CHECK(item.help == sp::help_kind::action);
  sp::plan_spec late = early;
  late.communication.late_sync = true;
  CHECK(sp::figures_of(late).peak_memory > late.device.memory);
  const std::int64_t added = sp::stage_memory(late, 0).device.gradients.count - sp::stage_memory(early, 0).device.gradients.count;
  bool seen = false;
  for (const sp::finding& item : sp::diagnosis_of(late, sp::symptom::out_of_memory)) {
    if (item.which != cause::mem_nosync) continue;
    seen = true;
    CHECK(item.now.says == standing::supported);
    CHECK(item.now.figure == added);
    CHECK(item.help == sp::help_kind::change);
    CHECK(item.try_this == sp::remedy{sp::remedy_kind::late_sync, 0});
    CHECK(item.and_this == sp::remedy{});
    CHECK(item.peak_after == sp::figures_of(early).peak_memory);
    CHECK(sp::changed_by_finding(late, item) == early);
    // What it costs if the program does it all the same.
    CHECK(item.after.says == standing::not_in_plan);
    CHECK(item.after.figure == item.now.figure);
  }
  CHECK(seen);
}

TEST_CASE("doctor: the weight of garbage collection grows with the ranks, up to those of its source") {
  sp::plan_spec spec = plain();
  const auto weight = [&](std::int64_t nodes) {
    spec.nodes = nodes;
    spec.global_batch = nodes * 8;
    return sp::evidence_of(spec, cause::perf_jitter).weight;
  };
  CHECK(weight(4) == 0);
  CHECK(weight(32) == 7);
  CHECK(weight(64) == 15);
  CHECK(weight(128) == 15);
}
