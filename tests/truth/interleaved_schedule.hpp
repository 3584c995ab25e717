// SPDX-License-Identifier: BSL-1.0
// Megatron-LM's interleaved schedule by numbers that are known at run time only.
#pragma once

#include "row.hpp"

#include <shardplan/schedule/interleaved.hpp>
#include <shardplan/schedule/schedule_spec.hpp>

#include <cstdint>
#include <utility>

namespace truth {

/// Megatron-LM's interleaved schedule for `chunks` chunks a rank, with one more warm-up forward (`extra`) under its overlap of the expert
/// all-to-all, and micro-batches in groups of `group` (0: as many as ranks). A group is part of the schedule's function: one is taken from
/// the list of all up to 64. The name stays empty when the group is larger.
template <int... Group>
shardplan::schedule_spec interleaved_of(std::int64_t chunks, std::int64_t group, bool extra, std::integer_sequence<int, Group...>) {
  namespace schedules = shardplan::schedules;
  shardplan::schedule_spec found{};
  ((group == Group ? void(found = extra ? schedules::interleaved<2, Group, 1>::spec : schedules::interleaved<2, Group, 0>::spec) : void()),
   ...);
  found.chunks = chunks;
  return found;
}
inline shardplan::schedule_spec interleaved_schedule(std::int64_t chunks, std::int64_t group = 0, bool extra = false) {
  const shardplan::schedule_spec found = interleaved_of(chunks, group, extra, std::make_integer_sequence<int, 65>{});
  if (found.name == shardplan::schedule_spec{}.name) throw not_expressible{"groups of so many micro-batches"};
  return found;
}

}  // namespace truth
