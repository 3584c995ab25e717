// SPDX-License-Identifier: BSL-1.0
// Layers that the stages do not divide: torchtitan deals them out, others refuse; what torchtitan raises an error for is a violation.
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

struct large_device {
  static constexpr sp::device_spec spec = [] {
    sp::device_spec device = sp::devices::h100_sxm_80gb::spec;
    device.memory.count = std::int64_t{1} << 50;
    return device;
  }();
};
template <int Layers>
struct layered {
  static constexpr sp::transformer shape{.layers = Layers, .hidden = 128, .heads = 4, .ffn = 512, .vocab = 1024};
};
template <int Layers, int Ranks, class... More>
using bare = sp::plan<sp::model<layered<Layers>>, sp::cluster<large_device, Ranks, 1>, sp::pp<Ranks>, sp::micro_batch<1>,
                      sp::global_batch<240>, sp::sequence<256>, More...>;
template <int Layers, int Ranks, class... More>
using titan = bare<Layers, Ranks, sp::framework<sp::frameworks::torchtitan>, More...>;

using sp::does_not_divide;
using sp::does_not_match;
using sp::exceeds;
using sp::first_stage_less;
using sp::last_stage_less;
using sp::layers_a_stage;
using sp::pipeline_slots;
using sp::try_;

// Blocks of each pipeline rank, as memory sees them.
template <class Run, std::int64_t... Counts>
constexpr bool has_blocks() {
  constexpr std::int64_t counts[] = {Counts...};
  for (std::int64_t rank = 0; rank < Run::spec.pp; ++rank)
    if (sp::extent_of_stage(Run::spec, sp::derive(Run::spec), rank).layers != counts[rank]) return false;
  return sizeof...(Counts) == Run::spec.pp && sp::valid<Run>;
}

// 32 layers on 3 ranks: under torchtitan 11, 11, 10, elsewhere a violation. On 4, which divides, 8, 9, 8, 7: it always counts the embedding
// and the head (first_stage_less_layers, last_stage_less_layers).
static_assert(has_blocks<titan<32, 3>, 11, 11, 10>() && has_blocks<titan<32, 4>, 8, 9, 8, 7>() &&
              has_blocks<titan<32, 5>, 6, 7, 7, 7, 5>());
static_assert(has_blocks<bare<32, 4>, 8, 8, 8, 8>() &&
              breaks<bare<32, 3>, does_not_divide<sp::pp<3>, sp::layers<32>, try_<sp::pp<1>>, try_<sp::layer_split<11, 11, 10>>>>);
static_assert(!sp::valid<bare<32, 3, sp::framework<sp::frameworks::megatron>>> &&
              !sp::valid<bare<32, 3, sp::framework<sp::frameworks::deepspeed>>> &&
              !sp::valid<bare<32, 3, sp::framework<sp::frameworks::fsdp2>>>);
// What is said wins: module_fqns_per_model_part is a layer_split; other numbers of less_layers are slots.
static_assert(has_blocks<titan<32, 3, sp::layer_split<12, 10, 10>>, 12, 10, 10>());
static_assert(has_blocks<titan<32, 5, pipeline_slots<first_stage_less<0>, last_stage_less<0>>>, 7, 7, 6, 6, 6>());
static_assert(has_blocks<titan<32, 4, pipeline_slots<first_stage_less<8>, last_stage_less<2>>>, 3, 11, 10, 8>());
static_assert(has_blocks<titan<32, 4, pipeline_slots<first_stage_less<2>, last_stage_less<0>>>, 7, 9, 8, 8>());
static_assert(has_blocks<titan<32, 4, pipeline_slots<last_stage_less<0>>>, 8, 8, 8, 8>());  // the embedding still counts: 33 places
static_assert(has_blocks<titan<32, 1>, 32>());
// Stages without a block: embedding and head alone. One more stage is refused, as torchtitan does.
static_assert(has_blocks<titan<6, 8>, 0, 1, 1, 1, 1, 1, 1, 0>());
static_assert(breaks<titan<5, 8>, exceeds<sp::pp<8>, sp::layers_and_slots<7>, try_<sp::pp<4>>>>);
static_assert(
    breaks<titan<7, 8, pipeline_slots<first_stage_less<0>, last_stage_less<0>>>, exceeds<sp::pp<8>, sp::layers<7>, try_<sp::pp<4>>>>);
static_assert(has_blocks<titan<6, 8, sp::layer_split<0, 1, 1, 1, 1, 1, 1, 0>>, 0, 1, 1, 1, 1, 1, 1, 0>());
static_assert(breaks<bare<6, 8, sp::layer_split<0, 1, 1, 1, 1, 1, 1, 0>>, sp::empty_stage<sp::stage<0>>, sp::empty_stage<sp::stage<7>>>);
// "input_weight exceeds minimum layers per stage": 32 + 11 layers on 4 ranks are 10 each at least.
static_assert(
    breaks<titan<32, 4, pipeline_slots<first_stage_less<11>, last_stage_less<0>>>, exceeds<first_stage_less<11>, layers_a_stage<10>>>);
