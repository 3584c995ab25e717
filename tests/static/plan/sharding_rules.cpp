// SPDX-License-Identifier: BSL-1.0
// The rules about sharding and slots, broken and just not broken.
#include "bare_violations.hpp"

#include <shardplan/shardplan.hpp>

#include <cstdint>

namespace sp = shardplan;
using sp::feature;

template <class First, class Second>
inline constexpr bool same = false;
template <class Type>
inline constexpr bool same<Type, Type> = true;
template <class Run, class... Broken>
inline constexpr bool breaks = same<violations_of_run<Run>, sp::violations<Broken...>>&& sp::valid<Run> == (sizeof...(Broken) == 0);

struct large_device {
  static constexpr sp::device_spec spec{.name = "large", .memory = sp::bytes{std::int64_t{1} << 50}};
};
struct plain_model {
  static constexpr sp::transformer shape{.layers = 8, .hidden = 1024, .heads = 16, .kv_heads = 4, .ffn = 4096, .vocab = 32000};
};
struct routed_model {
  static constexpr sp::transformer shape{
      .layers = 8, .hidden = 1024, .heads = 16, .ffn = 4096, .vocab = 32000, .experts = {.count = 8, .top_k = 2}, .next_token_layers = 1};
};
template <class Model, class... More>
using run_of =
    sp::plan<sp::model<Model>, sp::cluster<large_device, 8, 2>, sp::sequence<4096>, sp::micro_batch<1>, sp::global_batch<64>, More...>;
template <class... More>
using run = run_of<plain_model, More...>;

// fsdp and hsdp: one slot, in the place of zero
static_assert(breaks<run<sp::fsdp<>>> && breaks<run<sp::fsdp<sp::flat_units>>> && breaks<run<sp::hsdp<8>>> && breaks<run<sp::hsdp<1>>>);
static_assert(breaks<run<sp::fsdp<>, sp::hsdp<8>>, sp::repeated_part<sp::part_kind::fsdp>>);
static_assert(breaks<run<sp::fsdp<>, sp::zero<0>>>);
static_assert(breaks<run<sp::fsdp<>, sp::zero<1>>, sp::not_supported<feature::fsdp_with_zero>>);
static_assert(breaks<run<sp::zero<3>, sp::hsdp<8>>, sp::not_supported<feature::fsdp_with_zero>>);
static_assert(breaks<run<sp::zero<1, sp::flat_units>>, sp::not_supported<feature::fsdp_with_zero>>);

// groups
static_assert(breaks<run<sp::hsdp<0>>, sp::out_of_range<sp::shard_ranks<0>, sp::at_least<1>, sp::at_most<4294967296>>>);
static_assert(breaks<run<sp::zero<3, sp::mics<-8>>>, sp::out_of_range<sp::shard_ranks<-8>, sp::at_least<1>, sp::at_most<4294967296>>>);
static_assert(breaks<run<sp::zero<3, sp::hpz<0>>>, sp::out_of_range<sp::hpz<0>, sp::at_least<1>, sp::at_most<4294967296>>>);
static_assert(breaks<run<sp::hsdp<32>>, sp::does_not_divide<sp::shard_ranks<32>, sp::dp_x_cp<16>>>);
static_assert(breaks<run<sp::hsdp<8>, sp::tp<2>, sp::cp<2>>>);  // dp 4 x cp 2
static_assert(breaks<run<sp::hsdp<16>, sp::tp<2>>, sp::does_not_divide<sp::shard_ranks<16>, sp::dp_x_cp<8>>>);
static_assert(breaks<run<sp::zero<3, sp::mics<8>>>> && breaks<run<sp::zero<3, sp::hpz<8>>>>);
static_assert(breaks<run<sp::zero<3, sp::mics<12>>>, sp::does_not_divide<sp::shard_ranks<12>, sp::dp_x_cp<16>>>);
static_assert(breaks<run<sp::zero<3, sp::hpz<12>>>, sp::does_not_divide<sp::hpz<12>, sp::dp_x_cp<16>>>);
static_assert(breaks<run<sp::zero<0, sp::mics<8>>>, sp::not_supported<feature::groups_of_whole_states>>);
static_assert(breaks<run<sp::zero<1, sp::shard_group<8>>>> && breaks<run<sp::zero<1, sp::shard_group<8>, sp::megatron_buckets>>>);
static_assert(breaks<run<sp::zero<1, sp::hpz<8>>>, sp::not_supported<feature::hpz_without_zero_3>>);
static_assert(breaks<run<sp::fsdp<sp::hpz<8>>>, sp::not_supported<feature::hpz_without_zero_3>>);
// Experts on ep 8: two ranks share them, which two groups of eight divide and four of four do not.
static_assert(breaks<run_of<routed_model, sp::ep<8>, sp::hsdp<8>>>);
static_assert(breaks<run_of<routed_model, sp::ep<8>, sp::hsdp<4>>, sp::does_not_divide<sp::shard_groups<4>, sp::expert_shards<2>>>);
static_assert(breaks<run_of<routed_model, sp::ep<8>, sp::zero<3, sp::hpz<8>>>, sp::does_not_divide<sp::hpz<8>, sp::expert_shards<2>>>);

