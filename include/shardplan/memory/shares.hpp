// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/checked.hpp>
#include <shardplan/memory/units.hpp>
#include <shardplan/parallel/rank_layout.hpp>
#include <shardplan/spec/derived.hpp>
#include <shardplan/spec/plan_spec.hpp>

#include <cstdint>

namespace shardplan {

/// Shares and padding of what pipeline rank `rank` holds, exact, where buffers have more than one bucket: `lay_out_rank`'s totals.
template <class Spec = plan_spec>
constexpr void share_out(const Spec& spec, const derived& facts, std::int64_t rank, unit& held) {
  piece_counter counter{};
  const rank_buffers buffers = lay_out_rank(spec, facts, rank, counter);
  held.dense_share = buffers.dense.shard_length();
  held.routed_share = buffers.routed.shard_length();
  held.padding = buffers.dense.length - buffers.dense.elements + buffers.routed.length - buffers.routed.elements;
}

/// Bytes of hpZ's second copy of the weights on one rank: in the compute precision, sharded over the groups of `hpz<>` (arXiv 2306.10209
/// section 4.1: M K / P for a group of P ranks). Rounded up once for dense and once for routed parameters.
template <class Spec = plan_spec>
constexpr std::int64_t secondary_copy(const Spec& spec, const unit& held) {
  const std::int64_t ranks = spec.sharding.secondary;
  return spec.precision.compute * (ceil_divide(held.dense, ranks) + ceil_divide(held.routed, ranks));
}

}  // namespace shardplan
