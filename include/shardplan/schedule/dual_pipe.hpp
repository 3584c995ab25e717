// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/schedule/closed_form.hpp>
#include <shardplan/schedule/schedule_spec.hpp>

#include <cstdint>

namespace shardplan {

namespace detail {

/// The eight steps that DualPipe and DualPipeV share (deepseek-ai/DualPipe dualpipe.py and dualpipev.py), for the `place`-th of `places`
/// ranks and `each` micro-batches a chunk. `near_chunk` is the chunk whose micro-batches enter at this end (chunk 0; on the second half of
/// DualPipe's ranks chunk 1).
template <class Out>
struct dual_steps {
  Out& out;
  int near_chunk;
  int forwards[2]{};   // of the near chunk and the far one
  int backwards[2]{};  // B or I
  int late[2]{};       // micro-batch of the next W that runs late

  constexpr int chunk(int which) const { return which == 0 ? near_chunk : 1 - near_chunk; }
  constexpr void forward(int which) { out.forward(forwards[which]++, chunk(which)); }
  constexpr void backward(int which) { out.backward(backwards[which]++, chunk(which)); }
  constexpr void input(int which) { out.input_gradient(backwards[which]++, chunk(which)); }
  constexpr void weight(int which) { out.weight_gradient(late[which]++, chunk(which)); }
  constexpr void both(int forward_of, int backward_of) {
    out.overlapped(forwards[forward_of]++, chunk(forward_of), backwards[backward_of]++, chunk(backward_of));
  }

  constexpr void run(int places, int place, int each) {
    const int rest = places - 1 - place;
    for (int count = 0; count < 2 * rest; ++count) forward(0);
    for (int count = 0; count <= place; ++count) {
      forward(0);
      forward(1);
    }
    for (int count = 0; count < rest; ++count) {
      late[1] = backwards[1];
      input(1);
      weight(1);
      forward(1);
    }
    for (int count = 0; count < each - 2 * places + place + 1; ++count) {
      if (count == 0 && rest == 0) {  // nothing to hide behind yet
        forward(0);
        backward(1);
      } else {
        both(0, 1);
      }
      both(1, 0);
    }
    for (int count = 0; count < rest; ++count) {
      backward(1);
      both(1, 0);
    }
    // From the middle of these backwards on, W runs late; an odd place switches one backward earlier.
    const int all = 2 * (place + 1);
    const int whole = (place + 1) / 2 * 2 + (place % 2 == 0 ? 1 : 0);
    for (int count = 0; count < all; ++count) {
      if (count == whole) {
        late[0] = backwards[0];
        late[1] = backwards[1];
      }
      if (count < whole) {
        backward((count + 1) % 2);
      } else {
        input((count + 1) % 2);
      }
    }
    // The W follow in the order of their I.
    const int split = all - whole;
    for (int count = 0; count < rest + place + 1; ++count) {
      weight(count < split ? (whole + count + 1) % 2 : 0);
      if (count < rest) input(0);
    }
  }
};

/// The bubble of both, in ops of a chunk, for `path` = places - 1: max(2 path F, (path - 1) F + path I) + path max(I - W, 0). That is the
/// published path (F + B - 3 W + B), of blocks F&B that take as long as their halves, but for one F less where F < I.
constexpr fraction dual_bubble(std::int64_t path, const stage_times& times, std::int64_t shares) {
  if (path == 0) return 0;
  const path_ops paths[] = {{2 * path, 0, 0}, {path - 1, path, 0}, {2 * path, path, -path}, {path - 1, 2 * path, -path}};
  return longest(paths, 4, times, shares);
}

}  // namespace detail

namespace schedules {

/// DualPipe (DeepSeek-V3): micro-batches enter at both ends and forwards hide the transfers of backwards in overlapped blocks. p and m must
/// be even and m >= 2 p. Two copies of the parameters.
struct dual_pipe {
  static constexpr std::int64_t in_flight(std::int64_t ranks, std::int64_t, std::int64_t, std::int64_t) { return ranks + 1; }
  /// The order of one rank.
  template <class Out>
  static constexpr void fill(Out& out, int ranks, int micro_batches, int rank) {
    const bool second_half = rank >= ranks / 2;
    detail::dual_steps<Out> steps{out, second_half ? 1 : 0};
    steps.run(ranks / 2, second_half ? ranks - 1 - rank : rank, micro_batches / 2);
  }
  /// With n = p / 2 - 1: max(2 n F, (n - 1) F + n I) + n max(I - W, 0), when m >= 2 p
  static constexpr closed_form makespan_bubble(std::int64_t ranks, std::int64_t micro_batches, const stage_times& times) {
    if (ranks % 2 != 0 || micro_batches % 2 != 0 || micro_batches < 2 * ranks) return {};
    return detail::dual_bubble(ranks / 2 - 1, times, 1);
  }
  static constexpr bool in_flight_is_exact = true;
  static constexpr schedule_spec spec{.name = "dual_pipe",
                                      .chunks = 2,
                                      .layout = placement::bidirectional,
                                      .in_flight = &in_flight,
                                      .ranks_multiple = 2,
                                      .micro_batches_multiple = 2,
                                      .least_micro_batches_a_rank = 2,
                                      .bubble = {&makespan_bubble, 2}};
};

/// DualPipeV (DeepSeek; torch ScheduleDualPipeV): DualPipe folded into a V, with one copy of the parameters. m >= 2 p.
struct dual_pipe_v {
  static constexpr std::int64_t in_flight(std::int64_t ranks, std::int64_t, std::int64_t, std::int64_t) { return 2 * ranks + 1; }
  /// The order of one rank.
  template <class Out>
  static constexpr void fill(Out& out, int ranks, int micro_batches, int rank) {
    detail::dual_steps<Out> steps{out, 0};
    steps.run(ranks, rank, micro_batches);
  }
  /// With n = p - 1: (max(2 n F, (n - 1) F + n I) + n max(I - W, 0)) / 2, when m >= 2 p
  static constexpr closed_form makespan_bubble(std::int64_t ranks, std::int64_t micro_batches, const stage_times& times) {
    if (micro_batches < 2 * ranks) return {};
    return detail::dual_bubble(ranks - 1, times, 2);
  }
  static constexpr bool in_flight_is_exact = true;
  static constexpr schedule_spec spec{.name = "dual_pipe_v",
                                      .chunks = 2,
                                      .layout = placement::v_shape,
                                      .in_flight = &in_flight,
                                      .least_micro_batches_a_rank = 2,
                                      .bubble = {&makespan_bubble, 2}};
};

}  // namespace schedules

}  // namespace shardplan
