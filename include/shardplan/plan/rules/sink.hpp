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
  constexpr void add_host_misfit(bytes, bytes) { ++count; }
  constexpr void add_misfit(const plan_spec&, const memory_layout&, std::int64_t) { ++count; }
};

template <class List = violation_list>
struct recording_sink {
  int count = 0;
  List list{};
  violation spare{};

  // The record to fill in: one in the list, or a spare one that is forgotten when the list is full.
  constexpr auto& next(rule broken) {
    ++count;
    const bool room = list.items.length < list.items.capacity();
    if (!room) ++list.left_out;
    auto& item = room ? list.items.values[list.items.length++] : spare;
    item.broken = broken;
    return item;
  }
  constexpr void add_part(rule broken, part_kind part) { next(broken).part = part; }
  constexpr void add_range(measured number, std::int64_t least, std::int64_t most) {
    auto& item = next(rule::out_of_range);
    item.first = number;
    item.least = least;
    item.most = most;
  }
  constexpr void add_large(measured bound, std::int64_t most) {
    auto& item = next(rule::too_large);
    item.first = bound;
    item.most = most;
  }
  constexpr void add_pair(rule broken, measured first, measured second) {
    auto& item = next(broken);
    item.first = first;
    item.second = second;
  }
  constexpr void add_stage(std::int64_t stage) { next(rule::empty_stage).stage = stage; }
  constexpr void add_feature(feature unsupported) { next(rule::not_supported).unsupported = unsupported; }
  constexpr void add_host_misfit(bytes needs, bytes has) {
    auto& item = next(rule::host_does_not_fit);
    item.needs = needs;
    item.has = has;
  }
  template <class Spec>
  constexpr void add_misfit(const Spec& spec, const memory_layout& layout, std::int64_t stage) {
    const stage_account account = account_of_stage(spec, layout, stage);
    const memory_report& report = account.device;
    auto& item = next(rule::does_not_fit);
    item.stage = stage;
    item.when = account.peak;
    item.needs = report.total();
    item.has = spec.device.memory;
    item.largest = largest_component(report);
    item.largest_needs = component_of(report, item.largest);
  }
};

}  // namespace shardplan::detail
