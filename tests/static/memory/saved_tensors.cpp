// SPDX-License-Identifier: BSL-1.0
// The list of kept tensors: its sum is the account, whatever the kernels and the recomputation.
#include <shardplan/memory/saved_tensors.hpp>
#include <shardplan/shardplan.hpp>

#include <cstdint>
#include <initializer_list>

namespace {

using namespace shardplan;

struct small {
  static constexpr transformer shape{.layers = 4, .hidden = 64, .heads = 4, .kv_heads = 2, .ffn = 96, .vocab = 1000};
};
template <class... Parts>
using run = plan<model<small>, cluster<devices::h100_sxm_80gb, 8, 1>, sequence<32>, micro_batch<2>, global_batch<16>, Parts...>;

constexpr std::int64_t kept(const saved_list& list) { return saved_bytes(list).count; }
template <class... Parts>
constexpr std::int64_t activations = run<Parts...>::memory[0].activations.count;

// Default: T (8h + 4q + 4k + 6f) + 4 T heads + 8 T for 64 tokens
static_assert(kept(saved_tensors<run<>>) == 64 * (8 * 64 + 4 * 64 + 4 * 32 + 6 * 96) + 4 * 64 * 4 + 8 * 64);
static_assert(activations<> == 4 * kept(saved_tensors<run<>>));
// A plan without a cluster or a batch is enough of one.
static_assert(saved_tensors<plan<model<small>, sequence<32>, micro_batch<2>>> == saved_tensors<run<>>);

// A next-token layer is a block more, and 12h a token around it.
struct predicts_two {
  static constexpr transformer shape{.layers = 4, .hidden = 64, .heads = 4, .ffn = 96, .vocab = 1000, .next_token_layers = 1};
};
using two_tokens = plan<model<predicts_two>, cluster<devices::h100_sxm_80gb, 1, 1>, sequence<32>, micro_batch<2>, global_batch<2>>;
constexpr std::int64_t around = kept(saved_tensors<two_tokens, own_kernels, place::next_token>);
static_assert(around == 64 * 12 * 64 && two_tokens::memory[0].activations.count == 5 * kept(saved_tensors<two_tokens>) + around);
static_assert(saved_tensors<run<>, own_kernels, place::next_token>.empty());

// Experts that are not gated keep their activation before and after the router's weights; gated ones have one kernel for both.
struct plain_experts {
  static constexpr transformer shape{
      .layers = 4, .hidden = 64, .heads = 4, .ffn = 96, .vocab = 1000, .mlp = mlp::plain, .experts{.count = 4, .top_k = 2}};
};
struct gated_experts {
  static constexpr transformer shape{.layers = 4, .hidden = 64, .heads = 4, .ffn = 96, .vocab = 1000, .experts{.count = 4, .top_k = 2}};
};
template <class Shape>
constexpr std::int64_t in_experts =
    kept(saved_tensors<plan<model<Shape>, sequence<32>, micro_batch<2>>, kernel_sets::transformer_engine, place::expert_block>) -
    64 * (8 * 64 + 8 * 64) - 4 * 64 * 4 - 8 * 64 - 4 * 64 * 4 - 2 * 2 * 2 * 64 * 64;
static_assert(in_experts<plain_experts> == 2 * 64 * 3 * 2 * 96);
static_assert(in_experts<gated_experts> == 2 * 64 * 3 * 2 * 96);

// arXiv 2205.05198 table 2, f = 4h, heads = key/value heads: sbh (34 + 5as/h) a layer, 10 + 24/t + 5as/(ht) with tp, 34/t + 5as/(ht) with
// sequence parallelism, 2 with full recomputation; selective recomputation takes the term in 5as away.
struct paper {
  static constexpr transformer shape{
      .layers = 1, .hidden = 64, .heads = 4, .ffn = 256, .vocab = 1000, .mlp = mlp::plain, .norm = norm::layer};
};
template <class... Parts>
constexpr std::int64_t paper_block =
    kept(saved_tensors<plan<model<paper>, sequence<32>, micro_batch<2>, Parts...>, kernel_sets::korthikanti>);
constexpr std::int64_t sbh = 32 * 2 * 64, scores = 5 * 4 * 32 * 32 * 2;
static_assert(paper_block<> == 34 * sbh + scores);
static_assert(paper_block<tp<2>, sequence_parallel<false>> == 10 * sbh + 12 * sbh + scores / 2);
static_assert(paper_block<tp<2>> == 17 * sbh + scores / 2);
static_assert(paper_block<tp<4>, recompute<recomputes::core_attn>> == 34 * sbh / 4);
static_assert(paper_block<tp<4>, sequence_parallel<false>, recompute<recomputes::core_attn>> == 10 * sbh + 6 * sbh);
static_assert(paper_block<recompute<recomputes::full>> == 2 * sbh && paper_block<tp<2>, recompute<recomputes::full>> == sbh);
static_assert(paper_block<dropout<dropouts::none>> == 32 * sbh + 2 * scores / 5);
static_assert(paper_block<attention<attentions::flash>> == 34 * sbh + 4 * 4 * 64);

// Modules of Megatron-LM: what each frees of a block.
template <class... Parts>
constexpr std::int64_t freed = kept(saved_tensors<run<>>) - kept(saved_tensors<run<Parts...>>);
static_assert(freed<recompute<recomputes::layernorm>> == 64 * (4 * 64 + 8));
static_assert(freed<recompute<recomputes::mlp>> == 64 * 6 * 96 && freed<recompute<recomputes::mlp_act>> == 64 * 2 * 96);
static_assert(freed<recompute<recomputes::core_attn>> == 64 * 4 * 4 && freed<recompute<recomputes::moe>> == 0);
static_assert(freed<recompute<recomputes::mlp, recomputes::mlp_act>> == freed<recompute<recomputes::mlp>>);
static_assert(freed<recompute<recomputes::layernorm, recomputes::mlp_act>> ==
              freed<recompute<recomputes::layernorm>> + freed<recompute<recomputes::mlp_act>>);
static_assert(activations<recompute<recomputes::layernorm>> == activations<> - 4 * freed<recompute<recomputes::layernorm>>);
// torchtitan: 4h + 4q + 2k + 2f + 4a bytes a token with every projection apart.
static_assert(kept(saved_tensors<run<recompute<recomputes::every_second_matmul>>, kernel_sets::torch_eager>) ==
              64 * (4 * 64 + 4 * 64 + 2 * 32 + 2 * 96 + 4 * 4));

// The account is the sum of the list: kernels x attention x dropout x recomputation x shards.
constexpr kernel_spec sets[] = {kernel_sets::transformer_engine::spec, kernel_sets::torch_fused::spec, kernel_sets::torch_eager::spec,
                                kernel_sets::torch_gpt::spec,          kernel_sets::korthikanti::spec, kernel_sets::llm_c_early::spec};
constexpr plan_spec mixed(int set, int kernel, int tp) {
  plan_spec spec = run<>::spec;
  spec.model.experts = {.count = 8, .top_k = 2, .ffn = 48, .shared_ffn = 32};
  spec.kernels = sets[set];
  spec.attention = static_cast<attentions>(kernel);
  spec.tp = tp;
  return spec;
}
constexpr bool agrees(const plan_spec& spec) {
  const memory_layout layout = memory_layout_of(spec);
  return kept(saved_tensors_of(spec, place::dense_block)) == layout.saved.dense_kept &&
         kept(saved_tensors_of(spec, place::expert_block)) == layout.saved.expert_kept;
}
template <int Set, int Kernel>
constexpr bool all_agree() {
  for (int tp : {1, 2})
    for (int what : {0, 1, 2, 4, 8, 16, 32, 64, 84, 128, 256, 511}) {
      plan_spec spec = mixed(Set, Kernel, tp);
      spec.recompute = static_cast<recomputes>(what);
      spec.dropout = what % 3 == 0 ? dropouts::both : dropouts::by_kernels;
      if (!agrees(spec)) return false;
      // Nothing that is recomputed is kept, and together they are the complete set.
      const saved_activations saved = memory_layout_of(spec).saved;
      if (saved.dense_kept > saved.dense_block || saved.expert_kept > saved.expert_block) return false;
    }
  return true;
}
template <int Set>
constexpr bool set_agrees = all_agree<Set, 0>() && all_agree<Set, 1>() && all_agree<Set, 2>() && all_agree<Set, 3>();
static_assert(set_agrees<0> && set_agrees<1> && set_agrees<2> && set_agrees<3> && set_agrees<4> && set_agrees<5>);

// Uneven routing: 150 % of the even share, a capacity of 125 % cuts it, padding fills up to it.
constexpr std::int64_t routed(std::int64_t percent, std::int64_t capacity, bool pads) {
  plan_spec spec = mixed(0, 0, 1);
  spec.expert_load = {percent, capacity, pads};
  for (const saved_tensor& item : saved_tensors_of(spec, place::expert_block))
    if (item.shard == saved_shard::routed) return item.rows;
  return 0;
}
static_assert(routed(100, 0, false) == 128 && routed(150, 0, false) == 192 && routed(150, 125, false) == 160);
static_assert(routed(100, 125, false) == 128 && routed(100, 125, true) == 160 && routed(101, 0, false) == 130);

// Experts: what `moe` and `moe_act` free; R = 128 routed copies, 48 wide inside, shared experts 32 wide, a router of 8 in fp32.
constexpr std::int64_t freed_of_experts(recomputes what) {
  plan_spec spec = mixed(0, 0, 1);
  const std::int64_t all = kept(saved_tensors_of(spec, place::expert_block));
  spec.recompute = what;
  return all - kept(saved_tensors_of(spec, place::expert_block));
}
static_assert(freed_of_experts(recomputes::moe_act) == 128 * 2 * 48);
static_assert(freed_of_experts(recomputes::moe) == 64 * 4 * 8 + 128 * (2 * 2 * 64 + 6 * 48) + 64 * 6 * 32);
static_assert(freed_of_experts(recomputes::moe | recomputes::moe_act) == freed_of_experts(recomputes::moe));
static_assert(freed_of_experts(recomputes::mlp | recomputes::mlp_act) == 0);

// Latent attention: queries and keys of 4 x (8 + 16), values of 4 x 24, projected up again.
struct latent {
  static constexpr transformer shape{.layers = 1,
                                     .hidden = 64,
                                     .heads = 4,
                                     .ffn = 96,
                                     .vocab = 1000,
                                     .latent = {.query_rank = 32, .key_value_rank = 16, .rope_dim = 8, .nope_dim = 16, .value_dim = 24}};
};
template <class... Parts>
constexpr std::int64_t latent_block = kept(saved_tensors<plan<model<latent>, sequence<32>, micro_batch<2>, Parts...>>);
static_assert(latent_block<> - latent_block<recompute<recomputes::mla_up_proj>> == 64 * 2 * (96 + 96 + 96));
static_assert(freed<recompute<recomputes::mla_up_proj>> == 0);

// A norm step by step that is recomputed starts from its input as it came, which was not kept before: fp32 twice, a statistic, cast and
// output go, for two norms.
static_assert(kept(saved_tensors<run<>, kernel_sets::torch_eager>) -
                  kept(saved_tensors<run<recompute<recomputes::layernorm>>, kernel_sets::torch_eager>) ==
              2 * 64 * (64 * (4 + 4 + 2 + 2) + 4) - 2 * 64 * 64 * 2);

// Every second product: what backward makes anew is the complete set without what was kept of it. Of products q, v, gate and down are kept,
// and the last is not in the set.
constexpr plan_spec by_operation = [] {
  plan_spec spec = run<recompute<recomputes::every_second_matmul>>::spec;
  spec.kernels = kernel_sets::torch_eager::spec;
  return spec;
}();
constexpr saved_activations second = memory_layout_of(by_operation).saved;
static_assert(second.dense_recomputed == second.dense_block - (second.dense_kept - 64 * 2 * 64));

// Context parallelism: the exchange of heads keeps the output once more, ring and gathering do not.
template <context_exchanges How>
constexpr std::int64_t exchanged = kept(saved_tensors<run<cp<2>, context_exchange<How>>>);
static_assert(exchanged<context_exchanges::all_to_all> == exchanged<context_exchanges::ring> + 32 * 2 * 64);
static_assert(exchanged<context_exchanges::ring> == kept(saved_tensors<run<>>) / 2);
static_assert(exchanged<context_exchanges::all_gather> == exchanged<context_exchanges::ring>);

// Layers: of four, two recomputed, or groups of three, or every third.
constexpr std::int64_t block = kept(saved_tensors<run<>>), input = 64 * 2 * 64;
template <recompute_methods Method, std::int64_t Count>
constexpr std::int64_t some_layers = activations<recompute<recomputes::full>, recompute_layers<Method, Count>>;
static_assert(activations<recompute<recomputes::full>> == 4 * input && some_layers<recompute_methods::each, 1> == 4 * input);
static_assert(some_layers<recompute_methods::block, 2> == 2 * input + 2 * block && some_layers<recompute_methods::block, 9> == 4 * input);
static_assert(some_layers<recompute_methods::uniform, 3> == 2 * input && some_layers<recompute_methods::uniform, 1> == 4 * input);
static_assert(some_layers<recompute_methods::every, 3> == input + 3 * block && some_layers<recompute_methods::every, 5> == 4 * block);
// A group runs forward again as a whole.
template <class... Parts>
constexpr std::int64_t recomputed = memory_layout_of(run<Parts...>::spec).saved.dense_recomputed;
static_assert(recomputed<> == 0 && recomputed<recompute<recomputes::full>> == block);
static_assert(recomputed<recompute<recomputes::full>, recompute_layers<recompute_methods::uniform, 3>> == 3 * block);
static_assert(recomputed<recompute<recomputes::full>, recompute_layers<recompute_methods::uniform, 9>> == 4 * block);
static_assert(recomputed<recompute<recomputes::mlp>> == freed<recompute<recomputes::mlp>>);

// FP8 products: Transformer Engine's linears keep a byte a number of their inputs, and attention its output beside the copy of the
// projection behind it. Other kernels keep what they kept.
using fp8 = precision<precisions::fp8_compute>;
template <class Precision, class... Parts>
constexpr std::int64_t spared = kept(saved_tensors<run<Parts...>>) - kept(saved_tensors<run<Precision, Parts...>>);
static_assert(spared<fp8> == 64 * (64 + 64 + 96 - 64) && spared<fp8, attention<attentions::materialised>> == 64 * (64 + 64 + 96 + 64));
static_assert(spared<precision<precisions::deepseek_fp8>> == spared<fp8> - 64 * 4 * 4 && spared<precision<precisions::fp32>> < 0);
static_assert(spared<precision<precisions::mxfp8_weights>> == spared<fp8> - 64 * (2 + 2 + 2 + 3));
static_assert(spared<fp8, kernels<kernel_sets::torch_eager>> == 0 && spared<fp8, recompute<recomputes::full>> == 0);
static_assert(spared<fp8, recompute<recomputes::core_attn>> == spared<fp8> + 64 * 2 * 64);
// With dropout the embedding is walked first, by the same sink.
static_assert(memory_layout_of(run<fp8, dropout<dropouts::hidden>>::spec).saved.dense_kept ==
              kept(saved_tensors<run<fp8, dropout<dropouts::hidden>>>));
// A router reads the norm in bf16; a shared expert quantises it once more.
constexpr std::int64_t spared_by_experts(std::int64_t shared) {
  plan_spec spec = mixed(0, 0, 1);
  spec.model.experts.shared_ffn = shared;
  const std::int64_t all = kept(saved_tensors_of(spec, place::expert_block));
  spec.precision = precisions::fp8_compute::spec;
  return all - kept(saved_tensors_of(spec, place::expert_block));
}
static_assert(spared_by_experts(0) == 64 * (64 - 64) + 128 * (64 + 48) && spared_by_experts(32) == spared_by_experts(0) + 64 * (32 - 64));
// Two projections read the norm before latent attention.
static_assert(latent_block<> - latent_block<fp8> == 64 * (32 + 16 - 96 + 64 + 96));
static_assert(agrees([] {
  plan_spec spec = mixed(0, 0, 2);
  spec.precision = precisions::mxfp8_weights::spec;
  spec.recompute = recomputes::core_attn | recomputes::moe_act;
  return spec;
}()));

// Inputs on the host: only those that full recomputation keeps.
using moved = run<recompute<recomputes::full>, offload<inputs_to_host>>;
static_assert(moved::memory[0].activations.count == 0 && moved::offloaded[0].host.count == 4 * input);
using not_moved = run<offload<inputs_to_host>>;
static_assert(not_moved::memory[0].activations.count == 4 * block && not_moved::offloaded[0].host.count == 0);

// Dropout after the embedding, on the first stage only.
static_assert(activations<dropout<dropouts::hidden>> == 4 * (block + 2 * 64 * 64) + 64 * 64);
static_assert(run<pp<2>, dropout<dropouts::hidden>>::memory[1].activations.count == 2 * (block + 2 * 64 * 64));

}  // namespace
