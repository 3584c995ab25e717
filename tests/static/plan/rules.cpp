// SPDX-License-Identifier: BSL-1.0
// Each rule, broken and just not broken: the broken rules of a plan as the types that an error line would show, in the order of the tiers.
// (Zero, negative and enormous values of every field: ranges.cpp.)
#include "bare_violations.hpp"

#include <shardplan/shardplan.hpp>

#include <cstdint>

namespace sp = shardplan;

template <class First, class Second>
inline constexpr bool same = false;
template <class Type>
inline constexpr bool same<Type, Type> = true;

// Exactly these rules, in this order.
template <class Run, class... Broken>
inline constexpr bool breaks = same<violations_of_run<Run>, sp::violations<Broken...>>&& sp::valid<Run> == (sizeof...(Broken) == 0);
// Tiers one and two: nothing can be computed.
template <class Run, class... Broken>
inline constexpr bool refuses = breaks<Run, Broken...>&& Run::world_size == 0 && Run::data_parallel == 0 && Run::micro_batches == 0 &&
                                Run::peak_memory.count == 0 && Run::memory[0] == sp::memory_report{} && !sp::fits<Run>;

struct large_device {
  static constexpr sp::device_spec spec{.name = "large", .memory = sp::bytes{std::int64_t{1} << 50}};
};
struct plain_model {
  static constexpr sp::transformer shape{
      .layers = 8, .hidden = 1024, .heads = 16, .kv_heads = 4, .ffn = 4096, .vocab = 32000, .positions = 4096};
};
template <class Model, class... More>
using run_of =
    sp::plan<sp::model<Model>, sp::cluster<large_device, 8, 2>, sp::sequence<4096>, sp::micro_batch<1>, sp::global_batch<64>, More...>;
template <class... More>
using run = run_of<plain_model, More...>;
static_assert(breaks<run<>> && run<>::world_size == 16 && run<>::data_parallel == 16 && run<>::micro_batches == 4);

// missing_part: each of the five, and all of them
using sp::part_kind;
static_assert(
    refuses<sp::plan<>, sp::missing_part<part_kind::model>, sp::missing_part<part_kind::cluster>, sp::missing_part<part_kind::sequence>,
            sp::missing_part<part_kind::micro_batch>, sp::missing_part<part_kind::global_batch>>);
static_assert(refuses<sp::plan<sp::cluster<large_device, 8, 2>, sp::sequence<4096>, sp::micro_batch<1>, sp::global_batch<64>>,
                      sp::missing_part<part_kind::model>>);
static_assert(refuses<sp::plan<sp::model<plain_model>, sp::sequence<4096>, sp::micro_batch<1>, sp::global_batch<64>>,
                      sp::missing_part<part_kind::cluster>>);
static_assert(refuses<sp::plan<sp::model<plain_model>, sp::cluster<large_device, 8, 2>, sp::micro_batch<1>, sp::global_batch<64>>,
                      sp::missing_part<part_kind::sequence>>);
static_assert(refuses<sp::plan<sp::model<plain_model>, sp::cluster<large_device, 8, 2>, sp::sequence<4096>, sp::global_batch<64>>,
                      sp::missing_part<part_kind::micro_batch>>);
static_assert(refuses<sp::plan<sp::model<plain_model>, sp::cluster<large_device, 8, 2>, sp::sequence<4096>, sp::micro_batch<1>>,
                      sp::missing_part<part_kind::global_batch>>);

// malformed_part: a number that is no order of the axes. Each of the six once, and the bit of a dense ep, are all that there is.
template <std::uint32_t Code>
inline constexpr bool is_no_order = refuses<run<sp::rank_order<sp::rank_orders{Code}>>, sp::malformed_part<part_kind::rank_order>>;
static_assert(is_no_order<0x0> && is_no_order<0x111111> && is_no_order<0x654320> && is_no_order<0x754321> && is_no_order<0x65432> &&
              is_no_order<0x2654321> && is_no_order<0x7654321> && is_no_order<0xffffffff>);
