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
static_assert(takes<1, 4, 4100, sp::framework<sp::frameworks::torchtitan>> && takes<1, 4, 4100, sp::framework<sp::frameworks::fsdp2>>);

// Experts, key/value heads: the rules that hold everywhere.
template <class... More>
using mixture = sp::plan<sp::model<sp::models::mixtral_8x7b>, sp::cluster<sp::devices::h100_sxm_80gb, 8, 12>, sp::zero<1>,
                         sp::micro_batch<1>, sp::global_batch<96>, sp::sequence<4096>, More...>;
static_assert(sp::violations_of<mixture<sp::ep<3>>>::count == 1);
template <class>
inline constexpr bool names_experts = false;
template <>
inline constexpr bool names_experts<sp::violations<sp::does_not_divide<sp::ep<3>, sp::expert_count<8>>>> = true;
static_assert(names_experts<sp::violations_of<mixture<sp::ep<3>>>>);

}  // namespace
