// SPDX-License-Identifier: BSL-1.0
// What the parts of a plan do to its traffic: sharding, recomputation, exchanges, load of experts, latent attention, next-token layers,
// two pipelines, offload. Shards and flows are those that the memory account has.
#include <shardplan/shardplan.hpp>

namespace sp = shardplan;
using namespace sp::literals;
using sp::cargo;
using sp::channel;
using sp::collective;

namespace {

template <class Model, class... More>
using run_of = sp::plan<sp::model<Model>, sp::cluster<sp::devices::h100_sxm_80gb, 8, 4>, sp::sequence<4096>, sp::micro_batch<1>,
                        sp::global_batch<64>, More...>;
template <class... More>
using run = run_of<sp::models::llama2_7b, More...>;

template <class Plan>
constexpr sp::message_list messages = sp::stage_messages(Plan::spec, 0);
template <class Plan>
constexpr std::int64_t sent(channel between, cargo what) {
  return messages<Plan>.sent(between, what).count;
}
// The first message of that kind.
template <class Plan>
constexpr sp::message one(channel between, cargo what) {
  for (const sp::message& item : messages<Plan>.items)
    if (item.between == between && item.what == what) return item;
  return {};
}

// Sharding. What is sent is what memory pads: the shard of the master weights times the ranks.
template <class Plan>
constexpr bool pads_as_memory = 4 * one<Plan>(channel::dp, cargo::gradients).pieces
                                == Plan::memory[0].master.count* one<Plan>(channel::dp, cargo::gradients).ranks;
static_assert(pads_as_memory<run<sp::zero<1>>> && pads_as_memory<run<sp::zero<3>>> && pads_as_memory<run<sp::zero<2>, sp::tp<2>>>);
static_assert(pads_as_memory<run<sp::zero<1, sp::megatron_buckets>>> && pads_as_memory<run<sp::zero<1, sp::megatron_buckets>, sp::pp<4>>>);
static_assert(pads_as_memory<run<sp::fsdp<>>> && pads_as_memory<run<sp::fsdp<sp::flat_units>>> && pads_as_memory<run<sp::hsdp<8>>>);
static_assert(pads_as_memory<run<sp::zero<3, sp::mics<8>>>> && pads_as_memory<run<sp::zero<3, sp::hpz<8>>>>);
struct odd_model {
  static constexpr sp::transformer shape{.layers = 4, .hidden = 1600, .heads = 25, .ffn = 6400, .vocab = 50257};
};
static_assert(pads_as_memory<run_of<odd_model, sp::zero<1, sp::megatron_buckets>>>);
static_assert(one<run_of<odd_model, sp::zero<1, sp::megatron_buckets>>>(channel::dp, cargo::gradients).pieces >
              one<run_of<odd_model, sp::zero<1>>>(channel::dp, cargo::gradients).pieces);
static_assert(one<run<sp::zero<1, sp::megatron_buckets>>>(channel::dp, cargo::gradients).pieces % (128 * 32) == 0);
static_assert(one<run<sp::zero<1, sp::megatron_buckets>>>(channel::dp, cargo::gradients).useful ==
              sp::parameter_count<sp::models::llama2_7b>);

// A group of 8 of 32 ranks, four copies: gathers inside, one all-reduce of an eighth a step over the copies.
constexpr sp::message inside = one<run<sp::hsdp<8>>>(channel::dp, cargo::weights_forward);
constexpr sp::message over = one<run<sp::hsdp<8>>>(channel::replicas, cargo::gradients);
static_assert(inside.ranks == 8 && inside.times == 2 && over.ranks == 4 && over.times == 1 && over.pieces * 8 == inside.pieces &&
              over.how == collective::all_reduce);
static_assert(messages<run<sp::zero<3, sp::mics<8>>>>.sent(channel::replicas) > 0_B &&
              messages<run<sp::fsdp<>>>.sent(channel::replicas) == 0_B);
static_assert(one<run<sp::zero<1, sp::shard_group<8>>>>(channel::replicas, cargo::gradients).ranks == 4);
// hpZ: backward gathers in groups of 8.
static_assert(one<run<sp::zero<3, sp::hpz<8>>>>(channel::node, cargo::weights_backward).ranks == 8 &&
              one<run<sp::zero<3, sp::hpz<8>>>>(channel::dp, cargo::weights_backward).ranks == 1);
// Without resharding one gather less; gradients are the same.
using kept = run<sp::fsdp<sp::reshard_after_forward<false>>>;
static_assert(sent<kept>(channel::dp, cargo::weights_backward) == 0 &&
              sent<kept>(channel::dp, cargo::weights_forward) == sent<run<sp::fsdp<>>>(channel::dp, cargo::weights_forward) &&
              sent<kept>(channel::dp, cargo::gradients) == sent<run<sp::fsdp<>>>(channel::dp, cargo::gradients));
static_assert(sent<run<sp::zero<3, sp::reshard_after_forward<false>>>>(channel::dp, cargo::weights_backward) == 0);

// Recomputation: X of a layer, 32 layers, 4 micro-batches of a replica (t = 2).
template <class... More>
using split = run<sp::tp<2>, More...>;
constexpr std::int64_t half = 4096LL * 4096 * 2 / 2 * 4 * 32;  // (t - 1) / t X for each layer and micro-batch
template <class Plan>
constexpr std::int64_t blocks = sent<Plan>(channel::tp, cargo::block_activations) / half;
using sp::recompute;
using sp::recomputes;
static_assert(blocks<split<>> == 10 && blocks<split<sp::sequence_parallel<false>>> == 8);
static_assert(blocks<split<recompute<recomputes::full>>> == 14 &&
              blocks<split<recompute<recomputes::full>, sp::sequence_parallel<false>>> == 12);
static_assert(blocks<split<recompute<recomputes::core_attn>>> == 10 && blocks<split<recompute<recomputes::layernorm>>> == 10);
static_assert(blocks<split<recompute<recomputes::mlp>>> == 12 && blocks<split<recompute<recomputes::mlp_act>>> == 10);
static_assert(blocks<split<recompute<recomputes::every_second_matmul>>> == 12);
static_assert(4 * blocks<split<recompute<recomputes::full>, sp::recompute_layers<sp::recompute_methods::block, 8>>> == 4 * 11);
static_assert(4 * blocks<split<recompute<recomputes::full>, sp::recompute_layers<sp::recompute_methods::every, 4>>> == 4 * 11);
static_assert(blocks<split<recompute<recomputes::full>, sp::recompute_layers<sp::recompute_methods::uniform, 4>>> == 14);

// Exchanges of context parallel ranks: KV of a rank, c = 4, 32 layers, 8 micro-batches.
template <sp::context_exchanges How, class... More>
using context = run<sp::cp<4>, sp::context_exchange<How>, More...>;
constexpr std::int64_t keys = 1024LL * 2 * 4096 * 2 * 32 * 8;
constexpr auto ring = sp::context_exchanges::ring;
static_assert(context<ring>::traffic[0].sent(channel::cp).count == 9 * keys);
static_assert(context<sp::context_exchanges::all_gather>::traffic[0].sent(channel::cp).count == 9 * keys);
static_assert(context<sp::context_exchanges::all_to_all>::traffic[0].sent(channel::cp).count == 3 * keys);  // 2 x 3/4 x 2 KV
static_assert(run<sp::cp<4>>::traffic[0] == context<sp::context_exchanges::all_to_all>::traffic[0]);        // the part's default
static_assert(context<ring, recompute<recomputes::core_attn>>::traffic[0].sent(channel::cp).count == 12 * keys);
static_assert(context<ring, recompute<recomputes::mlp>>::traffic[0].sent(channel::cp).count == 9 * keys);
// The ring hides behind attention, the others do not; a plan may say what does.
static_assert(context<ring>::timing.exposed_over(channel::cp) <
              context<sp::context_exchanges::all_gather>::timing.exposed_over(channel::cp));
static_assert(context<sp::context_exchanges::all_gather, sp::overlap<sp::hidden_cp<100>>>::timing.exposed_over(channel::cp) <
              context<sp::context_exchanges::all_gather>::timing.exposed_over(channel::cp));

// Load of experts: the fullest rank gives back what its experts computed.
template <class... More>
using routed = run_of<sp::models::mixtral_8x7b, sp::ep<8>, More...>;
constexpr std::int64_t dispatched = sent<routed<>>(channel::ep, cargo::dispatched_tokens);
static_assert(dispatched == 4096LL * 2 * 4096 * 2 / 8 * 7 * 32 * 2 * 2);  // T k h, 7/8, layers, micro-batches, both ways
static_assert(sent<routed<>>(channel::ep, cargo::combined_tokens) == dispatched);
static_assert(sent<routed<sp::expert_load<150>>>(channel::ep, cargo::dispatched_tokens) == dispatched &&
              2 * sent<routed<sp::expert_load<150>>>(channel::ep, cargo::combined_tokens) == 3 * dispatched);
static_assert(4 * sent<routed<sp::expert_load<100, 125, true>>>(channel::ep, cargo::dispatched_tokens) == 5 * dispatched);
static_assert(2 * sent<routed<recompute<recomputes::moe>>>(channel::ep, cargo::dispatched_tokens) == 3 * dispatched &&
              sent<routed<recompute<recomputes::mlp>>>(channel::ep, cargo::dispatched_tokens) == dispatched);
static_assert(routed<sp::expert_load<150>>::timing.step > routed<>::timing.step);
// Experts are replicated as often as the rest.
static_assert(one<routed<sp::hsdp<16>>>(channel::edp, cargo::gradients).ranks == 2);

// Latent attention: latent vectors of 1536 + 512 and 64 of keys are gathered, not h.
struct latent_model {
  static constexpr sp::transformer shape{
      .layers = 1,
      .hidden = 4096,
      .heads = 32,
      .ffn = 8192,
      .vocab = 32000,
      .latent = {.query_rank = 1536, .key_value_rank = 512, .rope_dim = 64, .nope_dim = 128, .value_dim = 128}};
};
template <class... More>
using latent = run_of<latent_model, sp::tp<2>, More...>;
constexpr std::int64_t width = 4096LL * 2 / 2 * 4;  // one number of each token in one all-gather of two ranks, 4 micro-batches
static_assert(sent<latent<>>(channel::tp, cargo::block_activations) ==
              width * ((5 + 2) * 4096LL    // MLP; output of attention: scattered forward, gathered backward
                       + 3 * (1536 + 512)  // gathered, gathered again, scattered
                       + 2 * 64));         // gathered, scattered
static_assert(sent<latent<sp::sequence_parallel<false>>>(channel::tp, cargo::block_activations) ==
              width * 2 * (2 * 4096LL + 4096 + (1536 + 512 + 64)));
static_assert(sent<latent<recompute<recomputes::mla_up_proj>>>(channel::tp, cargo::block_activations) ==
              sent<latent<>>(channel::tp, cargo::block_activations) + width * (1536 + 512));
static_assert(sent<latent<recompute<recomputes::full>>>(channel::tp, cargo::block_activations) ==
              sent<latent<>>(channel::tp, cargo::block_activations) + width * (3 * 4096LL + (1536 + 512 + 64)));
// Keys of 192 a head and values of 128 go round.
using latent_ring = run_of<latent_model, sp::cp<2>, sp::context_exchange<ring>>;
static_assert(latent_ring::traffic[0].sent(channel::cp).count == 3 * 2048LL * 32 * (192 + 128) * 2 * 4);

// Next-token layers on a stage of their own: the loss, the lookup and the projection are there, and the embedding is shared by two ranks.
struct foresight {
  static constexpr sp::transformer shape{.layers = 7, .hidden = 4096, .heads = 32, .ffn = 8192, .vocab = 32000, .next_token_layers = 1};
};
template <std::int64_t Stage>
using apart =
    run_of<foresight, sp::tp<2>, sp::pp<4>, sp::layer_split<3, 2, 2, 0>, sp::pipeline_slots<sp::loss_slot, sp::next_token_stage<Stage>>>;
constexpr sp::message_list at_two = sp::stage_messages(apart<2>::spec, 2);
constexpr sp::message_list at_end = sp::stage_messages(apart<2>::spec, 3);
static_assert(at_two.sent(channel::tp, cargo::loss) > 0_B &&
              at_two.sent(channel::tp, cargo::loss) == at_end.sent(channel::tp, cargo::loss));
static_assert(at_two.sent(channel::tp, cargo::embedding_output) ==
              sp::stage_messages(apart<2>::spec, 0).sent(channel::tp, cargo::embedding_output));
static_assert(at_two.sent(channel::embeddings) > 0_B && at_end.sent(channel::embeddings) == 0_B);
static_assert(sp::stage_messages(apart<3>::spec, 3).sent(channel::tp, cargo::loss) == 2 * at_end.sent(channel::tp, cargo::loss));
static_assert(sp::stage_messages(apart<3>::spec, 2).sent(channel::embeddings) == 0_B);

// A tied head as well: three ranks hold the table.
struct tied_foresight {
  static constexpr sp::transformer shape{
      .layers = 7, .hidden = 4096, .heads = 32, .ffn = 8192, .vocab = 32000, .tied_embeddings = true, .next_token_layers = 1};
};
using three =
    run_of<tied_foresight, sp::tp<2>, sp::pp<4>, sp::layer_split<3, 2, 2, 0>, sp::pipeline_slots<sp::loss_slot, sp::next_token_stage<2>>>;
static_assert(one<three>(channel::embeddings, cargo::tied_gradients).ranks == 3);
static_assert(one<apart<2>>(channel::embeddings, cargo::tied_gradients).ranks == 2);

// Two pipelines: each chunk does half of the micro-batches, and both ranks that hold it sum its gradients.
template <class... More>
using staged = run<sp::tp<2>, sp::pp<4>, More...>;
using both = staged<sp::schedule<sp::schedules::dual_pipe>>;
constexpr sp::message_list both_ways = sp::stage_messages(both::spec, 1);
constexpr sp::message_list one_way = sp::stage_messages(staged<>::spec, 1);
static_assert(both_ways.sent(channel::tp, cargo::block_activations) == one_way.sent(channel::tp, cargo::block_activations));
static_assert(both_ways.sent(channel::pp, cargo::stage_activations) == one_way.sent(channel::pp, cargo::stage_activations));
static_assert(sp::stage_messages(both::spec, 0).sent(channel::pp, cargo::stage_activations) ==
              sp::stage_messages(staged<>::spec, 0).sent(channel::pp, cargo::stage_activations) / 2);
static_assert(both_ways.sent(channel::dp, cargo::gradients) == 2 * one_way.sent(channel::dp, cargo::gradients));
static_assert(both_ways.sent(channel::pp, cargo::gradients) > 0_B && one_way.sent(channel::pp, cargo::gradients) == 0_B);

// Offload: PCIe and NVMe carry what the host's account has, a rank at a time (8 on a node).
template <class Plan>
constexpr bool flows_as_host() {
  const sp::host_report host = sp::host_memory_of(Plan::spec);
  const sp::message_list& list = messages<Plan>;
  return host.to_host.count == 8 * list.sent(channel::host).count && host.to_device.count == 8 * list.received(channel::host).count &&
         host.nvme_written.count == 8 * list.sent(channel::nvme).count && host.nvme_read.count == 8 * list.received(channel::nvme).count &&
         host.to_host.count + host.to_device.count > 0;
}
constexpr auto host = sp::storage::host;
constexpr auto nvme = sp::storage::nvme;
static_assert(flows_as_host<run<sp::zero<1>, sp::offload<sp::states_to<host>>>>());
static_assert(flows_as_host<run<sp::zero<2>, sp::offload<sp::states_to<host>, sp::gradients_to<host>>>>());
static_assert(flows_as_host<run<sp::zero<3>, sp::offload<sp::states_to<nvme>, sp::weights_to<host>>>>());
static_assert(flows_as_host<run<sp::zero<3>, sp::offload<sp::states_to<nvme>, sp::gradients_to<host>, sp::weights_to<nvme>>>>());
static_assert(flows_as_host<run<sp::zero<1>, sp::offload<sp::moments_to_host<50>>>>());
static_assert(flows_as_host<run<sp::zero<1>, recompute<recomputes::full>, sp::offload<sp::inputs_to_host>>>());

}  // namespace
