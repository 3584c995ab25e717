// SPDX-License-Identifier: BSL-1.0
// Execution tables: what a rank receives, computes, sends, and when a chunk's gradients are complete.
#include <shardplan/schedule/catalog.hpp>
#include <shardplan/schedule/execution.hpp>

using namespace shardplan;

using first = execution_table<schedules::one_f_one_b, 2, 2, 0>;
// F0 >F0 F1 >F1 <B0 B0 <B1 B1, reduce
static_assert(first::size == 9);
static_assert(first::actions[0].kind == action_kind::compute && first::actions[0].item.kind == op_kind::forward);
static_assert(first::actions[1].kind == action_kind::send && first::actions[1].peer == 1 &&
              first::actions[1].channel == channel_kind::activations);
static_assert(first::actions[4].kind == action_kind::receive && first::actions[4].peer == 1 &&
              first::actions[4].channel == channel_kind::gradients);
static_assert(first::actions[8].kind == action_kind::reduce && first::actions[8].item.micro_batch == 1 &&
              first::gradients_complete(0) == 3);

// In a V the turn stays on its rank: stage p - 1 and stage p need no transfer.
using turn = execution_table<schedules::zb_v, 2, 4, 1>;
template <class Table>
constexpr int transfers_with(int peer) {
  int count = 0;
  for (int at = 0; at < Table::size; ++at) count += Table::actions[at].peer == peer ? 1 : 0;
  return count;
}
static_assert(transfers_with<turn>(1) == 0 && transfers_with<turn>(0) == 16);

// What one rank sends to another, the other receives from it, in the same order on each channel.
template <class Schedule, int Ranks, int MicroBatches, int From, int To>
constexpr bool channels_agree() {
  using sender = execution_table<Schedule, Ranks, MicroBatches, From>;
  using receiver = execution_table<Schedule, Ranks, MicroBatches, To>;
  for (int channel = 0; channel < 2; ++channel) {
    int next = 0;
    for (int at = 0; at < sender::size; ++at) {
      const action& sent = sender::actions[at];
      if (sent.kind != action_kind::send || sent.peer != To || static_cast<int>(sent.channel) != channel) continue;
      while (next < receiver::size && !(receiver::actions[next].kind == action_kind::receive && receiver::actions[next].peer == From &&
                                        static_cast<int>(receiver::actions[next].channel) == channel))
        ++next;
      if (next == receiver::size) return false;
      const action& received = receiver::actions[next++];
      if (received.item.micro_batch != sent.item.micro_batch || received.item.slice != sent.item.slice ||
          received.peer_chunk != sent.item.chunk || sent.peer_chunk != received.item.chunk)
        return false;
    }
  }
  return true;
}
static_assert(channels_agree<schedules::dual_pipe, 4, 8, 0, 1>() && channels_agree<schedules::dual_pipe, 4, 8, 1, 0>());
static_assert(channels_agree<schedules::interleaved<2>, 4, 8, 3, 0>() && channels_agree<schedules::interleaved<2>, 4, 8, 0, 3>());
static_assert(channels_agree<schedules::seq_1f1b<2>, 4, 4, 1, 2>() && channels_agree<schedules::dual_pipe_v, 4, 10, 2, 3>());

// The last chunk's gradients are complete first.
using looped = execution_table<schedules::interleaved<2>, 4, 8, 1>;
static_assert(looped::gradients_complete(1) < looped::gradients_complete(0));

// They are complete with its last B or W: no op behind it adds to them.
template <class Schedule, int Ranks, int MicroBatches, int Rank>
constexpr bool completes_with_last() {
  using ordered = schedule_table<Schedule, Ranks, MicroBatches>;
  for (int chunk = 0; chunk < Schedule::spec.chunks; ++chunk) {
    int last = -1;
    for (int at = 0; at < ordered::size(Rank); ++at) {
      const op item = ordered::ops[Rank][at];
      if (item.chunk == chunk && (item.kind == op_kind::backward || item.kind == op_kind::weight_gradient)) last = at;
    }
    if (last < 0 || execution_table<Schedule, Ranks, MicroBatches, Rank>::gradients_complete(chunk) != last) return false;
  }
  return true;
}
static_assert(completes_with_last<schedules::one_f_one_b, 4, 8, 1>() && completes_with_last<schedules::interleaved<3>, 3, 6, 0>());
static_assert(completes_with_last<schedules::zb_h1, 4, 8, 0>() && completes_with_last<schedules::zb_v, 4, 8, 1>());
static_assert(completes_with_last<schedules::v_half, 4, 8, 2>() && completes_with_last<schedules::seq_1f1b<2>, 3, 4, 1>());
static_assert(completes_with_last<schedules::dual_pipe, 4, 8, 2>() && completes_with_last<schedules::dual_pipe_v, 4, 10, 3>());
