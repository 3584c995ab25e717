// SPDX-License-Identifier: BSL-1.0
// Models made of one's own layers: counts by hand, and what is no layer.
#include <shardplan/model/catalog/llama.hpp>
#include <shardplan/model/catalog/mistral.hpp>
#include <shardplan/model/model.hpp>
#include <shardplan/model/network.hpp>
#include <shardplan/model/parameter_counts.hpp>
#include <shardplan/model/parameters.hpp>

#include <cstdint>

namespace sp = shardplan;
using sp::role;
using sp::split;

// A state-space layer (Mamba 2: inner width 128, state 16, 2 heads): in 64 x (2 x 128 + 2 x 16 + 2) = 18,560, a convolution of 4 over 160
// channels, 2 numbers a head three times, the gate's norm 128, out 128 x 64, a norm 64.
struct state_space {
  static constexpr std::int64_t repeats = 6;
  static constexpr sp::tensor tensors[] = {
      {.name = "mixer_norm", .rows = 64},
      {.name = "mixer_in", .rows = 290, .columns = 64, .how = split::column, .purpose = role::attention},
      {.name = "convolution", .rows = 160, .columns = 4, .how = split::column, .purpose = role::attention},
      {.name = "decay_skip_step", .rows = 2, .how = split::column, .purpose = role::bias, .copies = 3},
      {.name = "gate_norm", .rows = 128, .how = split::column},
      {.name = "mixer_out", .rows = 64, .columns = 128, .how = split::row, .purpose = role::attention},
  };
};
// Experts of one matrix, 2 of 8 a token, and a router.
struct expert_layer {
  static constexpr std::int64_t repeats = 2;
  static constexpr std::int64_t top_k = 2;
  static constexpr sp::tensor tensors[] = {
      {.name = "router", .rows = 8, .columns = 64, .purpose = role::router},
      {.name = "expert", .rows = 64, .columns = 64, .how = split::column, .purpose = role::routed_expert, .copies = 8},
  };
};
constexpr std::int64_t mixer = 64 + 18'560 + 640 + 6 + 128 + 8'192;
constexpr std::int64_t routing = 512 + 8 * 4'096;

using hybrid = sp::network<state_space, expert_layer>;
static_assert(sp::parameter_count<hybrid> == 6 * mixer + 2 * routing);
static_assert(sp::active_parameter_count<hybrid> == 6 * mixer + 2 * (512 + 2 * 4'096));
static_assert(sp::parameter_counts<hybrid>.total == 6 * mixer + 2 * routing &&
              sp::parameter_counts<hybrid>.routed_experts == 2 * 8 * 4'096 && sp::parameter_counts<hybrid>.norms == 6 * (64 + 128) &&
              sp::parameter_counts<hybrid>.embedding == 0);
static_assert(sp::tensors<hybrid>.size() == 8 && sp::tensors<hybrid>.capacity() == 8);
static_assert(sp::tensors<hybrid>[3].name == "decay_skip_step" && sp::tensors<hybrid>[3].multiplicity == 18 &&
              sp::tensors<hybrid>[7].multiplicity == 16 && sp::tensors<hybrid>[7].how == split::column);

// A model of the catalog stands in it whole, experts too; a derived type is the same model.
struct longer : sp::network<state_space, sp::models::mixtral_8x7b, sp::models::llama3_2_1b> {};
static_assert(sp::parameter_count<longer> == 6 * mixer + 46'702'792'704 + 1'235'814'400);
static_assert(sp::active_parameter_count<longer> == 6 * mixer + 12'879'925'248 + 1'235'814'400);
static_assert(sp::countable_model<longer> && sp::countable_model<sp::models::llama3_8b> && !sp::countable_model<state_space>);
static_assert(sp::parameter_count<sp::network<>> == 0);

// What is no layer.
struct none_of_it {};
struct without_repeats {
  static constexpr sp::tensor tensors[] = {{.name = "weight", .rows = 1}};
};
template <std::int64_t Repeats, std::int64_t Rows, std::int64_t Copies>
struct made_of {
  static constexpr std::int64_t repeats = Repeats;
  static constexpr sp::tensor tensors[] = {{.name = "weight", .rows = Rows, .copies = Copies}};
};
template <std::int64_t TopK>
struct routing_to {
  static constexpr std::int64_t repeats = 1;
  static constexpr std::int64_t top_k = TopK;
  static constexpr sp::tensor tensors[] = {{.name = "expert", .rows = 4, .columns = 4, .purpose = role::routed_expert, .copies = 8}};
};
static_assert(sp::layer<state_space> && sp::layer<made_of<1, 1, 1>> && sp::layer<routing_to<8>>);
struct of_no_width : state_space {
  static constexpr std::int64_t head_width = 0;
};
static_assert(!sp::layer<of_no_width>);
static_assert(!sp::layer<none_of_it> && !sp::layer<without_repeats> && !sp::layer<made_of<0, 1, 1>> && !sp::layer<made_of<1, 0, 1>> &&
              !sp::layer<made_of<1, 1, -1>> && !sp::layer<routing_to<0>> && !sp::layer<routing_to<9>> && !sp::layer<int>);

// No plan takes one: what its layers keep for backward is not known.
static_assert(!sp::transformer_model<hybrid> && !sp::transformer_model<longer> && sp::transformer_model<sp::models::llama3_8b>);
