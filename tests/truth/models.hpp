// SPDX-License-Identifier: BSL-1.0
// Judging models.json: the shape that a configuration describes, counted by the library, and the catalog's shape of that name where there
// is one.
#pragma once

#include "catalog.hpp"
#include "hugging_face.hpp"
#include "json.hpp"
#include "judgement.hpp"

#include <shardplan/model/inventory.hpp>
#include <shardplan/model/parameters.hpp>

#include <cstdint>
#include <exception>
#include <string>
#include <vector>

namespace truth {

inline std::int64_t parameters_of(const shardplan::transformer& shape, shardplan::role purpose) {
  std::int64_t sum = 0;
  for (const shardplan::tensor& item : shardplan::tensors_of(shape))
    if (item.purpose == purpose) sum += item.elements() * item.multiplicity;
  return sum;
}

/// All parameters of one block.
inline std::int64_t parameters_of_layer(const shardplan::transformer& shape, std::int64_t layer) {
  const bool dense = shape.dense_layers_in(layer, 1) == 1;
  std::int64_t sum = 0;
  for (const shardplan::tensor& item : shardplan::tensors_of(shape))
    if (item.where == shardplan::place::every_block ||
        item.where == (dense ? shardplan::place::dense_block : shardplan::place::expert_block))
      sum += item.elements() * item.copies;
  return sum;
}

inline std::int64_t head_parameters_of(const shardplan::transformer& shape) {
  return parameters_of(shape, shardplan::role::head) + (shape.head_bias ? shape.vocab : 0);
}

inline std::int64_t routed_parameters_of(const shardplan::transformer& shape) {
  return parameters_of(shape, shardplan::role::routed_expert) + parameters_of(shape, shardplan::role::expert_bias);
}

/// Judges every count of every model: all are exact.
inline judgement judge_models(const json& file) {
  judgement result;
  for (const auto& [index, item] : file) {
    const std::string name = item.get<std::string>("name");
    const json& wanted = item.get_child("params");
    comparison line{.id = name, .how = strength::exact};
    shardplan::transformer shape{};
    try {
      shape = hugging_face_shape(item.get_child("config"));
    } catch (const std::exception& why) {
      line.reason = why.what();
    }
    const auto compare = [&](const char* what, std::int64_t ours) {
      line.id = name + " " + what;
      line.group = std::string{"models, "} + what;
      line.theirs = static_cast<double>(wanted.get<std::int64_t>(what, 0));
      if (line.expressible()) line.ours = static_cast<double>(ours);
      line.good = line.ours == line.theirs;
      result.add(line);
    };
    const bool said = line.expressible();
    compare("trainable", said ? shardplan::parameter_count_of(shape) : 0);
    compare("embedding", said ? parameters_of(shape, shardplan::role::embedding) : 0);
    compare("head", said ? head_parameters_of(shape) : 0);
    compare("norms", said ? parameters_of(shape, shardplan::role::norm) : 0);
    compare("routed_experts", said ? routed_parameters_of(shape) : 0);
    compare("active_per_token", said ? shardplan::active_parameter_count_of(shape) : 0);
    compare("extra", said ? parameters_of(shape, shardplan::role::position) : 0);
    compare("per_layer_first", said ? parameters_of_layer(shape, 0) : 0);
    compare("per_layer_last", said ? parameters_of_layer(shape, shape.layers - 1) : 0);
    // The catalog must say the same shape. (It has the next-token layers as well, which are not trained parameters here.)
    for (const catalog_entry& known : catalog()) {
      if (name != known.name || !said) continue;
      shardplan::transformer published = known.shape;
      published.next_token_layers = 0;
      comparison same{.id = name + " catalog", .group = "models, catalog", .how = strength::exact};
      same.theirs = static_cast<double>(wanted.get<std::int64_t>("trainable"));
      same.ours = static_cast<double>(shardplan::parameter_count_of(published));
      same.good = same.ours == same.theirs;
      result.add(same);
    }
  }
  // Every model must be expressible.
  for (const comparison& line : std::vector<comparison>{result.lines()})
    result.set_bound(line.group, {.words = "exact, all expressible", .most_refused_percent = 0.001});
  return result;
}

}  // namespace truth
