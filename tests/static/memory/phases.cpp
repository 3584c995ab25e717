// SPDX-License-Identifier: BSL-1.0
// What is not a state, counted by hand from the reference formulas (facts/memory.md 3.4 and 3.5, facts/memory_peaks.md 4 and 5): kept
// activations, logits, what lives in one phase, buffers, reserve. (Against measured runs: tests/truth.)
#include <shardplan/core/bytes.hpp>
#include <shardplan/memory/report.hpp>
#include <shardplan/plan/evaluate.hpp>
#include <shardplan/recipe/precision.hpp>
#include <shardplan/recipe/recompute.hpp>
#include <shardplan/schedule/gpipe.hpp>
#include <shardplan/spec/plan_spec.hpp>

#include <cstdint>

using namespace shardplan;
using namespace shardplan::literals;

// h = q = 64, k = 32, f = 96, 4 heads, V = 1,000; T = 8 tokens on one device.
constexpr transformer tiny{.layers = 2, .hidden = 64, .heads = 4, .kv_heads = 2, .ffn = 96, .vocab = 1000};
constexpr plan_spec run_of(const transformer& shape, std::int64_t devices = 1) {
  plan_spec spec{};
  spec.model = shape;
  spec.device.memory = bytes{std::int64_t{1} << 50};
  spec.devices_per_node = 1;
  spec.nodes = devices;
  spec.sequence = 8;
  spec.micro_batch = 1;
  spec.global_batch = 4;
  return spec;
}
template <class Change>
constexpr memory_report changed(std::int64_t devices, Change change, std::int64_t stage = 0) {
  plan_spec spec = run_of(tiny, devices);
  change(spec);
  return stage_memory(spec, stage).device;
}

// T (8h + 4q + 4k + 6f) + 4 T heads + 8 T = 8 x 1,472 + 128 + 64
constexpr std::int64_t block = 11'968;
static_assert(changed(1, [](plan_spec&) {}).activations.count == 2 * block);
// tp 2 with the sequence shared: all of it halves; without, the terms in h and the statistics do not
static_assert(changed(2, [](plan_spec& spec) { spec.tp = 2; }).activations.count == block);
static_assert(changed(2, [](plan_spec& spec) {
                spec.tp = 2;
                spec.sequence_parallel = toggle::off;
              }).activations.count == 2 * (8 * 8 * 64 + 8 * 960 / 2 + 128 / 2 + 64));
// tp 4 with two key/value heads: one whole head of 16 each
static_assert(changed(4, [](plan_spec& spec) { spec.tp = 4; }).activations.count ==
              2 * (8 * (512 / 4 + 4 * 16 + 4 * 16 + 576 / 4) + 32 + 16));
