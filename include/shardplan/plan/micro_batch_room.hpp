// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/checked.hpp>
#include <shardplan/core/unset.hpp>
#include <shardplan/plan/rules/check.hpp>
#include <shardplan/plan/verdict.hpp>
#include <shardplan/spec/derived.hpp>
#include <shardplan/spec/plan_spec.hpp>

#include <cstdint>

namespace shardplan {

/// Where more micro-batches end.
struct micro_batch_room {
  std::int64_t most = 0;  ///< micro-batches of a replica up to which the plan fits; 0: not even as it is
  bool ends = false;      ///< whether memory ends them: GPipe's grows with each, 1F1B's does not
};

namespace detail {
template <class Spec>
constexpr Spec with_micro_batches(const Spec& spec, std::int64_t micro_batches) {
  Spec with = spec;
  with.global_batch = saturating_multiply(saturating_multiply(spec.micro_batch, derive(spec).grid.dp), micro_batches);
  if (spec.accumulation != unset) with.accumulation = micro_batches;
  return with;
}
template <class Spec>
constexpr bool fits_with(const Spec& spec, std::int64_t micro_batches) {
  return memory_fits(with_micro_batches(spec, micro_batches));
}
// As many as are looked at: 2^20, fewer where that cannot be computed.
template <class Spec>
constexpr std::int64_t most_micro_batches(const Spec& spec) {
  std::int64_t most = std::int64_t{1} << 20;
  while (most > 1 && !is_computable(with_micro_batches(spec, most))) most /= 2;
  return most;
}

// The most micro-batches up to `room` that the rules of numbers take, more than the plan has; 0 when there is none in a few steps. (Orders
// that take only some numbers of them take one of `pp` in a row.)
template <class Spec>
constexpr std::int64_t most_legal_micro_batches(const Spec& spec, const micro_batch_room& room) {
  constexpr std::int64_t most_tried = 128;
  const std::int64_t now = derive(spec).micro_batches;
  if (!room.ends) return 0;
  for (std::int64_t count = room.most; count > now && count > room.most - most_tried; --count)
    if (is_computable(with_micro_batches(spec, count))) return count;
  return 0;
}

template <class Core, std::int64_t MicroBatches>
inline constexpr bool core_fits_with = fits_with(Core::spec, MicroBatches);
// `Fits` is known to fit, `Beyond` not to.
template <class Core, std::int64_t Fits, std::int64_t Beyond>
constexpr std::int64_t most_that_fit() {
  constexpr std::int64_t middle = Fits + (Beyond - Fits) / 2;
  if constexpr (Beyond - Fits <= 1) {
    return Fits;
  } else if constexpr (core_fits_with<Core, middle>) {
    return most_that_fit<Core, middle, Beyond>();
  } else {
    return most_that_fit<Core, Fits, middle>();
  }
}
template <class Core>
constexpr micro_batch_room room_of_plan() {
  if constexpr (!is_computable(Core::spec)) {
    return {};
  } else {
    constexpr std::int64_t most = most_micro_batches(Core::spec);
    if constexpr (core_fits_with<Core, most>) {
      return {most, false};
    } else {
      return {most_that_fit<Core, 0, most>(), true};
    }
  }
}
}  // namespace detail

/// How many micro-batches of the plan's size a replica may have in a step before its memory ends them, up to 2^20: a larger batch idles
/// less. Other rules are not asked. 0 for a plan that cannot be computed.
template <class Spec = plan_spec>
constexpr micro_batch_room room_for_micro_batches(const Spec& spec) {
  if (!detail::is_computable(spec)) return {};
  std::int64_t fits = 0;
  std::int64_t beyond = detail::most_micro_batches(spec);
  if (detail::fits_with(spec, beyond)) return {beyond, false};
  while (beyond - fits > 1) {
    const std::int64_t middle = fits + (beyond - fits) / 2;
    (detail::fits_with(spec, middle) ? fits : beyond) = middle;
  }
  return {fits, true};
}

/// `room_for_micro_batches` of a plan type, as a constant.
template <plan_type Plan>
inline constexpr micro_batch_room room_for_micro_batches_of = detail::room_of_plan<detail::asked_plan<Plan>>();

}  // namespace shardplan
