// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/index_pack.hpp>
#include <shardplan/core/size.hpp>
#include <shardplan/schedule/op.hpp>
#include <shardplan/schedule/order.hpp>
#include <shardplan/schedule/recorder.hpp>
#include <shardplan/schedule/repeated_plan.hpp>
#include <shardplan/schedule/shape.hpp>
#include <shardplan/schedule/squeezed_blocks.hpp>

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

/// One that can stop and go on: `fill_some(out, ranks, micro_batches, ops)` writes about as many ops more.
template <class Schedule>
concept fills_in_pieces = requires(whole_table<rank_recorder<rank_arrays<3, 1>>, 1>& out) {
  Schedule::fill_some(out, 1, 1, 1);
};
inline constexpr int ops_a_piece = 12288;  // of one chunk; more chunks are more to look at

template <class Schedule, std::int64_t Ranks, std::int64_t MicroBatches, int Piece>
constexpr auto make_whole();
template <class Schedule, std::int64_t Ranks, std::int64_t MicroBatches, int Piece>
inline constexpr auto whole_piece = make_whole<Schedule, Ranks, MicroBatches, Piece>();
template <class Schedule, std::int64_t Ranks, std::int64_t MicroBatches, int Piece>
constexpr auto make_whole() {
  whole_table<static_recorder<Schedule, Ranks, MicroBatches>, Ranks> out{};
  if constexpr (Piece == 0) {
    for (auto& row : out.rows) row.begin(shape_for<Schedule, Ranks, MicroBatches>);
  } else {
    out = whole_piece<Schedule, Ranks, MicroBatches, Piece - 1>;
  }
  if constexpr (fills_in_pieces<Schedule>) {
    Schedule::fill_some(out, static_cast<int>(Ranks), static_cast<int>(MicroBatches), ops_a_piece / Schedule::spec.chunks);
  } else {
    Schedule::fill_all(out, static_cast<int>(Ranks), static_cast<int>(MicroBatches));
  }
  return out;
}
// Whether a piece has all ops, so that no further one copies it.
template <class Schedule, std::int64_t Ranks, std::int64_t MicroBatches, int Piece>
constexpr bool is_whole() {
  for (int rank = 0; rank < Ranks; ++rank)
    if (whole_piece<Schedule, Ranks, MicroBatches, Piece>.rows[rank].weights < shape_for<Schedule, Ranks, MicroBatches>.forwards())
      return false;
  return true;
}
template <class Schedule, std::int64_t Ranks, std::int64_t MicroBatches, int Piece = 0>
constexpr int last_whole() {
  constexpr int most = 3 * shape_for<Schedule, Ranks, MicroBatches>.forwards() * static_cast<int>(Ranks);
  constexpr int last = fills_in_pieces<Schedule> ? most / (ops_a_piece / static_cast<int>(Schedule::spec.chunks)) : 0;
  if constexpr (Piece >= last) {
    return Piece;
  } else if constexpr (is_whole<Schedule, Ranks, MicroBatches, Piece>()) {
    return Piece;
  } else {
    return last_whole<Schedule, Ranks, MicroBatches, Piece + 1>();
  }
}
template <class Schedule, std::int64_t Ranks, std::int64_t MicroBatches>
inline constexpr int last_whole_of = last_whole<Schedule, Ranks, MicroBatches>();
template <class Schedule, std::int64_t Ranks, std::int64_t MicroBatches>
constexpr auto finish_whole() {
  whole_table<static_recorder<Schedule, Ranks, MicroBatches>, Ranks> out =
      whole_piece<Schedule, Ranks, MicroBatches, last_whole_of<Schedule, Ranks, MicroBatches>>;
  for (auto& row : out.rows) row.finish();
  return out;
}
template <class Schedule, std::int64_t Ranks, std::int64_t MicroBatches>
inline constexpr auto whole_of = finish_whole<Schedule, Ranks, MicroBatches>();

// The plan of squeezed blocks, in pieces: each is an evaluation of its own and goes on with a copy of what the one before has left.
template <int Size>
struct plan_array {
  int of[Size]{};

