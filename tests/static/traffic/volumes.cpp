// SPDX-License-Identifier: BSL-1.0
// Bytes that a rank sends, against worked figures: Megatron-LM's and Llama 3's layouts, DeepSeek-V3's experts, a 7B model by accumulation.
#include <shardplan/core/bytes.hpp>
#include <shardplan/traffic/algorithms.hpp>
#include <shardplan/traffic/collective.hpp>
#include <shardplan/traffic/context_parallel.hpp>
#include <shardplan/traffic/data_parallel.hpp>
#include <shardplan/traffic/expert_parallel.hpp>
#include <shardplan/traffic/pipeline_parallel.hpp>
#include <shardplan/traffic/tensor_parallel.hpp>

#include "../handbook/refused.hpp"

#include <cstdint>

using namespace shardplan;
using namespace shardplan::literals;

// Tensor parallel: X = 4 x 2,048 x 4,096 x 2 = 64 MiB. Plain 8(t - 1)/t X, with sequence parallelism 10(t - 1)/t X.
constexpr fraction block(bool sequence_parallel, std::int64_t tp, recomputes recompute = recomputes::none) {
  return ring_passes(block_collectives(sequence_parallel, recompute).passes(), 64_MiB, tp);
}
static_assert(block(false, 2) == 256 << 20 && block(false, 4) == 402'653'184 && block(false, 8) == 469'762'048 && block(false, 1) == 0);
static_assert(block(true, 2) == 320 << 20 && block(true, 4) == 503'316'480 && block(true, 8) == 587'202'560);
static_assert(block(false, 8, recomputes::full) - block(false, 8) == fraction{4 * 7, 8} * fraction{64 << 20} &&
              block(true, 8, recomputes::full) - block(true, 8) == fraction{4 * 7, 8} * fraction{64 << 20});
static_assert(block_collectives(true) == collective_counts{0, 4, 6} && block_collectives(false) == collective_counts{4, 0, 0});
static_assert(embedding_collectives(false) == collective_counts{1, 0, 0} && embedding_collectives(true) == collective_counts{0, 1, 1});
static_assert(head_collectives(true) == collective_counts{0, 1, 2} && head_collectives(false).passes() == 2);

