// SPDX-License-Identifier: BSL-1.0
// Published and derived volumes, equal to the byte: the gradient-accumulation table, the handbook's communication table, the worked plan of
// Llama 3.1 405B, context and expert parallelism.
#include <shardplan/core/bytes.hpp>
#include <shardplan/handbook/communication.hpp>
#include <shardplan/hardware/catalog/nvidia.hpp>
#include <shardplan/traffic/traffic.hpp>

namespace sp = shardplan;
namespace handbook = shardplan::handbook;
using namespace sp::literals;
using sp::cargo;
using sp::channel;
using sp::collective;
using sp::replication;

namespace {

// 7B on 8 ranks, 2-byte weights and gradients, bytes per rank and step, by gradient accumulation steps.
constexpr std::int64_t data_parallel_bytes(replication kind, std::int64_t steps, bool late_sync = false) {
  sp::message_list report{};
  sp::traffic_options options{};
  options.late_sync = late_sync;
  sp::data_parallel_work work{};
  work.kind = kind;
  work.ranks = 8;
  work.parameters = work.padded = 7'000'000'000;
  work.weight_bits = work.gradient_bits = 16;
  work.micro_batches = steps;
  add_data_parallel(report, work, options);
  if (report.ideal(channel::dp) != sp::fraction{report.sent(channel::dp).count}) return -1;
  if (report.sent(channel::dp) != report.received(channel::dp)) return -1;
  return report.sent(channel::dp).count;
}
constexpr std::int64_t mega = 1'000'000;
static_assert(data_parallel_bytes(replication::all_reduced, 1) == 24'500 * mega);
static_assert(data_parallel_bytes(replication::all_reduced, 8) == 24'500 * mega);
static_assert(data_parallel_bytes(replication::optimizer_sharded, 1) == 24'500 * mega);
static_assert(data_parallel_bytes(replication::optimizer_sharded, 4) == 24'500 * mega);
static_assert(data_parallel_bytes(replication::optimizer_sharded, 8) == 24'500 * mega);
static_assert(data_parallel_bytes(replication::gradients_sharded, 1) == 24'500 * mega);
static_assert(data_parallel_bytes(replication::gradients_sharded, 4) == 61'250 * mega);
static_assert(data_parallel_bytes(replication::gradients_sharded, 8) == 110'250 * mega);
static_assert(data_parallel_bytes(replication::weights_sharded, 1) == 36'750 * mega);
static_assert(data_parallel_bytes(replication::weights_sharded, 4) == 147'000 * mega);
static_assert(data_parallel_bytes(replication::weights_sharded, 8) == 294'000 * mega);
static_assert(data_parallel_bytes(replication::weights_kept_gathered, 1) == 24'500 * mega);
static_assert(data_parallel_bytes(replication::weights_kept_gathered, 4) == 98'000 * mega);
static_assert(data_parallel_bytes(replication::weights_kept_gathered, 8) == 196'000 * mega);
static_assert(data_parallel_bytes(replication::weights_kept_gathered, 1, true) == 24'500 * mega);
static_assert(data_parallel_bytes(replication::weights_kept_gathered, 4, true) == 61'250 * mega);
static_assert(data_parallel_bytes(replication::weights_kept_gathered, 8, true) == 110'250 * mega);
static_assert(data_parallel_bytes(replication::weights_sharded, 4, true) == (2 * 4 + 1) * 12'250 * mega);

// The handbook's communication table: b=4, s=2048, d=4096, bf16.
constexpr handbook::activation tensor{.batch = 4, .sequence = 2048, .hidden = 4096};
constexpr std::int64_t layer_bytes(std::int64_t ranks, bool sequence_parallel, bool recomputed = false) {
  sp::message_list report{};
  add_tensor_parallel(report, {.ranks = ranks,
                               .sequence_parallel = sequence_parallel,
                               .tokens = 4 * 2048,
                               .hidden = 4096,
                               .micro_batches = 1,
                               .pairs = {2, recomputed ? 2 : 0, 0}});
  return report.sent(channel::tp).count;
}
static_assert(layer_bytes(2, false) == (256_MiB).count && layer_bytes(4, false) == (384_MiB).count &&
              layer_bytes(8, false) == (448_MiB).count);
static_assert(layer_bytes(2, true) == (320_MiB).count && layer_bytes(4, true) == (480_MiB).count &&
              layer_bytes(8, true) == (560_MiB).count);
static_assert(layer_bytes(4, false) == handbook::true_tp_layer(tensor, 4).count);
static_assert(layer_bytes(8, true) == handbook::true_tp_layer_sequence_parallel(tensor, 8).count);
static_assert(layer_bytes(8, false, true) == (448_MiB).count + 4 * 7 * (8_MiB).count);  // full recompute: + 4 (t - 1) / t X
static_assert(layer_bytes(8, true, true) == (560_MiB).count + 4 * 7 * (8_MiB).count);
static_assert(layer_bytes(1, false) == 0);

constexpr sp::message_list boundary(bool sequence_parallel, std::int64_t ranks, bool scatters) {
  sp::message_list report{};
  sp::traffic_options options{};
  options.scatter_gather = scatters;
  add_pipeline(report, 4, sp::boundaries_of(sp::placement::loop, 4, 1, 1),
               {.elements = 4 * 2048 * 4096, .tensor_ranks = ranks, .sequence_parallel = sequence_parallel}, 1, options);
  return report;
}
static_assert(boundary(false, 4, false).sent(channel::pp) == 2 * 64_MiB);  // 64 MiB each way
static_assert(boundary(true, 4, false).sent(channel::pp) == 2 * 16_MiB);
static_assert(boundary(false, 4, true).sent(channel::pp) == 2 * 16_MiB);
static_assert(boundary(false, 4, true).sent(channel::tp) == 2 * 48_MiB);
static_assert(boundary(false, 4, false).sent(channel::pp, cargo::stage_gradients) == 64_MiB);

// Boundaries: interleaved chunks send once each, the ends one fewer; a V turns without sending.
constexpr bool has(sp::boundary_counts counts, int behind, int before) { return counts.behind == behind && counts.before == before; }
static_assert(has(sp::boundaries_of(sp::placement::loop, 4, 1, 0), 1, 0) && has(sp::boundaries_of(sp::placement::loop, 4, 1, 3), 0, 1));
static_assert(has(sp::boundaries_of(sp::placement::loop, 4, 3, 0), 3, 2) && has(sp::boundaries_of(sp::placement::loop, 4, 3, 2), 3, 3));
static_assert(has(sp::boundaries_of(sp::placement::loop, 4, 3, 3), 2, 3) && has(sp::boundaries_of(sp::placement::loop, 1, 3, 0), 0, 0));
static_assert(has(sp::boundaries_of(sp::placement::v_shape, 4, 2, 0), 1, 1) &&
              has(sp::boundaries_of(sp::placement::v_shape, 4, 2, 3), 1, 1));
constexpr bool boundaries_balance(sp::placement layout, std::int64_t ranks, std::int64_t chunks, std::int64_t turns) {
  std::int64_t behind = 0;
  std::int64_t before = 0;
  for (std::int64_t rank = 0; rank < ranks; ++rank) {
    behind += sp::boundaries_of(layout, ranks, chunks, rank).behind;
    before += sp::boundaries_of(layout, ranks, chunks, rank).before;
  }
  return behind == before && behind == ranks * chunks - 1 - turns;
}
static_assert(boundaries_balance(sp::placement::loop, 8, 4, 0) && boundaries_balance(sp::placement::v_shape, 8, 4, 3));

// Llama 3.1 405B as section 3.6 of the facts has it: t8 p16 d128, s=8192, 16 micro-batches; an inner stage of eight layers.
struct eight_layers_a_stage {
  static constexpr sp::transformer shape{.layers = 128, .hidden = 16384, .heads = 128, .kv_heads = 8, .ffn = 53248, .vocab = 128256};
};
constexpr sp::plan_spec worked(sp::toggle sequence_parallel) {
  sp::plan_spec spec{};
  spec.model = eight_layers_a_stage::shape;
  spec.device = sp::devices::h100_sxm_80gb::spec;
  spec.devices_per_node = 8;
  spec.nodes = 2048;
  spec.sequence = 8192;
  spec.micro_batch = 1;
  spec.global_batch = 2048;
  spec.tp = 8;
  spec.pp = 16;
  spec.zero = 1;
  spec.sequence_parallel = sequence_parallel;
  return spec;
}
constexpr sp::message_list worked_traffic(const sp::plan_spec& spec, std::int64_t stage) {
  return sp::messages_of_stage(spec, sp::traffic_layout_of(spec), stage);
}
constexpr sp::message_list divided = worked_traffic(worked(sp::toggle::on), 5);
constexpr sp::message_list plain = worked_traffic(worked(sp::toggle::off), 5);
static_assert(8192 * 16384 * 2 == (256_MiB).count);
static_assert(divided.sent(channel::tp, cargo::block_activations).count == 2'348'810'240 * 8 * 16);  // 300.6 GB
static_assert(plain.sent(channel::tp, cargo::block_activations).count == 1'879'048'192LL * 8 * 16);  // 240.5 GB
static_assert(plain.sent(channel::tp) == plain.sent(channel::tp, cargo::block_activations));
static_assert(divided.sent(channel::pp, cargo::stage_activations) == 16 * 32_MiB);  // 0.537 GB
static_assert(plain.sent(channel::pp, cargo::stage_activations) == 16 * 256_MiB);   // 4.29 GB
// Attention 2 h^2 + 2 h * 1024, MLP 3 h * 53248, by tp; two norms whole. 3.19e9 parameters a rank.
constexpr std::int64_t stage_parameters = 8 * ((2LL * 16384 * 16384 + 2LL * 16384 * 1024 + 3LL * 16384 * 53248) / 8 + 2 * 16384);
static_assert(divided.sent(channel::dp, cargo::gradients).count == stage_parameters / 128 * 127 * 2);
static_assert(divided.sent(channel::dp, cargo::weights_forward).count == stage_parameters / 128 * 127 * 2);
static_assert(divided.ideal(channel::dp) == sp::fraction(127, 128) * sp::fraction(4) * sp::fraction(stage_parameters));
// Norms: 2 h of each of 8 layers, all-reduced over 8 ranks in 2 bytes.
static_assert(divided.sent(channel::tp, cargo::replicated_gradients).count == 8 * 2 * 16384 * 2 * 14 / 8);
// The ends: embedding, head and loss; one direction of the pipeline.
constexpr sp::message_list first = worked_traffic(worked(sp::toggle::on), 0);
constexpr sp::message_list last = worked_traffic(worked(sp::toggle::on), 15);
static_assert(first.sent(channel::pp) == 16 * 32_MiB && first.received(channel::pp) == 16 * 32_MiB);
static_assert(first.sent(channel::pp, cargo::stage_gradients) == 0_B && last.sent(channel::pp, cargo::stage_activations) == 0_B);
static_assert(first.sent(channel::tp, cargo::embedding_output) == 16 * 2 * 7 * 32_MiB);
static_assert(last.sent(channel::tp, cargo::head_input) == 16 * 3 * 7 * 32_MiB);
static_assert(last.sent(channel::tp, cargo::loss).count == 16LL * 3 * 2 * 7 * (8192 / 8) * 4);
static_assert(divided.sent(channel::embeddings) == 0_B && first.sent(channel::embeddings) == 0_B);

// Tied embeddings: the first and the last stage all-reduce V/t x h.
constexpr sp::plan_spec tied() {
  sp::plan_spec spec = worked(sp::toggle::on);
  spec.model.tied_embeddings = true;
  return spec;
}
static_assert(worked_traffic(tied(), 0).sent(channel::embeddings).count == 128256 / 8 * 16384LL * 2);
static_assert(worked_traffic(tied(), 15).sent(channel::embeddings) == worked_traffic(tied(), 0).sent(channel::embeddings));
static_assert(worked_traffic(tied(), 7).sent(channel::embeddings) == 0_B);

// Context parallelism: 405B's long phase, s=131072, c=16, t=8: one local key head, KV = 4 MiB.
constexpr sp::context_parallel_work long_context{.ranks = 16,
                                                 .tokens = 131072 / 16,
                                                 .query_heads = 16,
                                                 .query = 16 * 128,
                                                 .output = 16 * 128,
                                                 .key_heads = 1,
                                                 .key = 128,
                                                 .value = 128,
                                                 .element_bits = 16,
                                                 .layers = 1,
                                                 .micro_batches = 1};
constexpr std::int64_t context_bytes(sp::context_exchanges how, bool keep = false, std::int64_t inner = 1, bool recomputed = false) {
  sp::message_list report{};
  sp::traffic_options options{};
  options.keep_gathered_keys = keep;
  options.context_inner = inner;
  sp::context_parallel_work work = long_context;
  work.how = how;
  work.recomputed = recomputed ? 1 : 0;
  add_context_parallel(report, work, options);
  return report.sent(channel::cp).count;
}
using sp::context_exchanges;
static_assert(sp::keys_and_values(long_context) * 2 == (4_MiB).count);
static_assert(context_bytes(context_exchanges::ring) == 3 * (60_MiB).count);
static_assert(context_bytes(context_exchanges::all_gather) == 3 * (60_MiB).count);
static_assert(context_bytes(context_exchanges::all_gather, true) == 2 * (60_MiB).count);
static_assert(context_bytes(context_exchanges::all_to_all) == 2 * (120_MiB).count);
static_assert(context_bytes(context_exchanges::ring, false, 1, true) == 4 * (60_MiB).count);
static_assert(context_bytes(context_exchanges::all_gather, false, 1, true) == 4 * (60_MiB).count);
static_assert(context_bytes(context_exchanges::all_to_all, false, 1, true) == 3 * (120_MiB).count);
// If the one key head could be split: 63.75 MiB forward.
static_assert(sp::fraction(15, 16) * sp::fraction(2 * long_context.tokens * (2 * 2048 + 2 * 128)) == sp::fraction(66'846'720));
// Both: all-to-all over 4 (four copies of the key head), a ring of 4 over 4 KV.
static_assert(context_bytes(context_exchanges::ring, false, 4) ==
              2 * 3 * (8192 * 2 * (2 * 2048 + 2 * 4 * 128)) / 4 + 3 * 3 * 4 * (4_MiB).count);
static_assert(context_bytes(context_exchanges::ring, false, 16) == context_bytes(context_exchanges::all_to_all));
static_assert(context_bytes(context_exchanges::all_to_all, false, 4) == context_bytes(context_exchanges::all_to_all));

// Expert parallelism: DeepSeek-V3, 4096 tokens, h=7168, k=8, e=64 on 8 nodes, at most 4 nodes.
constexpr sp::message_list experts(std::int64_t bits, std::int64_t block, sp::expert_load_spec load = {}, std::int64_t etp = 1,
                                   std::int64_t recomputed = 0) {
  sp::message_list report{};
  sp::traffic_options options{};
  options.dispatch_bits = bits;
  options.dispatch_scale_block = block;
  add_expert_parallel(report,
                      {.ranks = 64,
                       .tensor_ranks = etp,
                       .tokens = 4096,
                       .top_k = 8,
                       .load = load,
                       .hidden = 7168,
                       .layers = 1,
                       .recomputed = recomputed,
                       .micro_batches = 1},
                      options);
  return report;
}
static_assert(experts(0, 0).sent(channel::ep, cargo::dispatched_tokens).count == 2 * 462'422'016LL);  // 462.4 MB a way
static_assert(experts(8, 128).sent(channel::ep, cargo::dispatched_tokens).count == 2 * 238'436'352);  // 238.4 MB
static_assert(experts(8, 128).sent(channel::ep, cargo::combined_tokens).count == 2 * 462'422'016LL);
// Filled up to 1.25 of the even share: that much both ways. Not filled: nothing more. Cut to a half: a half. Twice the even share on one
// rank: it sends its own tokens and gives back twice as many; a capacity of 1.5 cuts these.
constexpr std::int64_t even = experts(0, 0).sent(channel::ep).count;
static_assert(experts(0, 0, {100, 125, true}).sent(channel::ep).count == even / 4 * 5);
static_assert(experts(0, 0, {100, 125, false}).sent(channel::ep).count == even);
static_assert(experts(0, 0, {100, 50, false}).sent(channel::ep).count == even / 2);
static_assert(experts(0, 0, {200, 0, false}).sent(channel::ep).count == even / 2 * 3);
static_assert(experts(0, 0, {200, 150, false}).sent(channel::ep, cargo::combined_tokens).count == even / 4 * 3);
static_assert(experts(0, 0, {200, 150, false}).sent(channel::ep, cargo::dispatched_tokens).count == even / 2);
static_assert(experts(0, 0, {}, 1, 1).sent(channel::ep).count == even / 2 * 3);  // recomputed
static_assert(experts(0, 0, {}, 2).sent(channel::etp).count == 2 * 2 * 4096LL * 8 * 7168 * 2);
static_assert(sp::node_limited_bytes(4096, sp::dispatched_token_bits(7168, 16, {.dispatch_bits = 8, .dispatch_scale_block = 128}), 8, 4) ==
              sp::fraction(105'971'712));                                                   // 106.0 MB
static_assert(sp::node_limited_bytes(4096, 7168 * 16, 8, 4) == sp::fraction(205'520'896));  // 205.5 MB

// The same as messages: between nodes what the formula says, inside what is left of the copies.
constexpr sp::message_list limited(std::int64_t inside, std::int64_t limit, std::int64_t top_k = 8, sp::expert_load_spec load = {}) {
  sp::message_list report{};
  add_expert_parallel(report,
                      {.ranks = 64,
                       .tokens = 4096,
                       .top_k = top_k,
                       .load = load,
                       .hidden = 7168,
                       .layers = 1,
                       .micro_batches = 1,
                       .inside = inside,
                       .limit = limit},
                      {.dispatch_bits = 8, .dispatch_scale_block = 128});
  return report;
}
static_assert(limited(8, 4).sent(channel::ep, cargo::dispatched_tokens).count == 2 * 105'971'712LL);
static_assert(limited(8, 4).sent(channel::ep, cargo::combined_tokens).count == 2 * 205'520'896LL);
static_assert(limited(8, 4).sent(channel::node, cargo::combined_tokens).count == 2 * 4096LL * 8 * 7 / 8 * 7168 * 2);
static_assert(limited(0, 4).sent(channel::ep).count == experts(8, 128).sent(channel::ep).count);
// No more nodes than there are, and no more copies than experts of a token.
static_assert(limited(8, 100).sent(channel::ep).count == limited(8, 8).sent(channel::ep).count);
static_assert(limited(8, 4, 2).sent(channel::ep).count == limited(8, 2, 2).sent(channel::ep).count);
// The fullest rank takes twice as much: it gives back twice as much over both levels.
static_assert(limited(8, 4, 8, {200, 0, false}).sent(channel::ep, cargo::combined_tokens).count == 4 * 205'520'896LL);

// HSDP, hpZ, qwZ, qgZ: 2 bytes, M = 2 P.
constexpr std::int64_t parameters = std::int64_t{1} << 30;
constexpr sp::message_list hybrid(std::int64_t ranks, std::int64_t replicas, std::int64_t secondary, sp::traffic_options options = {},
                                  std::int64_t steps = 1) {
  sp::message_list report{};
  sp::data_parallel_work work{};
  work.kind = replication::weights_sharded;
  work.ranks = ranks;
  work.replicas = replicas;
  work.secondary = secondary;
  work.parameters = work.padded = parameters;
  work.weight_bits = work.gradient_bits = 16;
  work.micro_batches = steps;
  add_data_parallel(report, work, options);
  return report;
}
static_assert(hybrid(8, 4, 1).sent(channel::dp).count == 3 * parameters * 2 / 8 * 7);
static_assert(hybrid(8, 4, 1).sent(channel::replicas).count == 2 * (parameters / 8) * 2 / 4 * 3);
static_assert(hybrid(8, 4, 1, {}, 6).sent(channel::replicas) == hybrid(8, 4, 1).sent(channel::replicas));
static_assert(hybrid(8, 4, 1, {.replicas_each_micro_step = true}, 6).sent(channel::replicas) ==
              6 * hybrid(8, 4, 1).sent(channel::replicas));
static_assert(hybrid(64, 1, 8).sent(channel::dp).count == 2 * parameters * 2 / 64 * 63);
static_assert(hybrid(64, 1, 8).sent(channel::node).count == parameters * 2 / 8 * 7);
// ZeRO++: between nodes 0.5 M + 0 + 0.25 M where plain ZeRO-3 has 3 M, in the limit of many ranks; exact for 8 nodes of 8.
constexpr sp::message_list plus_plus = hybrid(64, 1, 8, {.weight_bits = 8, .gradient_bits = 4, .node_ranks = 8});
static_assert(plus_plus.sent(channel::dp, cargo::weights_forward).count == parameters / 64 * 63);
static_assert(plus_plus.sent(channel::dp, cargo::weights_backward) == 0_B);
static_assert(plus_plus.sent(channel::dp, cargo::gradients).count == parameters / 2 / 8 / 8 * 7);  // an eighth of M / 4 per rank of a node
static_assert(plus_plus.sent(channel::node, cargo::gradients).count == parameters / 2 / 8 * 7);

// Offload: PCIe 2 bytes a parameter each way; NVMe 12 bytes of master weights and moments.
constexpr sp::message_list offloaded(sp::storage states, sp::storage gradients, std::int64_t steps) {
  sp::message_list report{};
  add_offload(report, {.where = {states, gradients},
                       .shard = parameters,
                       .gradients = parameters,
                       .nvme_states = states == sp::storage::nvme ? 12 * parameters : 0,
                       .micro_batches = steps});
  return report;
}
static_assert(offloaded(sp::storage::host, sp::storage::device, 4).sent(channel::host).count == 2 * parameters);
static_assert(offloaded(sp::storage::host, sp::storage::device, 4).received(channel::host).count == 2 * parameters);
static_assert(offloaded(sp::storage::host, sp::storage::host, 4).sent(channel::host).count == 4 * 2 * parameters);
static_assert(offloaded(sp::storage::nvme, sp::storage::device, 1).sent(channel::nvme).count == 12 * parameters);
static_assert(offloaded(sp::storage::device, sp::storage::device, 1).items.empty());

}  // namespace
