// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/checked.hpp>
#include <shardplan/model/inventory.hpp>
#include <shardplan/model/model.hpp>
#include <shardplan/model/tensor.hpp>
#include <shardplan/model/transformer.hpp>

#include <cstddef>
#include <cstdint>

namespace shardplan {

/// Trained parameters of a shape, exact. Tied embeddings count once; saved buffers (rotary tables, router corrections) do not count.
/// This is `trainable` as Hugging Face's `sum(p.numel() for p in model.parameters())` gives it.
/// Errors: a figure beyond 63 bits, or `heads` that do not divide `hidden`, is an `arithmetic_error`.
template <class Shape = transformer>
constexpr std::int64_t parameter_count_of(const Shape& shape) {
  const tensor_list list = tensors_of(shape);
  std::int64_t sum = 0;
  for (std::size_t at = 0; at < list.length; ++at)
    sum = checked_add(sum, checked_multiply(list.values[at].elements(), list.values[at].multiplicity));
  return sum;
}

/// Parameters that one token uses, exact: all but the routed experts which it does not visit. Embedding and head are counted
/// (DeepSeek's published figures leave the input embedding out). Equal to `parameter_count_of` for a dense model. Errors as there.
template <class Shape = transformer>
constexpr std::int64_t active_parameter_count_of(const Shape& shape) {
  const tensor_list list = tensors_of(shape);
  std::int64_t sum = 0;
  for (std::size_t at = 0; at < list.length; ++at) {
    const tensor& item = list.values[at];
    const std::int64_t used = item.purpose == role::routed_expert
                                  ? checked_multiply(exact_divide(item.multiplicity, item.copies), shape.experts.top_k)
                                  : item.multiplicity;
    sum = checked_add(sum, checked_multiply(item.elements(), used));
  }
  return sum;
}

/// `parameter_count_of(Model::shape)` as a constant. (A variable template and a function cannot share one name: hence the `_of`.)
template <transformer_model Model>
inline constexpr std::int64_t parameter_count = parameter_count_of(Model::shape);

/// `active_parameter_count_of(Model::shape)` as a constant.
template <transformer_model Model>
inline constexpr std::int64_t active_parameter_count = active_parameter_count_of(Model::shape);

/// Every distinct parameter tensor of a model type with its multiplicity: a constant range of `tensor`.
template <transformer_model Model>
inline constexpr tensor_list tensors = tensors_of(Model::shape);

}  // namespace shardplan
