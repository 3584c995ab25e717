// SPDX-License-Identifier: BSL-1.0
// States that depend on the shapes of tensors, counted by hand (facts/memory.md section 2): quantised moments, factored and preconditioned
// matrices, low rank, means of blocks, the step inside backward; FP8 and MXFP8 weights; and how ZeRO shares each of them out.
#include <shardplan/core/bytes.hpp>
#include <shardplan/memory/optimizer_state.hpp>
#include <shardplan/memory/weight_storage.hpp>
#include <shardplan/plan/evaluate.hpp>
#include <shardplan/recipe/optimizer.hpp>
#include <shardplan/recipe/precision.hpp>
#include <shardplan/spec/plan_spec.hpp>

#include <cstdint>

using namespace shardplan;

// Two layers. Embedding and head of 1,000 x 64; a block: query 64 x 64, key and value 32 x 64, output 64 x 64, gate and up 96 x 64, down
// 64 x 96, two norms of 64; the final norm. 128,000 + 2 x (30,720 + 128) + 64 = 189,760 elements, five vectors of 64 among them.
constexpr transformer tiny{.layers = 2, .hidden = 64, .heads = 4, .kv_heads = 2, .ffn = 96, .vocab = 1000};
constexpr std::int64_t parameters = 189'760;
constexpr std::int64_t in_matrices = parameters - 5 * 64;
constexpr std::int64_t in_blocks = 2 * 30'720;

constexpr plan_spec run_of(const optimizer_spec& optimizer, const precision_spec& precision, std::int64_t devices = 1,
                           std::int64_t zero = 0) {
  plan_spec spec{};
  spec.model = tiny;
  spec.device.memory = bytes{std::int64_t{1} << 50};
  spec.devices_per_node = 1;
  spec.nodes = devices;
  spec.sequence = 32;  // MXFP8 kernels take no fewer
  spec.micro_batch = 1;
  spec.global_batch = devices;
  spec.optimizer = optimizer;
  spec.precision = precision;
  spec.zero = zero;
  return spec;
}
constexpr memory_report report_of(const plan_spec& spec, std::int64_t stage = 0) {
  return violations_in(spec).empty() ? stage_memory(spec, stage).device : memory_report{};
}
// Optimizer state with fp32 moments in the layout, and with bf16 ones.
constexpr bool keeps(const optimizer_spec& optimizer, std::int64_t with_fp32, std::int64_t with_bf16) {
  return report_of(run_of(optimizer, precisions::bf16_fp32_master::spec)).optimizer.count == with_fp32 &&
         report_of(run_of(optimizer, precisions::pure_bf16::spec)).optimizer.count == with_bf16;
}

