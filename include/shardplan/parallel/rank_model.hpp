// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/static_vector.hpp>
#include <shardplan/core/text.hpp>
#include <shardplan/model/tensor.hpp>
#include <shardplan/parallel/tensor_shard.hpp>

#include <cstdint>

namespace shardplan {

/// A parameter as a rank of the model-parallel grid allocates it.
struct rank_parameter {
  const char* name = "";     ///< as in `tensors`
  std::int64_t rows = 0;     ///< elements
  std::int64_t columns = 0;  ///< elements
  std::int64_t copies = 0;   ///< the rank's experts, else 1
  bool routed = false;       ///< belongs to a routed expert
  std::int64_t state = 0;    ///< bytes of the optimizer's state of one copy, held whole
};

/// Parameters of one place of the model, in the order of a forward pass.
using rank_parameters = static_vector<rank_parameter, 32>;

/// Parameters of all places.
struct rank_model {
  rank_parameters at[6]{};  ///< by `place`

  /// Those of one place.
  constexpr const rank_parameters& operator[](place where) const { return at[static_cast<int>(where)]; }
};

/// Whether Megatron-LM has the tensor in one parameter with the one before it: query, key and value; gate and up.
constexpr bool continues_parameter(literal name, bool gated) {
  if (name == "key" || name == "value" || name == "key_bias" || name == "value_bias") return true;
  return gated && (name == "up" || name == "up_bias" || name == "expert_up" || name == "expert_up_bias" || name == "shared_up");
}

/// Adds a tensor to the list of its place; `joins`: to the parameter before it.
constexpr void list_parameter(rank_model& model, const char* name, place where, const tensor_shard& shard, bool routed, bool joins) {
  rank_parameters& list = model.at[static_cast<int>(where)];
  if (joins) {
    list.values[list.length - 1].rows += shard.rows;
  } else {
    list.push_back({name, shard.rows, shard.columns, shard.copies, routed});
  }
}

}  // namespace shardplan
