// SPDX-License-Identifier: BSL-1.0
// The legal values that stand beside an illegal number: the nearest below and above that break nothing.
#include <shardplan/shardplan.hpp>

#include <cstdint>

namespace sp = shardplan;

namespace {

template <class First, class Second>
inline constexpr bool same = false;
template <class Type>
inline constexpr bool same<Type, Type> = true;
template <class Run, class... Broken>
inline constexpr bool breaks = same<sp::violations_of<Run>, sp::violations<Broken...>>;

using sp::does_not_divide;
using sp::does_not_match;
using sp::try_;

struct large_device {
  static constexpr sp::device_spec spec{.name = "large", .memory = sp::bytes{std::int64_t{1} << 50}};
};
template <class Model, int Nodes, int Batch, class... More>
using run_on = sp::plan<sp::model<Model>, sp::cluster<large_device, 8, Nodes>, sp::micro_batch<1>, sp::global_batch<Batch>, More...>;

// 28 heads, 4 key/value heads and 8 devices: of tp only 1, 2 and 4.
using sp::models::qwen2_5_7b;
static_assert(breaks<run_on<qwen2_5_7b, 1, 64, sp::tp<8>, sp::sequence<4096>>, does_not_divide<sp::tp<8>, sp::heads<28>, try_<sp::tp<4>>>>);
// 126 layers on 16 ranks with tp 8 and 144 nodes: 9 and 18 stages; or the same 16 with embedding and head in the place of a layer each,
// as Llama 3 was trained (arXiv 2407.21783).
using sp::models::llama3_1_405b;
template <class... More>
using deep_run = run_on<llama3_1_405b, 144, 144, sp::tp<8>, sp::pp<16>, sp::sequence<8192>, More...>;
using both_slots = sp::pipeline_slots<sp::embedding_slot, sp::loss_slot>;
static_assert(breaks<deep_run<>, does_not_divide<sp::pp<16>, sp::layers<126>, try_<sp::pp<9>>, try_<sp::pp<18>>, try_<both_slots>>> &&
              sp::valid<deep_run<both_slots>>);
static_assert(breaks<deep_run<sp::framework<sp::frameworks::megatron>>,
                     does_not_divide<sp::pp<16>, sp::layers<126>, try_<sp::pp<9>>, try_<sp::pp<18>>, try_<both_slots>>>);
// A slot that is said is no better than none: both.
static_assert(breaks<deep_run<sp::pipeline_slots<sp::embedding_slot>>,
                     does_not_divide<sp::pp<16>, sp::layers_and_slots<127>, try_<sp::pp<1>>, try_<both_slots>>>);
// DeepSpeed has no slots: a split, the larger counts first; PyTorch's stages are told theirs, the ends have fewer. torchtitan deals them
// out by itself.
static_assert(breaks<deep_run<sp::framework<sp::frameworks::deepspeed>>,
                     does_not_divide<sp::pp<16>, sp::layers<126>, try_<sp::pp<9>>, try_<sp::pp<18>>,
                                     try_<sp::layer_split<8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 7, 7>>>>);
static_assert(breaks<deep_run<sp::framework<sp::frameworks::fsdp2>>,
                     does_not_divide<sp::pp<16>, sp::layers<126>, try_<sp::pp<9>>, try_<sp::pp<18>>,
                                     try_<sp::layer_split<7, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 7>>>>);
static_assert(sp::valid<deep_run<sp::framework<sp::frameworks::torchtitan>>>);
// Where the ranks are wrong as well, no split of so many stages is offered.
static_assert(breaks<run_on<llama3_1_405b, 144, 144, sp::tp<8>, sp::pp<5>, sp::sequence<8192>>,
                     does_not_divide<sp::tp_x_pp_x_cp<40>, sp::device_count<1152>, try_<sp::pp<3>>, try_<sp::pp<6>>>,
                     does_not_divide<sp::pp<5>, sp::layers<126>>>);
// The nearest batches and sequences.
using sp::models::llama2_7b;
static_assert(
    breaks<run_on<llama2_7b, 2, 60, sp::sequence<4096>>,
           does_not_divide<sp::micro_batch_x_dp<16>, sp::global_batch<60>, try_<sp::global_batch<48>>, try_<sp::global_batch<64>>>>);
static_assert(breaks<run_on<llama2_7b, 2, 15, sp::sequence<4096>>,
                     does_not_divide<sp::micro_batch_x_dp<16>, sp::global_batch<15>, try_<sp::global_batch<16>>>>);
static_assert(breaks<run_on<llama2_7b, 2, 64, sp::sequence<4098>, sp::cp<2>, sp::tp<4>>,
                     does_not_divide<sp::cp_x_tp<8>, sp::sequence<4098>, try_<sp::sequence<4096>>, try_<sp::sequence<4104>>>>);
// Under torchtitan 2 x cp x tp.
static_assert(breaks<run_on<llama2_7b, 2, 64, sp::sequence<4104>, sp::cp<2>, sp::tp<4>, sp::framework<sp::frameworks::torchtitan>>,
                     does_not_divide<sp::cp_x_2_tp<16>, sp::sequence<4104>, try_<sp::sequence<4096>>, try_<sp::sequence<4112>>>>);
// Three batch numbers that do not multiply out: the steps, where they divide, else the batch.
static_assert(breaks<run_on<llama2_7b, 1, 256, sp::sequence<4096>, sp::accumulation<1>>,
                     does_not_match<sp::micro_batch_x_accumulation_x_dp<8>, sp::global_batch<256>, try_<sp::accumulation<32>>>>);
static_assert(breaks<run_on<llama2_7b, 1, 250, sp::sequence<4096>, sp::accumulation<2>>,
                     does_not_match<sp::micro_batch_x_accumulation_x_dp<16>, sp::global_batch<250>, try_<sp::global_batch<16>>>>);
// 50,257 words on two ranks: padded to an even number.
static_assert(breaks<run_on<sp::models::gpt2, 1, 64, sp::sequence<1024>, sp::tp<2>>,
                     does_not_divide<sp::tp<2>, sp::vocabulary<50257>, try_<sp::vocabulary_multiple<2>>>>);
static_assert(breaks<run_on<sp::models::gpt2, 1, 64, sp::sequence<2048>>,
                     sp::exceeds<sp::sequence<2048>, sp::positions<1024>, try_<sp::sequence<1024>>>>);
// A stated dp that is not what is left.
static_assert(breaks<run_on<llama2_7b, 2, 64, sp::sequence<4096>, sp::tp<4>, sp::dp<8>>,
                     does_not_match<sp::tp_x_pp_x_cp_x_dp<32>, sp::device_count<16>, try_<sp::dp<4>>>>);
// An expert grid too large for its world.
static_assert(breaks<run_on<sp::models::mixtral_8x7b, 1, 64, sp::sequence<4096>, sp::pp<4>, sp::ep<8>>,
                     does_not_divide<sp::etp_x_ep_x_pp<32>, sp::device_count<8>, try_<sp::ep<2>>>>);
// Ranks of groups: all-to-alls inside a ring of six, shard groups and second copies of 16 ranks, nodes among 24 ranks that share gradients.
static_assert(breaks<run_on<llama2_7b, 3, 24, sp::sequence<6144>, sp::cp<6>, sp::communication<sp::inner_all_to_all<4>>>,
                     does_not_divide<sp::inner_all_to_all<4>, sp::cp<6>, try_<sp::inner_all_to_all<3>>, try_<sp::inner_all_to_all<6>>>>);
static_assert(breaks<run_on<llama2_7b, 2, 16, sp::sequence<4096>, sp::hsdp<6>>,
                     does_not_divide<sp::shard_ranks<6>, sp::dp_x_cp<16>, try_<sp::shard_ranks<4>>, try_<sp::shard_ranks<8>>>>);
static_assert(breaks<run_on<llama2_7b, 2, 16, sp::sequence<4096>, sp::zero<3, sp::hpz<6>>>,
                     does_not_divide<sp::hpz<6>, sp::dp_x_cp<16>, try_<sp::hpz<4>>, try_<sp::hpz<8>>>>);
static_assert(breaks<run_on<llama2_7b, 3, 24, sp::sequence<4096>, sp::zero<3>, sp::communication<sp::quantized_gradients<4, 16>>>,
                     does_not_divide<sp::node_ranks<16>, sp::dp_x_cp<24>, try_<sp::node_ranks<12>>, try_<sp::node_ranks<24>>>>);
// Several parts: the first value of each, taken together, keeps all rules that carry values. tp 3 and pp 5 on 8 devices: 2 and 4, and 4
// beside them would be tp's alone. A stated dp is what they leave; with tp 2 it would be 8, which does not divide the batch.
static_assert(breaks<run_on<llama2_7b, 1, 64, sp::sequence<4096>, sp::tp<3>, sp::pp<5>, sp::sequence_parallel<false>>,
                     does_not_divide<sp::tp_x_pp_x_cp<15>, sp::device_count<8>, try_<sp::tp<2>>, try_<sp::tp<4>>>,
                     does_not_divide<sp::tp<3>, sp::heads<32>>, does_not_divide<sp::tp<3>, sp::hidden<4096>>,
                     does_not_divide<sp::tp<3>, sp::ffn<11008>>, does_not_divide<sp::tp<3>, sp::vocabulary<32000>>,
                     does_not_divide<sp::pp<5>, sp::layers<32>, try_<sp::pp<4>>>>);
static_assert(sp::valid<run_on<llama2_7b, 1, 64, sp::sequence<4096>, sp::tp<2>, sp::pp<4>, sp::sequence_parallel<false>>>);
static_assert(breaks<run_on<llama2_7b, 2, 60, sp::sequence<4096>, sp::tp<3>, sp::dp<3>, sp::sequence_parallel<false>>,
                     does_not_match<sp::tp_x_pp_x_cp_x_dp<9>, sp::device_count<16>, try_<sp::dp<4>>>,
                     does_not_divide<sp::tp<3>, sp::heads<32>, try_<sp::tp<4>>>, does_not_divide<sp::tp<3>, sp::hidden<4096>>,
                     does_not_divide<sp::tp<3>, sp::ffn<11008>>, does_not_divide<sp::tp<3>, sp::vocabulary<32000>>>);
// Nothing is near: a model that contradicts itself, a split of its own.
static_assert(breaks<run_on<llama2_7b, 1, 64, sp::sequence<4096>, sp::pp<2>, sp::layer_split<16, 15>>,
                     does_not_match<sp::layer_split_sum<31>, sp::layers<32>>>);
// The same values at run time, in the record and in words.
constexpr sp::violation_list list = sp::violations_in(run_on<qwen2_5_7b, 1, 64, sp::tp<8>, sp::sequence<4096>>::spec);
static_assert(list[0].legal[0] == sp::remedy{sp::remedy_kind::tp, 4} && list[0].legal[1] == sp::remedy{});

}  // namespace
