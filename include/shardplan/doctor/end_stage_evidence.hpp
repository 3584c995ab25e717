// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/checked.hpp>
#include <shardplan/doctor/evidence.hpp>
#include <shardplan/memory/memory.hpp>
#include <shardplan/memory/rank_of_head.hpp>
#include <shardplan/plan/rules/check.hpp>
#include <shardplan/spec/plan_spec.hpp>

#include <cstdint>

// What the first and the last stage of a pipeline have and the others have not. Without a pipeline there is nothing of it.
namespace shardplan::detail {

// A stage against the mean of all.
constexpr evidence end_stage_evidence(const patient& who, std::int64_t stage) {
  if (who.spec.pp == 1) return judged(1000, 1150, 0);
  std::int64_t sum = 0;
  for (std::int64_t at = 0; at < who.spec.pp; ++at)
    sum = saturating_add(sum, unchecked_total(account_of_stage(who.spec, who.layout, at).device));
  const std::int64_t mean = sum / who.spec.pp;
  const std::int64_t own = unchecked_total(account_of_stage(who.spec, who.layout, stage).device);
  const std::int64_t ratio = sum > INT64_MAX / 2 ? 1000 : per_mille_up(own, mean);
  return judged(ratio, 1150, per_mille(own - mean, who.spec.device.memory.count));
}

// A part of what a stage needs: too much where it does not fit beside the rest of the stage, and a warning beyond a tenth of the device, as
// logits are.
constexpr evidence part_of_stage(const patient& who, std::int64_t part, std::int64_t total) {
  const std::int64_t capacity = who.spec.device.memory.count;
  if (part < 0) part = 0;
  const std::int64_t room = capacity - (total - part);
  const std::int64_t grave = room < 0 ? capacity : room;
  return judged_twice(part, grave < capacity / 10 ? grave : capacity / 10, grave, per_mille(part, capacity));
}

// The first stage of 1F1B holds as many micro-batches as there are stages, the last one.
constexpr evidence in_flight_evidence(const patient& who) {
  if (who.spec.pp == 1) return judged(0, who.spec.device.memory.count / 10, 0);
  stage_extent extent = extent_of_stage(who.spec, who.layout.facts, 0);
  const std::int64_t total = unchecked_total(account_of_extent(who.spec, who.layout, extent).device);
  const std::int64_t fewer = extent_of_stage(who.spec, who.layout.facts, who.spec.pp - 1).in_flight;
  if (fewer < extent.in_flight) extent.in_flight = fewer;
  return part_of_stage(who, total - unchecked_total(account_of_extent(who.spec, who.layout, extent).device), total);
}

constexpr evidence embedding_evidence(const patient& who) {
  if (who.spec.pp == 1) return judged(0, who.spec.device.memory.count / 10, 0);
  stage_extent extent = extent_of_stage(who.spec, who.layout.facts, 0);
  const memory_report with = account_of_extent(who.spec, who.layout, extent).device;
  extent.is_first = false;
  const memory_report without = account_of_extent(who.spec, who.layout, extent).device;
  return part_of_stage(who, with.states().count - without.states().count, unchecked_total(with));
}

constexpr evidence head_evidence(const patient& who) {
  if (who.spec.pp == 1) return judged(0, who.spec.device.memory.count / 10, 0);
  stage_extent extent = extent_of_stage(who.spec, who.layout.facts, rank_of_head(who.spec, who.layout.facts));
  const memory_report with = account_of_extent(who.spec, who.layout, extent).device;
  extent.is_last = false;
  extent.copies_head = false;
  const memory_report without = account_of_extent(who.spec, who.layout, extent).device;
  return part_of_stage(who, with.states().count - without.states().count, unchecked_total(with));
}

}  // namespace shardplan::detail
