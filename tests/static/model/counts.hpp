// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/model/parameters.hpp>

#include <cstdint>

/// What is published of a model: parameters by purpose. `total` is what is trained, `active` what one token uses.
struct counts {
  std::int64_t total = 0;
  std::int64_t embedding = 0;  ///< the token embedding, also when the head is tied to it
  std::int64_t head = 0;       ///< with its bias; 0 when tied
  std::int64_t routed_experts = 0;
  std::int64_t active = 0;
  std::int64_t norms = 0;

  friend constexpr bool operator==(const counts&, const counts&) = default;
};

template <class Model>
constexpr counts counts_of() {
  counts sum{.total = shardplan::parameter_count<Model>, .active = shardplan::active_parameter_count<Model>};
  for (const shardplan::tensor& item : shardplan::tensors<Model>) {
    const std::int64_t elements = item.elements() * item.multiplicity;
    if (item.purpose == shardplan::role::embedding) sum.embedding += elements;
    if (item.purpose == shardplan::role::head || item.name == "head_bias") sum.head += elements;
    if (shardplan::is_routed(item.purpose)) sum.routed_experts += elements;
    if (item.purpose == shardplan::role::norm) sum.norms += elements;
  }
  return sum;
}

/// For sources that do not state the norms.
template <class Model>
constexpr counts counts_but_norms_of() {
  counts sum = counts_of<Model>();
  sum.norms = 0;
  return sum;
}