static_assert(breaks<run<sp::rank_order<sp::rank_orders{0x123456}>>> && breaks<run<sp::rank_order<sp::rank_orders{0x1654321}>>> &&
              breaks<run<sp::rank_order<sp::rank_orders::nanotron>>> && breaks<run<sp::rank_order<sp::rank_orders::llama3>>>);

// repeated_part: every slot, equal values too; three times is once in the list; slots in their order
template <part_kind Kind, class... More>
inline constexpr bool repeats = refuses<run<More...>, sp::repeated_part<Kind>>;
static_assert(repeats<part_kind::model, sp::model<plain_model>> && repeats<part_kind::cluster, sp::cluster<large_device, 8, 2>>);
static_assert(repeats<part_kind::sequence, sp::sequence<4096>> && repeats<part_kind::micro_batch, sp::micro_batch<1>> &&
              repeats<part_kind::global_batch, sp::global_batch<64>>);
static_assert(repeats<part_kind::tp, sp::tp<2>, sp::tp<2>> && repeats<part_kind::pp, sp::pp<2>, sp::pp<4>> &&
              repeats<part_kind::dp, sp::dp<16>, sp::dp<16>>);
static_assert(repeats<part_kind::cp, sp::cp<2>, sp::cp<2>> && repeats<part_kind::ep, sp::ep<1>, sp::ep<1>> &&
              repeats<part_kind::etp, sp::etp<1>, sp::etp<1>>);
static_assert(repeats<part_kind::sequence_parallel, sp::sequence_parallel<true>, sp::sequence_parallel<false>>);
static_assert(repeats<part_kind::zero, sp::zero<1>, sp::zero<2>, sp::zero<3>> && repeats<part_kind::offload, sp::offload<>, sp::offload<>>);
static_assert(repeats<part_kind::layer_split, sp::layer_split<8>, sp::layer_split<8>>);
static_assert(repeats<part_kind::vocabulary_multiple, sp::vocabulary_multiple<2>, sp::vocabulary_multiple<2>>);
static_assert(repeats<part_kind::schedule, sp::schedule<sp::schedules::gpipe>, sp::schedule<sp::schedules::gpipe>>);
static_assert(repeats<part_kind::optimizer, sp::optimizer<sp::optimizers::adam>, sp::optimizer<sp::optimizers::lion>>);
static_assert(repeats<part_kind::precision, sp::precision<sp::precisions::fp32>, sp::precision<sp::precisions::fp32>>);
static_assert(repeats<part_kind::recompute, sp::recompute<sp::recomputes::full>, sp::recompute<sp::recomputes::full>>);
static_assert(repeats<part_kind::headroom, sp::headroom<0>, sp::headroom<0>>);
static_assert(repeats<part_kind::overlap, sp::overlap<>, sp::overlap<>>);
static_assert(repeats<part_kind::rank_order, sp::rank_order<sp::rank_orders::megatron>, sp::rank_order<sp::rank_orders::llama3>>);
static_assert(repeats<part_kind::link_efficiency, sp::link_efficiency<>, sp::link_efficiency<sp::of_fabric<70>>>);
static_assert(repeats<part_kind::collectives, sp::collectives<>, sp::collectives<sp::dp_by<sp::algorithm::tree>>>);
static_assert(repeats<part_kind::node_limited_routing, sp::node_limited_routing<2>, sp::node_limited_routing<4>>);
static_assert(repeats<part_kind::communication, sp::communication<>, sp::communication<>>);
static_assert(refuses<run<sp::tp<2>, sp::headroom<0>, sp::headroom<0>, sp::tp<2>>, sp::repeated_part<part_kind::tp>,
                      sp::repeated_part<part_kind::headroom>>);

// The world: a part by its own name, a product by its own.
using sp::does_not_divide;
using sp::does_not_match;
template <std::int64_t... Changes>
struct model_with;
template <std::int64_t Layers, std::int64_t Hidden, std::int64_t Heads, std::int64_t KeyValueHeads, std::int64_t HeadDim, std::int64_t Ffn,
          std::int64_t Vocab>
