// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/checked.hpp>
#include <shardplan/model/inventory.hpp>
#include <shardplan/model/model.hpp>
#include <shardplan/model/tensor.hpp>
#include <shardplan/model/transformer.hpp>

#include <cstdint>

namespace shardplan {

/// Trained parameters of a shape, exact. Tied embeddings count once; saved buffers (rotary tables, router corrections) do not count.
/// This is `trainable` as Hugging Face's `sum(p.numel() for p in model.parameters())` gives it.
/// Errors: a figure beyond 63 bits, or `heads` that do not divide `hidden`, is an `arithmetic_error`.
template <class Shape = transformer>
constexpr std::int64_t parameter_count_of(const Shape& shape) {
  detail::check_sizes(shape);
  std::int64_t sum = 0;
  detail::walk_tensors(
      shape, [&](const char*, std::int64_t rows, std::int64_t columns, split, role, place, std::int64_t copies, std::int64_t layers) {
        sum = checked_add(sum, checked_multiply(checked_multiply(rows, columns), checked_multiply(copies, layers)));
      });
  return sum;
}

/// Parameters that one token uses, exact: all but the routed experts which it does not visit. Embedding and head are counted
/// (DeepSeek's published figures leave the input embedding out). Equal to `parameter_count_of` for a dense model. Errors as there.
template <class Shape = transformer>
constexpr std::int64_t active_parameter_count_of(const Shape& shape) {
  detail::check_sizes(shape);
  std::int64_t sum = 0;
  detail::walk_tensors(shape, [&](const char*, std::int64_t rows, std::int64_t columns, split, role purpose, place, std::int64_t copies,
                                  std::int64_t layers) {
    const std::int64_t used = is_routed(purpose) ? shape.experts.top_k : copies;
    sum = checked_add(sum, checked_multiply(checked_multiply(rows, columns), checked_multiply(used, layers)));
  });
  return sum;
}

namespace detail {
template <class Model>
constexpr std::int64_t parameter_count_for() {
  if constexpr (transformer_model<Model>) {
    return parameter_count_of(Model::shape);
  } else {
    return Model::count_parameters();
  }
}
template <class Model>
constexpr std::int64_t active_parameter_count_for() {
  if constexpr (transformer_model<Model>) {
    return active_parameter_count_of(Model::shape);
  } else {
    return Model::count_active_parameters();
  }
}
template <class Model>
constexpr auto tensors_for() {
  if constexpr (transformer_model<Model>) {
    return tensors_of(Model::shape);
  } else {
    return Model::list_tensors();
  }
}
}  // namespace detail

/// `parameter_count_of(Model::shape)` as a constant, and that of a `network`. (A variable template and a function cannot share one name:
/// hence the `_of`.)
template <countable_model Model>
inline constexpr std::int64_t parameter_count = detail::parameter_count_for<Model>();

/// `active_parameter_count_of(Model::shape)` as a constant, and that of a `network`.
template <countable_model Model>
inline constexpr std::int64_t active_parameter_count = detail::active_parameter_count_for<Model>();

/// Every distinct parameter tensor of a model type with its multiplicity: a constant range of `tensor`.
template <countable_model Model>
inline constexpr auto tensors = detail::tensors_for<Model>();

}  // namespace shardplan
