// SPDX-License-Identifier: BSL-1.0
// Phases as values, counted by hand from the reference formulas (facts/memory_peaks.md 2, 3, 6 and 7; facts/memory.md 3.5 and 3.6).
#include <shardplan/core/bytes.hpp>
#include <shardplan/memory/phase.hpp>
#include <shardplan/memory/report.hpp>
#include <shardplan/plan/evaluate.hpp>
#include <shardplan/recipe/cross_entropy.hpp>
#include <shardplan/recipe/overheads.hpp>
#include <shardplan/recipe/precision.hpp>
#include <shardplan/recipe/recompute.hpp>
#include <shardplan/schedule/gpipe.hpp>
#include <shardplan/spec/plan_spec.hpp>

#include <cstdint>

using namespace shardplan;
using namespace shardplan::literals;

// As in phases.cpp: h = q = 64, k = 32, f = 96, 4 heads, V = 1,000; T = 8 tokens on one device; a block keeps 11,968 bytes and has 30,848
// parameters, the input 64,000, the output 64,064.
constexpr transformer tiny{.layers = 2, .hidden = 64, .heads = 4, .kv_heads = 2, .ffn = 96, .vocab = 1000};
constexpr std::int64_t block = 11'968;
constexpr std::int64_t parameters = 189'760;
template <class Change>
constexpr plan_spec changed(std::int64_t devices, Change change) {
  plan_spec spec{};
  spec.model = tiny;
  spec.device.memory = bytes{std::int64_t{1} << 50};
  spec.devices_per_node = 1;
  spec.nodes = devices;
  spec.sequence = 8;
  spec.micro_batch = 1;
  spec.global_batch = 4;
  spec.headroom_mebibytes = 0;
  change(spec);
  return spec;
}
constexpr auto nothing = [](plan_spec&) {};