// cp 2: half of the tokens; all-to-all keeps the attention output once more, 2 q T
static_assert(changed(2, [](plan_spec& spec) { spec.cp = 2; }).activations.count == 2 * (block / 2 + 2 * 64 * 4));
// micro-batch and sequence multiply the tokens
static_assert(changed(1, [](plan_spec& spec) { spec.micro_batch = 2; }).activations.count == 4 * block);
static_assert(changed(1, [](plan_spec& spec) { spec.sequence = 24; }).activations.count == 6 * block);
// full recompute keeps the inputs of the blocks
static_assert(changed(1, [](plan_spec& spec) { spec.recompute = recomputes::full; }).activations.count == 2 * 2 * 64 * 8);
// fp32 activations; log-sum-exp and statistics are fp32 anyway
static_assert(changed(1, [](plan_spec& spec) { spec.precision = precisions::fp32::spec; }).activations.count ==
              2 * (2 * 8 * 1'472 + 128 + 64));
// GELU keeps 4f, a LayerNorm two numbers a token
static_assert(changed(1, [](plan_spec& spec) {
                spec.model.mlp = shardplan::mlp::plain;
                spec.model.norm = shardplan::norm::layer;
              }).activations.count == 2 * (8 * (512 + 256 + 128 + 384) + 128 + 128));
// in flight: 1F1B min(m, p - rank), GPipe m; four micro-batches, one layer a stage
constexpr auto pipeline = [](plan_spec& spec) { spec.pp = 2; };
constexpr auto gpipe = [](plan_spec& spec) {
  spec.pp = 2;
  spec.schedule = schedules::gpipe::spec;
};
static_assert(changed(2, pipeline).activations.count == 2 * block && changed(2, pipeline, 1).activations.count == block);
static_assert(changed(2, gpipe).activations.count == 4 * block && changed(2, gpipe, 1).activations.count == 4 * block);
// without a pipeline no order runs, and one micro-batch comes after the other
static_assert(changed(1, [](plan_spec& spec) { spec.schedule = schedules::gpipe::spec; }).activations ==
              changed(1, [](plan_spec&) {}).activations);
// three chunks of one layer each, four of them alive: 4 x 3 x block / 3; five of them: rounded up to whole bytes
template <std::int64_t Alive>
constexpr std::int64_t alive(std::int64_t, std::int64_t, std::int64_t, std::int64_t) {
  return Alive;
}
template <std::int64_t Alive>
constexpr std::int64_t chunked() {
  plan_spec spec = run_of(tiny, 2);
  spec.pp = 2;
  spec.model.layers = 6;
  spec.schedule = {.name = "own", .chunks = 3, .in_flight = &alive<Alive>};
  return stage_memory(spec, 0).device.activations.count;
}
static_assert(chunked<4>() == 4 * block && chunked<5>() == 5 * block && chunked<12>() == 12 * block);

// Experts: attention_inputs 7,360; a router of 8 in fp32; R = 16 routed copies, permuted in and out, 6 x 48 inside; 6 x 32 shared
constexpr transformer moe{.layers = 4,
                          .hidden = 64,
                          .heads = 4,
                          .kv_heads = 2,
                          .ffn = 96,
                          .vocab = 1000,
                          .experts = {.count = 8, .top_k = 2, .ffn = 48, .shared_ffn = 32, .leading_dense = 1}};
constexpr std::int64_t attention_inputs = 8 * (512 + 256 + 128) + 128 + 64;
constexpr std::int64_t expert_block = attention_inputs + 4 * 8 * 8 + 2 * 2 * 64 * 16 + 6 * 48 * 16 + 6 * 32 * 8;
static_assert(attention_inputs == 7'360 && expert_block == 17'856);
static_assert(stage_memory(run_of(moe), 0).device.activations.count == block + 3 * expert_block);
// tp 2: half of the copies with etp 1; with etp 2 all of them, half as wide inside
constexpr std::int64_t moe_on_two(std::int64_t etp) {
  plan_spec spec = run_of(moe, 2);
  spec.tp = 2;
  spec.etp = etp;
  return stage_memory(spec, 0).device.activations.count;
}
constexpr std::int64_t half_without_routed = attention_inputs / 2 + 4 * 8 * 4 + 6 * 16 * 8;
static_assert(moe_on_two(1) == block / 2 + 3 * (half_without_routed + 2 * 2 * 64 * 8 + 6 * 48 * 8));
static_assert(moe_on_two(2) == block / 2 + 3 * (half_without_routed + 2 * 2 * 64 * 16 + 6 * 24 * 16));

// The loss phase, on the last stage: logits 2 T V / t, beside them 8 T h / t, and 4 h T gathered when the sequence is shared.
static_assert(changed(1, [](plan_spec&) {}).logits.count == 16'000 && changed(1, [](plan_spec&) {}).working.count == 4'096);
static_assert(changed(2, [](plan_spec& spec) { spec.tp = 2; }).logits.count == 8'000 &&
              changed(2, [](plan_spec& spec) { spec.tp = 2; }).working.count == 2'048 + 2'048);
// Other stages: the backward of a block, T (4f + 2h) / t.
static_assert(changed(2, pipeline).logits.count == 0 && changed(2, pipeline).working.count == 8 * (4 * 96 + 2 * 64));
static_assert(changed(2, pipeline, 1).logits.count == 16'000 && changed(2, pipeline, 1).working.count == 4'096);
// With few words in the vocabulary that backward is the peak of the last stage too, and no logits are alive in it.
static_assert(changed(1, [](plan_spec& spec) {
                spec.model.vocab = 8;
                spec.model.ffn = 960;
              }).logits.count == 0);
static_assert(changed(1, [](plan_spec& spec) {
                spec.model.vocab = 8;
                spec.model.ffn = 960;
              }).working.count == 8 * (4 * 960 + 2 * 64));
// Full recompute has the complete set of one block in that phase.
static_assert(changed(2, [](plan_spec& spec) {
                spec.pp = 2;
                spec.recompute = recomputes::full;
              }).working.count == 4'096 + block);

// Scratch for weight gradients: 2 bytes for one weight of each shape: query 4,096, key and value 2,048, output 4,096, gate, up, down 6,144.
static_assert(changed(2, pipeline).buffers.count == 2 * 30'720 && changed(2, pipeline, 1).buffers.count == 2 * (30'720 + 64'000));
// One expert stands for all: attention 12,288, the dense network 18,432, an expert 9,216, the shared one 6,144, the head. The router runs
// in fp32 and has none.
static_assert(stage_memory(run_of(moe), 0).device.buffers.count == 2 * (12'288 + 18'432 + 9'216 + 6'144 + 64'000));
// ZeRO-2: one bucket of gradients that are not sharded, at most all of them.
static_assert(changed(2, [](plan_spec& spec) { spec.zero = 2; }).buffers.count == 2 * (30'720 + 64'000) + 2 * 189'760);
static_assert(changed(2, [](plan_spec& spec) { spec.offload.gradients = storage::host; }).buffers.count ==
              2 * (30'720 + 64'000) + 2 * 189'760);
// ZeRO-3: the largest unit (the output, 64,064) and a prefetched block (30,848) gathered, and the largest unit's gradient.
static_assert(changed(2, [](plan_spec& spec) { spec.zero = 3; }).working.count == 4'096 + 2 * (64'064 + 30'848) + 2 * 64'064);
// Autocast keeps a 2-byte copy of every weight of a matrix product.
static_assert(changed(1, [](plan_spec& spec) { spec.precision = precisions::torch_amp::spec; }).working.count ==
              4'096 + 2 * (2 * 30'720 + 64'000));

// reserve, allocated, total
constexpr memory_report report = changed(1, [](plan_spec& spec) { spec.headroom_mebibytes = 3; });
static_assert(report.reserve == 3_MiB && report.total() == report.allocated() + 3_MiB &&
              changed(1, [](plan_spec&) {}).reserve == 1'536_MiB);
static_assert(report.states().count == 16 * 189'760 && report.allocated().count == 16 * 189'760 + 2 * block + 16'000 + 4'096 + 2 * 94'720);
static_assert(component_of(report, component::weights).count == 2 * 189'760 && component_of(report, component::reserve) == 3_MiB &&
              component_of(report, component::optimizer).count == 8 * 189'760 && component_of(report, component::logits).count == 16'000);
static_assert(largest_component(report) == component::reserve);
static_assert(largest_component(changed(1, [](plan_spec& spec) { spec.headroom_mebibytes = 0; })) == component::optimizer);
static_assert(largest_component(memory_report{}) == component::weights &&
              largest_component({.working = 1_B, .buffers = 1_B}) == component::working);
