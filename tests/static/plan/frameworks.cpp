// SPDX-License-Identifier: BSL-1.0
// Rules and defaults of a framework.
#include <shardplan/shardplan.hpp>

#include <cstdint>

namespace sp = shardplan;

namespace {

template <class... More>
using run =
    sp::plan<sp::model<sp::models::gpt2>, sp::cluster<sp::devices::h100_sxm_80gb, 8, 8>, sp::micro_batch<1>, sp::global_batch<64>, More...>;
using megatron = sp::framework<sp::frameworks::megatron>;
constexpr std::int64_t rows(const sp::plan_spec& spec) { return sp::derive(spec).vocabulary; }

// GPT-2's 50,257 rows: Megatron-LM pads to 128 x tp, whatever is said wins, and others do not pad.
static_assert(rows(run<megatron, sp::sequence<1024>>::spec) == 50'304);
static_assert(rows(run<megatron, sp::tp<4>, sp::sequence<1024>>::spec) == 50'688);
static_assert(rows(run<megatron, sp::tp<4>, sp::vocabulary_multiple<4>, sp::sequence<1024>>::spec) == 50'260);
static_assert(rows(run<megatron, sp::vocabulary_multiple<1>, sp::sequence<1024>>::spec) == 50'257);
static_assert(rows(run<sp::framework<sp::frameworks::deepspeed>, sp::sequence<1024>>::spec) == 50'257);
static_assert(rows(run<sp::sequence<1024>>::spec) == 50'257);
static_assert(sp::valid<run<megatron, sp::tp<4>, sp::sequence<1024>>> && !sp::valid<run<sp::tp<4>, sp::sequence<1024>>>);
static_assert(run<megatron, sp::sequence<1024>>::memory[0].weights == sp::bytes{2 * (124'439'808 + 47 * 768)});

// The sequence under context parallelism: a multiple of cp x lcm(2, tp). NVIDIA-NeMo/RL issue 3563: tp 4, cp 2 take 4104 and not 4100.
template <int Tensor, int Context, int Sequence, class... More>
inline constexpr bool takes =
    sp::valid<sp::plan<sp::model<sp::models::llama2_7b>, sp::cluster<sp::devices::h100_sxm_80gb, 8, 8>, sp::micro_batch<1>,
                       sp::global_batch<64>, sp::zero<1>, sp::tp<Tensor>, sp::cp<Context>, sp::sequence<Sequence>, More...>>;
static_assert(takes<4, 2, 4104, megatron> && !takes<4, 2, 4100, megatron> && !takes<4, 2, 4100>);
static_assert(takes<1, 4, 4104, megatron> && !takes<1, 4, 4100, megatron> && takes<1, 4, 4100>);
static_assert(takes<2, 4, 4104, megatron> && !takes<2, 4, 4100, megatron> && !takes<2, 4, 4100>);
// Without sequence parallelism tp does not share a sequence; without context parallelism nothing is dealt out in pairs.
static_assert(takes<4, 2, 4100, megatron, sp::sequence_parallel<false>> && !takes<4, 2, 4098, megatron, sp::sequence_parallel<false>>);
static_assert(takes<1, 1, 4097, megatron> && !takes<2, 1, 4097, megatron> && takes<2, 1, 4098, megatron>);
// torchtitan: 2 x cp x tp, whatever cp is (its parallel_dims.py); torch's context_parallel alone deals out pairs as Megatron-LM does.
using torchtitan = sp::framework<sp::frameworks::torchtitan>;
using fsdp2 = sp::framework<sp::frameworks::fsdp2>;
static_assert(takes<4, 2, 4112, torchtitan> && !takes<4, 2, 4104, torchtitan> && !takes<1, 1, 4097, torchtitan>);
static_assert(!takes<4, 2, 4104, torchtitan, sp::sequence_parallel<false>> && takes<4, 2, 4112, torchtitan, sp::sequence_parallel<false>>);
static_assert(takes<1, 4, 4104, torchtitan> && !takes<1, 4, 4100, torchtitan>);
static_assert(takes<4, 2, 4104, fsdp2> && !takes<1, 4, 4100, fsdp2> && takes<1, 2, 4100, fsdp2> && takes<1, 1, 4097, fsdp2>);
// DeepSpeed's Ulysses takes what cp divides. 32 heads on 3 ranks do not go.
using deepspeed = sp::framework<sp::frameworks::deepspeed>;
static_assert(takes<1, 4, 4100, deepspeed> && !takes<1, 4, 4098, deepspeed>);
// FP8 kernels: 16 tokens and more on each cp rank, and what else must divide.
using fp8 = sp::precision<sp::precisions::fp8_compute>;
static_assert(takes<1, 2, 4096, fp8> && takes<1, 2, 4128, fp8> && !takes<1, 2, 4112, fp8> && !takes<1, 1, 4104, fp8>);
static_assert(takes<1, 1, 4112, fp8, megatron> && takes<1, 1, 4104>);
static_assert(takes<1, 1, 4112, sp::precision<sp::precisions::deepseek_fp8>>);
// Each rank of a shared sequence quantises its own part: eights of tokens. NVIDIA-NeMo/RL issue 1551: 16,368 tokens on 4 ranks are 4092.
static_assert(takes<2, 1, 4112, fp8> && takes<4, 1, 4128, fp8> && !takes<4, 1, 16'368, fp8> && !takes<4, 2, 4128, fp8, megatron>);
static_assert(takes<4, 1, 16'368, fp8, sp::sequence_parallel<false>> && takes<4, 1, 16'368, fp8, fsdp2> && takes<4, 1, 16'368>);
static_assert(takes<4, 1, 16'368, fp8, torchtitan> && !takes<4, 1, 16'376, fp8, torchtitan>);
// MXFP8: whole blocks of 32 (modelscope/ms-swift issue 9723: 31,936 tokens on 4 ranks are 7984).
using mxfp8 = sp::precision<sp::precisions::mxfp8_weights>;
static_assert(takes<1, 1, 4128, mxfp8> && !takes<1, 1, 4112, mxfp8> && !takes<1, 2, 4128, mxfp8> && takes<1, 2, 4160, mxfp8>);
static_assert(!takes<4, 1, 31'936, mxfp8> && takes<4, 1, 31'872, mxfp8> && takes<4, 1, 31'936, mxfp8, sp::sequence_parallel<false>>);
template <int Tensor, int Context, class... More>
inline constexpr std::int64_t unit_of =
    sp::sequence_multiple_of(sp::plan<sp::model<sp::models::llama2_7b>, sp::tp<Tensor>, sp::cp<Context>, More...>::spec);
static_assert(unit_of<1, 2, fp8> == 32 && unit_of<2, 2, fp8> == 32 && unit_of<4, 2, fp8> == 64 && unit_of<3, 1, fp8> == 48);
static_assert(unit_of<4, 2, fp8, fsdp2> == 32 && unit_of<4, 2, fp8, torchtitan> == 32 && unit_of<8, 1, fp8, megatron> == 64);
static_assert(unit_of<1, 2, mxfp8> == 64 && unit_of<4, 2, mxfp8> == 256 && unit_of<4, 2, mxfp8, sp::sequence_parallel<false>> == 64);

// Experts, key/value heads: the rules that hold everywhere.
template <class... More>
using mixture = sp::plan<sp::model<sp::models::mixtral_8x7b>, sp::cluster<sp::devices::h100_sxm_80gb, 8, 12>, sp::zero<1>,
                         sp::micro_batch<1>, sp::global_batch<96>, sp::sequence<4096>, More...>;
static_assert(sp::violations_of<mixture<sp::ep<3>>>::count == 1);
template <class>
inline constexpr bool names_experts = false;
template <class... Legal>
inline constexpr bool names_experts<sp::violations<sp::does_not_divide<sp::ep<3>, sp::expert_count<8>, Legal...>>> = true;
static_assert(names_experts<sp::violations_of<mixture<sp::ep<3>>>>);

// Key/value heads under tp: torch's tensor parallelism cuts them, others replicate a head. Qwen2.5 3B has two.
template <int Tensor, class... More>
inline constexpr bool heads_go =
    sp::valid<sp::plan<sp::model<sp::models::qwen2_5_3b>, sp::cluster<sp::devices::h100_sxm_80gb, 8, 8>, sp::micro_batch<1>, sp::zero<1>,
                       sp::global_batch<64>, sp::tp<Tensor>, sp::sequence<4096>, More...>>;
static_assert(heads_go<4> && heads_go<4, megatron> && heads_go<4, deepspeed> && !heads_go<4, torchtitan> && !heads_go<4, fsdp2>);
static_assert(heads_go<2, torchtitan> && heads_go<2, fsdp2>);

// Ulysses deals out query heads, and key/value heads in whole ones or copies of one: of Qwen2.5 14B 40 and 8.
template <int Tensor, int Context, class Framework = deepspeed>
inline constexpr bool ulysses_goes =
    sp::valid<sp::plan<sp::model<sp::models::qwen2_5_14b>, sp::cluster<sp::devices::h100_sxm_80gb, 8, 10>, sp::micro_batch<1>, sp::zero<3>,
                       sp::global_batch<80>, sp::tp<Tensor>, sp::cp<Context>, sp::sequence<8000>, Framework>>;
static_assert(ulysses_goes<1, 8> && ulysses_goes<1, 40> && ulysses_goes<2, 4> && ulysses_goes<1, 4>);
static_assert(!ulysses_goes<1, 16> && !ulysses_goes<1, 5> && !ulysses_goes<1, 10> && !ulysses_goes<4, 4>);
static_assert(ulysses_goes<1, 10, sp::framework<sp::frameworks::generic>> && ulysses_goes<1, 5, fsdp2>);

// What a framework refuses together.
template <class Plan>
inline constexpr bool refuses_pair = false;
template <sp::feature What, class... Tried>
inline constexpr bool refuses_pair<sp::violations<sp::not_supported<What, Tried...>>> = true;
template <class... More>
using pipeline = sp::plan<sp::model<sp::models::llama2_7b>, sp::cluster<sp::devices::h100_sxm_80gb, 8, 8>, sp::micro_batch<1>,
                          sp::global_batch<128>, sp::sequence<4096>, sp::pp<2>, More...>;
static_assert(refuses_pair<sp::violations_of<pipeline<deepspeed, sp::zero<2>>>> &&
              refuses_pair<sp::violations_of<pipeline<deepspeed, sp::zero<3>>>>);
static_assert(sp::valid<pipeline<deepspeed, sp::zero<1>>> && sp::valid<pipeline<sp::zero<2>>> &&
              sp::valid<pipeline<megatron, sp::zero<2>>>);
template <class... More>
using routed = sp::plan<sp::model<sp::models::mixtral_8x7b>, sp::cluster<sp::devices::h200_sxm_141gb, 8, 16>, sp::micro_batch<1>,
                        sp::global_batch<128>, sp::sequence<4096>, More...>;
static_assert(refuses_pair<sp::violations_of<routed<deepspeed, sp::ep<8>, sp::zero<3>>>>);
static_assert(sp::valid<routed<deepspeed, sp::ep<8>, sp::zero<2>>> && sp::valid<routed<deepspeed, sp::zero<3>>> &&
              sp::valid<routed<sp::ep<8>, sp::zero<3>>>);
using no_sharing = sp::sequence_parallel<false>;
static_assert(refuses_pair<sp::violations_of<routed<megatron, sp::tp<4>, sp::etp<4>, sp::zero<1>, no_sharing>>>);
static_assert(sp::valid<routed<megatron, sp::tp<4>, sp::etp<4>, sp::zero<1>>> &&
              sp::valid<routed<sp::tp<4>, sp::etp<4>, sp::zero<1>, no_sharing>>);
// Megatron-LM: virtual stages need a pipeline.
template <class... More>
using chunked = sp::plan<sp::model<sp::models::llama2_7b>, sp::cluster<sp::devices::h100_sxm_80gb, 8, 8>, sp::micro_batch<1>,
                         sp::global_batch<128>, sp::sequence<4096>, sp::zero<1>, sp::schedule<sp::schedules::interleaved<2>>, More...>;
static_assert(refuses_pair<sp::violations_of<chunked<megatron>>> && sp::valid<chunked<megatron, sp::pp<2>>> && sp::valid<chunked<>>);
// torchtitan: tensor parallel ranks are ranks of the experts.
static_assert(!sp::valid<routed<torchtitan, sp::tp<8>, sp::ep<4>, sp::fsdp<>>> &&
              sp::valid<routed<torchtitan, sp::tp<4>, sp::ep<4>, sp::fsdp<>>>);
static_assert(sp::valid<routed<fsdp2, sp::tp<8>, sp::ep<4>, sp::fsdp<>>>);
static_assert(!sp::valid<routed<torchtitan, sp::tp<2>, sp::fsdp<>>> && sp::valid<routed<torchtitan, sp::tp<2>, sp::ep<2>, sp::fsdp<>>> &&
              sp::valid<routed<torchtitan, sp::tp<2>, sp::etp<2>, sp::fsdp<>>> && sp::valid<routed<sp::tp<2>, sp::fsdp<>>>);
static_assert(refuses_pair<sp::violations_of<routed<torchtitan, sp::tp<4>, sp::ep<4>, sp::etp<2>, sp::fsdp<>>>> &&
              sp::valid<routed<torchtitan, sp::tp<4>, sp::ep<4>, sp::etp<4>, sp::fsdp<>>> &&
              sp::valid<routed<sp::tp<4>, sp::ep<4>, sp::etp<2>, sp::fsdp<>>>);
// and a tied embedding, as next-token layers, has no pipeline.
template <class Model, class... More>
using staged = sp::plan<sp::model<Model>, sp::cluster<sp::devices::h200_sxm_141gb, 8, 128>, sp::micro_batch<1>, sp::global_batch<1024>,
                        sp::sequence<4096>, sp::fsdp<>, More...>;
static_assert(refuses_pair<sp::violations_of<staged<sp::models::llama3_2_1b, torchtitan, sp::pp<2>>>> &&
              sp::valid<staged<sp::models::llama3_2_1b, torchtitan>> && sp::valid<staged<sp::models::llama3_2_1b, fsdp2, sp::pp<2>>> &&
              sp::valid<staged<sp::models::llama3_2_1b, sp::pp<2>>> && sp::valid<staged<sp::models::llama3_8b, torchtitan, sp::pp<2>>>);
struct predicting {
  static constexpr sp::transformer shape = [] {
    sp::transformer model = sp::models::llama3_8b::shape;
    model.next_token_layers = 1;
    return model;
  }();
};
static_assert(refuses_pair<sp::violations_of<staged<predicting, torchtitan, sp::pp<2>>>> && sp::valid<staged<predicting, torchtitan>> &&
              sp::valid<staged<predicting, sp::pp<2>>>);
// Megatron-LM: weights in FP8 want sharded states. DeepSpeed: states go to NVMe under ZeRO-3.
template <class... More>
using narrow = sp::plan<sp::model<sp::models::gpt2>, sp::cluster<sp::devices::h100_sxm_80gb, 8, 1>, sp::micro_batch<1>, sp::global_batch<8>,
                        sp::sequence<1024>, More...>;
using fp8_weights = sp::precision<sp::precisions::fp8_weights>;
static_assert(refuses_pair<sp::violations_of<narrow<megatron, fp8_weights>>> && sp::valid<narrow<megatron, fp8_weights, sp::zero<1>>> &&
              sp::valid<narrow<megatron, fp8_weights, sp::fsdp<>>> && sp::valid<narrow<fp8_weights>> && sp::valid<narrow<megatron, fp8>>);
using to_nvme = sp::offload<sp::states_to<sp::storage::nvme>, sp::gradients_to<sp::storage::host>>;
static_assert(
    refuses_pair<sp::violations_of<narrow<deepspeed, to_nvme, sp::zero<2>>>> && sp::valid<narrow<deepspeed, to_nvme, sp::zero<3>>> &&
    sp::valid<narrow<to_nvme, sp::zero<2>>> &&
    sp::valid<narrow<deepspeed, sp::offload<sp::states_to<sp::storage::host>, sp::gradients_to<sp::storage::host>>, sp::zero<2>>>);

// All three batch numbers, as in a DeepSpeed file: none is made up from the others.
template <int Micro, int Turns, int Global>
using counted = sp::plan<sp::model<sp::models::gpt2>, sp::cluster<sp::devices::h100_sxm_80gb, 8, 1>, sp::sequence<1024>,
                         sp::micro_batch<Micro>, sp::accumulation<Turns>, sp::global_batch<Global>>;
static_assert(sp::valid<counted<4, 8, 256>> && counted<4, 8, 256>::micro_batches == 8);
static_assert(!sp::valid<counted<4, 8, 512>> && !sp::valid<counted<4, 0, 256>> && !sp::valid<counted<4, 1, 8>>);

}  // namespace
