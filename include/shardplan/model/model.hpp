// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/part.hpp>
#include <shardplan/model/transformer.hpp>

namespace shardplan {

/// A type that says a model: it has `static constexpr shardplan::transformer shape`.
template <class Model>
concept transformer_model = requires {
  requires detail::same<decltype(&Model::shape), const transformer*>;
}
&&requires { typename detail::needs_constant<static_cast<bool>(Model::shape.layers)>; };

/// A type whose parameters can be counted: a model with a `shape`, or a `network` of one's own layers (model/network.hpp).
template <class Model>
concept countable_model = transformer_model<Model> || requires {
  Model::count_parameters();
  Model::count_active_parameters();
  Model::list_tensors();
};

/// Part of a plan (needed): the model that is trained. `model<Model>` is a model itself, so that what takes a `Model` takes both.
template <transformer_model Model>
struct model {
  static constexpr part_kind kind = part_kind::model;
  static constexpr transformer shape = Model::shape;  ///< of the model
  template <class Spec>
  static constexpr void apply(Spec& spec) {
    note_part<part_kind::model>(spec);
    spec.model = Model::shape;
  }
};

}  // namespace shardplan
