// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/plan/rules/batch.hpp>
#include <shardplan/plan/rules/order.hpp>
#include <shardplan/plan/rules/sequence.hpp>
#include <shardplan/plan/rules/shard_groups.hpp>
#include <shardplan/plan/rules/stages.hpp>
#include <shardplan/plan/rules/widths.hpp>
#include <shardplan/plan/rules/world.hpp>

#include <cstdint>

namespace shardplan::detail {

// Tier two: what must divide divides. Only for a spec that passed tier one.
template <class Sink, class Spec>
constexpr void check_divisibility(const Spec& spec, Sink& sink) {
  const std::int64_t replicas = check_world(spec, sink);
  check_widths(spec, sink);
  check_stages(spec, sink);
  check_sequence(spec, sink);
  check_shard_groups(spec, replicas, sink);
  check_schedule(spec, check_batch(spec, replicas, sink), sink);
}

}  // namespace shardplan::detail
