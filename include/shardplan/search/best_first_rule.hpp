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

// Remembers the first rule alone: the one under which a candidate is counted.
struct first_rule_sink {
  int count = 0;
  rule first{};

  constexpr void note(rule broken) {
    if (count++ == 0) first = broken;
  }
  constexpr void add_part(rule broken, part_kind) { note(broken); }
  constexpr void add_range(measured, std::int64_t, std::int64_t) { note(rule::out_of_range); }
  constexpr void add_large(measured, std::int64_t) { note(rule::too_large); }
  constexpr void add_pair(rule broken, measured, measured) { note(broken); }
  constexpr void add_stage(std::int64_t) { note(rule::empty_stage); }
  constexpr void add_feature(feature) { note(rule::not_supported); }
  constexpr void add_host_misfit(bytes, bytes) { note(rule::host_does_not_fit); }
  constexpr void add_misfit(const plan_spec&, const memory_layout&, std::int64_t) { note(rule::does_not_fit); }
};

// The first broken rule, or that there is none.
struct first_rule {
  bool broken = false;
  rule which{};
};

template <class Check>
constexpr first_rule first_of(Check check) {
  first_rule_sink sink{};
  check(sink);
  return {sink.count != 0, sink.first};
}

}  // namespace shardplan::detail