  constexpr plan_array() = default;
  explicit constexpr plan_array(std::size_t) {}
};
inline constexpr int slots_a_piece = 80000;  // about 700,000 steps of Clang

template <class Schedule, std::int64_t Ranks, std::int64_t MicroBatches>
struct static_blocks {
  static constexpr int ranks = static_cast<int>(Ranks);
  static constexpr int planned = Schedule::planned(ranks, static_cast<int>(MicroBatches));
  static constexpr int last_slot = last_slot_of<Schedule>(ranks);
  static constexpr int cells = ranks * slots_of_blocks(ranks, planned, last_slot);
  using type =
      squeezed_blocks<plan_array<cells>, plan_array<Schedule::whole ? 1 : cells>, plan_array<6 * planned * ranks>, plan_array<5 * ranks>>;
};
template <class Schedule, std::int64_t Ranks, std::int64_t MicroBatches, int Piece>
constexpr auto make_piece();
template <class Schedule, std::int64_t Ranks, std::int64_t MicroBatches, int Piece>
inline constexpr auto piece_of = make_piece<Schedule, Ranks, MicroBatches, Piece>();
template <class Blocks>
struct piece {
  Blocks blocks;
  bool ends = false;
};
template <class Schedule, std::int64_t Ranks, std::int64_t MicroBatches, int Piece>
constexpr auto make_piece() {
  using all = static_blocks<Schedule, Ranks, MicroBatches>;
  if constexpr (Piece == 0) {
    piece<typename all::type> first{{all::ranks, all::planned, all::last_slot, Schedule::whole}};
    repeat_blocks<Schedule>(first.blocks, all::ranks);
    return first;
  } else {
    piece<typename all::type> more = piece_of<Schedule, Ranks, MicroBatches, Piece - 1>;
    more.ends = more.blocks.squeeze(slots_a_piece);
    return more;
  }
}
template <class Schedule, std::int64_t Ranks, std::int64_t MicroBatches, int Piece = 0>
constexpr int last_piece() {
  if constexpr (!piece_of<Schedule, Ranks, MicroBatches, Piece>.ends) {
    return last_piece<Schedule, Ranks, MicroBatches, Piece + 1>();
  } else {
    return Piece;
  }
}
template <class Schedule, std::int64_t Ranks, std::int64_t MicroBatches>
inline constexpr int last_piece_of = last_piece<Schedule, Ranks, MicroBatches>();

template <class Schedule, std::int64_t Ranks, std::int64_t MicroBatches, int Rank>
constexpr auto make_rank() {
  static_recorder<Schedule, Ranks, MicroBatches> out{};
  out.begin(shape_for<Schedule, Ranks, MicroBatches>);
  if constexpr (squeezes_blocks<Schedule>) {
    using all = static_blocks<Schedule, Ranks, MicroBatches>;
    plan_array<ops_a_micro_batch<Schedule> * all::planned> plan{};
    piece_of<Schedule, Ranks, MicroBatches, last_piece_of<Schedule, Ranks, MicroBatches>>.blocks.write(Rank, plan, 0);
    fill_by_plan(out, plan, static_cast<int>(MicroBatches), all::planned, 0, Schedule::whole);
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

template <int Ranks, int Ops>
struct unit_ends {
  int of[Ranks][Ops]{};
};

template <class Waits, int Index>
constexpr auto make_slice();
template <class Waits, int Index>
inline constexpr auto slice_at = make_slice<Waits, Index>();
template <class Waits, int Index>
constexpr auto make_slice() {
  static_slice<Waits> slice{};
  if constexpr (Index > 0)
    for (int rank = 0; rank < Waits::shape.ranks; ++rank) slice.next[rank] = slice_at<Waits, Index - 1>.next[rank];
  if constexpr (Waits::complete && !Waits::has_blocks && Waits::total_ops < ops_a_slice) {
    unit_ends<Waits::shape.ranks, Waits::most_ops> end{};
    advance_in_time(Waits{}, slice, end);
  } else if constexpr (Waits::complete) {
    advance(Waits{}, slice, ops_a_slice);
  }
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
