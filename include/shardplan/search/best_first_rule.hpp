// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/bytes.hpp>
#include <shardplan/core/part.hpp>
#include <shardplan/memory/memory.hpp>
#include <shardplan/plan/quantity.hpp>
#include <shardplan/plan/violation.hpp>
#include <shardplan/spec/plan_spec.hpp>

#include <cstdint>

namespace shardplan::detail {

// A rule that a search counts by, in one number: the violation, and what it is about.
constexpr std::int64_t key_of(rule broken, int first = 0, int second = 0, int about = 0) {
  constexpr int width = 12;
  return static_cast<std::int64_t>(broken) | std::int64_t{first} << width | std::int64_t{second} << 2 * width |
         std::int64_t{about} << 3 * width;
}
constexpr int part_of_key(std::int64_t key, int place) { return static_cast<int>(key >> 12 * place & 0xfff); }

// Remembers the first rule alone: the one under which a candidate is counted.
struct first_rule_sink {
  int count = 0;
  std::int64_t first = 0;

  constexpr void note(std::int64_t key) {
    if (count++ == 0) first = key;
  }
  constexpr void add_part(rule broken, part_kind part) { note(key_of(broken, 0, 0, static_cast<int>(part))); }
  constexpr void add_range(measured number, std::int64_t, std::int64_t) { note(key_of(rule::out_of_range, static_cast<int>(number.what))); }
  constexpr void add_large(measured number, std::int64_t) { note(key_of(rule::too_large, static_cast<int>(number.what))); }
  constexpr void add_pair(rule broken, measured first_number, measured second_number) {
    note(key_of(broken, static_cast<int>(first_number.what), static_cast<int>(second_number.what)));
  }
  constexpr void add_stage(std::int64_t) { note(key_of(rule::empty_stage)); }
  constexpr void add_feature(feature unsupported) { note(key_of(rule::not_supported, 0, 0, static_cast<int>(unsupported))); }
  constexpr void add_host_misfit(bytes, bytes) { note(key_of(rule::host_does_not_fit)); }
  constexpr void add_misfit(const plan_spec&, const memory_layout&, std::int64_t) { note(key_of(rule::does_not_fit)); }
};

// The first broken rule, or that there is none.
struct first_rule {
  bool broken = false;
  std::int64_t key = 0;
};

template <class Check>
constexpr first_rule first_of(Check check) {
  first_rule_sink sink{};
  check(sink);
  return {sink.count != 0, sink.first};
}

}  // namespace shardplan::detail
