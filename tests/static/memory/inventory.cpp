// SPDX-License-Identifier: BSL-1.0
// States and kept activations of what a Llama does not have, against bytes counted by hand: latent attention, norms, biases of experts,
// every other layer routing, next-token layers.
#include <shardplan/model/parameters.hpp>
#include <shardplan/plan/evaluate.hpp>
#include <shardplan/recipe/optimizer.hpp>
#include <shardplan/spec/plan_spec.hpp>

#include <cstdint>

using namespace shardplan;

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
// Elements that a stage holds: two bytes each in the default layout. -1 where a rule is broken.
constexpr std::int64_t elements_on(const plan_spec& spec, std::int64_t stage) {
  return violations_in(spec).empty() ? stage_memory(spec, stage).device.weights.count / 2 : -1;
}
template <class Change>
constexpr plan_spec with(plan_spec spec, Change change) {
  change(spec);
  return spec;
}

// Latent attention on tp 2: whole are query_down 32 x 64, key_value_down (16 + 8) x 64 and their norms; of the four heads two: query 2 (8 +
// 16) x 32, key_value_up 2 (16 + 12) x 16, output 64 x 2 x 12.
constexpr transformer latent{.layers = 2,
                             .hidden = 64,
                             .heads = 4,
                             .ffn = 96,
                             .vocab = 1000,
                             .latent = {.query_rank = 32, .key_value_rank = 16, .rope_dim = 8, .nope_dim = 16, .value_dim = 12}};