static_assert(has_blocks<titan<32, 4, pipeline_slots<last_stage_less<11>>>, 10, 11, 11, 0>());  // 44 places: 11 are no more than a share
static_assert(breaks<titan<32, 4, pipeline_slots<last_stage_less<12>>>, exceeds<last_stage_less<12>, layers_a_stage<11>>>);
// Elsewhere what divides may be too much for one stage as well: 4 + 4 on 4 ranks.
static_assert(breaks<bare<4, 4, pipeline_slots<first_stage_less<4>>>, exceeds<first_stage_less<4>, layers_a_stage<2>>>);
static_assert(has_blocks<bare<14, 4, pipeline_slots<first_stage_less<2>>>, 2, 4, 4, 4>());
static_assert(
    breaks<bare<32, 4, pipeline_slots<first_stage_less<-1>>>, sp::out_of_range<first_stage_less<-1>, sp::at_least<0>, sp::at_most<16384>>>);

// Two chunks a rank are the default of its schedules that loop, with whatever layers: 4+5 4+4 ... as stages 0 and 4 of 4 ranks.
template <int Chunks>
using looped = sp::schedule<sp::schedules::interleaved<Chunks>>;
static_assert(has_blocks<titan<32, 4, looped<2>>, 8, 9, 8, 7>());
static_assert(has_blocks<titan<30, 4, looped<2>>, 7, 8, 8, 7>());
static_assert(has_blocks<titan<31, 4, looped<2>>, 8, 8, 8, 7>());
// More are made by layers_per_stage: 3 make 12 stages of 34 places; none makes 16 ("must be divisible by pipeline parallel size").
static_assert(has_blocks<titan<32, 4, looped<3>>, 8, 9, 8, 7>());
static_assert(breaks<titan<32, 4, looped<4>>, does_not_match<sp::pp_x_chunks<16>, sp::virtual_stages<12>, try_<sp::pp<1>>>>);
static_assert(has_blocks<titan<32, 4, looped<4>, pipeline_slots<first_stage_less<0>, last_stage_less<0>>>, 8, 8, 8, 8>());
static_assert(has_blocks<titan<126, 8, looped<4>>, 15, 16, 16, 16, 16, 16, 16, 15>());
// A V of two chunks: the last stage is on the first rank.
static_assert(has_blocks<titan<32, 4, sp::schedule<sp::schedules::zb_v>>, 7, 9, 8, 8>());

// Memory: the states of 8, 9, 8, 7 blocks. A block of this model has 4 h^2 + 3 h f + 2 h parameters, 16 bytes each.
constexpr std::int64_t block_bytes = 4 * 128 * 128 + 3 * 128 * 512 + 2 * 128;
template <class Run>
constexpr std::int64_t weights_of(int stage) {
  return Run::memory[stage].weights.count / 2;
}
static_assert(weights_of<titan<32, 4>>(1) == 9 * block_bytes && weights_of<titan<32, 4>>(2) == 8 * block_bytes);
static_assert(weights_of<titan<32, 4>>(0) == 8 * block_bytes + 1024 * 128 &&
              weights_of<titan<32, 4>>(3) == 7 * block_bytes + 1024 * 128 + 128);
// The same as with counts that are said, in every account.
template <class Split, class Dealt>
constexpr bool agree() {
  for (int stage = 0; stage < Split::spec.pp; ++stage)
    if (!(Split::memory[stage] == Dealt::memory[stage])) return false;
  return Split::timing.step > 0 && Split::timing.step == Dealt::timing.step && Split::timing.bubble == Dealt::timing.bubble &&
         Split::peak_memory == Dealt::peak_memory && sp::valid<Split> == sp::valid<Dealt>;
}
static_assert(agree<titan<32, 4, sp::layer_split<8, 9, 8, 7>>, titan<32, 4>>());
static_assert(agree<titan<32, 3, sp::layer_split<11, 11, 10>>, titan<32, 3>>());
static_assert(agree<titan<30, 4, looped<2>, sp::layer_split<3, 4, 4, 4, 4, 4, 4, 3>>, titan<30, 4, looped<2>>>());
static_assert(agree<titan<31, 4, looped<2>, sp::layer_split<4, 4, 4, 4, 4, 4, 4, 3>>, titan<31, 4, looped<2>>>());
static_assert(agree<titan<33, 4, sp::layer_split<9, 8, 8, 8>>, titan<33, 4, pipeline_slots<first_stage_less<0>, last_stage_less<0>>>>());
// 9 blocks on the first stage take longer than 8 and the head on the last.
template <int Layers>
using no_slots = titan<Layers, 4, pipeline_slots<first_stage_less<0>, last_stage_less<0>>>;
static_assert(no_slots<33>::timing.forward > no_slots<32>::timing.forward && has_blocks<no_slots<33>, 9, 8, 8, 8>());

// The fullest stage is judged, which is neither the first nor the last: 9 blocks beside 8 and a small embedding.
template <std::int64_t Bytes>
struct device_of {
  static constexpr sp::device_spec spec{.name = "exact", .memory = sp::bytes{Bytes}};
};
struct mostly_blocks {
  static constexpr sp::transformer shape{.layers = 32, .hidden = 128, .heads = 4, .ffn = 512, .vocab = 64};
};
template <std::int64_t Bytes>
using tight = sp::plan<sp::model<mostly_blocks>, sp::cluster<device_of<Bytes>, 4, 1>, sp::pp<4>, sp::micro_batch<1>, sp::global_batch<16>,
                       sp::sequence<8>, sp::framework<sp::frameworks::torchtitan>>;
using roomy = tight<std::int64_t{1} << 50>;
static_assert(roomy::peak_stage == 1);
static_assert(sp::valid<tight<roomy::peak_memory.count>> && !sp::valid<tight<roomy::peak_memory.count - 1>>);

}  // namespace