struct model_with<Layers, Hidden, Heads, KeyValueHeads, HeadDim, Ffn, Vocab> {
  static constexpr sp::transformer shape{
      .layers = Layers, .hidden = Hidden, .heads = Heads, .kv_heads = KeyValueHeads, .head_dim = HeadDim, .ffn = Ffn, .vocab = Vocab};
};
using threes = model_with<24, 1536, 24, 0, 0, 6144, 33000>;
static_assert(breaks<run_of<threes, sp::cp<2>>> && breaks<run_of<threes, sp::pp<8>>>);
static_assert(refuses<run_of<threes, sp::tp<3>, sp::sequence_parallel<false>>, does_not_divide<sp::tp<3>, sp::device_count<16>>>);
static_assert(refuses<run_of<threes, sp::pp<3>>, does_not_divide<sp::pp<3>, sp::device_count<16>>>);
static_assert(refuses<run_of<threes, sp::tp<2>, sp::pp<3>>, does_not_divide<sp::tp_x_pp_x_cp<6>, sp::device_count<16>>>);
static_assert(
    refuses<run_of<threes, sp::pp<24>, sp::cp<2>>, does_not_divide<sp::tp_x_pp_x_cp<48>, sp::device_count<16>>>);  // more than there are
static_assert(breaks<run<sp::dp<16>>> && breaks<run<sp::dp<4>, sp::tp<4>>> && run<sp::dp<4>, sp::tp<4>>::data_parallel == 4);
static_assert(refuses<run<sp::dp<8>>, does_not_match<sp::tp_x_pp_x_cp_x_dp<8>, sp::device_count<16>>>);
static_assert(refuses<run<sp::dp<32>>, does_not_match<sp::tp_x_pp_x_cp_x_dp<32>, sp::device_count<16>>>);
static_assert(refuses<run<sp::dp<8>, sp::tp<4>>, does_not_match<sp::tp_x_pp_x_cp_x_dp<32>, sp::device_count<16>>>);

// Widths.
static_assert(refuses<run_of<model_with<8, 1000, 16, 0, 0, 4096, 32000>>, does_not_divide<sp::heads<16>, sp::hidden<1000>>>);
static_assert(breaks<run_of<model_with<8, 1000, 16, 0, 64, 4096, 32000>>>);  // a head width of its own
static_assert(refuses<run_of<model_with<8, 1024, 16, 3, 0, 4096, 32000>>, does_not_divide<sp::kv_heads<3>, sp::heads<16>>>);
static_assert(refuses<run_of<model_with<8, 1024, 16, 32, 0, 4096, 32000>>, does_not_divide<sp::kv_heads<32>, sp::heads<16>>>);
static_assert(refuses<run_of<model_with<8, 1024, 4, 0, 64, 4096, 32000>, sp::tp<8>>, does_not_divide<sp::tp<8>, sp::heads<4>>>);
static_assert(breaks<run_of<model_with<8, 1024, 4, 0, 64, 4096, 32000>, sp::tp<4>>>);
static_assert(refuses<run_of<model_with<8, 1028, 16, 0, 64, 4096, 32000>, sp::tp<8>>, does_not_divide<sp::tp<8>, sp::hidden<1028>>>);
static_assert(breaks<run_of<model_with<8, 1028, 16, 0, 64, 4096, 32000>, sp::tp<4>>>);
static_assert(refuses<run_of<model_with<8, 1024, 16, 0, 0, 4100, 32000>, sp::tp<8>>, does_not_divide<sp::tp<8>, sp::ffn<4100>>>);
static_assert(breaks<run_of<model_with<8, 1024, 16, 0, 0, 4100, 32000>, sp::tp<4>>>);
// GPT-2's 50,257 words
static_assert(refuses<run_of<model_with<8, 1024, 16, 0, 0, 4096, 50257>, sp::tp<2>>, does_not_divide<sp::tp<2>, sp::vocabulary<50257>>>);
static_assert(breaks<run_of<model_with<8, 1024, 16, 0, 0, 4096, 50257>, sp::tp<2>, sp::vocabulary_multiple<256>>>);
static_assert(refuses<run_of<model_with<8, 1024, 16, 0, 0, 4096, 50257>, sp::tp<8>, sp::vocabulary_multiple<2>>,
                      does_not_divide<sp::tp<8>, sp::vocabulary<50258>>>);
