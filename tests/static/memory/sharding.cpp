// SPDX-License-Identifier: BSL-1.0
// States under FSDP, HSDP, MiCS, hpZ and Megatron-LM's buckets against bytes counted by hand, and layers laid out around slots.
#include <shardplan/core/bytes.hpp>
#include <shardplan/parallel/buffers.hpp>
#include <shardplan/plan/evaluate.hpp>
#include <shardplan/plan/plan.hpp>
#include <shardplan/plan/shard_map.hpp>
#include <shardplan/recipe/optimizer.hpp>
#include <shardplan/recipe/precision.hpp>
#include <shardplan/shardplan.hpp>
#include <shardplan/spec/plan_spec.hpp>

#include <cstdint>

using namespace shardplan;

// As in states.cpp: embedding and head 64,000 each; a block has query 4,096, key 2,048, value 2,048, output 4,096, gate, up and down 6,144
// each, two norms of 64: 30,848; the final norm 64. 189,760 in all.
constexpr transformer tiny{.layers = 2, .hidden = 64, .heads = 4, .kv_heads = 2, .ffn = 96, .vocab = 1000};

constexpr plan_spec run_of(const transformer& shape, std::int64_t devices) {
  plan_spec spec{};
  spec.model = shape;
  spec.device.memory = bytes{std::int64_t{1} << 50};
  spec.devices_per_node = 1;
  spec.nodes = devices;
  spec.sequence = 8;
  spec.micro_batch = 1;
  spec.global_batch = 2 * devices;  // two micro-batches: under FSDP too gradients are there when the second runs
  return spec;
}
constexpr bool holds(const plan_spec& spec, std::int64_t weights, std::int64_t gradients, std::int64_t master, std::int64_t optimizer) {
  const memory_report report = stage_memory(spec, 0).device;
  return violations_in(spec).empty() && report.weights.count == weights && report.gradients.count == gradients &&
         report.master.count == master && report.optimizer.count == optimizer;
}
template <class Part>
constexpr plan_spec with(const transformer& shape, std::int64_t devices,
                         const precision_spec& precision = precisions::bf16_fp32_master::spec,
                         const optimizer_spec& optimizer = optimizers::adamw::spec) {
  plan_spec spec = run_of(shape, devices);
  Part::apply(spec);
  spec.said_parts = 0;
  spec.precision = precision;
  spec.optimizer = optimizer;
  return spec;
}
constexpr bool holds_shares(const plan_spec& spec, std::int64_t share) { return holds(spec, 2 * share, 2 * share, 4 * share, 8 * share); }

