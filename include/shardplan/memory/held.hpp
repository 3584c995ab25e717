// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/memory/memory.hpp>
#include <shardplan/memory/units.hpp>
#include <shardplan/model/tensor.hpp>

#include <cstdint>

namespace shardplan {

/// Parameters of a pipeline rank or of a part of a model, in elements.
struct parameter_sum {
  std::int64_t dense = 0;   ///< all but routed experts
  std::int64_t routed = 0;  ///< routed experts
};

/// What a pipeline rank with that extent holds, before ZeRO shares it out. Templates here and in host.hpp, so that the umbrella pays for
/// nothing that it does not ask.
template <class Layout = memory_layout>
constexpr parameter_sum held_by(const Layout& layout, const stage_extent& extent) {
  const model_units& units = layout.units;
  const std::int64_t experts = extent.layers - extent.dense_layers;
  const auto sum = [&](std::int64_t unit::*field) {
    return extent.layers * units[place::every_block].*field + extent.dense_layers * units[place::dense_block].*field +
           experts * units[place::expert_block].*field + (extent.is_first ? units[place::input].*field : 0) +
           (extent.is_last ? units[place::output].*field : 0) + (extent.copies_head ? units.tied_head.*field : 0);
  };
  return {sum(&unit::dense), sum(&unit::routed)};
}

}  // namespace shardplan
