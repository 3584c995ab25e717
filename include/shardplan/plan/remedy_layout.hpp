// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/plan/violation.hpp>

#include <cstdint>

namespace shardplan {

/// What a `remedy_kind::layout` does to the states of a plan.
enum class layout_states : unsigned char {
  as_said,  ///< nothing
  zero_0,   ///< `zero<0>`
  zero_1,   ///< `zero<1>`
  zero_2,   ///< `zero<2>`
  zero_3,   ///< `zero<3>`
  fsdp,     ///< `fsdp<>`
};

/// Many parts of a plan at once, on the devices that it has: what a `remedy_kind::layout` says. A degree of 0 stays as it is.
struct layout_change {
  std::int64_t tp = 0;                            ///< `tp<>`
  std::int64_t pp = 0;                            ///< `pp<>`
  std::int64_t cp = 0;                            ///< `cp<>`
  std::int64_t ep = 0;                            ///< `ep<>`
  remedy_kind stages = remedy_kind::pp;           ///< how layers go on the stages: `pp`, `pp_slots` or `pp_split`
  layout_states states = layout_states::as_said;  ///< how states are sharded
  bool recompute_full = false;                    ///< `recompute<recomputes::full>`
  bool micro_batch_one = false;                   ///< `micro_batch<1>`
  bool one_f_one_b = false;                       ///< `schedule<schedules::one_f_one_b>`
  bool says_dp = false;                           ///< `dp<>`, which the plan says, is what the degrees leave
  bool offloads = false;                          ///< optimizer state to the host, as the framework does it

  // By hand, enumerators as numbers: what a defaulted one asks of each costs a compiler a hundred times as much.
  friend constexpr bool operator==(const layout_change& left, const layout_change& right) {
    return left.tp == right.tp && left.pp == right.pp && left.cp == right.cp && left.ep == right.ep &&
           int(left.stages) == int(right.stages) && int(left.states) == int(right.states) && left.recompute_full == right.recompute_full &&
           left.micro_batch_one == right.micro_batch_one && left.one_f_one_b == right.one_f_one_b && left.says_dp == right.says_dp &&
           left.offloads == right.offloads;
  }
};

namespace detail {

// A field of the value, from the lowest bits on. Degrees are within `limits`: 2^12, 2^10, 2^12, 2^14.
struct layout_bits {
  std::int64_t value = 0;
  int from = 0;

  constexpr void put(std::int64_t field, int bits) {
    value |= field << from;
    from += bits;
  }
  constexpr std::int64_t take(int bits) {
    const std::int64_t field = value >> from & ((std::int64_t{1} << bits) - 1);
    from += bits;
    return field;
  }
};

}  // namespace detail

/// The `remedy` that says it: `remedy_kind::layout` with a value that has every field.
constexpr remedy remedy_of_layout(const layout_change& change) {
  detail::layout_bits bits{};
  bits.put(change.tp, 13);
  bits.put(change.pp, 11);
  bits.put(change.cp, 13);
  bits.put(change.ep, 15);
  bits.put(change.stages == remedy_kind::pp ? 0 : change.stages == remedy_kind::pp_slots ? 1 : 2, 2);
  bits.put(static_cast<std::int64_t>(change.states), 3);
  const bool flags[] = {change.recompute_full, change.micro_batch_one, change.one_f_one_b, change.says_dp, change.offloads};
  for (const bool flag : flags) bits.put(flag ? 1 : 0, 1);
  return {remedy_kind::layout, bits.value};
}

/// What the value of a `remedy_kind::layout` says.
constexpr layout_change layout_of(std::int64_t value) {
  detail::layout_bits bits{value, 0};
  layout_change change{};
  change.tp = bits.take(13);
  change.pp = bits.take(11);
  change.cp = bits.take(13);
  change.ep = bits.take(15);
  const std::int64_t stages = bits.take(2);
  change.stages = stages == 0 ? remedy_kind::pp : stages == 1 ? remedy_kind::pp_slots : remedy_kind::pp_split;
  change.states = static_cast<layout_states>(bits.take(3));
  change.recompute_full = bits.take(1) != 0;
  change.micro_batch_one = bits.take(1) != 0;
  change.one_f_one_b = bits.take(1) != 0;
  change.says_dp = bits.take(1) != 0;
  change.offloads = bits.take(1) != 0;
  return change;
}

}  // namespace shardplan
