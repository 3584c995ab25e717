// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/index_pack.hpp>
#include <shardplan/schedule/op.hpp>
#include <shardplan/schedule/order.hpp>
#include <shardplan/schedule/recorder.hpp>
#include <shardplan/schedule/shape.hpp>

#include <cstdint>

namespace shardplan {

namespace detail {

template <class Schedule, std::int64_t Ranks, std::int64_t MicroBatches>
inline constexpr table_shape shape_for = shape_of(Schedule::spec, Ranks, MicroBatches);

// Room for F, I and W.
template <class Schedule, std::int64_t Ranks, std::int64_t MicroBatches>
using static_recorder = rank_recorder<
    rank_arrays<3 * shape_for<Schedule, Ranks, MicroBatches>.forwards(), shape_for<Schedule, Ranks, MicroBatches>.forwards()>>;

/// All ranks at once, for a schedule that is found by a search over all of them.
template <class Recorder, int Ranks>
struct whole_table {
  Recorder rows[Ranks]{};
  constexpr Recorder& rank(int index) { return rows[index]; }
};

template <class Schedule>
concept fills_all_ranks = requires(whole_table<rank_recorder<rank_arrays<3, 1>>, 1>& out) {
  Schedule::fill_all(out, 1, 1);
};

template <class Schedule, std::int64_t Ranks, std::int64_t MicroBatches>
constexpr auto make_whole() {
  whole_table<static_recorder<Schedule, Ranks, MicroBatches>, Ranks> out{};
  for (auto& row : out.rows) row.begin(shape_for<Schedule, Ranks, MicroBatches>);
  Schedule::fill_all(out, static_cast<int>(Ranks), static_cast<int>(MicroBatches));
  for (auto& row : out.rows) row.finish();
  return out;
}
template <class Schedule, std::int64_t Ranks, std::int64_t MicroBatches>
inline constexpr auto whole_of = make_whole<Schedule, Ranks, MicroBatches>();

/// A schedule whose ranks are found together, in short (`plan`), and then written each for itself by what was found.
template <class Schedule>
concept plans_ranks = requires {
  Schedule::plan_size(1, 1);
};
template <int Size>
struct plan_array {
  int of[Size]{};
};
template <class Schedule, std::int64_t Ranks, std::int64_t MicroBatches>
constexpr auto make_plan() {
  plan_array<Schedule::plan_size(static_cast<int>(Ranks), static_cast<int>(MicroBatches))> out{};
  Schedule::plan(out, static_cast<int>(Ranks), static_cast<int>(MicroBatches));
  return out;
}
template <class Schedule, std::int64_t Ranks, std::int64_t MicroBatches>
inline constexpr auto plan_of = make_plan<Schedule, Ranks, MicroBatches>();

template <class Schedule, std::int64_t Ranks, std::int64_t MicroBatches, int Rank>
constexpr auto make_rank() {
  static_recorder<Schedule, Ranks, MicroBatches> out{};
  out.begin(shape_for<Schedule, Ranks, MicroBatches>);
  if constexpr (plans_ranks<Schedule>) {
    Schedule::fill(out, plan_of<Schedule, Ranks, MicroBatches>, static_cast<int>(Ranks), static_cast<int>(MicroBatches), Rank);
  } else {
    Schedule::fill(out, static_cast<int>(Ranks), static_cast<int>(MicroBatches), Rank);
  }
  out.finish();
  return out;
}
// One constant a rank, so that each is its own evaluation with a budget of its own.
template <class Schedule, std::int64_t Ranks, std::int64_t MicroBatches, int Rank>
inline constexpr auto rank_of = make_rank<Schedule, Ranks, MicroBatches, Rank>();
template <fills_all_ranks Schedule, std::int64_t Ranks, std::int64_t MicroBatches, int Rank>
inline constexpr auto rank_of<Schedule, Ranks, MicroBatches, Rank> = whole_of<Schedule, Ranks, MicroBatches>.rows[Rank];

template <class Schedule, std::int64_t Ranks, std::int64_t MicroBatches, class = make_index_pack<static_cast<int>(Ranks)>>
struct static_rows;
template <class Schedule, std::int64_t Ranks, std::int64_t MicroBatches, int... Each>
struct static_rows<Schedule, Ranks, MicroBatches, index_pack<int, Each...>> {
  static constexpr table_shape shape = shape_for<Schedule, Ranks, MicroBatches>;
  static constexpr static_recorder<Schedule, Ranks, MicroBatches> rows[Ranks] = {rank_of<Schedule, Ranks, MicroBatches, Each>...};
  static constexpr int most_ops_of() {
    int most = 1;
    for (int rank = 0; rank < shape.ranks; ++rank) most = rows[rank].size > most ? rows[rank].size : most;
    return most;
  }
  static constexpr int total_ops_of() {
    int total = 0;
    for (int rank = 0; rank < shape.ranks; ++rank) total += rows[rank].size;
    return total;
  }
  static constexpr bool has_blocks_of() {
    for (int rank = 0; rank < shape.ranks; ++rank)
      if (rows[rank].blocks > 0) return true;
    return false;
  }
  static constexpr bool complete_of() {
    for (int rank = 0; rank < shape.ranks; ++rank)
      if (rows[rank].broken != invariant::none) return false;
    return true;
  }
  static constexpr int most_ops = most_ops_of();
  static constexpr int total_ops = total_ops_of();
  static constexpr bool has_blocks = has_blocks_of();
  static constexpr bool complete = complete_of();  // every rank has all its ops once, in an order that is right on the rank
};

template <class Rows, int Rank>
constexpr auto make_waits() {
  rank_waits<wait_arrays<Rows::most_ops>> waits{};
  int last[2 * Rows::shape.ranks + 1]{};
  if (Rows::complete) fill_waits(Rows{}, Rank, waits, last);
  return waits;
}
template <class Rows, int Rank>
inline constexpr auto waits_of = make_waits<Rows, Rank>();

template <class Schedule, std::int64_t Ranks, std::int64_t MicroBatches, class = make_index_pack<static_cast<int>(Ranks)>>
struct static_waits;
template <class Schedule, std::int64_t Ranks, std::int64_t MicroBatches, int... Each>
struct static_waits<Schedule, Ranks, MicroBatches, index_pack<int, Each...>> : static_rows<Schedule, Ranks, MicroBatches> {
  using own_rows = static_rows<Schedule, Ranks, MicroBatches>;
  static constexpr rank_waits<wait_arrays<own_rows::most_ops>> waits[Ranks] = {waits_of<own_rows, Each>...};
};

// A piece of the order is its own evaluation: 16,384 ops are about 80,000 of the 1,048,576 steps that Clang allows.
inline constexpr int ops_a_slice = 16384;

template <class Waits>
using static_slice =
    order_slice<slice_arrays<Waits::shape.ranks, (Waits::total_ops < ops_a_slice ? Waits::total_ops : ops_a_slice + Waits::most_ops) + 1>>;

template <class Waits, int Index>
constexpr auto make_slice();
template <class Waits, int Index>
inline constexpr auto slice_at = make_slice<Waits, Index>();
template <class Waits, int Index>
constexpr auto make_slice() {
  static_slice<Waits> slice{};
  if constexpr (Index > 0)
    for (int rank = 0; rank < Waits::shape.ranks; ++rank) slice.next[rank] = slice_at<Waits, Index - 1>.next[rank];
  if (Waits::complete) advance(Waits{}, slice, ops_a_slice);
  return slice;
}

template <class Schedule, std::int64_t Ranks, std::int64_t MicroBatches,
          class = make_index_pack<static_rows<Schedule, Ranks, MicroBatches>::total_ops / ops_a_slice + 1>>
struct static_table;
/// All that is known of a table without times.
template <class Schedule, std::int64_t Ranks, std::int64_t MicroBatches, int... Each>
struct static_table<Schedule, Ranks, MicroBatches, index_pack<int, Each...>> : static_waits<Schedule, Ranks, MicroBatches> {
  using own_waits = static_waits<Schedule, Ranks, MicroBatches>;
  static constexpr static_slice<own_waits> slices[sizeof...(Each)] = {slice_at<own_waits, Each>...};
  static constexpr int slice_count = sizeof...(Each);
  static constexpr bool ends_of() {
    int done = 0;
    for (int at = 0; at < slice_count; ++at) done += slices[at].done;
    return done == own_waits::total_ops;
  }
  static constexpr bool ends = own_waits::complete && ends_of();  // no rank waits for ever
};

// Ops are unpacked only when somebody names them.
template <class Rows>
struct unpacked {
  op ops[Rows::shape.ranks][Rows::most_ops]{};
};
template <class Rows>
constexpr unpacked<Rows> unpack_all() {
  unpacked<Rows> all{};
  for (int rank = 0; rank < Rows::shape.ranks; ++rank)
    for (int at = 0; at < Rows::rows[rank].size; ++at) all.ops[rank][at] = packed_op::unpack(Rows::rows[rank].ops[at]);
  return all;
}
template <class Rows>
inline constexpr unpacked<Rows> unpacked_of = unpack_all<Rows>();

}  // namespace detail

/// The table of a schedule at p ranks and m micro-batches a step: what each rank runs, in order.
template <class Schedule, std::int64_t Ranks, std::int64_t MicroBatches>
struct schedule_table {
  static constexpr table_shape shape = detail::shape_for<Schedule, Ranks, MicroBatches>;
  /// `ops[rank][index]`; behind `size(rank)` a row has no meaning.
  static constexpr const auto& ops = detail::unpacked_of<detail::static_rows<Schedule, Ranks, MicroBatches>>.ops;
  /// Ops of a rank; both halves of an overlapped block count.
  static constexpr int size(int rank) { return detail::static_rows<Schedule, Ranks, MicroBatches>::rows[rank].size; }
};

}  // namespace shardplan