// Key/value heads: a multiple (4 on 2), equal, a divisor (4 on 8, replicated); 6 on 4 is neither
static_assert(breaks<run<sp::tp<2>>> && breaks<run<sp::tp<4>>> && breaks<run<sp::tp<8>>>);
static_assert(
    refuses<run_of<model_with<8, 1536, 24, 6, 0, 4096, 32000>, sp::tp<4>>, sp::neither_multiple_nor_divisor<sp::kv_heads<6>, sp::tp<4>>>);
static_assert(breaks<run_of<model_with<8, 1536, 24, 6, 0, 4096, 32000>, sp::tp<2>>>);
static_assert(breaks<run_of<model_with<8, 1536, 24, 1, 0, 4096, 32000>, sp::tp<8>>>);

// Experts.
template <std::int64_t Count, std::int64_t TopK, std::int64_t Ffn, std::int64_t Shared, std::int64_t Dense = 0,
          std::int64_t DenseFfn = 4096>
struct moe {
  static constexpr sp::transformer shape{.layers = 8,
                                         .hidden = 1024,
                                         .heads = 16,
                                         .kv_heads = 4,
                                         .ffn = DenseFfn,
                                         .vocab = 32000,
                                         .experts = {Count, TopK, Ffn, Shared, Dense}};
};
static_assert(breaks<run_of<moe<8, 2, 1024, 512>, sp::ep<8>>> && breaks<run_of<moe<8, 2, 1024, 512>, sp::ep<4>, sp::etp<4>>>);
static_assert(refuses<run_of<moe<12, 2, 1024, 512>, sp::ep<8>>, does_not_divide<sp::ep<8>, sp::expert_count<12>>>);
static_assert(refuses<run_of<moe<12, 2, 1024, 512>, sp::ep<3>>, does_not_divide<sp::etp_x_ep_x_pp<3>, sp::device_count<16>>>);
static_assert(refuses<run_of<moe<32, 2, 1024, 512>, sp::ep<32>>, does_not_divide<sp::etp_x_ep_x_pp<32>, sp::device_count<16>>>);
static_assert(refuses<run_of<moe<8, 2, 1028, 512>, sp::etp<8>>, does_not_divide<sp::etp<8>, sp::expert_ffn<1028>>>);
static_assert(breaks<run_of<moe<8, 2, 1028, 512>, sp::etp<4>>>);
static_assert(refuses<run_of<moe<8, 2, 1024, 516>, sp::tp<8>>, does_not_divide<sp::tp<8>, sp::shared_ffn<516>>>);
static_assert(breaks<run_of<moe<8, 2, 1024, 516>, sp::tp<4>>>);
// the dense width counts only where a dense layer is; an expert without a width of its own has the dense one
static_assert(breaks<run_of<moe<8, 2, 1024, 512, 0, 4100>, sp::tp<8>>> && breaks<run_of<moe<8, 2, 1024, 512, 0, 0>, sp::tp<8>>>);
static_assert(refuses<run_of<moe<8, 2, 1024, 512, 1, 4100>, sp::tp<8>>, does_not_divide<sp::tp<8>, sp::ffn<4100>>>);
static_assert(refuses<run_of<moe<8, 2, 0, 512, 0, 4100>, sp::etp<8>>, does_not_divide<sp::etp<8>, sp::expert_ffn<4100>>>);

