// SPDX-License-Identifier: BSL-1.0
// Who holds what: shards of a tensor, layers of a stage, sharers of states.
#include <shardplan/parallel/degrees.hpp>
#include <shardplan/parallel/sharding.hpp>
#include <shardplan/parallel/stages.hpp>
#include <shardplan/parallel/tensor_shard.hpp>
#include <shardplan/parallel/vocabulary.hpp>

#include "../handbook/refused.hpp"

#include <cstdint>

using namespace shardplan;

constexpr degrees grid{.world = 64, .tp = 4, .pp = 2, .dp = 4, .cp = 2, .ep = 8, .etp = 2, .sequence_shards = 4};
constexpr bool is(tensor_shard shard, std::int64_t rows, std::int64_t columns, std::int64_t copies) {
  return shard.rows == rows && shard.columns == columns && shard.copies == copies && shard.elements() == rows * columns * copies;
}

// A matrix of 4,096 x 1,024 on tp 4: by its output, its input, not at all.
static_assert(is(shard_of(4096, 1024, 1, split::column, false, grid, 0, 128), 1024, 1024, 1));
static_assert(is(shard_of(4096, 1024, 1, split::row, false, grid, 0, 128), 4096, 256, 1));
static_assert(is(shard_of(4096, 1024, 1, split::replicated, false, grid, 0, 128), 4096, 1024, 1));
// 8 key heads of 128 on 4 ranks: two each; 4: one each; 2 and 1: one whole head on every rank
static_assert(is(shard_of(1024, 1024, 1, split::key_value, false, grid, 0, 128), 256, 1024, 1));
static_assert(is(shard_of(512, 1024, 1, split::key_value, false, grid, 0, 128), 128, 1024, 1));
static_assert(is(shard_of(256, 1024, 1, split::key_value, false, grid, 0, 128), 128, 1024, 1));
static_assert(is(shard_of(128, 1024, 1, split::key_value, false, grid, 0, 128), 128, 1024, 1));
// The vocabulary as padded (Megatron-LM: 50,257 to a multiple of 128 x 4), whatever the model says.
static_assert(padded_vocabulary(50'257, 128 * 4) == 50'688 && padded_vocabulary(50'257, 128) == 50'304 &&
              padded_vocabulary(128'256, 1) == 128'256 && padded_vocabulary(128'256, 1'024) == 129'024 &&
              padded_vocabulary(1'024, 1'024) == 1'024);
static_assert(refused([] { return padded_vocabulary(1, 0); }));
static_assert(is(shard_of(50'257, 512, 1, split::vocabulary, false, grid, 50'688, 128), 12'672, 512, 1));
// 64 routed experts dealt to ep 8, each cut by etp 2, not by tp 4; a router is whole.
static_assert(is(shard_of(2048, 1024, 64, split::column, true, grid, 0, 128), 1024, 1024, 8));
static_assert(is(shard_of(1024, 2048, 64, split::row, true, grid, 0, 128), 1024, 1024, 8));

// ZeRO: dense states over dp x cp, experts over world / (etp x ep x pp)
static_assert(grid.dense_shards() == 8 && grid.expert_shards() == 2);
static_assert(degrees{.world = 8, .dp = 8}.dense_shards() == 8 && degrees{.world = 8, .dp = 8}.expert_shards() == 8);

// layers of a stage: 12 on 4, and as split
constexpr layer_counts even{};
static_assert(first_layer_of_stage(even, 12, 4, 0) == 0 && layers_of_stage(even, 12, 4, 0) == 3);
static_assert(first_layer_of_stage(even, 12, 4, 3) == 9 && layers_of_stage(even, 12, 4, 3) == 3);
struct sheet {
  layer_counts layer_split{};
  std::uint64_t said_parts = 0, repeated_parts = 0;
};
template <class Part>
constexpr layer_counts written_by() {
  sheet written{};
  written.layer_split.push_back(99);  // what was there is forgotten
  Part::apply(written);
  return written.layer_split;
}
constexpr layer_counts uneven = written_by<layer_split<7, 8, 8, 7>>();
static_assert(uneven.entries() == 4 && uneven.left_out == 0 && uneven.counts[3] == 7);
static_assert(layers_of_stage(uneven, 30, 4, 0) == 7 && first_layer_of_stage(uneven, 30, 4, 2) == 15 &&
              layers_of_stage(uneven, 30, 4, 2) == 8 && first_layer_of_stage(uneven, 30, 4, 3) == 23);
static_assert(!(uneven == even));

// Layers that are dealt out: what torchtitan's generate_llm_fqn_per_model_part (pytorch/torchtitan distributed/pipeline_parallel.py at
// 02ef790) gave when it was run with these numbers. On a grid of 253,116 more its answers and refusals were those of the same formula.
template <std::int64_t... Counts>
constexpr bool is_dealt(std::int64_t layers, std::int64_t first_less, std::int64_t last_less) {
  constexpr std::int64_t counts[] = {Counts...};
  constexpr std::int64_t stages = sizeof...(Counts);
  std::int64_t before = 0;
  for (std::int64_t stage = 0; stage < stages; ++stage) {
    if (dealt_layers(layers, first_less, last_less, stages, stage) != counts[stage]) return false;
    if (dealt_layers_before(layers, first_less, last_less, stages, stage) != before) return false;
    before += counts[stage];
  }
  return before == layers;
}
static_assert(is_dealt<8, 9, 8, 7>(32, 1, 1) && is_dealt<11, 11, 10>(32, 1, 1) && is_dealt<6, 7, 7, 7, 5>(32, 1, 1));
static_assert(is_dealt<4, 5, 4, 4, 4, 4, 4, 3>(32, 1, 1) && is_dealt<4, 5, 5, 5, 5, 5, 3>(32, 1, 1));
static_assert(is_dealt<15, 16, 16, 16, 16, 16, 16, 15>(126, 1, 1) && is_dealt<10, 11, 11, 11, 11, 11, 11, 11, 10, 10, 10, 9>(126, 1, 1) &&
              is_dealt<20, 21, 20, 19>(80, 1, 1));
static_assert(is_dealt<0, 1, 1, 1, 1, 1, 1, 0>(6, 1, 1) && is_dealt<1, 0>(1, 1, 1) && is_dealt<0, 1, 0>(1, 1, 1) && is_dealt<5>(5, 1, 1));
static_assert(is_dealt<8, 8, 8, 8>(32, 0, 0) && is_dealt<7, 7, 6, 6, 6>(32, 0, 0) && is_dealt<2, 1>(3, 2, 2));
static_assert(is_dealt<7, 9, 8, 8>(32, 2, 0) && is_dealt<9, 9, 9, 5>(32, 0, 3) && is_dealt<3, 11, 10, 8>(32, 8, 2));
// Stages that some number of layers a stage makes: 32 layers, embedding and head on 4 ranks make 12 with 3 each, never 16 or 20; of 126 on
// 8 ranks 4 each make 32; of 32 with nothing beside them 2 each make 16.
static_assert(stages_of_equal_layers(34, 12) == 12 && stages_of_equal_layers(34, 16) == 12 && stages_of_equal_layers(34, 20) == 17);
static_assert(stages_of_equal_layers(128, 32) == 32 && stages_of_equal_layers(128, 24) == 22 && stages_of_equal_layers(32, 16) == 16);
static_assert(stages_of_equal_layers(34, 1) == 1 && stages_of_equal_layers(34, 34) == 34);
// Slots as parts.
template <class... Slots>
constexpr layer_counts slots_of() {
  sheet written{};
  pipeline_slots<Slots...>::apply(written);
  return written.layer_split;
}
static_assert(slots_of<embedding_slot, loss_slot>() == slots_of<first_stage_less<1>, last_stage_less<1>>());
static_assert(slots_of<first_stage_less<0>>().embedding_slot == 0 && slots_of<first_stage_less<0>>().loss_slot == unset);
static_assert(slots_of<last_stage_less<unset>>().loss_slot == unset + 1);  // a number that every range refuses
static_assert(layers_of_stage(slots_of<first_stage_less<2>>(), 14, 4, 0) == 2 &&
              layers_of_stage(slots_of<first_stage_less<2>>(), 14, 4, 3) == 4 &&
              first_layer_of_stage(slots_of<first_stage_less<2>>(), 14, 4, 1) == 2);
// An empty split says nothing, so it is no part.
template <template <std::int64_t...> class Split>
concept can_be_empty = requires {
  typename Split<>;
};
static_assert(!can_be_empty<layer_split>);

// more entries than there is room for are counted, not lost
constexpr layer_counts crowded(int entries) {
  layer_counts list{};
  for (int i = 0; i < entries; ++i) list.push_back(1);
  return list;
}
static_assert(crowded(256).left_out == 0 && crowded(256).entries() == 256);
static_assert(crowded(257).left_out == 1 && crowded(257).entries() == 257 && crowded(257).counts.size() == 256);
