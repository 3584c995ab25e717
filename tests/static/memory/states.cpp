// SPDX-License-Identifier: BSL-1.0
// Exact states against bytes counted by hand (facts/memory.md, sections 2 and 3): every optimizer and precision layout, ZeRO's rounding,
// tied embeddings, key/value heads, leading dense layers, and where each of them lives.
#include <shardplan/core/bytes.hpp>
#include <shardplan/parallel/stages.hpp>
#include <shardplan/plan/evaluate.hpp>
#include <shardplan/recipe/optimizer.hpp>
#include <shardplan/recipe/precision.hpp>
#include <shardplan/spec/plan_spec.hpp>

#include <cstdint>

using namespace shardplan;

// Two layers: embedding and head 64,000 each; a block has query 4,096, key 2,048, value 2,048, output 4,096, gate, up and down 6,144 each,
// two norms of 64: 30,848; the final norm 64. 189,760 in all, 61,440 of them in hidden matrices.
constexpr transformer tiny{.layers = 2, .hidden = 64, .heads = 4, .kv_heads = 2, .ffn = 96, .vocab = 1000};
constexpr std::int64_t parameters = 64'000 + 2 * 30'848 + 64 + 64'000;
static_assert(parameters == 189'760);

// A run of a shape on `devices` devices of unlimited memory.
constexpr plan_spec run_of(const transformer& shape, std::int64_t devices) {
  plan_spec spec{};
  spec.model = shape;
  spec.device.memory = bytes{std::int64_t{1} << 50};
  spec.devices_per_node = 1;
  spec.nodes = devices;
  spec.sequence = 8;
  spec.micro_batch = 1;
  spec.global_batch = devices;
  return spec;
}
constexpr bool holds(const plan_spec& spec, std::int64_t stage, std::int64_t weights, std::int64_t gradients, std::int64_t master,
                     std::int64_t optimizer) {
  const memory_report report = stage_memory(spec, stage).device;
  return violations_in(spec).empty() && report.weights.count == weights && report.gradients.count == gradients &&
         report.master.count == master && report.optimizer.count == optimizer &&
         report.states().count == weights + gradients + master + optimizer;
}
constexpr bool costs(const precision_spec& precision, const optimizer_spec& optimizer, std::int64_t weights, std::int64_t gradients,
                     std::int64_t master, std::int64_t state) {
  plan_spec spec = run_of(tiny, 1);
  spec.precision = precision;
  spec.optimizer = optimizer;
  return holds(spec, 0, weights, gradients, master, state);
}

// Optimizer state of `tiny`, in bytes: sgd, momentum, adam, adamw, lion, adamw_8bit, lion_8bit, adafactor, muon.
// 8 bits, a tensor of n >= 4,096 elements: n + 4 ceil(n / 256) a moment, so 65,000 (embedding, head), 4,160 (query, output), 6,240 (gate,
// up, down); smaller ones 4n. adamw_8bit: 2 (2 x 65,000 + 2 (2 x 4,160 + 3 x 6,240 + 2 x 4 x 2,048 + 2 x 4 x 64) + 4 x 64) + 2,048 =
// 438,304. adafactor: 4 (m + n) for a matrix, 4n for a norm: 2 x 4,256 + 2 (2 x 512 + 2 x 384 + 3 x 640 + 2 x 256) + 256 = 17,216. muon:
// one moment on the 61,440 elements of hidden matrices, two on 128,320.
struct row {
  precision_spec precision;
  std::int64_t weight, gradient, master;  // a parameter
  std::int64_t state[9];
};
constexpr row table[] = {
    // 12 = 2 + 2 + 0 + 8
    {precisions::handbook_bf16::spec, 2, 2, 0, {0, 759'040, 1'518'080, 1'518'080, 759'040, 438'304, 219'152, 17'216, 1'272'320}},
    // 16 = 2 + 2 + 4 + 8
    {precisions::bf16_fp32_master::spec, 2, 2, 4, {0, 759'040, 1'518'080, 1'518'080, 759'040, 438'304, 219'152, 17'216, 1'272'320}},
    // 18 = 2 + 4 + 4 + 8
    {precisions::bf16_fp32_master_and_gradients::spec,
     2,
     4,
     4,
     {0, 759'040, 1'518'080, 1'518'080, 759'040, 438'304, 219'152, 17'216, 1'272'320}},
    // 20 = 2 + (2 + 4) + 4 + 8
    {precisions::bf16_fp32_accumulator::spec, 2, 6, 4, {0, 759'040, 1'518'080, 1'518'080, 759'040, 438'304, 219'152, 17'216, 1'272'320}},
    // 8 = 2 + 2 + 0 + 4; factors and 8-bit moments keep their own precision
    {precisions::pure_bf16::spec, 2, 2, 0, {0, 379'520, 759'040, 759'040, 379'520, 438'304, 219'152, 17'216, 636'160}},
    // 16 = 4 + 4 + 0 + 8
    {precisions::fp32::spec, 4, 4, 0, {0, 759'040, 1'518'080, 1'518'080, 759'040, 438'304, 219'152, 17'216, 1'272'320}},
    {precisions::torch_amp::spec, 4, 4, 0, {0, 759'040, 1'518'080, 1'518'080, 759'040, 438'304, 219'152, 17'216, 1'272'320}},
};
constexpr optimizer_spec algorithms[] = {optimizers::sgd::spec,       optimizers::momentum::spec,  optimizers::adam::spec,
                                         optimizers::adamw::spec,     optimizers::lion::spec,      optimizers::adamw_8bit::spec,
                                         optimizers::lion_8bit::spec, optimizers::adafactor::spec, optimizers::muon::spec};
constexpr bool is_right(const row& line) {
  for (int i = 0; i < 9; ++i)
    if (!costs(line.precision, algorithms[i], line.weight * parameters, line.gradient * parameters, line.master * parameters,
               line.state[i]))
      return false;
  return true;
}
static_assert(is_right(table[0]));
static_assert(is_right(table[1]));
static_assert(is_right(table[2]));
static_assert(is_right(table[3]));
static_assert(is_right(table[4]));
static_assert(is_right(table[5]));
static_assert(is_right(table[6]));

// The bound of 4,096 elements and the blocks of 256, one tensor at a time: a vocabulary of v rows of 64, and what the rest (two norms of a
// block, the final norm and matrices of 64 x 64) has beside it.
constexpr std::int64_t embedding_state(std::int64_t rows, const optimizer_spec& optimizer) {
  plan_spec spec = run_of({.layers = 1, .hidden = 64, .heads = 4, .ffn = 64, .vocab = rows, .tied_embeddings = true}, 1);
  spec.optimizer = optimizer;
  return stage_memory(spec, 0).device.optimizer.count - (optimizer.moments * (7 * (4'096 + 4 * 16) + 3 * 4 * 64) + optimizer.table_bytes);
}
static_assert(embedding_state(63, optimizers::adamw_8bit::spec) == 2 * 4 * 4'032);         // 4,032 elements: fp32
static_assert(embedding_state(64, optimizers::adamw_8bit::spec) == 2 * (4'096 + 4 * 16));  // 4,096: 16 blocks
static_assert(embedding_state(65, optimizers::adamw_8bit::spec) == 2 * (4'160 + 4 * 17));  // 4,160: 16 blocks and a part of one
static_assert(embedding_state(68, optimizers::lion_8bit::spec) == 4'352 + 4 * 17);         // 4,352: 17 blocks
// A user's own quantised optimizer: three moments in blocks of 128, tensors under 1,000 in fp32.
constexpr optimizer_spec own_8bit{
    .name = "own", .moments = 3, .moment = 4, .bits = 8, .block = 128, .least_elements = 1'000, .table_bytes = 7};
static_assert(costs(
    precisions::fp32::spec, own_8bit, 4 * parameters, 4 * parameters, 0,
    3 * (2 * (64'000 + 4 * 500) + 2 * (2 * (4'096 + 4 * 32) + 2 * (2'048 + 4 * 16) + 3 * (6'144 + 4 * 48) + 2 * 4 * 64) + 4 * 64) + 7));

// ZeRO on 7 devices: 189,760 = 7 x 27,108 + 4, so 27,109 each, rounded up once.
constexpr plan_spec on_seven(std::int64_t zero, const optimizer_spec& optimizer = optimizers::adamw::spec) {
  plan_spec spec = run_of(tiny, 7);
  spec.zero = zero;
  spec.optimizer = optimizer;
  return spec;
}
static_assert(holds(on_seven(0), 0, 2 * 189'760, 2 * 189'760, 4 * 189'760, 8 * 189'760));
static_assert(holds(on_seven(1), 0, 2 * 189'760, 2 * 189'760, 4 * 27'109, 8 * 27'109));
static_assert(holds(on_seven(2), 0, 2 * 189'760, 2 * 27'109, 4 * 27'109, 8 * 27'109));
static_assert(holds(on_seven(3), 0, 2 * 27'109, 2 * 27'109, 4 * 27'109, 8 * 27'109));
// The flat part has no rows and columns: one large tensor of 106 blocks; no factors; hidden matrices (8,778 of 61,440) apart from the rest
// (18,332 of 128,320).
static_assert(holds(on_seven(1, optimizers::adamw_8bit::spec), 0, 379'520, 379'520, 108'436, 2 * (27'109 + 4 * 106) + 2'048));
static_assert(holds(on_seven(1, optimizers::lion_8bit::spec), 0, 379'520, 379'520, 108'436, 27'109 + 4 * 106 + 1'024));
static_assert(holds(on_seven(1, optimizers::adafactor::spec), 0, 379'520, 379'520, 108'436, 4 * 27'109));
static_assert(holds(on_seven(1, optimizers::muon::spec), 0, 379'520, 379'520, 108'436, 4 * 8'778 + 8 * 18'332));
static_assert(holds(on_seven(1, optimizers::lion::spec), 0, 379'520, 379'520, 108'436, 4 * 27'109));
static_assert(holds(on_seven(1, optimizers::sgd::spec), 0, 379'520, 379'520, 108'436, 0));
// 64 devices: 2,965 elements are under the bound of 4,096
constexpr plan_spec on_sixty_four() {
  plan_spec spec = run_of(tiny, 64);
  spec.zero = 3;
  spec.optimizer = optimizers::adamw_8bit::spec;
  return spec;
}
static_assert(holds(on_sixty_four(), 0, 2 * 2'965, 2 * 2'965, 4 * 2'965, 2 * 4 * 2'965 + 2'048));
// Accumulators are gradients: sharded from ZeRO-2 on.
constexpr plan_spec accumulating(std::int64_t zero) {
  plan_spec spec = on_seven(zero);
  spec.precision = precisions::bf16_fp32_accumulator::spec;
  return spec;
}
static_assert(holds(accumulating(1), 0, 379'520, 6 * 189'760, 108'436, 216'872));
static_assert(holds(accumulating(2), 0, 379'520, 6 * 27'109, 108'436, 216'872));

// Context parallel ranks share the states too: dp 2 x cp 4.
constexpr plan_spec with_context_parallel() {
  plan_spec spec = run_of(tiny, 8);
  spec.cp = 4;
  spec.zero = 1;
  return spec;
}
static_assert(holds(with_context_parallel(), 0, 379'520, 379'520, 4 * 23'720, 8 * 23'720));

// tp 2: every matrix halves, norms do not: 189,760 / 2 + 5 x 64 / 2 = 95,040. Key and value of 16 x 64 each.
constexpr plan_spec on_two(const optimizer_spec& optimizer = optimizers::adamw::spec) {
  plan_spec spec = run_of(tiny, 2);
  spec.tp = 2;
  spec.optimizer = optimizer;
  return spec;
}
static_assert(holds(on_two(), 0, 2 * 95'040, 2 * 95'040, 4 * 95'040, 8 * 95'040));
// The optimizer sees the shards: those of query, key, value, output and of the three of 3,072 are under 4,096 elements.
static_assert(holds(on_two(optimizers::adamw_8bit::spec), 0, 190'080, 190'080, 380'160,
                    2 * (2 * (32'000 + 4 * 125) + 2 * 4 * (2 * 2'048 + 2 * 1'024 + 3 * 3'072 + 2 * 64) + 4 * 64) + 2'048));
static_assert(holds(on_two(optimizers::adafactor::spec), 0, 190'080, 190'080, 380'160,
                    4 * (2 * 564 + 2 * (2 * 96 + 2 * 80 + 3 * 112 + 2 * 64) + 64)));
// tp 4 with two key/value heads: each rank holds one whole head of 16 x 64, not half of one.
constexpr plan_spec on_four() {
  plan_spec spec = run_of(tiny, 4);
  spec.tp = 4;
  return spec;
}
constexpr std::int64_t quarter = 2 * 16'000 + 2 * (1'024 + 1'024 + 1'024 + 1'024 + 3 * 1'536 + 128) + 64;
static_assert(quarter == 49'728 && holds(on_four(), 0, 2 * quarter, 2 * quarter, 4 * quarter, 8 * quarter));

// Tied embeddings: once on one stage; with pp 2 on the first and on the last, states too.
constexpr plan_spec tied(std::int64_t stages, std::int64_t zero = 0) {
  transformer shape = tiny;
  shape.tied_embeddings = true;
  plan_spec spec = run_of(shape, 2 * stages);
  spec.pp = stages;
  spec.dp = 2;
  spec.global_batch = 4;
  spec.zero = zero;
  return spec;
}
static_assert(holds(tied(1), 0, 2 * 125'760, 2 * 125'760, 4 * 125'760, 8 * 125'760));
static_assert(holds(tied(2), 0, 2 * 94'848, 2 * 94'848, 4 * 94'848, 8 * 94'848));
static_assert(holds(tied(2), 1, 2 * 94'912, 2 * 94'912, 4 * 94'912, 8 * 94'912));
static_assert(holds(tied(2, 1), 1, 2 * 94'912, 2 * 94'912, 4 * 47'456, 8 * 47'456));
constexpr plan_spec tied_with_muon() {
  plan_spec spec = tied(2);
  spec.optimizer = optimizers::muon::spec;
  return spec;
}
// The copy is an embedding there as well: Adam's two moments, and no hidden matrix.
static_assert(holds(tied_with_muon(), 1, 2 * 94'912, 2 * 94'912, 4 * 94'912, 4 * 30'720 + 8 * 64'192));

// A GPT: learned positions on the first stage, whole on every tp rank; biases of column-parallel linears (query 64, key 32, value 32, up
// 96) are divided, those of row-parallel linears (two of 64) and norms (two of 2 x 64) are not.
constexpr transformer gpt{.layers = 2,
                          .hidden = 64,
                          .heads = 4,
                          .kv_heads = 2,
                          .ffn = 96,
                          .vocab = 1000,
                          .positions = 50,
                          .mlp = shardplan::mlp::plain,
                          .norm = shardplan::norm::layer,
                          .qkv_bias = true,
                          .attention_output_bias = true,
                          .mlp_bias = true};
constexpr plan_spec gpt_on_four() {
  plan_spec spec = run_of(gpt, 4);
  spec.tp = 2;
  spec.pp = 2;
  return spec;
}
constexpr std::int64_t gpt_block = (12'288 + 2 * 6'144) / 2 + (64 + 32 + 32 + 96) / 2 + 2 * 64 + 2 * 128;
static_assert(gpt_block == 12'784);
static_assert(holds(gpt_on_four(), 0, 2 * (32'000 + 3'200 + gpt_block), 2 * (35'200 + gpt_block), 4 * (35'200 + gpt_block),
                    8 * (35'200 + gpt_block)));
static_assert(holds(gpt_on_four(), 1, 2 * (32'128 + gpt_block), 2 * (32'128 + gpt_block), 4 * (32'128 + gpt_block),
                    8 * (32'128 + gpt_block)));

// A padded vocabulary: 1,000 rows to 1,024 on tp 2.
constexpr plan_spec padded() {
  plan_spec spec = on_two();
  spec.vocabulary_multiple = 256 * 2;
  return spec;
}
static_assert(holds(padded(), 0, 2 * (95'040 + 2 * 12 * 64), 2 * 96'576, 4 * 96'576, 8 * 96'576));

// Experts: four layers, the first dense; 8 experts of 48, two a token, a shared one of 32. Attention and norms 12,416; the dense network
// 18,432; router 512, an expert 9,216, the shared one 6,144.
constexpr transformer moe{.layers = 4,
                          .hidden = 64,
                          .heads = 4,
                          .kv_heads = 2,
                          .ffn = 96,
                          .vocab = 1000,
                          .experts = {.count = 8, .top_k = 2, .ffn = 48, .shared_ffn = 32, .leading_dense = 1}};
// tp 2, pp 2, dp 4, ep 4 on 16 devices: dense states over 4, experts over 16 / (4 x 2) = 2.
constexpr plan_spec moe_on_sixteen(std::int64_t zero) {
  plan_spec spec = run_of(moe, 16);
  spec.tp = 2;
  spec.pp = 2;
  spec.ep = 4;
  spec.zero = zero;
  return spec;
}
// Stage 0: embedding 32,000, two attentions of 6,272, the dense network 9,216, one router 512, shared 3,072; two experts whole.
constexpr std::int64_t dense_0 = 32'000 + 2 * 6'272 + 9'216 + 512 + 3'072;
constexpr std::int64_t dense_1 = 2 * (6'272 + 512 + 3'072) + 64 + 32'000;
static_assert(dense_0 == 57'344 && dense_1 == 51'776);
static_assert(holds(moe_on_sixteen(0), 0, 2 * (dense_0 + 18'432), 2 * (dense_0 + 18'432), 4 * (dense_0 + 18'432), 8 * (dense_0 + 18'432)));
static_assert(holds(moe_on_sixteen(0), 1, 2 * (dense_1 + 36'864), 2 * (dense_1 + 36'864), 4 * (dense_1 + 36'864), 8 * (dense_1 + 36'864)));
static_assert(holds(moe_on_sixteen(1), 0, 151'552, 151'552, 4 * (14'336 + 9'216), 8 * (14'336 + 9'216)));
static_assert(holds(moe_on_sixteen(1), 1, 177'280, 177'280, 4 * (12'944 + 18'432), 8 * (12'944 + 18'432)));
static_assert(holds(moe_on_sixteen(3), 1, 2 * 31'376, 2 * 31'376, 4 * 31'376, 8 * 31'376));
// All layers dense: no expert anywhere.
constexpr plan_spec all_dense() {
  plan_spec spec = run_of(moe, 1);
  spec.model.experts.leading_dense = 4;
  return spec;
}
constexpr std::int64_t dense_parameters = 128'000 + 4 * 30'848 + 64;
static_assert(holds(all_dense(), 0, 2 * dense_parameters, 2 * dense_parameters, 4 * dense_parameters, 8 * dense_parameters));
// dp 6, ep 2: dense 216,128 over 6 is 36,022 (rounded up once), experts 3 x 4 x 9,216 = 110,592 over 3 is 36,864.
constexpr plan_spec moe_on_six(const optimizer_spec& optimizer = optimizers::adamw::spec) {
  plan_spec spec = run_of(moe, 6);
  spec.ep = 2;
  spec.zero = 1;
  spec.optimizer = optimizer;
  return spec;
}
static_assert(128'000 + 64 + 4 * 12'416 + 18'432 + 3 * (512 + 6'144) == 216'128 && 216'128 % 6 == 2);
static_assert(holds(moe_on_six(), 0, 2 * 326'720, 2 * 326'720, 4 * (36'022 + 36'864), 8 * (36'022 + 36'864)));
// Muon: experts are hidden matrices; of the dense part attention 49,152, the dense network, routers and shared experts are.
static_assert(holds(moe_on_six(optimizers::muon::spec), 0, 653'440, 653'440, 291'544,
                    4 * 36'864 + 4 * ((49'152 + 18'432 + 19'968) / 6) + 8 * 21'430));
static_assert((216'128 - 87'552 + 5) / 6 == 21'430 && 87'552 % 6 == 0);
// 8 bits: dense and experts are two flat buffers of 141 and 144 blocks, one set of tables.
static_assert(holds(moe_on_six(optimizers::adamw_8bit::spec), 0, 653'440, 653'440, 291'544,
                    2 * (36'022 + 4 * 141) + 2 * (36'864 + 4 * 144) + 2'048));
// Without ZeRO each expert is a tensor of its own: 48 x 64 = 3,072 elements stay in fp32, factored rules go expert by expert.
constexpr plan_spec moe_on_one(const optimizer_spec& optimizer) {
  plan_spec spec = run_of(moe, 1);
  spec.optimizer = optimizer;
  return spec;
}
constexpr std::int64_t all_parameters = 216'128 + 221'184;
static_assert(holds(moe_on_one(optimizers::adafactor::spec), 0, 2 * all_parameters, 2 * all_parameters, 4 * all_parameters,
                    2 * 4'256 + 4 * (2 * 512 + 2 * 384 + 2 * 256) + 3 * 640 + 256 + 3 * (4 * 72 + 24 * 4 * 112 + 3 * 4 * 96)));
static_assert(holds(moe_on_one(optimizers::lion_8bit::spec), 0, 2 * all_parameters, 2 * all_parameters, 4 * all_parameters,
                    2 * 65'000 + 4 * (2 * 4'160 + 2 * 8'192 + 512) + 3 * 6'240 + 256 + 3 * (4 * 512 + 24 * 4 * 3'072 + 3 * 4 * 2'048) +
                        1'024));
// etp 2: half of the width of each expert; the router and the shared expert follow tp, which is 1.
constexpr plan_spec with_expert_tensor_parallel() {
  plan_spec spec = run_of(moe, 8);
  spec.ep = 4;
  spec.etp = 2;
  return spec;
}
static_assert(holds(with_expert_tensor_parallel(), 0, 2 * (216'128 + 27'648), 2 * 243'776, 4 * 243'776, 8 * 243'776));

// Offloaded states are not on the device, and somewhere.
constexpr plan_spec offloaded(storage states, storage gradients) {
  plan_spec spec = on_seven(2);
  spec.offload = {states, gradients};
  return spec;
}
constexpr std::int64_t shared = 12 * 27'109;
static_assert(holds(offloaded(storage::host, storage::device), 0, 379'520, 54'218, 0, 0));
static_assert(stage_memory(offloaded(storage::host, storage::device), 0).offloaded == offload_report{bytes{shared}, bytes{}});
static_assert(stage_memory(offloaded(storage::nvme, storage::host), 0).offloaded == offload_report{bytes{54'218}, bytes{shared}});
static_assert(stage_memory(offloaded(storage::host, storage::host), 0).offloaded == offload_report{bytes{54'218 + shared}, bytes{}});
static_assert(holds(offloaded(storage::nvme, storage::host), 0, 379'520, 0, 0, 0));
// Half of the moments to the host, 8 bytes of each: master weights and gradients stay.
constexpr plan_spec half_moments(std::int64_t percent) {
  plan_spec spec = run_of(tiny, 1);
  spec.offload.moments_percent = percent;
  return spec;
}
static_assert(holds(half_moments(50), 0, 379'520, 379'520, 759'040, 759'040));
static_assert(stage_memory(half_moments(50), 0).offloaded == offload_report{bytes{759'040}, bytes{}});
static_assert(stage_memory(half_moments(33), 0).offloaded == offload_report{bytes{500'966}, bytes{}});  // 500,966.4
static_assert(stage_memory(half_moments(100), 0).device.optimizer.count == 0);
static_assert(stage_memory(offloaded(storage::device, storage::device), 0).offloaded == offload_report{});

// Chunks are summed: 8 layers, pp 2, v 2. Loop: rank 0 has the first two and the third pair, rank 1 the head. V: rank 0 has both ends.
constexpr std::int64_t two_in_flight(std::int64_t, std::int64_t, std::int64_t, std::int64_t) { return 2; }
constexpr plan_spec chunked(placement layout) {
  transformer shape = tiny;
  shape.layers = 8;
  plan_spec spec = run_of(shape, 2);
  spec.pp = 2;
  spec.schedule = {.name = "chunked", .chunks = 2, .layout = layout, .in_flight = &two_in_flight};
  return spec;
}
static_assert(stage_memory(chunked(placement::loop), 0).device.weights.count == 2 * (64'000 + 4 * 30'848));
static_assert(stage_memory(chunked(placement::loop), 1).device.weights.count == 2 * (64'064 + 4 * 30'848));
static_assert(stage_memory(chunked(placement::v_shape), 0).device.weights.count == 2 * (128'064 + 4 * 30'848));
static_assert(stage_memory(chunked(placement::v_shape), 1).device.weights.count == 2 * (4 * 30'848));
// Uneven: one count a chunk, in stage order; stage 3 is the second chunk of rank 1 (loop) or of rank 0 (V).
constexpr plan_spec uneven(placement layout) {
  plan_spec spec = chunked(layout);
  layer_split<1, 3, 2, 2>::apply(spec);
  return spec;
}
static_assert(stage_memory(uneven(placement::loop), 0).device.weights.count == 2 * (64'000 + 3 * 30'848));
static_assert(stage_memory(uneven(placement::loop), 1).device.weights.count == 2 * (64'064 + 5 * 30'848));
static_assert(stage_memory(uneven(placement::v_shape), 0).device.weights.count == 2 * (128'064 + 3 * 30'848));
static_assert(stage_memory(uneven(placement::v_shape), 1).device.weights.count == 2 * (5 * 30'848));

// No such stage: nothing.
static_assert(stage_memory(run_of(tiny, 1), 1).device == memory_report{} && stage_memory(run_of(tiny, 1), -1).device == memory_report{});