// Stages.
static_assert(refuses<run_of<model_with<9, 1024, 16, 0, 0, 4096, 32000>, sp::pp<4>>, does_not_divide<sp::pp<4>, sp::layers<9>>>);
static_assert(refuses<run_of<model_with<2, 1024, 16, 0, 0, 4096, 32000>, sp::pp<4>>, does_not_divide<sp::pp<4>, sp::layers<2>>>);
static_assert(breaks<run_of<model_with<9, 1024, 16, 0, 0, 4096, 32000>, sp::pp<4>, sp::layer_split<2, 2, 2, 3>>>);
static_assert(refuses<run<sp::pp<4>, sp::layer_split<2, 2, 2, 3>>, does_not_match<sp::layer_split_sum<9>, sp::layers<8>>>);
static_assert(refuses<run<sp::pp<4>, sp::layer_split<2, 2, 4>>, does_not_match<sp::layer_split_entries<3>, sp::pp<4>>>);
static_assert(refuses<run<sp::pp<4>, sp::layer_split<2, 2, 4, 0>>, sp::empty_stage<sp::stage<3>>>);
static_assert(refuses<run<sp::pp<4>, sp::layer_split<0, 4, 0>>, sp::empty_stage<sp::stage<0>>, sp::empty_stage<sp::stage<2>>,
                      does_not_match<sp::layer_split_entries<3>, sp::pp<4>>, does_not_match<sp::layer_split_sum<4>, sp::layers<8>>>);
static_assert(breaks<run<sp::layer_split<8>>> &&
              refuses<run<sp::layer_split<4, 4>>, does_not_match<sp::layer_split_entries<2>, sp::pp<1>>>);

// A schedule of one's own: chunks, and what it must answer.
template <std::int64_t Chunks, std::int64_t Alive>
struct own_schedule {
  static constexpr std::int64_t in_flight(std::int64_t, std::int64_t, std::int64_t, std::int64_t) { return Alive; }
  static constexpr sp::schedule_spec spec{.name = "own", .chunks = Chunks, .in_flight = &in_flight};
};
struct silent_schedule {
  static constexpr sp::schedule_spec spec{.name = "silent"};
};
// pp 4: dp 4, 16 micro-batches
static_assert(breaks<run<sp::pp<4>, sp::schedule<own_schedule<2, 1>>>> && breaks<run<sp::pp<4>, sp::schedule<own_schedule<2, 32>>>>);
static_assert(
    refuses<run<sp::pp<4>, sp::schedule<own_schedule<2, 33>>>, sp::out_of_range<sp::in_flight<33>, sp::at_least<1>, sp::at_most<32>>>);
static_assert(
    refuses<run<sp::pp<4>, sp::schedule<own_schedule<1, 0>>>, sp::out_of_range<sp::in_flight<0>, sp::at_least<1>, sp::at_most<16>>>);
static_assert(
    refuses<run<sp::pp<4>, sp::schedule<own_schedule<1, -5>>>, sp::out_of_range<sp::in_flight<-5>, sp::at_least<1>, sp::at_most<16>>>);
static_assert(refuses<run<sp::pp<4>, sp::schedule<silent_schedule>>, sp::out_of_range<sp::in_flight<0>, sp::at_least<1>, sp::at_most<16>>>);
static_assert(refuses<run<sp::pp<4>, sp::schedule<own_schedule<3, 1>>>, does_not_divide<sp::pp_x_chunks<12>, sp::layers<8>>>);
static_assert(breaks<run<sp::pp<2>, sp::schedule<own_schedule<2, 1>>, sp::layer_split<1, 2, 2, 3>>>);
static_assert(refuses<run<sp::pp<2>, sp::schedule<own_schedule<2, 1>>, sp::layer_split<3, 5>>,
                      does_not_match<sp::layer_split_entries<2>, sp::pp_x_chunks<4>>>);

// The sequence: what shares it must divide it.
template <std::int64_t Tokens, class... More>
using run_over =
    sp::plan<sp::model<threes>, sp::cluster<large_device, 8, 2>, sp::sequence<Tokens>, sp::micro_batch<1>, sp::global_batch<64>, More...>;
static_assert(breaks<run_over<4100, sp::tp<4>>> && refuses<run_over<4100, sp::tp<8>>, does_not_divide<sp::tp<8>, sp::sequence<4100>>>);
static_assert(breaks<run_over<4100, sp::tp<8>, sp::sequence_parallel<false>>> && breaks<run_over<4101, sp::sequence_parallel<true>>>);
static_assert(breaks<run_over<4100, sp::cp<4>>> && refuses<run_over<4100, sp::cp<8>>, does_not_divide<sp::cp<8>, sp::sequence<4100>>>);
static_assert(breaks<run_over<4100, sp::tp<2>, sp::cp<2>>> &&
              refuses<run_over<4100, sp::tp<4>, sp::cp<2>>, does_not_divide<sp::cp_x_tp<8>, sp::sequence<4100>>>);