// Every plan: parameters are there, backward of a block, loss, step.
constexpr phase_reports plain = stage_phases(changed(1, nothing), 0);
static_assert(plain.peak == phase::loss && plain[phase::loss] == stage_memory(changed(1, nothing), 0).device);
static_assert(plain[phase::parameter_gather].allocated().count == 16 * parameters + 2 * 94'720);
static_assert(plain[phase::block_backward].activations.count == 2 * block && plain[phase::block_backward].logits.count == 0 &&
              plain[phase::block_backward].working.count == 8 * (4 * 96 + 2 * 64));
static_assert(plain[phase::optimizer_step].activations.count == 0 && plain[phase::optimizer_step].working.count == 0);
static_assert(plain[phase::first_block_backward] == memory_report{} && plain[phase::last_block_backward] == memory_report{});
// The first step: the largest of the others, without optimizer state.
static_assert(plain[phase::first_step].optimizer.count == 0 &&
              plain[phase::first_step].total() + plain[phase::loss].optimizer == plain[phase::loss].total());
// Head and loss only on the last stage.
constexpr auto two_stages = [](plan_spec& spec) { spec.pp = 2; };
static_assert(stage_phases(changed(2, two_stages), 0)[phase::loss] == memory_report{} &&
              stage_phases(changed(2, two_stages), 0).peak == phase::block_backward &&
              stage_phases(changed(2, two_stages), 1).peak == phase::loss);
static_assert(figures_of(changed(1, nothing)).peak_phase == phase::loss);
static_assert(stage_phases(changed(1, nothing), 1)[phase::loss] == memory_report{});  // no such rank

// Loss kernels: bytes a logit, T V = 8,000 logits.
template <class Loss>
constexpr memory_report in_loss(std::int64_t tokens = 8) {
  return stage_phases(changed(1,
                              [=](plan_spec& spec) {
                                spec.loss = Loss::spec;
                                spec.sequence = tokens;
                              }),
                      0)[phase::loss];
}
static_assert(in_loss<losses::in_place>().logits.count == 2 * 8'000 && in_loss<losses::megatron_unfused>().logits.count == 6 * 8'000 &&
              in_loss<losses::megatron_native_fused>().logits.count == 10 * 8'000 &&
              in_loss<losses::torch_eager_float>().logits.count == 14 * 8'000 && in_loss<losses::fused_linear>().logits.count == 0);
// In three chunks of 3 tokens, and what gradients of the head (64,000 weights) and of its input are summed in.
static_assert(in_loss<losses::chunked<3>>().logits.count == 6 * 3'000 &&
              in_loss<losses::chunked<3>>().working.count == 4'096 + 4 * 64'000 + 4 * 64 * 8);
// Without scratch that stays, backward of the head holds one gradient of the logits and of its weight: 2 T V + 2 V h. With few tokens that
// is the peak.
constexpr auto unfused = [](plan_spec& spec) {
  spec.loss = losses::megatron_unfused::spec;
  spec.overheads = overhead_sets::none::spec;
};
constexpr phase_reports few_tokens = stage_phases(changed(1, unfused), 0);
static_assert(few_tokens[phase::head_backward].logits.count == 2 * 8'000 &&
              few_tokens[phase::head_backward].working.count == 4'096 + 2 * 64'000 && few_tokens[phase::head_backward].buffers.count == 0 &&
              few_tokens.peak == phase::head_backward);
static_assert(few_tokens[phase::block_backward].working.count == 8 * (4 * 96 + 2 * 64) + 2 * 64 * 96);  // the largest weight of a block
// A loss that takes the gradients with it has no such phase.
static_assert(stage_phases(changed(1, [](plan_spec& spec) { spec.loss = losses::chunked<2>::spec; }), 0)[phase::head_backward] ==
              memory_report{});
// GPipe: all four micro-batches have gone through the loss before the first goes back; what the kernel keeps is there four times.
constexpr phase_reports gpipe = stage_phases(changed(2,
                                                     [](plan_spec& spec) {
                                                       spec.pp = 2;
                                                       spec.schedule = schedules::gpipe::spec;
                                                       spec.loss = losses::megatron_unfused::spec;
                                                     }),
                                             1);
static_assert(gpipe[phase::loss].logits.count == 8'000 * (6 + 3 * 4) && gpipe[phase::head_backward].logits.count == 8'000 * (2 + 3 * 4));

// Overheads: workspaces and the loader's mask (8 x 8 bytes a sequence; with cp its rows are divided), two hidden states between stages.
constexpr auto of_megatron = [](plan_spec& spec) { spec.overheads = overhead_sets::megatron_tests::spec; };
static_assert(stage_memory(changed(1, of_megatron), 0).device.buffers == 96_MiB + 64_B);
static_assert(stage_memory(changed(2,
                                   [](plan_spec& spec) {
                                     spec.overheads = overhead_sets::megatron_tests::spec;
                                     spec.cp = 2;
                                   }),
                           0)
                  .device.buffers == 96_MiB + 32_B);
static_assert(stage_memory(changed(2,
                                   [](plan_spec& spec) {
                                     spec.overheads = overhead_sets::megatron_tests::spec;
                                     spec.pp = 2;
                                   }),
                           0)
                  .device.buffers == 96_MiB + 64_B + bytes{2 * 2 * 64 * 8});

// Optimizer step: 2 + 4 bytes for each parameter that the rank owns, gradients in one piece and its copy in the master's precision; 2 where
// that is the same; under ZeRO-3 a sub-group at a time; none when the host steps.
constexpr auto step = [](std::int64_t zero, std::int64_t sub_group, std::int64_t gradient = 2, std::int64_t master = 4) {
  return stage_phases(changed(2,
                              [=](plan_spec& spec) {
                                spec.zero = zero;
                                spec.precision.gradient = gradient;
                                spec.precision.master = master;
                                spec.overheads = overhead_sets::deepspeed::spec;
                                spec.buckets.sub_group_elements = sub_group;
                              }),
                      0)[phase::optimizer_step]
      .working.count;
};
static_assert(step(0, 1'000) == 6 * parameters && step(1, 1'000) == 6 * parameters / 2 && step(3, 1'000) == 6 * 1'000 &&
              step(3, 1'000'000) == 6 * parameters / 2);
static_assert(step(3, 1'000, 2, 2) == 2 * 1'000 && step(3, 1'000, 4, 4) == 4 * 1'000 && step(3, 1'000, 2, 0) == 2 * 1'000);
static_assert(stage_phases(changed(1,
                                   [](plan_spec& spec) {
                                     spec.overheads = overhead_sets::deepspeed::spec;
                                     spec.offload.states = storage::host;
                                   }),
                           0)[phase::optimizer_step]
                  .working.count == 0);
// Moments with scales are widened to fp32 all together.
static_assert(stage_phases(changed(1,
                                   [](plan_spec& spec) {
                                     spec.overheads = overhead_sets::megatron_tests::spec;
                                     spec.precision = precisions::precision_aware_fp8_moments::spec;
                                   }),
                           0)[phase::optimizer_step]
                  .working.count == 8 * parameters);

// ZeRO-2's buckets in DeepSpeed's words: two of them with overlap_comm, none without contiguous_gradients.
constexpr auto bucket = [](std::int64_t elements, std::int64_t buffers) {
  return stage_memory(changed(2,
                              [=](plan_spec& spec) {
                                spec.zero = 2;
                                spec.buckets.reduce_elements = elements;
                                spec.buckets.reduce_buffers = buffers;
                              }),
                      0)
      .device.buffers.count;
};
static_assert(bucket(1'000, 1) - bucket(1'000, 0) == 2 * 1'000 && bucket(1'000, 2) - bucket(1'000, 0) == 2 * 2 * 1'000);

// FSDP on two devices, fp32 shards, bf16 compute: P_root = 128,064, P_l = 30,848.
constexpr std::int64_t root_weights = 128'064;
constexpr std::int64_t block_weights = 30'848;
constexpr auto fully_sharded = [](plan_spec& spec) {
  spec.sharding.layout = shard_layout::tensors;
  spec.precision = precisions::torchtitan::spec;
  spec.overheads = overhead_sets::none::spec;
  spec.global_batch = 2;
};
constexpr phase_reports sharded = stage_phases(changed(2, fully_sharded), 0);
static_assert(sharded[phase::block_backward] == memory_report{});
static_assert(sharded[phase::parameter_gather].working.count == 2 * root_weights + 2 * 2 * block_weights);
static_assert(sharded[phase::loss].states().count == 12 * parameters / 2 && sharded[phase::loss].activations.count == 2 * block &&
              sharded[phase::loss].working.count == 2 * root_weights + 2 * block_weights + 4'096);
constexpr std::int64_t inside = 8 * (4 * 96 + 2 * 64);
static_assert(sharded[phase::first_block_backward].states().count == 12 * parameters / 2 &&
              sharded[phase::first_block_backward].working.count ==
                  4 * block_weights + 2 * block_weights + 4 * block_weights + 4 * root_weights + inside);
static_assert(sharded[phase::last_block_backward].states().count == 16 * parameters / 2 &&
              sharded[phase::last_block_backward].activations.count == block &&
              sharded[phase::last_block_backward].working.count == 4 * block_weights + 6 * block_weights + 2 * root_weights + inside);
static_assert(sharded[phase::optimizer_step].allocated().count == 16 * parameters / 2);
// Gradients of an earlier micro-batch are there from the start.
static_assert(stage_phases(changed(2,
                                   [](plan_spec& spec) {
                                     fully_sharded(spec);
                                     spec.global_batch = 4;
                                   }),
                           0)[phase::loss]
                  .states()
                  .count == 16 * parameters / 2);
// Nothing is freed after forward: all weights in place of the units.
static_assert(stage_phases(changed(2,
                                   [](plan_spec& spec) {
                                     fully_sharded(spec);
                                     spec.sharding.reshard_after_forward = false;
                                   }),
                           0)[phase::loss]
                  .working.count == 2 * parameters + 4'096);
// Further prefetching.
static_assert(stage_phases(changed(2,
                                   [](plan_spec& spec) {
                                     fully_sharded(spec);
                                     spec.sharding.prefetch = 2;
                                   }),
                           0)[phase::last_block_backward]
                  .working.count == sharded[phase::last_block_backward].working.count + 2 * block_weights);

// ZeRO-3 by module: the largest is the embedding or the head, 64,000 elements. What comes again within the distance of reuse
// stays, half of it before the turn, and a bucket is gathered ahead as far as the limit of live parameters allows.
static_assert(gathered_at_once({50, 1'000, 1'000}, 100, 10'000) == 500 + 50);  // kept and a bucket
static_assert(gathered_at_once({50, 1'000, 1'000}, 700, 10'000) == 700 + 50);  // a larger module
static_assert(gathered_at_once({50, 720, 1'000}, 700, 10'000) == 720);         // the limit cuts the bucket
static_assert(gathered_at_once({50, 1'000, 0}, 1'680, 10'000) == 1'680);       // a needed module is gathered all the same
static_assert(gathered_at_once({50, 1'000, 1'000}, 100, 300) == 300 && gathered_at_once({50, 1'000, 1'000}, 100, 510) == 510);
constexpr std::int64_t module_weights = 64'000;
template <class Change>
constexpr std::int64_t gathered_in(Change change) {
  const auto zero_3 = [=](plan_spec& spec) {
    spec.zero = 3;
    change(spec);
  };
  return stage_phases(changed(2, zero_3), 0)[phase::parameter_gather].working.count;
}
static_assert(gathered_in(nothing) == 2 * (64'064 + block_weights) + 2 * 64'064);  // by block: one ahead
static_assert(gathered_in([](plan_spec& spec) { spec.framework = frameworks::deepspeed; }) == 2 * parameters + 2 * module_weights);
static_assert(gathered_in([](plan_spec& spec) { gather_modules<1'000, 100'000, 1'000>::set(spec.sharding); }) ==
              2 * (module_weights + 1'000) + 2 * module_weights);
static_assert(gathered_in([](plan_spec& spec) {
                gather_modules<1'000, 100'000, 140'000>::set(spec.sharding);
                spec.sharding.prefetch = 7;  // of blocks
              }) == 2 * (70'000 + 1'000) + 2 * module_weights);
static_assert(gathered_in([](plan_spec& spec) {
                gather_blocks::set(spec.sharding);
                spec.framework = frameworks::deepspeed;
              }) == gathered_in(nothing));
static_assert(gathered_in([](plan_spec& spec) { spec.sharding.unit = gather_unit::model; }) == 2 * parameters + 2 * 64'064);
static_assert(gathered_in([](plan_spec& spec) {
                gather_modules<1'000, 100'000, 1'000>::set(spec.sharding);
                spec.sharding.reshard_after_forward = false;
              }) == 2 * parameters + 2 * module_weights);
// A matrix of a block, or of one expert, where it is larger than the embedding; FSDP has its own units.
constexpr transformer wide{.layers = 2, .hidden = 64, .heads = 4, .kv_heads = 2, .ffn = 4096, .vocab = 1000};
constexpr transformer routed{
    .layers = 2, .hidden = 64, .heads = 4, .ffn = 96, .vocab = 1000, .experts = {.count = 4, .top_k = 2, .ffn = 2048}};
constexpr auto by_module = [](const transformer& shape) {
  return [=](plan_spec& spec) {
    spec.model = shape;
    gather_modules<0, 0, 0>::set(spec.sharding);
  };
};
static_assert(gathered_in(by_module(wide)) == 4 * 64 * 4096 && gathered_in(by_module(routed)) == 4 * 64 * 2048);
static_assert(gather_unit_of(changed(2, [](plan_spec& spec) {
                fully_sharded(spec);
                spec.framework = frameworks::deepspeed;
              })) == gather_unit::block);

// Allocator and device.
constexpr memory_report report{.weights = 1000_B, .activations = 10_B, .reserve = 90_B};
static_assert(report.reserved() == 1061_B && memory_report{.weights = 100_B}.reserved() == 105_B);
static_assert(verdicts_of(report, 1009_B).allocator == false && verdicts_of(report, 1010_B).allocator &&
              !verdicts_of(report, 1099_B).device && verdicts_of(report, 1100_B).device && !verdicts_of(report, 1150_B).reserved &&
              verdicts_of(report, 1151_B).reserved);
