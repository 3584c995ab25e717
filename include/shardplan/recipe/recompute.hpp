// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/part.hpp>

#include <cstdint>

namespace shardplan {

/// What backward computes again instead of keeping it from forward. All but `none` and `full` can be combined: with `|` or as
/// `recompute<recomputes::layernorm, recomputes::moe_act>`. The names of modules are Megatron-LM's (`recompute_modules`).
enum class recomputes : std::uint16_t {
  none = 0,                   ///< every tensor that backward reads is kept
  full = 1,                   ///< each block keeps its input only and runs forward again (one block at a time)
  core_attn = 2,              ///< attention after the projections: its probabilities, masks and log-sum-exp
  mlp = 4,                    ///< the dense feed-forward network, from the output of its norm on
  mlp_act = 8,                ///< the result of the function inside the dense feed-forward network
  layernorm = 16,             ///< outputs of norms and their statistics
  moe = 32,                   ///< router and experts, shared ones too
  moe_act = 64,               ///< the result of the function inside the routed experts
  mla_up_proj = 128,          ///< queries, keys and values of latent attention: projected up again
  every_second_matmul = 256,  ///< all but the result of every second matrix product and of flash attention: torchtitan's `selective` "op"
};

/// Both.
constexpr recomputes operator|(recomputes left, recomputes right) {
  return static_cast<recomputes>(static_cast<unsigned>(left) | static_cast<unsigned>(right));
}

/// Whether something of `some` is in `what`.
constexpr bool includes(recomputes what, recomputes some) { return (static_cast<unsigned>(what) & static_cast<unsigned>(some)) != 0; }

/// Part of a plan (default `recomputes::none`): activation recomputation, also called checkpointing. What is said together is combined.
template <recomputes First, recomputes... Further>
struct recompute {
  static constexpr part_kind kind = part_kind::recompute;
  template <class Spec>
  static constexpr void apply(Spec& spec) {
    note_part<part_kind::recompute>(spec);
    spec.recompute = (First | ... | Further);
  }
};

/// Which layers of a stage `recompute<>` is for.
enum class recompute_methods : unsigned char {
  each,     ///< all, one at a time
  uniform,  ///< all, in groups of so many layers: of a group the input is kept, and it runs forward again as a whole
  block,    ///< the first so many layers of each chunk (Megatron-LM's `recompute_method` block)
  every,    ///< every n-th layer of each chunk, n the number (torchtitan's `selective` with a number)
};

/// A method and its number of layers.
struct recompute_layers_spec {
  recompute_methods method = recompute_methods::each;  ///< see there
  std::int64_t count = 1;                              ///< layers

  friend constexpr bool operator==(const recompute_layers_spec& left, const recompute_layers_spec& right) {
    return int(left.method) == int(right.method) && left.count == right.count;
  }
};

/// Part of a plan (default: each layer): `recompute_layers<recompute_methods::block, 4>`. Megatron-LM's `recompute_num_layers` and
/// torchtitan's `selective` number are `Count`.
template <recompute_methods Method, std::int64_t Count>
struct recompute_layers {
  static constexpr part_kind kind = part_kind::recompute_layers;
  template <class Spec>
  static constexpr void apply(Spec& spec) {
    note_part<part_kind::recompute_layers>(spec);
    spec.recompute_layers = {Method, Count};
  }
};

}  // namespace shardplan