static_assert(breaks<run_over<4100, sp::tp<4>, sp::cp<2>, sp::sequence_parallel<false>>>);

// The batch.
template <std::int64_t Micro, std::int64_t Global, class... More>
using run_with = sp::plan<sp::model<plain_model>, sp::cluster<large_device, 8, 2>, sp::sequence<4096>, sp::micro_batch<Micro>,
                          sp::global_batch<Global>, More...>;
static_assert(breaks<run_with<2, 64>> && breaks<run_with<4, 64>> && run_with<4, 64>::micro_batches == 1);
static_assert(refuses<run_with<8, 64>, does_not_divide<sp::micro_batch_x_dp<128>, sp::global_batch<64>>>);
static_assert(refuses<run_with<3, 64>, does_not_divide<sp::micro_batch_x_dp<48>, sp::global_batch<64>>>);
static_assert(refuses<run_with<1, 65>, does_not_divide<sp::micro_batch_x_dp<16>, sp::global_batch<65>>>);
static_assert(breaks<run_with<8, 64, sp::tp<2>>>);

// Tier two lists everything that does not divide, in the order of the rules.
static_assert(refuses<run<sp::tp<3>>, does_not_divide<sp::tp<3>, sp::device_count<16>>, does_not_divide<sp::tp<3>, sp::heads<16>>,
                      sp::neither_multiple_nor_divisor<sp::kv_heads<4>, sp::tp<3>>, does_not_divide<sp::tp<3>, sp::hidden<1024>>,
                      does_not_divide<sp::tp<3>, sp::ffn<4096>>, does_not_divide<sp::tp<3>, sp::vocabulary<32000>>,
                      does_not_divide<sp::tp<3>, sp::sequence<4096>>>);
// A broken tier ends the matter: tp 3 is not looked at while zero is out of its range, experts not while tp does not divide.
static_assert(refuses<run<sp::tp<3>, sp::zero<4>>, sp::out_of_range<sp::zero<4>, sp::at_least<0>, sp::at_most<3>>>);

// Tier three: figures are there.
template <class Run, class... Broken>
inline constexpr bool warns = breaks<Run, Broken...>&& Run::world_size == 16 && Run::peak_memory.count > 0 && sp::fits<Run>;
static_assert(breaks<run_of<moe<8, 8, 1024, 0>>> && warns<run_of<moe<8, 9, 1024, 0>>, sp::exceeds<sp::top_k<9>, sp::expert_count<8>>>);
static_assert(breaks<run_of<moe<16, 2, 1024, 0>, sp::ep<16>>>);
static_assert(warns<run<sp::ep<2>>, sp::exceeds<sp::ep<2>, sp::expert_count<0>>>);  // no experts to deal
static_assert(breaks<run_with<1, 64>>);
struct short_model {
  static constexpr sp::transformer shape{.layers = 8, .hidden = 1024, .heads = 16, .ffn = 4096, .vocab = 32000, .positions = 4095};
};
static_assert(warns<run_of<short_model>, sp::exceeds<sp::sequence<4096>, sp::positions<4095>>>);
using sp::storage;
static_assert(breaks<run<sp::offload<sp::states_to<storage::nvme>, sp::gradients_to<storage::host>>>>);
static_assert(warns<run<sp::offload<sp::gradients_to<storage::nvme>>>, sp::not_supported<sp::feature::gradients_to_nvme>>);
// No part sends inputs of blocks to NVMe, but a program can say it.
constexpr sp::plan_spec inputs_to(storage where) {
  sp::plan_spec spec = run<sp::recompute<sp::recomputes::full>>::spec;
  spec.offload.inputs = where;
  return spec;
}
static_assert(sp::violations_in(inputs_to(storage::host)).empty() && sp::violations_in(inputs_to(storage::nvme)).size() == 1 &&
              sp::violations_in(inputs_to(storage::nvme))[0].unsupported == sp::feature::inputs_to_nvme);
