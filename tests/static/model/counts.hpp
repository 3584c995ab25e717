// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/model/parameter_counts.hpp>

/// What is published of a model.
using counts = shardplan::counted_parameters;

template <class Model>
constexpr counts counts_of() {
  return shardplan::parameter_counts<Model>;
}

/// For sources that do not state the norms.
template <class Model>
constexpr counts counts_but_norms_of() {
  counts sum = counts_of<Model>();
  sum.norms = 0;
  return sum;
}
