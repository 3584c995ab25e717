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

  // A template, so that who compares none does not pay for it.
  template <class Same>
  requires detail::same<Same, layout_change>
  friend constexpr bool operator==(const Same& left, const Same& right) { return remedy_of_layout(left) == remedy_of_layout(right); }
};

namespace detail {

// Goes over all fields but `stages`, which has the two bits above them: calls `visit(field, bits)`. Degrees are within `limits`: 2^12,
// 2^10, 2^12, 2^14.
template <class Change, class Visit>
constexpr void each_field(Change& change, Visit visit) {
  visit(change.tp, 13);
  visit(change.pp, 11);
  visit(change.cp, 13);
  visit(change.ep, 15);
  visit(change.states, 3);
  visit(change.recompute_full, 1);
  visit(change.micro_batch_one, 1);
  visit(change.one_f_one_b, 1);
  visit(change.says_dp, 1);
  visit(change.offloads, 1);
}

}  // namespace detail

/// The `remedy` that says it: `remedy_kind::layout` with a value that has every field.
template <class Change = layout_change>
constexpr remedy remedy_of_layout(const Change& change) {
  std::int64_t value = 0;
  int from = 0;
  detail::each_field(change, [&](const auto& field, int bits) {
    value |= static_cast<std::int64_t>(field) << from;
    from += bits;
  });
  const std::int64_t stages = change.stages == remedy_kind::pp ? 0 : change.stages == remedy_kind::pp_slots ? 1 : 2;
  return {remedy_kind::layout, value | stages << from};
}

/// What the value of a `remedy_kind::layout` says.
template <class Change = layout_change>
constexpr Change layout_of(std::int64_t value) {
  Change change{};
  detail::each_field(change, [&]<class Field>(Field& field, int bits) {
    field = static_cast<Field>(value & ((std::int64_t{1} << bits) - 1));
    value >>= bits;
  });
  change.stages = value == 0 ? remedy_kind::pp : value == 1 ? remedy_kind::pp_slots : remedy_kind::pp_split;
  return change;
}

}  // namespace shardplan
