// SPDX-License-Identifier: BSL-1.0
#pragma once

/// What the parameters of a model are for. Not in the umbrella.
#include <shardplan/core/checked.hpp>
#include <shardplan/model/model.hpp>
#include <shardplan/model/parameters.hpp>
#include <shardplan/model/tensor.hpp>

#include <cstdint>

namespace shardplan {

/// Trained parameters of a model, and of these some by purpose.
struct counted_parameters {
  std::int64_t total = 0;           ///< all, as `parameter_count`
  std::int64_t embedding = 0;       ///< the token embedding, also when the head is tied to it
  std::int64_t head = 0;            ///< the head with its bias; 0 when tied
  std::int64_t routed_experts = 0;  ///< routed experts with their biases
  std::int64_t active = 0;          ///< what one token uses, as `active_parameter_count`
  std::int64_t norms = 0;           ///< weights and biases of norms

  friend constexpr bool operator==(const counted_parameters& left, const counted_parameters& right) {
    return left.total == right.total && left.embedding == right.embedding && left.head == right.head &&
           left.routed_experts == right.routed_experts && left.active == right.active && left.norms == right.norms;
  }
};

namespace detail {
template <class List>
constexpr counted_parameters count_by_purpose(const List& list, std::int64_t total, std::int64_t active) {
  counted_parameters counts{.total = total, .active = active};
  for (const tensor& item : list) {
    const std::int64_t elements = checked_multiply(item.elements(), item.multiplicity);
    if (item.purpose == role::embedding) counts.embedding += elements;
    if (item.purpose == role::head || (item.purpose == role::bias && item.where == place::output)) counts.head += elements;
    if (is_routed(item.purpose)) counts.routed_experts += elements;
    if (item.purpose == role::norm) counts.norms += elements;
  }
  return counts;
}
}  // namespace detail

/// The counts of a shape, exact. Errors: those of `parameter_count_of`.
template <class Shape = transformer>
constexpr counted_parameters parameter_counts_of(const Shape& shape) {
  return detail::count_by_purpose(tensors_of(shape), parameter_count_of(shape), active_parameter_count_of(shape));
}

/// The counts of a model type or of a `network`, as a constant.
template <countable_model Model>
inline constexpr counted_parameters parameter_counts = detail::count_by_purpose(tensors<Model>, parameter_count<Model>,
                                                                                active_parameter_count<Model>);

}  // namespace shardplan