// Whole moments.
static_assert(keeps(optimizers::ademamix::spec, 12 * parameters, 6 * parameters));
static_assert(keeps(optimizers::sophia::spec, 8 * parameters, 4 * parameters));
static_assert(keeps(optimizers::adamuon::spec, 8 * parameters, 4 * parameters));
static_assert(keeps(optimizers::lomo::spec, 0, 0));
constexpr optimizer_spec own_precision{.name = "own", .moments = 2, .moment = 4};  // fp32 moments whatever the layout says
static_assert(keeps(own_precision, 8 * parameters, 8 * parameters) &&
              report_of(run_of(own_precision, precisions::pure_bf16::spec, 7, 1)).optimizer.count == 8 * 27'109);

// Quantised. Tensors of at least 4,096 elements: embedding and head 64,000, query and output 4,096, gate, up and down 6,144, twice; that is
// 128,000 + 2 x (8,192 + 18,432) = 181,248 elements in 2 + 10 tensors. Key and value (2,048) and norms are smaller: 8,512 elements.
constexpr std::int64_t large = 181'248;
constexpr std::int64_t small = 8'512;
static_assert(large + small == parameters && large == 256 * 708 && large == 128 * 1'416);
static_assert(keeps(optimizers::ademamix_8bit::spec, 3 * (large + 4 * 708 + 4 * small) + 2'048, 3 * (large + 4 * 708 + 4 * small) + 2'048));
static_assert(keeps(optimizers::ao_adamw_8bit::spec, 2 * (large + 4 * 708 + 12 * 1'024 + 4 * small),
                    2 * (large + 4 * 708 + 12 * 1'024 + 2 * small)));
static_assert(keeps(optimizers::ao_adamw_4bit::spec, 2 * (large / 2 + 4 * 1'416 + 12 * 64 + 4 * small),
                    2 * (large / 2 + 4 * 1'416 + 12 * 64 + 2 * small)));
static_assert(keeps(optimizers::ao_adamw_fp8::spec, 2 * (large + 4 * 708 + 4 * small), 2 * (large + 4 * 708 + 2 * small)));

// One tensor by itself: a part of a block, and half a byte. 65 x 67 = 4,355 elements = 17 x 256 + 3 = 34 x 128 + 3.
constexpr std::int64_t of_one(const optimizer_spec& optimizer, std::int64_t rows, std::int64_t columns, std::int64_t copies = 1,
                              role purpose = role::mlp, const char* name = "up") {
  return whole_state_bytes(optimizer, precisions::fp32::spec, name, purpose, tensor_shard{rows, columns, copies}, 16);
}
static_assert(of_one(optimizers::adamw_8bit::spec, 65, 67) == 2 * (4'355 + 4 * 18));
static_assert(of_one(optimizers::ao_adamw_8bit::spec, 65, 67) == 8 * 4'355);  // blocks do not divide it: not quantised
static_assert(of_one(optimizers::ao_adamw_4bit::spec, 65, 67) == 8 * 4'355);
static_assert(of_one(optimizers::ao_adamw_4bit::spec, 65, 128) == 2 * (4'160 + 4 * 65 + 64));
static_assert(of_one(optimizers::ao_adamw_8bit::spec, 63, 64) == 8 * 4'032);
static_assert(of_one(optimizers::ao_adamw_8bit::spec, 64, 64, 3) == 3 * 2 * (4'096 + 4 * 16 + 1'024));
constexpr optimizer_spec own_4bit{.name = "own", .moments = 1, .bits = 4, .block = 128, .least_elements = 0};
static_assert(of_one(own_4bit, 65, 67) == 2'178 + 4 * 35 && of_one(own_4bit, 1, 1) == 1 + 4);

// Factored: m + n of each matrix: 2 x 1,064 outside, in a block 2 x 128 + 2 x 96 + 3 x 160 = 928. Experts are matrices of their own.
constexpr std::int64_t sums = 2 * 1'064 + 2 * 928;
static_assert(keeps(optimizers::adafactor::spec, 4 * sums + 4 * 320, 4 * sums + 4 * 320));
static_assert(keeps(optimizers::adafactor_momentum::spec, 4 * in_matrices + 4 * sums + 8 * 320, 4 * in_matrices + 4 * sums + 8 * 320));
static_assert(keeps(optimizers::came::spec, 4 * in_matrices + 8 * sums + 8 * 320, 2 * in_matrices + 4 * sums + 4 * 320));
static_assert(of_one(optimizers::adafactor::spec, 48, 64, 8, role::routed_expert) == 8 * 4 * (48 + 64));
static_assert(of_one(optimizers::came::spec, 3, 5) == 4 * 15 + 8 * 8);

// Shampoo: both sides of each block twice, fp32. In blocks of 60, 64 is 60 + 4 (3,616 of squares in 2 pieces), 96 is 60 + 36 (4,896 in 2),
// 32 is 1,024 in 1 piece, 1,000 is 16 x 60 + 40 (59,200 in 17).
constexpr std::int64_t squares_of_60 =
    2 * (2 * 59'200 + 17 * 3'616) + 2 * (2 * (2 * 3'616 + 2 * 3'616) + 2 * (2 * 1'024 + 3'616) + 3 * (2 * 4'896 + 2 * 3'616));
static_assert(keeps(optimizers::shampoo<60, 1>::spec, 4 * parameters + 8 * squares_of_60, 2 * parameters + 8 * squares_of_60));
constexpr std::int64_t squares = 2 * (1'000'000 + 4'096) + 2 * (2 * (4'096 + 4'096) + 2 * (1'024 + 4'096) + 3 * (9'216 + 4'096));
static_assert(keeps(optimizers::shampoo<0, 2>::spec, 8 * parameters + 8 * squares, 4 * parameters + 8 * squares));
static_assert(of_one(optimizers::shampoo<4, 0>::spec, 8, 4) == 8 * (2 * 16 + 2 * 16));  // two blocks of 4 x 4
static_assert(of_one(optimizers::shampoo<4, 0>::spec, 4, 9) == 8 * (3 * 16 + 16 + 16 + 1));
static_assert(of_one(optimizers::shampoo<4, 0>::spec, 9, 4) == 8 * (3 * 16 + 16 + 16 + 1));
static_assert(of_one(optimizers::shampoo<4, 1>::spec, 9, 1, 1, role::norm) == 4 * 9);
// SOAP: sides over the bound have none, fp32 whatever the layout says.
static_assert(keeps(optimizers::soap<>::spec, 8 * parameters + 8 * squares, 8 * parameters + 8 * squares));
static_assert(keeps(optimizers::soap<90>::spec, 8 * parameters + 8 * (squares - 2 * 1'000'000 - 2 * 3 * 9'216),
                    8 * parameters + 8 * (squares - 2 * 1'000'000 - 2 * 3 * 9'216)));
static_assert(of_one(optimizers::soap<96>::spec, 96, 97) == 8 * 96 * 97 + 8 * 96 * 96);

// GaLore: moments of rank by the longer side (64, 64, 64, 64, 96, 96, 96), projector of rank by the shorter (64, 32, 32, 64, 64, 64, 64);
// where a side is shorter than the rank (key and value), that side.
constexpr std::int64_t longer = 4 * 64 + 3 * 96;
static_assert(keeps(optimizers::galore<8>::spec, 8 * (parameters - in_blocks) + 2 * 8 * (8 * longer + 4 * 384),
                    4 * (parameters - in_blocks) + 2 * 8 * (4 * longer + 2 * 384)));
static_assert(keeps(optimizers::galore<40>::spec, 8 * (parameters - in_blocks) + 2 * (40 * (8 * 416 + 4 * 320) + 32 * (8 * 128 + 4 * 64)),
                    4 * (parameters - in_blocks) + 2 * (40 * (4 * 416 + 2 * 320) + 32 * (4 * 128 + 2 * 64))));
static_assert(of_one(optimizers::galore<2>::spec, 7, 3) == 8 * 2 * 7 + 4 * 2 * 3 && of_one(optimizers::galore<2>::spec, 3, 7) == 136);

// Adam-mini: one moment and a mean for each block: rows of 1,000 (two), a head of query (4) and key (2), rows of value 32, output 64, gate
// and up 96, down 64, and one a norm.
constexpr std::int64_t means = 2'000 + 2 * (4 + 2 + 32 + 64 + 96 + 96 + 64 + 2) + 1;
static_assert(keeps(optimizers::adam_mini::spec, 4 * parameters + 4 * means, 4 * parameters + 4 * means));
static_assert(of_one(optimizers::adam_mini::spec, 32, 5, 1, role::attention, "key") == 4 * 160 + 4 * 2 &&
              of_one(optimizers::adam_mini::spec, 32, 5, 1, role::attention, "value") == 4 * 160 + 4 * 32 &&
              of_one(optimizers::adam_mini::spec, 32, 1, 1, role::bias, "query_bias") == 4 * 32 + 4);

// A user's own: two moments outside the matrices of blocks, one in them, with a pair of sums of 2-byte numbers.
constexpr optimizer_spec own{
    .name = "own", .moments = 2, .matrix_moments = 1, .matrices = matrix_rule::factored, .hidden_only = true, .matrix_size = 1};
static_assert(keeps(own, 8 * (parameters - in_blocks) + 4 * (in_blocks + 2 * 928),
                    4 * (parameters - in_blocks) + 2 * (in_blocks + 2 * 928)));

// Tensor parallelism: each rank has the rule of its own part. tp 2: query 32 x 64, key and value 16 x 64, output 64 x 32, gate and up
// 48 x 64, down 64 x 48; embedding and head 500 x 64; norms whole.
constexpr plan_spec on_two(const optimizer_spec& optimizer) {
  plan_spec spec = run_of(optimizer, precisions::fp32::spec, 2);
  spec.tp = 2;
  spec.global_batch = 1;
  return spec;
}
static_assert(report_of(on_two(optimizers::adafactor::spec)).optimizer.count == 4 * (2 * 564 + 2 * (2 * 96 + 2 * 80 + 3 * 112)) + 4 * 320);
static_assert(report_of(on_two(optimizers::adam_mini::spec)).optimizer.count ==
              4 * (in_matrices / 2 + 320) + 4 * (1'000 + 2 * (2 + 1 + 16 + 64 + 48 + 48 + 64 + 2) + 1));

// ZeRO on 7 devices: 27,109 elements each. What needs rows and columns is shared out byte by byte; the rest is a flat part.
constexpr std::int64_t shared(const optimizer_spec& optimizer, std::int64_t zero) {
  return report_of(run_of(optimizer, precisions::bf16_fp32_master::spec, 7, zero)).optimizer.count;
}
constexpr std::int64_t seventh(std::int64_t whole) { return (whole + 6) / 7; }
static_assert(shared(optimizers::soap<>::spec, 1) == seventh(8 * parameters + 8 * squares) &&
              shared(optimizers::soap<>::spec, 3) == seventh(8 * parameters + 8 * squares));
static_assert(shared(optimizers::shampoo<60, 1>::spec, 2) == seventh(4 * parameters + 8 * squares_of_60));
static_assert(shared(optimizers::galore<8>::spec, 1) == seventh(8 * (parameters - in_blocks) + 2 * 8 * (8 * longer + 4 * 384)));
static_assert(shared(optimizers::adam_mini::spec, 1) == seventh(4 * parameters + 4 * means));
static_assert(shared(optimizers::came::spec, 1) == 2 * 4 * 27'109 && shared(optimizers::adafactor_momentum::spec, 1) == 2 * 4 * 27'109);
static_assert(shared(optimizers::ao_adamw_4bit::spec, 1) == 2 * (13'555 + 4 * 212 + 64));  // 27,109 = 211 x 128 + 101, half of it 13,554.5
static_assert(shared(optimizers::ao_adamw_fp8::spec, 3) == 2 * (27'109 + 4 * 106));
static_assert(shared(optimizers::ademamix_8bit::spec, 1) == 3 * (27'109 + 4 * 106) + 2'048);
static_assert(shared(optimizers::adamuon::spec, 1) == 8 * 8'778 + 8 * 18'332);

// With experts over two groups each part is rounded by itself: dense states over 6, routed ones over 3.
constexpr transformer moe{.layers = 4,
                          .hidden = 64,
                          .heads = 4,
                          .kv_heads = 2,
                          .ffn = 96,
                          .vocab = 1000,
                          .experts = {.count = 8, .top_k = 2, .ffn = 48, .shared_ffn = 32, .leading_dense = 1}};
constexpr plan_spec moe_on_six(const optimizer_spec& optimizer, const precision_spec& precision, std::int64_t zero) {
  plan_spec spec = run_of(optimizer, precision, 6, zero);
  spec.model = moe;
  spec.ep = 2;
  return spec;
}
// Means: embedding and head 2,000; attention 4 + 2 + 32 + 64 and two norms in 4 blocks; 96 + 96 + 64 in the dense one; router 8, shared
// 32 + 32 + 64 in three; final norm. An expert: 48 + 48 + 64, twelve on the rank.
constexpr std::int64_t dense_means = 2'000 + 4 * 104 + 256 + 3 * (8 + 128) + 1;
static_assert(report_of(moe_on_six(optimizers::adam_mini::spec, precisions::fp32::spec, 1)).optimizer.count ==
              (4 * (216'128 + dense_means) + 5) / 6 + (4 * 12 * (9'216 + 160) + 2) / 3);
static_assert(report_of(moe_on_six(optimizers::adam_mini::spec, precisions::fp32::spec, 0)).optimizer.count ==
              4 * (216'128 + dense_means) + 4 * 12 * (9'216 + 160));

// Pipelines: each stage sums its own blocks; tied embeddings twice, states too. 94,848 and 94,912 elements; means 1,000 + 360 (+ 1).
constexpr plan_spec tied(const optimizer_spec& optimizer, const precision_spec& precision) {
  plan_spec spec = run_of(optimizer, precision, 2);
  spec.model.tied_embeddings = true;
  spec.pp = 2;
  return spec;
}
static_assert(report_of(tied(optimizers::adam_mini::spec, precisions::fp32::spec), 0).optimizer.count == 4 * (94'848 + 1'360) &&
              report_of(tied(optimizers::adam_mini::spec, precisions::fp32::spec), 1).optimizer.count == 4 * (94'912 + 1'361));

// The step inside backward: of gradients the largest tensor's, on every stage its own, whatever ZeRO shards. Without embedding and head:
// 6,144 elements of gate, up or down.
static_assert(report_of(run_of(optimizers::lomo::spec, precisions::pure_bf16::spec)).gradients.count == 2 * 64'000);
static_assert(report_of(run_of(optimizers::lomo::spec, precisions::bf16_fp32_accumulator::spec, 7, 3)).gradients.count == 6 * 64'000);
constexpr plan_spec lomo_in_four_stages() {
  plan_spec spec = run_of(optimizers::lomo::spec, precisions::fp32::spec, 4);
  spec.model.layers = 4;
  spec.pp = 4;
  return spec;
}
static_assert(report_of(lomo_in_four_stages(), 0).gradients.count == 4 * 64'000 &&
              report_of(lomo_in_four_stages(), 1).gradients.count == 4 * 6'144 &&
              report_of(lomo_in_four_stages(), 3).gradients.count == 4 * 64'000);
static_assert(report_of(moe_on_six(optimizers::lomo::spec, precisions::fp32::spec, 0)).gradients.count == 4 * 64'000);
constexpr optimizer_spec adam_in_backward{.name = "own", .moments = 2, .fused_step = true};  // torchtune PR 527: 2P and the largest tensor
static_assert(report_of(run_of(adam_in_backward, precisions::pure_bf16::spec)).states().count == (2 + 4) * parameters + 2 * 64'000);

// Precision layouts: weights, gradients, master, two moments; and the forms under ZeRO that their sources print.
constexpr bool layout(const precision_spec& precision, std::int64_t zero, std::int64_t weights, std::int64_t gradients, std::int64_t master,
                      std::int64_t moments) {
  const memory_report report = report_of(run_of(optimizers::adamw::spec, precision, 7, zero));
  return report.weights.count == weights && report.gradients.count == gradients && report.master.count == master &&
         report.optimizer.count == moments;
}
constexpr std::int64_t whole = parameters;
constexpr std::int64_t share = 27'109;
static_assert(layout(precisions::fp16_fp32_gradient_copy::spec, 0, 2 * whole, 6 * whole, 4 * whole, 8 * whole));              // 20
static_assert(layout(precisions::fp16_fp32_gradient_copy::spec, 1, 2 * whole, 2 * whole + 4 * share, 4 * share, 8 * share));  // 4 + 16/d
static_assert(layout(precisions::fp16_fp32_gradient_copy::spec, 2, 2 * whole, 6 * share, 4 * share, 8 * share));
static_assert(layout(precisions::precision_aware::spec, 0, 2 * whole, 2 * whole, 2 * whole, 4 * whole));                 // 10
static_assert(layout(precisions::precision_aware::spec, 1, 2 * whole, 2 * whole, 2 * share, 4 * share));                 // 4 + 6/d
static_assert(layout(precisions::precision_aware_fp32_gradients::spec, 1, 2 * whole, 4 * whole, 2 * share, 4 * share));  // 6 + 6/d
static_assert(layout(precisions::precision_aware_fp32_moments::spec, 1, 2 * whole, 4 * whole, 2 * share, 8 * share));    // 6 + 10/d
static_assert(layout(precisions::precision_aware_fp8_moments::spec, 1, 2 * whole, 4 * whole, 2 * share, 2 * (share + 4)));
static_assert(layout(precisions::precision_aware_fp8_moments::spec, 0, 2 * whole, 4 * whole, 2 * whole,
                     2 * (whole + 4 * 21)));  // 21 tensors
static_assert(layout(precisions::ms_amp_o1::spec, 0, 2 * whole, whole, 0, 8 * whole));
static_assert(layout(precisions::ms_amp_o2::spec, 0, 2 * whole, whole, 0, 3 * whole));
static_assert(layout(precisions::ms_amp_o2::spec, 1, 2 * whole, whole, 0, 3 * share));
static_assert(layout(precisions::ms_amp_o3::spec, 0, whole, whole, 2 * whole, 3 * whole));
static_assert(layout(precisions::torchtitan::spec, 3, 4 * share, 4 * share, 0, 8 * share));              // 16/d
static_assert(layout(precisions::torchtitan_bf16_states::spec, 3, 4 * share, 4 * share, 0, 4 * share));  // 12/d
static_assert(report_of(run_of(optimizers::lion::spec, precisions::ms_amp_o2::spec)).optimizer.count == parameters);

// FP8: the matrices of blocks only. Copies live with the unsharded weight, so not under ZeRO-3.
static_assert(layout(precisions::fp8_compute::spec, 1, 2 * whole + in_blocks, 4 * whole, 4 * share, 8 * share));
static_assert(layout(precisions::fp8_compute_transposed::spec, 2, 2 * whole + 2 * in_blocks, 4 * share, 4 * share, 8 * share));
static_assert(layout(precisions::fp8_compute::spec, 3, seventh(2 * whole), 4 * share, 4 * share, 8 * share));
static_assert(layout(precisions::fp8_weights::spec, 0, 2 * (whole - in_blocks) + in_blocks, 4 * whole, 4 * whole, 8 * whole));
static_assert(layout(precisions::fp8_weights_transposed::spec, 1, 2 * whole, 4 * whole, 4 * share, 8 * share));
static_assert(layout(precisions::fp8_weights_transposed::spec, 3, seventh(2 * whole - in_blocks), 4 * share, 4 * share, 8 * share));
// MXFP8: both ways 8 bits; scales in arrays of rows up to 128 x columns / 32 up to 4. All matrices of `tiny` pad to 128 x 4.
static_assert(layout(precisions::mxfp8_weights::spec, 0, 2 * whole + 14 * 2 * 512, 4 * whole, 4 * whole, 8 * whole));
static_assert(layout(precisions::mxfp8_weights::spec, 3, seventh(2 * whole - in_blocks + 14 * 512), 4 * share, 4 * share, 8 * share));
// dense: 4 blocks of four matrices, three of the dense network, router in bf16, three of the shared expert; routed: 3 x 12 on the rank
static_assert(report_of(moe_on_six(optimizers::adamw::spec, precisions::mxfp8_weights::spec, 3)).weights.count ==
              (2 * 216'128 - (4 * 12'288 + 18'432 + 3 * 6'144) + (4 * 4 + 3 + 3 * 3) * 512 + 5) / 6 + (12 * 9'216 + 36 * 512 + 2) / 3);
constexpr std::int64_t mxfp8(std::int64_t rows, std::int64_t columns, std::int64_t copies = 1, role purpose = role::mlp) {
  return whole_weight_bytes(precisions::mxfp8_weights::spec, purpose, tensor_shard{rows, columns, copies}, true);
}
static_assert(16 * mxfp8(4'096, 11'008) == 33 * 4'096 * 11'008);                                     // 2.0625
static_assert(mxfp8(129, 160, 3) == 3 * (2 * 129 * 160 + 256 * 8 + 8 * 256));                        // 5 blocks to 8, 5 rows of blocks to 8
static_assert(mxfp8(1'000, 64, 1, role::head) == 2 * 64'000 && mxfp8(64, 1, 1, role::norm) == 128);  // not quantised
// DeepSeek-V3: an fp32 scale for each square of 128 x 128, in the copy too where there is one.
constexpr std::int64_t with_squares(std::int64_t rows, std::int64_t columns, std::int64_t copy_bits) {
  precision_spec spec = precisions::deepseek_fp8::spec;
  spec.linear_copy_bits = copy_bits;
  return whole_weight_bytes(spec, role::mlp, tensor_shard{rows, columns, 3}, true);
}
static_assert(with_squares(7'168, 2'048, 0) == 3 * (7'168 * 2'048 + 4 * 56 * 16));
static_assert(with_squares(129, 128, 0) == 3 * (129 * 128 + 4 * 2) && with_squares(129, 129, 8) == 3 * 2 * (129 * 129 + 4 * 4));
constexpr precision_spec four_bits{.name = "own", .weight = 2, .compute = 2, .linear_bits = 4, .scale_block = 16};
static_assert(whole_weight_bytes(four_bits, role::mlp, tensor_shard{3, 5, 2}, true) == 2 * (8 + 128 * 4));
