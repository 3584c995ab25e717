// SPDX-License-Identifier: BSL-1.0
// A vision-language model of one's own layer types: what a `transformer` cannot say. A tower of 24 blocks looks at patches of an image, a
// projector brings them to the width of a language model from the catalog.
#include <shardplan/memory/network_states.hpp>
#include <shardplan/model/network.hpp>
#include <shardplan/shardplan.hpp>

#include <cstdint>
#include <iostream>

namespace sp = shardplan;
using sp::role;
using sp::split;

constexpr std::int64_t seen = 1024;                                  // width of the tower, 16 heads
constexpr std::int64_t read = sp::models::qwen2_5_7b::shape.hidden;  // width of the language model

// Patches of 14 x 14 pixels of three colours, and a learned position for each of the 24 x 24 of an image.
struct patches {
  static constexpr std::int64_t repeats = 1;
  static constexpr sp::tensor tensors[] = {
      {.name = "patch_embedding", .rows = seen, .columns = 3 * 14 * 14, .purpose = role::embedding},
      {.name = "patch_positions", .rows = 24 * 24, .columns = seen, .purpose = role::position},
  };
};

struct tower_block {
  static constexpr std::int64_t repeats = 24;
  static constexpr sp::tensor tensors[] = {
      {.name = "tower_norms", .rows = seen, .copies = 4},  // two LayerNorms, a weight and a bias each
      {.name = "tower_query_key_value", .rows = 3 * seen, .columns = seen, .how = split::column, .purpose = role::attention},
      {.name = "tower_query_key_value_bias", .rows = 3 * seen, .how = split::column, .purpose = role::bias},
      {.name = "tower_attention_output", .rows = seen, .columns = seen, .how = split::row, .purpose = role::attention},
      {.name = "tower_attention_output_bias", .rows = seen, .purpose = role::bias},
      {.name = "tower_up", .rows = 4 * seen, .columns = seen, .how = split::column, .purpose = role::mlp},
      {.name = "tower_up_bias", .rows = 4 * seen, .how = split::column, .purpose = role::bias},
      {.name = "tower_down", .rows = seen, .columns = 4 * seen, .how = split::row, .purpose = role::mlp},
      {.name = "tower_down_bias", .rows = seen, .purpose = role::bias},
  };
};

struct projector {
  static constexpr std::int64_t repeats = 1;
  static constexpr sp::tensor tensors[] = {
      {.name = "projector_up", .rows = read, .columns = seen, .how = split::column, .purpose = role::mlp},
      {.name = "projector_down", .rows = read, .columns = read, .how = split::row, .purpose = role::mlp},
  };
};

struct my_model : sp::network<patches, tower_block, projector, sp::models::qwen2_5_7b> {};

// 24 x 12,596,224 of the tower, 16,515,072 of the projector, 1,191,936 of the patches, and Qwen2.5 7B.
static_assert(sp::parameter_count<my_model> == 24 * 12'596'224 + 16'515'072 + 1'191'936 + 7'615'616'512);

// The states of one of eight ranks: tp 4 divides the matrices, two replicas share master weights and moments. 18 bytes a parameter in all,
// of which 12 are shared.
using layout = sp::plan<sp::cluster<sp::devices::h100_sxm_80gb, 8, 1>, sp::tp<4>, sp::zero<1>,
                        sp::precision<sp::precisions::bf16_fp32_master_and_gradients>>;
constexpr sp::rank_states states = sp::network_states<my_model, layout>;
static_assert(states.gradients == 2 * states.weights && states.optimizer == 2 * states.master && states.master == states.weights);

int main() {
  std::cout << sp::parameter_count<my_model> << " parameters in " << sp::tensors<my_model>.size() << " distinct tensors\n";
  std::cout << "bytes of one of 8 ranks, tp 4, zero 1: " << states.weights << " of weights, " << states.gradients << " of gradients, "
            << states.master << " of master weights, " << states.optimizer << " of optimizer\n";
  for (const sp::tensor& item : sp::tensors<my_model>)
    std::cout << item.name.c_str() << ": " << item.rows << " x " << item.columns << ", " << item.multiplicity << " times\n";
}