constexpr std::int64_t down = 32 * 64 + 32 + 24 * 64 + 16;
constexpr std::int64_t up = 48 * 32 + 56 * 16 + 64 * 24;  // of two heads
constexpr std::int64_t latent_block = down + up + 3 * 64 * 48 + 128;
static_assert(elements_on(run_of(latent, 1), 0) == 2 * (down + 2 * up + 3 * 64 * 96 + 128) + 64 + 128'000);
static_assert(elements_on(with(run_of(latent, 2), [](plan_spec& spec) { spec.tp = 2; }), 0) == 2 * latent_block + 64 + 64'000);
// A bias of query, key and value is one of the projections down, whole on each rank.
static_assert(elements_on(with(run_of(latent, 2),
                               [](plan_spec& spec) {
                                 spec.tp = 2;
                                 spec.model.qkv_bias = true;
                               }),
                          0) == 2 * (latent_block + 32 + 24) + 64 + 64'000);
// Without a latent query there is one projection of 64 inputs.
static_assert(elements_on(with(run_of(latent, 1), [](plan_spec& spec) { spec.model.latent.query_rank = 0; }), 0) ==
              2 * (24 * 64 + 16 + 96 * 64 + 112 * 16 + 64 * 48 + 3 * 64 * 96 + 128) + 64 + 128'000);
// Heads need not divide the hidden width.
static_assert(elements_on(with(run_of(latent, 1), [](plan_spec& spec) { spec.model.heads = 3; }), 0) > 0);
// Kept by a block, eight tokens: 4h, queries and keys 96 each, values and output 48 each, two latent vectors before and after their norms
// and the rotary key; log-sum-exps, statistics of four norms.
constexpr auto kept = [](const plan_spec& spec) { return stage_memory(spec, 0).device.activations.count; };
constexpr std::int64_t latent_kept = 8 * (2 * (4 * 64 + 2 * 96 + 2 * 48 + 2 * 32 + 2 * 16 + 8 + 3 * 96) + 4 * 4 + 4 * 4);
static_assert(kept(run_of(latent, 1)) == 2 * latent_kept);

// Norms of queries and keys are whole on each rank; those of a head have its width.
constexpr transformer plain{.layers = 2, .hidden = 64, .heads = 4, .kv_heads = 2, .ffn = 96, .vocab = 1000};
constexpr std::int64_t plain_on_two = 2 * (15'360 + 128) + 64 + 64'000;
constexpr std::int64_t with_norms(qk_norm which, norm kind) {
  return elements_on(with(run_of(plain, 2),
                          [&](plan_spec& spec) {
                            spec.tp = 2;
                            spec.model.qk_norm = which;
                            spec.model.norm = kind;
                          }),
                     0);
}
static_assert(with_norms(qk_norm::none, norm::rms) == plain_on_two && with_norms(qk_norm::without_weights, norm::rms) == plain_on_two);
static_assert(with_norms(qk_norm::head, norm::rms) == plain_on_two + 2 * 32);
static_assert(with_norms(qk_norm::projection, norm::rms) == plain_on_two + 2 * (64 + 32));
static_assert(with_norms(qk_norm::head, norm::layer) == plain_on_two + 2 * 2 * 32 + 2 * 128 + 64);
static_assert(with_norms(qk_norm::head, norm::layer_without_bias) == plain_on_two + 2 * 32);
static_assert(with_norms(qk_norm::head, norm::layer_without_weights) == plain_on_two - 2 * 128 - 64);
// Their inputs are kept, and a statistic for each of six heads, or for both projections.
constexpr std::int64_t plain_kept = kept(run_of(plain, 1));
constexpr auto kept_after = [](auto change) { return kept(with(run_of(plain, 1), change)); };
static_assert(kept_after([](plan_spec& spec) { spec.model.qk_norm = qk_norm::head; }) == plain_kept + 2 * 8 * (2 * 96 + 4 * 6));
static_assert(kept_after([](plan_spec& spec) { spec.model.qk_norm = qk_norm::projection; }) == plain_kept + 2 * 8 * (2 * 96 + 4 * 2));

// One norm a block, four, none at the end, one after the embedding.
constexpr auto held = [](auto change) { return elements_on(with(run_of(plain, 1), change), 0); };
constexpr std::int64_t plain_held = 2 * (2 * 15'360 + 128) + 64 + 128'000;
static_assert(held([](plan_spec&) {}) == plain_held);
static_assert(held([](plan_spec& spec) { spec.model.block_norms = block_norms::one; }) == plain_held - 2 * 64);
static_assert(held([](plan_spec& spec) { spec.model.block_norms = block_norms::four; }) == plain_held + 2 * 128);
static_assert(held([](plan_spec& spec) { spec.model.final_norm = false; }) == plain_held - 64);
static_assert(held([](plan_spec& spec) { spec.model.embedding_norm = true; }) == plain_held + 64);
static_assert(kept_after([](plan_spec& spec) { spec.model.block_norms = block_norms::one; }) == plain_kept - 2 * 8 * (2 * 2 * 64 + 4));
static_assert(kept_after([](plan_spec& spec) { spec.model.block_norms = block_norms::four; }) == plain_kept + 2 * 8 * (2 * 2 * 64 + 2 * 4));
static_assert(kept_after([](plan_spec& spec) { spec.model.embedding_norm = true; }) == plain_kept + 8 * (2 * 64 + 4));
// A bias of the head is divided as the vocabulary is, padding too; sinks as the heads are.
constexpr auto held_on_two = [](auto change) {
  return elements_on(with(with(run_of(plain, 2), [](plan_spec& spec) { spec.tp = 2; }), change), 0);
};
static_assert(held_on_two([](plan_spec& spec) { spec.model.head_bias = true; }) == plain_on_two + 500);
static_assert(held_on_two([](plan_spec& spec) {
                spec.model.head_bias = true;
                spec.vocabulary_multiple = 512;
              }) == plain_on_two + 512 + 2 * 12 * 64);
static_assert(held_on_two([](plan_spec& spec) { spec.model.attention_sinks = true; }) == plain_on_two + 2 * 2);

// Experts with biases, one layer in two, the second first: layers 1 and 3 of five route. 8 experts of 48 on ep 2 and etp 2.
constexpr transformer every_other{.layers = 5,
                                  .hidden = 64,
                                  .heads = 4,
                                  .kv_heads = 2,
                                  .ffn = 96,
                                  .vocab = 1000,
                                  .experts = {.count = 8,
                                              .top_k = 2,
                                              .ffn = 48,
                                              .shared_ffn = 32,
                                              .leading_dense = 1,
                                              .layer_step = 2,
                                              .shared_gate = true,
                                              .router_bias = true,
                                              .bias = true}};
static_assert(every_other.dense_layers() == 3 && every_other.dense_layers_in(0, 2) == 1 && every_other.dense_layers_in(2, 3) == 2 &&
              every_other.dense_layers_in(1, 1) == 0 && every_other.dense_layers_in(4, 1) == 1);
constexpr std::int64_t block_on_two = 6'144 + 128;
constexpr std::int64_t dense_on_two = 9'216;
constexpr std::int64_t routing_on_two = 512 + 8 + 3 * 64 * 16 + 64;        // router, its bias, half of the shared expert, its gate
constexpr std::int64_t experts_on_four = 4 * (3 * 64 * 24 + 2 * 24 + 64);  // four experts, half of each, the bias down whole
constexpr plan_spec every_other_on_four(std::int64_t first, std::int64_t second) {
  return with(run_of(every_other, 4), [&](plan_spec& spec) {
    spec.tp = spec.pp = spec.ep = 2;
    spec.etp = 1;
    spec.layer_split.push_back(first);
    spec.layer_split.push_back(second);
  });
}
constexpr std::int64_t experts_on_two = 4 * (3 * 64 * 48 + 2 * 48 + 64);
static_assert(elements_on(every_other_on_four(3, 2), 0) == 32'000 + 3 * block_on_two + 2 * dense_on_two + routing_on_two + experts_on_two);
static_assert(elements_on(every_other_on_four(3, 2), 1) == 32'064 + 2 * block_on_two + dense_on_two + routing_on_two + experts_on_two);
static_assert(elements_on(every_other_on_four(1, 4), 0) == 32'000 + block_on_two + dense_on_two);
static_assert(elements_on(with(every_other_on_four(3, 2),
                               [](plan_spec& spec) {
                                 spec.nodes = 8;
                                 spec.global_batch = 8;
                                 spec.etp = 2;
                               }),
                          0) == 32'000 + 3 * block_on_two + 2 * dense_on_two + routing_on_two + experts_on_four);
// Muon: one moment for matrices, two for the rest, of an expert too; the vectors of the last stage are its norms, biases and the head.
constexpr std::int64_t muon_state(std::int64_t zero) {
  return stage_memory(with(every_other_on_four(3, 2),
                           [&](plan_spec& spec) {
                             spec.optimizer = optimizers::muon::spec;
                             spec.zero = zero;
                           }),
                      1)
      .device.optimizer.count;
}
constexpr std::int64_t muon_vectors = 32'064 + 2 * 128 + 8 + 4 * (2 * 48 + 64);
constexpr std::int64_t muon_matrices = 2 * 6'144 + dense_on_two + 512 + 3 * 64 * 16 + 64 + 4 * 3 * 64 * 48;
static_assert(muon_state(0) == 8 * muon_vectors + 4 * muon_matrices && muon_state(1) == muon_state(0));

// A next-token layer: on the last stage a block, three norms, a projection 64 x 128 and, with pp > 1, the embedding.
constexpr auto next = [](plan_spec& spec) { spec.model.next_token_layers = 1; };
constexpr std::int64_t one_block = 2 * 15'360 + 128;
static_assert(held(next) == plain_held + one_block + 3 * 64 + 64 * 128);
static_assert(parameter_count_of(with(run_of(plain, 1), next).model) == held(next));
constexpr plan_spec next_on_two(bool tied) {
  return with(run_of(plain, 2), [&](plan_spec& spec) {
    spec.pp = 2;
    spec.model.next_token_layers = 1;
    spec.model.tied_embeddings = tied;
  });
}
static_assert(elements_on(next_on_two(false), 0) == 64'000 + one_block);
static_assert(elements_on(next_on_two(false), 1) == 2 * one_block + 64 + 3 * 64 + 64 * 128 + 2 * 64'000);
static_assert(elements_on(next_on_two(true), 1) == 2 * one_block + 64 + 3 * 64 + 64 * 128 + 64'000);
static_assert(elements_on(with(every_other_on_four(3, 2), next), 1) ==
              3 * block_on_two + dense_on_two + 2 * (routing_on_two + experts_on_two) + 32'064 + 3 * 64 + 64 * 64 + 32'000);