// Llama 3.1 405B, t 8, p 16, s 8,192: X = 256 MiB; a layer sends 1,879,048,192 bytes plain and 2,348,810,240 with sequence parallelism.
constexpr std::int64_t layer_405b(bool sequence_parallel) {
  return ring_passes(block_collectives(sequence_parallel).passes(), bytes{std::int64_t{8'192} * 16'384 * 2}, 8).numerator;
}
static_assert(layer_405b(false) == 1'879'048'192 && layer_405b(true) == 2'348'810'240);
static_assert(8 * 16 * layer_405b(false) == 240'518'168'576 && 8 * 16 * layer_405b(true) == 300'647'710'720);
static_assert(16 * pipeline_sends(16, 1, 7).forward * (std::int64_t{256} << 20) == 4'294'967'296);

// Pipeline: stages x chunks - 1 boundaries in all.
static_assert(pipeline_sends(4, 1, 0) == boundary_sends{1, 0} && pipeline_sends(4, 1, 3) == boundary_sends{0, 1} &&
              pipeline_sends(4, 3, 1) == boundary_sends{3, 3} && pipeline_sends(1, 4, 0) == boundary_sends{});
constexpr bool balanced(std::int64_t stages, std::int64_t chunks) {
  boundary_sends sent{}, received{};
  for (std::int64_t rank = 0; rank < stages; ++rank) {
    sent.forward += pipeline_sends(stages, chunks, rank).forward;
    sent.backward += pipeline_sends(stages, chunks, rank).backward;
    received.forward += pipeline_receives(stages, chunks, rank).forward;
    received.backward += pipeline_receives(stages, chunks, rank).backward;
  }
  return sent == received && sent.forward == stages * chunks - 1 && sent.backward == stages * chunks - 1;
}
static_assert(balanced(2, 1) && balanced(4, 3) && balanced(16, 8));
static_assert(refused([] { return pipeline_sends(4, 0, 0); }) && refused([] { return pipeline_receives(4, 1, 4); }));

// Llama 405B, s 131,072, c 16, t 8: 4 MiB of keys and values a layer; ring and all-gather 60 MiB, Ulysses 120 with the one head copied.
constexpr attention_slice long_context{.batch = 1, .tokens = 8'192, .heads = 16, .kv_heads = 1, .head_dim = 128};
static_assert(long_context.keys_and_values() == 4_MiB);
static_assert(context_parallel_sent(context_exchange::ring, long_context, 16) == context_sent{60 << 20, 120 << 20} &&
              context_parallel_sent(context_exchange::all_gather, long_context, 16) == context_sent{60 << 20, 120 << 20});
static_assert(context_parallel_sent(context_exchange::ulysses, long_context, 16) == context_sent{120 << 20, 120 << 20});
constexpr attention_slice many_heads{.batch = 1, .tokens = 8'192, .heads = 16, .kv_heads = 16, .head_dim = 128, .gradient_bytes = 4};
static_assert(context_parallel_sent(context_exchange::ulysses, many_heads, 4).forward == (64 << 20) * 2 / 4 * 3 &&
              context_parallel_sent(context_exchange::ring, many_heads, 4) == context_sent{3 * (64 << 20), 9 * (64 << 20)});
static_assert(context_parallel_sent(context_exchange::ulysses, long_context, 1) == context_sent{} &&
              context_parallel_sent(context_exchange::ring, long_context, 1) == context_sent{});
static_assert(refused([] { return context_parallel_sent(context_exchange::ulysses, long_context, 3); }) &&
              refused([] { return context_parallel_sent(context_exchange::ring, long_context, 0); }));

// DeepSeek-V3: 4,096 tokens, top 8, ep 64 on 8 nodes, at most 4 nodes a token. In MB: 462.4, 238.4, 106.0, 205.5.
constexpr token_format bf16{.hidden = 7'168};
constexpr token_format fp8{.hidden = 7'168, .bytes_per_element = 1, .block = 128};
static_assert(bf16.size() == 14'336 && fp8.size() == 7'168 + 56 * 4);
static_assert(dispatch_sent(bf16, 4'096, 8, 64) == 462'422'016 && dispatch_sent(fp8, 4'096, 8, 64) == 238'436'352);
static_assert(remote_nodes(4, 8) == fraction{7, 2} && node_limited_sent(fp8, 4'096, 4, 8) == 105'971'712 &&
              node_limited_sent(bf16, 4'096, 4, 8) == 205'520'896);
static_assert(dispatch_sent(bf16, 4'096, 8, 64, {5, 4}) == fraction{5, 4} * dispatch_sent(bf16, 4'096, 8, 64) &&
              dispatch_sent(bf16, 4'096, 8, 1) == 0);
static_assert(refused([] { return remote_nodes(9, 8); }) && refused([] { return dispatch_sent(bf16, -1, 8, 64); }));

// 7B over 8 replicas, 14 GB of weights and of gradients: bytes by micro-steps for ZeRO-1, 2, 3, FSDP without resharding, and reducing late.
constexpr fraction of_7b(data_parallel_scheme scheme, std::int64_t micro_steps) {
  return data_parallel_sent(data_parallel_collectives(scheme, micro_steps), 14_GB, 14_GB, 8);
}
constexpr data_parallel_scheme keeps{.zero = 3, .reshard_after_forward = false};
constexpr data_parallel_scheme keeps_and_waits{.zero = 3, .reshard_after_forward = false, .sync_last_only = true};
constexpr data_parallel_scheme waits{.zero = 3, .sync_last_only = true};
constexpr std::int64_t tenths = 100'000'000;  // of a GB
static_assert(of_7b({0}, 1) == 245 * tenths && of_7b({0}, 8) == 245 * tenths && of_7b({1}, 1) == 245 * tenths &&
              of_7b({1}, 8) == 245 * tenths);
static_assert(of_7b({2}, 1) == 245 * tenths && of_7b({2}, 4) == 61'250'000'000 && of_7b({2}, 8) == 110'250'000'000);
static_assert(of_7b({3}, 1) == 36'750'000'000 && of_7b({3}, 4) == 147'000'000'000 && of_7b({3}, 8) == 294'000'000'000);
static_assert(of_7b(keeps, 1) == 245 * tenths && of_7b(keeps, 4) == 98'000'000'000 && of_7b(keeps, 8) == 196'000'000'000);
static_assert(of_7b(keeps_and_waits, 1) == 245 * tenths && of_7b(keeps_and_waits, 4) == 61'250'000'000 &&
              of_7b(keeps_and_waits, 8) == 110'250'000'000);
static_assert(data_parallel_collectives(waits, 4) == data_parallel_counts{0, 1, 8});
static_assert(refused([] { return data_parallel_collectives({4}, 1); }) && refused([] { return data_parallel_collectives({1}, 0); }) &&
              refused([] { return data_parallel_collectives({.zero = 2, .sync_last_only = true}, 2); }));

// Exactly: equal to the ideal where the replicas divide the buffer, and what the padding adds where they do not.
static_assert(data_parallel_sent_exactly({0, 1, 1}, 7'000'000'000, 2, 2, 8) == 245 * tenths);
static_assert(data_parallel_sent_exactly({0, 1, 1}, 10, 2, 4, 3) == 2 * 4 * 6 &&
              data_parallel_sent_exactly({0, 1, 1}, 10, 2, 4, 3, 64) == 2 * 64 * 6 &&
              data_parallel_sent_exactly({1, 0, 0}, 10, 2, 4, 1) == 0);
// Hybrid: 8 shards, 2 groups: the shards' terms and a sum of an eighth of the gradients.
static_assert(hybrid_sent({0, 1, 2}, 14_GB, 14_GB, 8, 2) == 36'750'000'000 + 14'000'000'000 / 8 &&
              hybrid_sent({0, 1, 2}, 14_GB, 14_GB, 8, 1) == 36'750'000'000);
// ZeRO++: 3 psi become 0.5 + 0 + 0.25.
static_assert(across_nodes({}) == 3 && across_nodes({true, true, true}) == fraction{3, 4} &&
              across_nodes({.quantized_weights = true}) == 2 && across_nodes({.secondary_shard = true}) == 2 &&
              across_nodes({.quantized_gradients = true}) == fraction{9, 4});

// Algorithms of one all-reduce: a ring and a tree send the same, a switch up to 2(n - 1)/n times less, two levels spare the slow links.
static_assert(tree_all_reduce_sent(64_MiB, 8) == ring_sent(collective::all_reduce, 64_MiB, 8) &&
              in_switch_all_reduce_sent(64_MiB, 8) == 64 << 20 && in_switch_all_reduce_sent(64_MiB, 1) == 0);
static_assert(hierarchical_all_reduce_sent(64_MiB, 8, 4).inside == 112 << 20 &&
              hierarchical_all_reduce_sent(64_MiB, 8, 4).outside == 12 << 20 && hierarchical_all_reduce_sent(64_MiB, 8, 1).outside == 0);
static_assert(ring_sent(collective::broadcast, 5_MiB, 4) == 5 << 20 && ring_sent(collective::send, 5_MiB, 1) == 0 &&
              ring_sent(collective::all_to_all, 8_MiB, 4) == 6 << 20);
static_assert(ring_share(collective::broadcast, 5, 3, 2) == sent_received{0, 5} &&
              ring_share(collective::send, 5, 3, 0) == sent_received{5, 0} && ring_share(collective::send, 5, 3, 2) == sent_received{} &&
              ring_share(collective::all_reduce, 5, 1, 0) == sent_received{});
static_assert(refused([] { return ring_sent(collective::all_reduce, 1_MiB, 0); }) &&
              refused([] { return ring_share(collective::send, 1, 2, 2); }) &&
              refused([] { return ring_share(collective::send, -1, 2, 0); }));
