// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/part.hpp>
#include <shardplan/core/unset.hpp>

#include <cstdint>

namespace shardplan {

/// How much of what travels can hide behind the computation beside it, in percent of the time of the transfer. What is more than that
/// computation takes stays exposed whatever is said here. Only `timing` reads it.
struct overlap_spec {
  std::int64_t tp = 40;     ///< tensor parallel collectives: of the ten of a block Megatron-LM hides four behind products of backward, the
                            ///< second gathers of inputs and the reductions of their gradients (core/tensor_parallel/layers.py)
  std::int64_t cp = unset;  ///< unset: keys and values of a ring wholly, behind attention; all else of context parallelism not at all
  std::int64_t ep = 0;      ///< dispatch and combine; DeepSeek's DualPipe hides nearly all
  std::int64_t pp = 0;      ///< transfers between stages, inside the schedule
  std::int64_t dp = 100;    ///< gradients behind backward, gathered weights behind forward and backward

  // By hand: a defaulted one costs a compiler ten times as much.
  friend constexpr bool operator==(const overlap_spec& left, const overlap_spec& right) {
    return left.tp == right.tp && left.cp == right.cp && left.ep == right.ep && left.pp == right.pp && left.dp == right.dp;
  }
};

/// In `overlap<...>`: percent of tensor parallel transfers that can hide, 0 to 100 (a value outside is refused: `out_of_range`; so below).
template <std::int64_t Percent>
struct hidden_tp {
  static constexpr void set(overlap_spec& spec) { spec.tp = Percent; }
};
/// In `overlap<...>`: percent of context parallel transfers.
template <std::int64_t Percent>
struct hidden_cp {
  static constexpr void set(overlap_spec& spec) { spec.cp = Percent == unset ? unset + 1 : Percent; }
};
/// In `overlap<...>`: percent of expert parallel transfers.
template <std::int64_t Percent>
struct hidden_ep {
  static constexpr void set(overlap_spec& spec) { spec.ep = Percent; }
};
/// In `overlap<...>`: percent of transfers between stages.
template <std::int64_t Percent>
struct hidden_pp {
  static constexpr void set(overlap_spec& spec) { spec.pp = Percent; }
};
/// In `overlap<...>`: percent of data parallel transfers.
template <std::int64_t Percent>
struct hidden_dp {
  static constexpr void set(overlap_spec& spec) { spec.dp = Percent; }
};

/// What can stand in `overlap<...>`.
template <class Type>
concept overlap_option = requires(overlap_spec& spec) {
  Type::set(spec);
};

/// Part of a plan (default: data parallel transfers and the ring of context parallelism hide, four tenths of tensor parallel ones, the
/// others do not): what overlaps with what, for `timing`.
template <overlap_option... Options>
struct overlap {
  static constexpr part_kind kind = part_kind::overlap;
  template <class Spec>
  static constexpr void apply(Spec& spec) {
    note_part<part_kind::overlap>(spec);
    (Options::set(spec.overlap), ...);
  }
};

}  // namespace shardplan