// What helps: of one part, and a stage of ZeRO in the place of FSDP.
static_assert(same<sp::violations_of<run<sp::zero<1, sp::hpz<8>>>>,
                   sp::violations<sp::not_supported<feature::hpz_without_zero_3, sp::try_<sp::zero<3>>>>> &&
              same<sp::violations_of<run<sp::fsdp<sp::hpz<8>>>>,
                   sp::violations<sp::not_supported<feature::hpz_without_zero_3, sp::try_<sp::zero<3>>>>>);

// options
static_assert(breaks<run<sp::zero<1, sp::megatron_buckets>>>);
static_assert(breaks<run<sp::zero<2, sp::megatron_buckets>>, sp::not_supported<feature::megatron_buckets_without_zero_1>>);
static_assert(breaks<run<sp::fsdp<sp::megatron_buckets>>, sp::not_supported<feature::megatron_buckets_without_zero_1>>);
static_assert(breaks<run<sp::fsdp<sp::prefetch<2>, sp::reshard_after_forward<false>>>>);
static_assert(breaks<run<sp::fsdp<sp::prefetch<-1>>>, sp::out_of_range<sp::prefetch<-1>, sp::at_least<0>, sp::at_most<16384>>>);
static_assert(breaks<run<sp::zero<2, sp::prefetch<2>>>, sp::not_supported<feature::gathering_of_whole_weights>>);
static_assert(breaks<run<sp::zero<3, sp::gather_modules<>>>> && breaks<run<sp::zero<3, sp::gather_blocks>>>);
static_assert(breaks<run<sp::zero<3, sp::gather_modules<0, 0, 0>>, sp::framework<sp::frameworks::deepspeed>>>);
static_assert(breaks<run<sp::zero<3, sp::gather_modules<-1>>>,
                     sp::out_of_range<sp::live_parameters<-1>, sp::at_least<0>, sp::at_most<4503599627370496>>>);
static_assert(breaks<run<sp::zero<2, sp::gather_modules<>>>, sp::not_supported<feature::gather_unit_without_zero_3>>);
static_assert(breaks<run<sp::fsdp<sp::gather_blocks>>, sp::not_supported<feature::gather_unit_without_zero_3>>);
static_assert(breaks<run<sp::zero<1, sp::reshard_after_forward<false>>>, sp::not_supported<feature::gathering_of_whole_weights>>);

// slots
using sp::embedding_slot;
using sp::loss_slot;
using sp::pipeline_slots;
static_assert(breaks<run<sp::pp<4>, pipeline_slots<embedding_slot, loss_slot>>, sp::does_not_divide<sp::pp<4>, sp::layers_and_slots<10>>>);
static_assert(breaks<run<sp::pp<2>, pipeline_slots<embedding_slot, loss_slot>>>);
static_assert(breaks<run<sp::pp<2>, pipeline_slots<loss_slot>>, sp::does_not_divide<sp::pp<2>, sp::layers_and_slots<9>>>);
static_assert(breaks<run<sp::pp<4>, sp::layer_split<0, 4, 4, 0>>, sp::empty_stage<sp::stage<0>>, sp::empty_stage<sp::stage<3>>>);
static_assert(breaks<run<sp::pp<4>, sp::layer_split<0, 4, 4, 0>, pipeline_slots<embedding_slot>>, sp::empty_stage<sp::stage<3>>>);
static_assert(breaks<run<sp::pp<4>, sp::layer_split<0, 4, 4, 0>, pipeline_slots<embedding_slot, loss_slot>>>);
static_assert(breaks<run<sp::pp<4>, pipeline_slots<embedding_slot, loss_slot>, sp::layer_split<0, 4, 4, 0>>>);  // in any order
static_assert(
    breaks<run<sp::pp<4>, sp::layer_split<4, 0, 4, 0>, pipeline_slots<embedding_slot, loss_slot>>, sp::empty_stage<sp::stage<1>>>);
static_assert(breaks<run_of<routed_model, sp::pp<4>, sp::layer_split<4, 0, 4, 0>, pipeline_slots<sp::next_token_stage<1>>>,
                     sp::empty_stage<sp::stage<3>>>);
static_assert(breaks<run_of<routed_model, sp::pp<4>, sp::layer_split<4, 2, 2, 0>>>);  // next-token layers lie on the last stage
static_assert(breaks<run<sp::pp<2>, pipeline_slots<sp::next_token_stage<-1>>>,
                     sp::out_of_range<sp::next_token_stage<-1>, sp::at_least<0>, sp::at_most<1>>>);
static_assert(breaks<run<pipeline_slots<>, pipeline_slots<>>, sp::repeated_part<sp::part_kind::pipeline_slots>>);

// offload: moments are states, which go to one place
using sp::storage;
static_assert(breaks<run<sp::offload<sp::moments_to_host<50>>>>);
static_assert(breaks<run<sp::offload<sp::moments_to_host<50>, sp::states_to<storage::host>>>, sp::repeated_part<sp::part_kind::offload>>);
static_assert(
    breaks<run<sp::offload<sp::moments_to_host<101>>>, sp::out_of_range<sp::offload_percent<101>, sp::at_least<0>, sp::at_most<100>>>);
