// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/memory/memory.hpp>
#include <shardplan/memory/report.hpp>
#include <shardplan/plan/violation.hpp>
#include <shardplan/spec/plan_spec.hpp>

#include <cstdint>

namespace shardplan::detail {

// Rules report into a sink, so that asking `valid` counts and never builds the records.
struct counting_sink {
  int count = 0;

  constexpr void add_part(rule, part_kind) { ++count; }
  constexpr void add_range(measured, std::int64_t, std::int64_t) { ++count; }
  constexpr void add_large(measured, std::int64_t) { ++count; }
  constexpr void add_pair(rule, measured, measured) { ++count; }
  constexpr void add_stage(std::int64_t) { ++count; }
  constexpr void add_feature(feature) { ++count; }
  constexpr void add_misfit(const plan_spec&, const memory_layout&, std::int64_t) { ++count; }
};

struct recording_sink {
  int count = 0;
  violation_list list{};

  constexpr void add(const violation& item) {
    ++count;
    if (list.items.length < most_violations) {
      list.items.push_back(item);
    } else {
      ++list.left_out;
    }
  }
  constexpr void add_part(rule broken, part_kind part) {
    violation item{};
    item.broken = broken;
    item.part = part;
    add(item);
  }
  constexpr void add_range(measured number, std::int64_t least, std::int64_t most) {
    violation item{};
    item.broken = rule::out_of_range;
    item.first = number;
    item.least = least;
    item.most = most;
    add(item);
  }
  constexpr void add_large(measured bound, std::int64_t most) {
    violation item{};
    item.broken = rule::too_large;
    item.first = bound;
    item.most = most;
    add(item);
  }
  constexpr void add_pair(rule broken, measured first, measured second) {
    violation item{};
    item.broken = broken;
    item.first = first;
    item.second = second;
    add(item);
  }
  constexpr void add_stage(std::int64_t stage) {
    violation item{};
    item.broken = rule::empty_stage;
    item.stage = stage;
    add(item);
  }
  constexpr void add_feature(feature unsupported) {
    violation item{};
    item.broken = rule::not_supported;
    item.unsupported = unsupported;
    add(item);
  }
  constexpr void add_misfit(const plan_spec& spec, const memory_layout& layout, std::int64_t stage) {
    const memory_report report = account_of_stage(spec, layout, stage).device;
    violation item{};
    item.broken = rule::does_not_fit;
    item.stage = stage;
    item.needs = report.total();
    item.has = spec.device.memory;
    item.largest = largest_component(report);
    item.largest_needs = component_of(report, item.largest);
    add(item);
  }
};

}  // namespace shardplan::detail