// FSDP2 on 7: rows / 7 up. Embedding and head 143 x 64, query and output 10 x 64, key and value 5 x 64, gate and up 14 x 64, down 10 x 96,
// norms 10: 2 x 9,152 + 2 x 4,692 + 10.
static_assert(holds_shares(with<fsdp<>>(tiny, 7), 27'698));
// FSDP1 on 5: each block 6,170 of 30,848, the rest 25,613 of 128,064; one flat buffer would be 37,952 of 189,760.
static_assert(holds_shares(with<fsdp<flat_units>>(tiny, 5), 2 * 6'170 + 25'613));
static_assert(holds_shares(with<zero<3>>(tiny, 5), 37'952));
// Hybrid: groups of 5 among 10. MiCS: the same of one flat buffer.
static_assert(holds_shares(with<hsdp<5, flat_units>>(tiny, 10), 2 * 6'170 + 25'613));
static_assert(holds_shares(with<hsdp<7>>(tiny, 21), 27'698));
static_assert(holds_shares(with<zero<3, mics<5>>>(tiny, 10), 37'952));
// Two instances of Megatron-LM's distributed optimizer: groups of five of ten ranks, weights and gradients whole.
static_assert(holds(with<zero<1, shard_group<5>>>(tiny, 10), 2 * 189'760, 2 * 189'760, 4 * 37'952, 8 * 37'952));
// hpZ: shards of all ten, and 2 bytes of a second copy over groups of five.
static_assert(holds_shares(with<zero<3, hpz<5>>>(tiny, 10), 18'976));
static_assert(stage_memory(with<zero<3, hpz<5>>>(tiny, 10), 0).device.buffers.count -
                  stage_memory(with<zero<3>>(tiny, 10), 0).device.buffers.count ==
              2 * 37'952);
// Megatron-LM on 7: everything is a multiple of 64 here, the end is one of lcm(7, 128) = 896: 189,952, of which 27,136 each. Weights and
// gradients are whole buffers.
static_assert(holds(with<zero<1, megatron_buckets>>(tiny, 7), 2 * 189'952, 2 * 189'952, 4 * 27'136, 8 * 27'136));
static_assert(megatron::bucket_multiple(7) == 896 && megatron::bucket_multiple(96) == 384 && megatron::bucket_multiple(256) == 256);
static_assert(megatron::bucket_size(8) == 40'000'000 && megatron::bucket_size(64) == 64'000'000);
// Without alignment nothing enters: the plain distributed optimizer is the reference rule.
static_assert(holds(with<zero<1>>(tiny, 7), 2 * 189'760, 2 * 189'760, 4 * 27'109, 8 * 27'109));

// The optimizer sees FSDP2's shards: Adafactor's factors are 4 (rows + columns) of each, the norms' moments 4 x 10. 2 (143 + 64); 10 + 64
// and 5 + 64 twice each, 14 + 64 twice, 10 + 96, 2 x 10; 10.
static_assert(holds(with<fsdp<>>(tiny, 7, precisions::bf16_fp32_master::spec, optimizers::adafactor::spec), 2 * 27'698, 2 * 27'698,
                    4 * 27'698, 4 * (2 * 207 + 2 * (2 * 74 + 2 * 69 + 2 * 78 + 106 + 20) + 10)));
// 8 bits: tensors under 4,096 elements stay fp32, and only embedding and head have more.
static_assert(holds(with<fsdp<>>(tiny, 7, precisions::bf16_fp32_master::spec, optimizers::adamw_8bit::spec), 2 * 27'698, 2 * 27'698,
                    4 * 27'698, 2 * (2 * (9'152 + 4 * 36) + 4 * (2 * 4'692 + 10)) + 2'048));
// Muon: one moment on what the rank holds of hidden matrices, 4,672 of each block.
static_assert(holds(with<fsdp<>>(tiny, 7, precisions::bf16_fp32_master::spec, optimizers::muon::spec), 2 * 27'698, 2 * 27'698, 4 * 27'698,
                    8 * 27'698 - 4 * 2 * 4'672));

// fp32 shards that double as the master copy: 4 + 4 + 0 + 8 of each shard (torchtitan). ISEEKYAN/Megatron-LM pull request 157 measured
// the optimizer's part of 16,777,216 parameters: 134,217,728 bytes, where a master copy apart would make 201,326,592.
static_assert(holds(with<fsdp<>>(tiny, 7, precisions::torchtitan::spec), 4 * 27'698, 4 * 27'698, 0, 8 * 27'698));
constexpr std::int64_t optimizer_part(const precision_spec& precision) {
  return 16'777'216 * (precision.master + optimizers::adamw::spec.moments * precision.moment);
}
static_assert(optimizer_part(precisions::torchtitan::spec) == 134'217'728);
static_assert(optimizer_part(precisions::bf16_fp32_master::spec) == 201'326'592);

// Routed experts have their own sharers: 12 experts of 3 x 64 x 32 on ep 2, so 6 a rank; world 12, dp 12, experts shared by 6. FSDP2 cuts
// between them: 1 each. Over 12 replicas without ep there are 12 for 12, over 24 fewer than ranks: 32 and 64 rows / 24 up.
constexpr transformer with_experts{
    .layers = 1, .hidden = 64, .heads = 4, .vocab = 1000, .tied_embeddings = true, .experts = {.count = 12, .top_k = 2, .ffn = 32}};
constexpr std::int64_t one_expert = 3 * 64 * 32;
constexpr plan_spec expert_run(std::int64_t devices, std::int64_t ep) {
  plan_spec spec = with<fsdp<>>(with_experts, devices);
  spec.ep = ep;
  return spec;
}
// Embedding, four matrices of 64 x 64, router 12 x 64, three norms.
constexpr std::int64_t dense_on_12 = 84 * 64 + 4 * 6 * 64 + 64 + 3 * 6;
constexpr std::int64_t dense_on_24 = 42 * 64 + 4 * 3 * 64 + 64 + 3 * 3;
static_assert(holds_shares(expert_run(12, 2), dense_on_12 + one_expert));
static_assert(holds_shares(expert_run(12, 1), dense_on_12 + one_expert));
static_assert(holds_shares(expert_run(24, 1), dense_on_24 + 12 * (2 * 2 * 64 + 3 * 32)));
// What is no expert is cut along its own rows, however often it stands in one place: a next-token layer is a block, three norms of 64 and a
// projection of 64 x 128; two ranks hold half of each.
constexpr transformer with_next_token{
    .layers = 2, .hidden = 64, .heads = 4, .kv_heads = 2, .ffn = 96, .vocab = 1000, .next_token_layers = 1};
static_assert(holds_shares(with<fsdp<>>(with_next_token, 2), (189'760 + 30'848 + 3 * 64 + 64 * 128) / 2));
// Hybrid: two groups of 6 of 12 replicas; experts on ep 2 are shared by 6 ranks, so by 3 within a group.
constexpr plan_spec hybrid_experts() {
  plan_spec spec = with<hsdp<6>>(with_experts, 12);
  spec.ep = 2;
  return spec;
}
static_assert(derive(hybrid_experts()).dense_shards == 6 && derive(hybrid_experts()).expert_shards == 3);
static_assert(holds_shares(hybrid_experts(), 167 * 64 + 4 * 11 * 64 + 2 * 64 + 3 * 11 + 2 * one_expert));

// shard_map as constants: FSDP2 on 7, the first tensor and the last.
template <class... More>
using tiny_run = plan<cluster<devices::h100_sxm_80gb, 7, 1>, sequence<8>, micro_batch<1>, global_batch<7>, More...>;
struct tiny_model {
  static constexpr transformer shape = tiny;
};
using map = shard_map<tiny_run<model<tiny_model>, fsdp<>>>;
static_assert(map::size == 1 + 2 * 9 + 2 && map::dense.shard_length() == 27'698 && map::routed.length == 0);
static_assert(map::pieces[0].length == 64'000 && map::pieces[0].padding == 64 && map::pieces[0].bucket_length == 7 * 143 * 64);
static_assert(map::pieces[1].offset == 64'064 && map::pieces[1].layer == 0);
static_assert(place_of(map::pieces[0], 7, 0, 143 * 64).rank == 1 && place_of(map::pieces[0], 7, 0, 143 * 64).offset == 0);
static_assert(slice_of(map::pieces[0], 7, 0, 6).first == 6 * 143 * 64 && slice_of(map::pieces[0], 7, 0, 6).length == 142 * 64);
static_assert(place_of(map::pieces[1], 7, 0, 10).rank == 1 && place_of(map::pieces[1], 7, 0, 10).offset == 143 * 64);
// Nothing of a plan that cannot be computed.
static_assert(shard_map<tiny_run<model<tiny_model>, tp<3>>>::size == 0 && shard_map<tiny_run<model<tiny_model>>, 1>::size == 0);

// Slots. Llama 3.1 405B (arXiv 2407.21783): 126 layers on 16 stages, one fewer on the first and on the last.
using llama_405b = plan<model<models::llama3_1_405b>, cluster<devices::h100_sxm_80gb, 8, 1024>, sequence<8192>, micro_batch<1>,
                        global_batch<2048>, tp<8>, pp<16>, zero<2>, pipeline_slots<embedding_slot, loss_slot>>;
static_assert(llama_405b::world_size == 8192 && llama_405b::data_parallel == 64);
constexpr std::int64_t layers_on(std::int64_t stage) { return layers_of_stage(llama_405b::spec.layer_split, 126, 16, stage); }
static_assert(layers_on(0) == 7 && layers_on(1) == 8 && layers_on(14) == 8 && layers_on(15) == 7);
static_assert(first_layer_of_stage(llama_405b::spec.layer_split, 126, 16, 1) == 7 &&
              first_layer_of_stage(llama_405b::spec.layer_split, 126, 16, 15) == 119);

// Megatron-LM's functional test tp1_pp4_vp2_account_for_embedding_loss_in_pipeline_split: 6 layers and 2 slots on 8 chunks. The last rank
// has layer 2 and the chunk of the loss alone: a block of 12 h^2 + 13 h, the head and the final norm at 18 bytes, 520,363,008. Measured
// after a step: 612,510,208, 628,435,456 (A100) and 638,725,632 (H100), which is 87.9 to 112.9 MiB more.
struct two_chunks {
  static constexpr std::int64_t in_flight(std::int64_t, std::int64_t, std::int64_t, std::int64_t) { return 1; }
  static constexpr schedule_spec spec{.name = "two_chunks", .chunks = 2, .in_flight = &in_flight};
};
constexpr plan_spec megatron_slots() {
  plan_spec spec = run_of({.layers = 6,
                           .hidden = 512,
                           .heads = 8,
                           .ffn = 2048,
                           .vocab = 50304,
                           .positions = 1024,
                           .mlp = shardplan::mlp::plain,
                           .norm = shardplan::norm::layer,
                           .qkv_bias = true,
                           .attention_output_bias = true,
                           .mlp_bias = true},
                          8);
  spec.pp = 4;
  spec.schedule = two_chunks::spec;
  spec.precision = precisions::bf16_fp32_master_and_gradients::spec;
  spec.layer_split.embedding_slot = true;
  spec.layer_split.loss_slot = true;
  return spec;
}
static_assert(violations_in(megatron_slots()).empty());
static_assert(stage_memory(megatron_slots(), 3).device.states().count == 520'363'008);

// Next-token layers on another stage: their block, their norms and projection, and a copy of the embedding move there.
constexpr transformer further{.layers = 4, .hidden = 64, .heads = 4, .ffn = 96, .vocab = 1000, .next_token_layers = 1};
constexpr std::int64_t states_on(std::int64_t next_token_stage, std::int64_t stage) {
  plan_spec spec = run_of(further, 4);
  spec.pp = 4;
  spec.layer_split.next_token_stage = next_token_stage;
  return stage_memory(spec, stage).device.states().count / 16;
}
constexpr std::int64_t one_block = 4 * 4'096 + 3 * 6'144 + 2 * 64;
constexpr std::int64_t around = 3 * 64 + 64 * 128;
static_assert(states_on(unset, 3) == states_on(3, 3) && states_on(3, 3) == 2 * one_block + around + 64'000 + 64 + 64'000);
static_assert(states_on(2, 3) == one_block + 64 + 64'000);
static_assert(states_on(2, 2) == 2 * one_block + around + 64'000);
static_assert(states_on(0, 0) == 2 * one_block + around + 64'000);  // its own embedding
