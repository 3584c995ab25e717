// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/schedule/order.hpp>
#include <shardplan/schedule/simulate.hpp>
#include <shardplan/schedule/table.hpp>
#include <shardplan/schedule/transfers.hpp>

#include <cstdint>

namespace shardplan {

/// What a framework does next on a rank.
enum class action_kind : std::uint8_t {
  compute,  ///< run `item`
  receive,  ///< receive the input of `item`
  send,     ///< send the output of `item`
  reduce,   ///< the gradients of `item.chunk` are complete: their reduction over the replicas can start
};

/// A channel between two ranks: activations and gradients apart, so that each is in order.
enum class channel_kind : std::uint8_t {
  activations,  ///< from a stage to the next
  gradients,    ///< from a stage to the one before
};

/// One line of a rank's execution table.
struct action {
  action_kind kind = action_kind::compute;           ///< what to do
  op item{};                                         ///< the op of this rank that it belongs to
  int peer = -1;                                     ///< the other rank of a transfer
  std::uint8_t peer_chunk = 0;                       ///< the chunk on the peer whose output is received, or which gets what is sent
  channel_kind channel = channel_kind::activations;  ///< of a transfer

  friend constexpr bool operator==(const action& left, const action& right) {
    return left.kind == right.kind && left.item == right.item && left.peer == right.peer && left.peer_chunk == right.peer_chunk &&
           left.channel == right.channel;
  }
};

namespace detail {

/// Writes the actions of one rank: the receives of an op (or of both halves of a block) before it, its sends behind it, and the start of a
/// chunk's reduction behind the op that completes its gradients. Returns how many there are.
template <class Table, class Out>
constexpr int write_actions(const Table& table, int rank, Out& out) {
  int count = 0;
  const int size = table.rows[rank].size;
  for (int at = 0; at < size; at += together_at(table, rank, at)) {
    const int end = at + together_at(table, rank, at);
    for (int half = at; half < end; ++half) {
      const int sender = sender_of(table, rank, half);
      if (sender < 0) continue;
      const int from = sender >> wait_code::index_bits;
      const op item = packed_op::unpack(table.rows[rank].ops[half]);
      const op made = packed_op::unpack(table.rows[from].ops[sender & wait_code::index_mask]);
      out.actions[count++] = {action_kind::receive, item, from, made.chunk,
                              item.kind == op_kind::forward ? channel_kind::activations : channel_kind::gradients};
    }
    for (int half = at; half < end; ++half) out.actions[count++] = {action_kind::compute, packed_op::unpack(table.rows[rank].ops[half])};
    for (int half = at; half < end; ++half) {
      const op item = packed_op::unpack(table.rows[rank].ops[half]);
      const int user = user_of(table, rank, half);
      if (user >= 0) {
        const int to = user >> wait_code::index_bits;
        out.actions[count++] = {action_kind::send, item, to, packed_op::unpack(table.rows[to].ops[user & wait_code::index_mask]).chunk,
                                item.kind == op_kind::forward ? channel_kind::activations : channel_kind::gradients};
      }
      if (table.rows[rank].complete_at[item.chunk] == half + 1) out.actions[count++] = {action_kind::reduce, item};
    }
  }
  return count;
}

template <int Most>
struct action_arrays {
  action actions[Most]{};
  int count = 0;
};
// An op has at most a receive and a send of its own, and a chunk one reduction.
template <class Table, int Rank>
constexpr auto make_actions() {
  action_arrays<3 * Table::rows[Rank].size + Table::shape.chunks> out{};
  if (!Table::ends) schedule_never_ends();
  out.count = write_actions(Table{}, Rank, out);
  return out;
}
template <class Table, int Rank>
inline constexpr auto actions_of = make_actions<Table, Rank>();

}  // namespace detail

/// What rank `Rank` does, line by line: `actions[index]` for index below `size`. In a kernel read an element into a
/// `constexpr` local.
/// Error: `schedule_never_ends` for a table that is not proven.
template <class Schedule, std::int64_t Ranks, std::int64_t MicroBatches, int Rank>
struct execution_table {
  static constexpr const auto& actions =
      detail::actions_of<detail::playable<Schedule, Ranks, MicroBatches>, Rank>.actions;  ///< in the order in which the rank runs them
  static constexpr int size = detail::actions_of<detail::playable<Schedule, Ranks, MicroBatches>, Rank>.count;  ///< actions
  /// Index in `schedule_table::ops[Rank]` of the op that completes the gradients of `chunk`: its reduction may start behind it.
  static constexpr int gradients_complete(int chunk) {
    return detail::static_rows<Schedule, Ranks, MicroBatches>::rows[Rank].complete_at[chunk] - 1;
  }
};

}  // namespace shardplan
