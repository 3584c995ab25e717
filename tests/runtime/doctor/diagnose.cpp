// SPDX-License-Identifier: BSL-1.0
// Evidence against figures worked out by hand, and laws of every diagnosis over many plans.
#include "../catch.hpp"

#include <shardplan/doctor/diagnose.hpp>
#include <shardplan/doctor/message.hpp>
#include <shardplan/hardware/catalog.hpp>
#include <shardplan/model/catalog.hpp>
#include <shardplan/plan/evaluate.hpp>
#include <shardplan/plan/sentence.hpp>
#include <shardplan/plan/step_cost.hpp>
#include <shardplan/presets/presets.hpp>
#include <shardplan/report/diagnosis.hpp>

#include <cstdint>
#include <iostream>
#include <string>

namespace sp = shardplan;
using sp::cause;
using sp::standing;

namespace {

sp::plan_spec plain() {
  sp::plan_spec spec{};
  spec.model = sp::models::llama2_7b::shape;
  spec.device = sp::devices::a100_sxm_80gb::spec;
  spec.devices_per_node = 8;
  spec.nodes = 1;
  spec.sequence = 4096;
  spec.micro_batch = 1;
  spec.global_batch = 64;
  return spec;
}

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
      with(cause::mem_first_step, yes, 8 * std::int64_t{6'738'415'616}, nothing),
      with(cause::mem_first_step, no, std::int64_t{6'738'415'616}, [](sp::plan_spec& spec) { spec.zero = 1; }),
      with(cause::mem_unit, yes, -1,
           [](sp::plan_spec& spec) {
             spec.model = sp::models::llama3_1_405b::shape;
             spec.nodes = 128;
             spec.sharding.layout = sp::shard_layout::tensors;
             spec.global_batch = 1024;
           }),
      with(cause::mem_unit, no, 0, nothing),
      with(cause::mem_nosync, yes, -1, [](sp::plan_spec& spec) { spec.zero = 2, spec.precision.accumulator = 4, spec.micro_batch = 2; }),
      with(cause::mem_nosync, no, 0, [](sp::plan_spec& spec) { spec.zero = 1; }),
      // context 1 GiB, 256 MiB for each of tp, pp, cp
      with(cause::mem_comms, yes, (std::int64_t{1} << 30) + 3 * (std::int64_t{256} << 20),
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
      // 64 / (8 x 2) = 2 micro-batches at pp 4
      with(cause::cfg_m_lt_p, yes, 4, [](sp::plan_spec& spec) { spec.pp = 4, spec.micro_batch = 16; }),
      with(cause::cfg_m_lt_p, no, 1, nothing),
      // one stage; 60 / 4 replicas = 15 micro-batches over 2 stages
      with(cause::cfg_vpp, yes, 1,
           [](sp::plan_spec& spec) { spec.schedule = sp::schedules::interleaved<2>::spec, spec.pp = 2, spec.global_batch = 60; }),
      with(cause::cfg_vpp, yes, 1, [](sp::plan_spec& spec) { spec.schedule = sp::schedules::interleaved<2>::spec; }),
      with(cause::cfg_vpp, no, 0, nothing),
      with(cause::cfg_layers, yes, 32 % 5, [](sp::plan_spec& spec) { spec.pp = 5; }),
      with(cause::cfg_layers, no, 0, [](sp::plan_spec& spec) { spec.pp = 4; }),
      with(cause::cfg_batch, yes, 64 % 24, [](sp::plan_spec& spec) { spec.micro_batch = 3; }),
      with(cause::cfg_batch, no, 0, nothing),
      // 4100 is a multiple of cp 4, but not of 2 cp; 4104 is one of 2 cp = 4, not of cp x lcm(2, tp) = 16
      with(cause::cfg_seq, yes, 4, [](sp::plan_spec& spec) { spec.cp = 4, spec.sequence = 4100; }),
      with(cause::cfg_seq, yes, 8, [](sp::plan_spec& spec) { spec.cp = 2, spec.tp = 8, spec.sequence = 4104; }),
      with(cause::cfg_seq, no, 0, nothing),
      with(cause::cfg_heads, yes, 32 % 3 + 3 % 32, [](sp::plan_spec& spec) { spec.tp = 3; }),
      with(cause::cfg_heads, no, 0, [](sp::plan_spec& spec) { spec.tp = 4; }),
      with(cause::cfg_zero_pp, yes, 2, [](sp::plan_spec& spec) { spec.pp = 2, spec.zero = 2, spec.framework = sp::frameworks::deepspeed; }),
      with(cause::cfg_zero_pp, open, 2, [](sp::plan_spec& spec) { spec.pp = 2, spec.zero = 2; }),
      with(cause::cfg_zero_pp, no, 0, [](sp::plan_spec& spec) { spec.zero = 2, spec.framework = sp::frameworks::deepspeed; }),
      with(cause::cfg_ep, yes, 1,
           [&](sp::plan_spec& spec) {
             spec.model = mixtral, spec.ep = 3, spec.devices_per_node = 6, spec.nodes = 4, spec.zero = 3, spec.global_batch = 72;
           }),
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
      // 64 / 2 replicas = 32 micro-batches: 3 of 35, less what the optimizer takes of a step; 16 / 2 = 8: 3 of 11
      with(cause::perf_bubble, no, 85, [](sp::plan_spec& spec) { spec.pp = 4; }),
      with(cause::perf_bubble, yes, 269, [](sp::plan_spec& spec) { spec.pp = 4, spec.global_batch = 16; }),
      // 3 x 1.7 GB x 7/8 over 0.9 x 25 GB/s (one rank of each node) are 0.2 s; 6 P / 8 x 4096 at 0.7 of what A100 reaches 0.12 s
      with(cause::perf_zero3_net, yes, -1, [](sp::plan_spec& spec) { spec.zero = 3, spec.nodes = 8, spec.tp = 8; }),
      // A node of one replica each has all its NICs: 3 x 13.5 GB x 63/64 over 0.9 x 200 GB/s are 0.22 s, against 0.87 s; a quarter of them
      with(cause::perf_zero3_net, no, -1, [](sp::plan_spec& spec) { spec.zero = 3, spec.nodes = 8; }),
      with(cause::perf_zero3_net, yes, -1,
           [](sp::plan_spec& spec) { spec.zero = 3, spec.nodes = 8, spec.device.network.bytes_per_second /= 4; }),
      // 3 x 13.5 GB x 7/8 over 0.8 x 300 GB/s: 0.15 s, against 0.87 s
      with(cause::perf_zero3_net, no, -1, [](sp::plan_spec& spec) { spec.zero = 3; }),
      with(cause::perf_zero23_ga, yes, -1, [](sp::plan_spec& spec) { spec.zero = 2, spec.nodes = 8, spec.tp = 8; }),
      // 3 of 4 micro-batches send again: 3/4 of 0.256; a quarter of the network
      with(cause::perf_zero23_ga, no, -1, [](sp::plan_spec& spec) { spec.zero = 3, spec.nodes = 8, spec.global_batch = 256; }),
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
      const sp::finding offered = sp::detail::finding_of(item.spec, sp::detail::plan_now_of(item.spec), item.which);
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

namespace {

// Many plans, legal and not.
template <class Visit>
void each_plan(Visit visit) {
  const sp::transformer models[] = {sp::models::llama3_2_1b::shape, sp::models::llama2_7b::shape, sp::models::llama2_70b::shape,
                                    sp::models::mixtral_8x7b::shape};
  for (const sp::transformer& model : models)
    for (const std::int64_t nodes : {1, 8})
      for (const std::int64_t tp : {1, 3, 8, 16})
        for (const std::int64_t pp : {1, 4})
          for (const std::int64_t zero : {0, 2, 3})
            for (const std::int64_t micro : {1, 4})
              for (const bool lean : {false, true}) {
                sp::plan_spec spec = plain();
                spec.model = model;
                spec.nodes = nodes;
                spec.tp = tp;
                spec.pp = pp;
                spec.zero = zero;
                spec.micro_batch = micro;
                if (lean) {
                  spec.recompute = sp::recomputes::full;
                  spec.offload.states = sp::storage::host;
                  spec.host_memory_gibibytes = 512;
                  spec.global_batch = 512;
                }
                visit(spec);
              }
  // Experts over many nodes.
  for (const sp::transformer& model : {sp::models::mixtral_8x7b::shape, sp::models::deepseek_v3::shape})
    for (const std::int64_t ep : {1, 8, 16, 64})
      for (const std::int64_t tp : {1, 2, 4})
        for (const std::int64_t pp : {1, 4})
          for (const std::int64_t zero : {1, 3})
            for (const std::int64_t batch : {256, 2048}) {
              if (ep > model.experts.count) continue;
              sp::plan_spec spec = plain();
              spec.model = model;
              spec.nodes = 32;
              spec.tp = tp;
              spec.pp = pp;
              spec.zero = zero;
              spec.ep = ep;
              spec.global_batch = batch;
              visit(spec);
            }
}

// What supported causes were offered.
struct tally {
  int supported = 0;
  int changes = 0;
  int actions = 0;
};

}  // namespace

TEST_CASE("doctor: laws of a diagnosis") {
  tally by_cause[sp::cause_count]{};
  int faster = 0;
  int triples = 0;
  int schedules = 0;
  each_plan([&](const sp::plan_spec& spec) {
    for (int seen = 0; seen < sp::symptom_count; ++seen) {
      const sp::diagnosis list = sp::diagnosis_of(spec, static_cast<sp::symptom>(seen));
      std::size_t wanted = 0;
      for (int at = 0; at < sp::cause_count; ++at) wanted += sp::explains(static_cast<cause>(at), static_cast<sp::symptom>(seen));
      CHECK(list.size() == wanted);
      for (std::size_t at = 0; at < list.size(); ++at) {
        const sp::finding& item = list[at];
        INFO(sp::name_of(item.which) << " tp " << spec.tp << " pp " << spec.pp << " zero " << spec.zero << " micro " << spec.micro_batch
                                     << " nodes " << spec.nodes << " layers " << spec.model.layers << " change "
                                     << sp::sentence_of(item.try_this).c_str());
        // Supported ones first, the heaviest first.
        if (at > 0) {
          CHECK(list[at - 1].now.says <= item.now.says);
          if (list[at - 1].now.says == item.now.says) CHECK(list[at - 1].now.weight >= item.now.weight);
        }
        if (item.now.says != standing::not_in_plan) CHECK((item.now.figure > item.now.limit) == (item.now.says == standing::supported));
        // A cause of two symptoms is counted once.
        tally unused{};
        const bool counts = item.which != cause::cfg_m_lt_p || seen == static_cast<int>(sp::symptom::refused_at_start);
        tally& sum = counts ? by_cause[static_cast<int>(item.which)] : unused;
        sum.supported += item.now.says == standing::supported;
        CHECK(item.peak == sp::figures_of(spec).peak_memory);
        CHECK(item.cost == sp::step_cost_of(spec));
        // A change is there exactly when help says so; a plan changes neither the collection of garbage nor files that are written.
        CHECK((item.try_this.kind != sp::remedy_kind::nothing_small_helps) == (item.help == sp::help_kind::change));
        if (item.now.says == standing::excluded) CHECK(item.help == sp::help_kind::nothing);
        if (item.now.says == standing::not_in_plan) CHECK(item.help == sp::help_kind::action);
        if (item.help == sp::help_kind::action && item.now.says == standing::supported) {
          ++sum.actions;
          CHECK(sp::entry_of(item.which).action != sp::literal{});
          // What a plan needs is no less for an allocator that is set better.
          if (item.which <= cause::mem_host && item.which != cause::mem_comms) CHECK(item.peak <= spec.device.memory);
        }
        if (item.now.says == standing::supported && (item.which == cause::perf_jitter || item.which == cause::ckpt_layout))
          CHECK(item.help == sp::help_kind::action);
        if (item.help != sp::help_kind::change) continue;
        // A remedy was recomputed: the plan is valid after it, and the cause is gone.
        ++sum.changes;
        triples += item.further.kind != sp::remedy_kind::nothing_small_helps;
        schedules += item.try_this.kind == sp::remedy_kind::schedule || item.and_this.kind == sp::remedy_kind::schedule;
        CHECK(item.now.says == standing::supported);
        const sp::plan_spec other = sp::changed_by_finding(spec, item);
        const sp::evaluation after = sp::evaluate(other, sp::remedy_search::off);
        CHECK(after.violations.empty());
        CHECK(after.peak_memory == item.peak_after);
        CHECK(sp::evidence_of(other, item.which) == item.after);
        CHECK(item.after.says != standing::supported);
        // What it costs is that of the changed plan, and against slowness it is faster.
        CHECK(item.cost_after == sp::step_cost_of(other));
        CHECK(item.cost_after.seconds > 0);
        if (seen == static_cast<int>(sp::symptom::low_utilisation) || seen == static_cast<int>(sp::symptom::slow_after_offload)) {
          CHECK(item.cost_after.tokens_per_second > item.cost.tokens_per_second);
          ++faster;
        }
      }
    }
  });
  tally all{};
  std::cout << "doctor: cause, supported, of these with a recomputed change, with an action outside the plan, with neither\n";
  for (int at = 0; at < sp::cause_count; ++at) {
    const tally& one = by_cause[at];
    if (one.supported == 0) continue;
    std::cout << "  " << sp::name_of(static_cast<cause>(at)) << ' ' << one.supported << ' ' << one.changes << ' ' << one.actions << ' '
              << one.supported - one.changes - one.actions << '\n';
    all.supported += one.supported;
    all.changes += one.changes;
    all.actions += one.actions;
    // No cause is mostly left without help.
    INFO(sp::name_of(static_cast<cause>(at)));
    CHECK(3 * (one.changes + one.actions) >= 2 * one.supported);
  }
  std::cout << "  all " << all.supported << ' ' << all.changes << ' ' << all.actions << ' ' << all.supported - all.changes - all.actions
            << "; three changes " << triples << ", another schedule " << schedules << '\n';
  CHECK(all.supported > 4000);
  CHECK(100 * (all.changes + all.actions) >= 98 * all.supported);
  const int outside = by_cause[static_cast<int>(cause::perf_jitter)].supported + by_cause[static_cast<int>(cause::ckpt_layout)].supported;
  CHECK(100 * all.changes >= 95 * (all.supported - outside));
  CHECK(faster > 400);
  CHECK(triples > 0);
  CHECK(schedules > 0);
}

TEST_CASE("doctor: no spec is an error") {
  for (int seen = 0; seen < sp::symptom_count; ++seen) CHECK(sp::diagnosis_of(sp::plan_spec{}, static_cast<sp::symptom>(seen)).size() > 0);
  std::int64_t sp::plan_spec::*const fields[] = {&sp::plan_spec::devices_per_node,
                                                 &sp::plan_spec::nodes,
                                                 &sp::plan_spec::sequence,
                                                 &sp::plan_spec::micro_batch,
                                                 &sp::plan_spec::global_batch,
                                                 &sp::plan_spec::tp,
                                                 &sp::plan_spec::pp,
                                                 &sp::plan_spec::dp,
                                                 &sp::plan_spec::cp,
                                                 &sp::plan_spec::ep,
                                                 &sp::plan_spec::etp,
                                                 &sp::plan_spec::zero,
                                                 &sp::plan_spec::vocabulary_multiple,
                                                 &sp::plan_spec::headroom_mebibytes,
                                                 &sp::plan_spec::host_memory_gibibytes};
  for (const auto field : fields)
    for (const std::int64_t value : {INT64_MIN, std::int64_t{-1}, std::int64_t{0}, INT64_MAX}) {
      sp::plan_spec spec = plain();
      spec.*field = value;
      for (int seen = 0; seen < sp::symptom_count; ++seen) CHECK(sp::diagnosis_of(spec, static_cast<sp::symptom>(seen)).size() > 0);
    }
}

// The loss kernel of transformers makes fp32 logits: 4096 x 32000 x 4 bytes are 500 MiB.
TEST_CASE("doctor: from a message to the cause") {
  sp::plan_spec spec = plain();
  spec.zero = 3;
  spec.micro_batch = 8;
  spec.loss = sp::losses::torch_eager_float::spec;
  const sp::size_diagnosis found =
      sp::diagnosis_of(spec, sp::printed_in("CUDA out of memory. Tried to allocate 3.91 GiB. GPU 0 has a total capacity of 79.15 GiB"));
  CHECK_FALSE(found.tensors.empty());
  REQUIRE(found.named >= 1);
  bool logits = false;
  for (std::size_t at = 0; at < found.named; ++at) logits = logits || found.causes[at].which == cause::mem_logits;
  CHECK(logits);
  CHECK(found.causes.size() == sp::diagnosis_of(spec, sp::symptom::out_of_memory).size());
  // A size that nothing has names nothing, and the causes are still there.
  const sp::size_diagnosis none = sp::diagnosis_of(spec, sp::printed_in("Tried to allocate 7.77 KiB"));
  CHECK(none.named == 0);
  CHECK(none.causes.size() == found.causes.size());
}

TEST_CASE("doctor: in words") {
  const sp::diagnosis list = sp::diagnosis_of(plain(), sp::symptom::out_of_memory);
  const std::string text = sp::report::text_of(list);
  CHECK(text.find("1. mem_states (supported): 101.92 GiB, above 72.00 GiB") == 0);
  CHECK(text.find("remedy: zero<1>: 101.92 GiB -> 36.02 GiB; peak 118.98 -> 53.09 GiB; step ") != std::string::npos);
  sp::plan_spec deep = plain();
  deep.pp = 4;
  deep.global_batch = 16;
  const std::string slow = sp::report::text_of(sp::diagnosis_of(deep, sp::symptom::low_utilisation));
  INFO(slow);
  CHECK(slow.find("a step takes ") == 0);
  CHECK(slow.find(" s (estimate), of which waiting in the pipeline is 26.9 % and transfers that nothing hides ") != std::string::npos);
  CHECK(slow.find("\n1. perf_bubble (supported): 26.9 %, above 10.0 %\n") != std::string::npos);
  CHECK(sp::report::markdown_of(list).find("| `mem_states` | supported | 101.92 GiB, above 72.00 GiB | zero<1>: ") != std::string::npos);
}

namespace {

template <class Plan, class Symptom>
void check_twin() {
  const sp::diagnosis& constant = sp::diagnose<Plan, Symptom>;
  const sp::diagnosis list = sp::diagnosis_of(Plan::spec, Symptom::value);
  REQUIRE(constant.size() == list.size());
  for (std::size_t at = 0; at < list.size(); ++at) {
    INFO(sp::name_of(Symptom::value) << ' ' << sp::name_of(list[at].which) << ' ' << sp::sentence_of(list[at].try_this).c_str());
    CHECK(constant[at].which == list[at].which);
    CHECK(constant[at].now == list[at].now);
    CHECK(constant[at].after == list[at].after);
    CHECK(constant[at].try_this == list[at].try_this);
    CHECK(constant[at].and_this == list[at].and_this);
    CHECK(constant[at].further == list[at].further);
    CHECK(constant[at].help == list[at].help);
    CHECK(constant[at].schedule == list[at].schedule);
    CHECK(constant[at].peak_after == list[at].peak_after);
    CHECK(constant[at].cost == list[at].cost);
    CHECK(constant[at].cost_after == list[at].cost_after);
  }
}
template <class Plan>
void check_twins() {
  check_twin<Plan, sp::symptoms::out_of_memory>();
  check_twin<Plan, sp::symptoms::out_of_memory_later>();
  check_twin<Plan, sp::symptoms::out_of_memory_on_resume>();
  check_twin<Plan, sp::symptoms::host_out_of_memory>();
  check_twin<Plan, sp::symptoms::refused_at_start>();
  check_twin<Plan, sp::symptoms::hang>();
  check_twin<Plan, sp::symptoms::diverges_in_parallel>();
  check_twin<Plan, sp::symptoms::low_utilisation>();
  check_twin<Plan, sp::symptoms::step_time_jitter>();
  check_twin<Plan, sp::symptoms::slow_after_offload>();
  check_twin<Plan, sp::symptoms::checkpoint_does_not_load>();
}

}  // namespace

TEST_CASE("doctor: a constant diagnosis is the one of run time") {
  check_twins<sp::plan<sp::model<sp::models::llama2_7b>, sp::cluster<sp::devices::a100_sxm_80gb, 8, 1>, sp::sequence<4096>,
                       sp::micro_batch<8>, sp::global_batch<64>>>();
  check_twins<sp::plan<sp::model<sp::models::mixtral_8x7b>, sp::cluster<sp::devices::h100_sxm_80gb, 8, 4>, sp::sequence<4096>,
                       sp::micro_batch<2>, sp::global_batch<128>, sp::fsdp<>, sp::pp<2>>>();
  check_twins<
      sp::plan<sp::model<sp::models::llama2_70b>, sp::cluster<sp::devices::a100_sxm_80gb, 8, 8>, sp::sequence<4096>, sp::micro_batch<1>,
               sp::global_batch<32>, sp::tp<16>, sp::pp<4>, sp::zero<2>, sp::offload<sp::states_to<sp::storage::host>>>>();
  check_twins<sp::plan<sp::model<sp::models::llama2_7b>, sp::cluster<sp::devices::a100_sxm_80gb, 8, 1>, sp::sequence<4096>,
                       sp::micro_batch<3>, sp::global_batch<64>>>();
  // Two changes, three, another schedule, a number that is not legal.
  check_twins<sp::plan<sp::model<sp::models::llama2_70b>, sp::cluster<sp::devices::a100_sxm_80gb, 8, 1>, sp::sequence<4096>,
                       sp::micro_batch<4>, sp::global_batch<64>, sp::pp<4>>>();
  check_twins<sp::plan<sp::model<sp::models::llama2_70b>, sp::cluster<sp::devices::a100_sxm_80gb, 8, 8>, sp::sequence<4096>,
                       sp::micro_batch<1>, sp::global_batch<16>, sp::tp<4>, sp::pp<4>, sp::zero<1>>>();
  check_twins<sp::plan<sp::model<sp::models::llama2_70b>, sp::cluster<sp::devices::a100_sxm_80gb, 8, 1>, sp::sequence<4096>,
                       sp::micro_batch<1>, sp::global_batch<64>, sp::tp<3>>>();
  check_twins<sp::plan<sp::model<sp::models::deepseek_v3>, sp::cluster<sp::devices::a100_sxm_80gb, 8, 32>, sp::sequence<4096>,
                       sp::micro_batch<1>, sp::global_batch<256>, sp::ep<64>>>();
}

// A device of which no rate is known: nothing is said of time, everything else is.
TEST_CASE("doctor: transfers before anything hides them are those of the timing") {
  const auto close = [](double left, double right) { return left > right * (1 - 1e-9) && left < right * (1 + 1e-9); };
  sp::plan_spec dense = plain();
  dense.nodes = 16;
  dense.global_batch = 1024;
  dense.zero = 3;
  sp::plan_spec routed = sp::presets::mixtral_8x7b_ep_8::spec;
  sp::plan_spec limited = sp::presets::deepseek_v3_pp_16_ep_64::spec;
  limited.routed_nodes = 4;
  sp::plan_spec levels = dense;
  levels.zero = 1;
  levels.collectives.dp = sp::algorithm::hierarchical;
  sp::plan_spec slow = dense;
  slow.link_efficiency.network = 10;
  int compared = 0;
  for (sp::plan_spec spec : {dense, routed, limited, levels, slow}) {
    spec.overlap = {0, 0, 0, 0, 0};
    const sp::detail::timed_step found = sp::detail::timed_step_of(spec);
    REQUIRE(found.known);
    INFO("case " << compared);
    for (const sp::channel between : {sp::channel::tp, sp::channel::cp, sp::channel::ep, sp::channel::etp, sp::channel::pp})
      if (found.over(between) > 0) CHECK(close(found.over(between), found.report.exposed_over(between)));
    const double replicated = found.data_parallel() - found.over(sp::channel::replicas);
    CHECK(close(replicated, found.report.exposed_over(sp::channel::dp)));
    CHECK(replicated > 0);
    ++compared;
  }
  // Gradients that are reduced once a step are not sent again.
  sp::plan_spec late = dense;
  late.communication.late_sync = true;
  const auto again = [](const sp::plan_spec& spec) {
    for (const sp::finding& found : sp::diagnosis_of(spec, sp::symptom::low_utilisation))
      if (found.which == cause::perf_zero23_ga) return found.now.figure;
    return std::int64_t{-1};
  };
  CHECK(again(late) > 0);
  CHECK(again(late) < again(dense));
  CHECK(sp::detail::timed_step_of(slow).dp_rate < sp::detail::timed_step_of(dense).dp_rate / 2);
}

TEST_CASE("doctor: without a rate") {
  sp::plan_spec spec = plain();
  spec.device.bf16_flops = spec.device.matmul_flops = spec.device.sustained_flops = 0;
  spec.pp = 4;
  spec.global_batch = 16;
  const sp::diagnosis list = sp::diagnosis_of(spec, sp::symptom::low_utilisation);
  for (const sp::finding& item : list) {
    INFO(sp::name_of(item.which));
    if (item.which == cause::perf_bubble || item.which == cause::perf_latency)
      CHECK(item.now == sp::evidence{standing::not_in_plan, 0, 0, 0});
    CHECK_FALSE(item.cost.seconds > 0);
  }
  CHECK(sp::report::text_of(list).find("has no rate") != std::string::npos);
}

// Whatever the message is and whatever the plan is, every cause is there and nothing is thrown.
TEST_CASE("doctor: nothing is lost for a message that says nothing") {
  const std::size_t all = sp::diagnosis_of(plain(), sp::symptom::out_of_memory).size();
  sp::plan_spec broken = plain();
  broken.tp = 3;
  for (const char* message :
       {"", "Killed", "Tried to allocate", "Tried to allocate 99999999999999999999 GiB", "Tried to allocate 17179869184.00 GiB",
        "Tried to allocate nan GiB", "\xff\xfe", "Tried to allocate -2.00 GiB", "8191.99 PiB", "Tried to allocate 0 bytes"}) {
    INFO(message);
    for (const sp::plan_spec& spec : {plain(), broken, sp::plan_spec{}}) {
      const sp::size_diagnosis found = sp::diagnosis_of(spec, sp::printed_in(message));
      CHECK(found.causes.size() == all);
      CHECK(found.tensors.size() <= sp::most_size_matches);
      if (!sp::printed_in(message).is_known()) CHECK(found.tensors.empty());
    }
  }
}
