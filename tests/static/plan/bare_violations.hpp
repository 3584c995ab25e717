// SPDX-License-Identifier: BSL-1.0
// The broken rules of a plan without the legal values that they may carry.
#pragma once

#include <shardplan/plan/verdict.hpp>

namespace sp = shardplan;

template <class Violation>
struct bare {
  using type = Violation;
};
template <class First, class Second, class... Legal>
struct bare<sp::does_not_divide<First, Second, Legal...>> {
  using type = sp::does_not_divide<First, Second>;
};
template <class First, class Second, class... Legal>
struct bare<sp::does_not_match<First, Second, Legal...>> {
  using type = sp::does_not_match<First, Second>;
};
template <class First, class Second, class... Legal>
struct bare<sp::exceeds<First, Second, Legal...>> {
  using type = sp::exceeds<First, Second>;
};
template <class First, class Second, class... Legal>
struct bare<sp::neither_multiple_nor_divisor<First, Second, Legal...>> {
  using type = sp::neither_multiple_nor_divisor<First, Second>;
};
template <class First, class Second, class... Legal>
struct bare<sp::micro_batches_fewer_than_stages<First, Second, Legal...>> {
  using type = sp::micro_batches_fewer_than_stages<First, Second>;
};
template <sp::feature What, class... Legal>
struct bare<sp::not_supported<What, Legal...>> {
  using type = sp::not_supported<What>;
};
template <class Verdict>
struct bare_verdict;
template <class... Violations>
struct bare_verdict<sp::violations<Violations...>> {
  using type = sp::violations<typename bare<Violations>::type...>;
};
template <class Run>
using violations_of_run = typename bare_verdict<sp::violations_of<Run>>::type;