static_assert(warns<run_of<moe<8, 9, 1024, 0>, sp::offload<sp::gradients_to<storage::nvme>>>,
                    sp::exceeds<sp::top_k<9>, sp::expert_count<8>>, sp::not_supported<sp::feature::gradients_to_nvme>>);

// Memory: to the byte.
template <std::int64_t Bytes>
struct device_of {
  static constexpr sp::device_spec spec{.name = "tight", .memory = sp::bytes{Bytes}};
};
template <std::int64_t Bytes, class... More>
using run_on = sp::plan<sp::model<plain_model>, sp::cluster<device_of<Bytes>, 8, 2>, sp::sequence<4096>, sp::micro_batch<1>,
                        sp::global_batch<64>, More...>;
constexpr std::int64_t exactly = run<>::peak_memory.count;
static_assert(breaks<run_on<exactly>> && sp::fits<run_on<exactly>> && sp::checked<run_on<exactly>>);
static_assert(!sp::valid<run_on<exactly - 1>> && !sp::fits<run_on<exactly - 1>> && run_on<exactly - 1>::peak_memory.count == exactly);
// 8 (2,621,440 + 2 x 1,024 + 12,582,912) + 2 x 32,768,000 + 4,194,304 positions + 1,024 = 191,382,528 parameters of 16 bytes; kept
// 8 x 4,096 x (8,192 + 4,096 + 1,024 + 24,576 + 64 + 8); logits 2 x 4,096 x 32,000, 8 x 4,096 x 1,024 around the loss; scratch 2 x
// (15,204,352
// + 32,768,000); 1.5 GiB in reserve.
constexpr std::int64_t by_hand =
    16LL * 191'382'528 + 8LL * 4'096 * 37'960 + 262'144'000 + 33'554'432 + 2LL * 47'972'352 + 1'536LL * 1'048'576;
static_assert(exactly == by_hand && exactly == 6'308'249'600);
// 6,308,249,600 bytes are 5.875 GiB: 5.9 are needed. 5.8 GiB and a little there, rounded down. The optimizer has 8 x 191,382,528 = 1.426
// GiB; the reserve, 1.5 GiB, is larger. Sharding the optimizer over 16 is enough.
static_assert(breaks<run_on<exactly - 1>, sp::does_not_fit<sp::stage<0>, sp::needs<sp::GiB<5, 9>>, sp::has<sp::GiB<5, 8>>,
                                                           sp::largest<sp::component::reserve, sp::GiB<1, 5>>, sp::try_<sp::zero<1>>>>);
// Together with another rule of the same tier, memory last: what makes it fit once the other rule is kept.
static_assert(breaks<run_on<exactly - 1, sp::ep<2>>, sp::exceeds<sp::ep<2>, sp::expert_count<0>>,
                     sp::does_not_fit<sp::stage<0>, sp::needs<sp::GiB<5, 9>>, sp::has<sp::GiB<5, 8>>,
                                      sp::largest<sp::component::reserve, sp::GiB<1, 5>>, sp::try_<sp::zero<1>>>>);
// A device that the reserve alone fills.
static_assert(breaks<run_on<1'000'000'000>, sp::does_not_fit<sp::stage<0>, sp::needs<sp::GiB<5, 9>>, sp::has<sp::GiB<0, 9>>,
                                                             sp::largest<sp::component::reserve, sp::GiB<1, 5>>, sp::nothing_small_helps>>);

// Insisting on a valid plan costs nothing and changes nothing.
static_assert(sp::checked<run<>> && sp::checked_plan<sp::model<plain_model>, sp::cluster<large_device, 8, 2>, sp::sequence<4096>,
                                                     sp::micro_batch<1>, sp::global_batch<64>>::peak_memory == run<>::peak_memory);
static_assert(sp::violations_of<run<>>::count == 0 && sp::violations_of<run<sp::tp<3>>>::count == 7);
