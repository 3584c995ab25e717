// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/schedule/closed_form.hpp>
#include <shardplan/schedule/interleaved.hpp>
#include <shardplan/schedule/orders.hpp>
#include <shardplan/schedule/schedule_spec.hpp>

#include <cstdint>

namespace shardplan {

namespace detail {

/// "F then pairs" with a split backward: each W runs `late` backwards behind its I, what is left of them at the end.
template <class Out>
constexpr void fill_split(Out& out, int micro_batches, int chunks, int group, int warm_up, int late) {
  const int all = micro_batches * chunks;
  interleaved_place forward{micro_batches, chunks, group};
  interleaved_place input = forward;
  interleaved_place weight = forward;
  for (int count = 0; count < all + warm_up + late; ++count) {
    if (count < all) {
      out.forward(forward.first + forward.inside, forward.chunk);
      forward.next();
    }
    if (count >= warm_up && count < all + warm_up) {
      out.input_gradient(input.first + input.inside, chunks - 1 - input.chunk);
      input.next();
    }
    if (count >= warm_up + late) {
      out.weight_gradient(weight.first + weight.inside, chunks - 1 - weight.chunk);
      weight.next();
    }
  }
}

}  // namespace detail

namespace schedules {

/// Interleaved zero bubble (torch ScheduleInterleavedZeroBubble): warm-up of (p - 1 - r) + (v - 1) group forwards, and rank r runs the W of
/// a micro-batch r backwards late.
template <int Chunks, int Group = groups::torch>
struct interleaved_zb {
  static constexpr std::int64_t group(std::int64_t ranks, std::int64_t micro_batches) {
    return detail::group_size(Group, ranks, micro_batches);
  }
  static constexpr std::int64_t warm_up(std::int64_t ranks, std::int64_t micro_batches, std::int64_t chunks, std::int64_t rank) {
    const std::int64_t forwards = ranks - 1 - rank + (chunks - 1) * detail::group_size(Group, ranks, micro_batches);
    return forwards < micro_batches * chunks ? forwards : micro_batches * chunks;
  }
  /// Until W: warm-up, one more, and those that wait for their W.
  static constexpr std::int64_t in_flight(std::int64_t ranks, std::int64_t micro_batches, std::int64_t chunks, std::int64_t rank) {
    const std::int64_t alive = warm_up(ranks, micro_batches, chunks, rank) + 1 + rank;
    return alive < micro_batches * chunks ? alive : micro_batches * chunks;
  }
  /// Until I: the warm-up and one more.
  static constexpr std::int64_t in_flight_until_input(std::int64_t ranks, std::int64_t micro_batches, std::int64_t chunks,
                                                      std::int64_t rank) {
    const std::int64_t alive = warm_up(ranks, micro_batches, chunks, rank) + 1;
    return alive < micro_batches * chunks ? alive : micro_batches * chunks;
  }
  /// The order of one rank.
  template <class Out>
  static constexpr void fill(Out& out, int ranks, int micro_batches, int rank) {
    detail::fill_split(out, micro_batches, Chunks, static_cast<int>(detail::group_size(Group, ranks, micro_batches)),
                       static_cast<int>(warm_up(ranks, micro_batches, Chunks, rank)), rank);
  }
  /// (p - 1) max(F, I + max(F - W, 0)) / v, in full groups of at least p
  static constexpr closed_form makespan_bubble(std::int64_t ranks, std::int64_t micro_batches, const stage_times& times) {
    const std::int64_t each = group(ranks, micro_batches);
    if (each < ranks || micro_batches % each != 0) return {};
    return detail::split_bubble(ranks, ranks, times, Chunks);
  }
  static constexpr bool ends(std::int64_t ranks, std::int64_t micro_batches, std::int64_t chunks) {
    const std::int64_t each = detail::group_size(Group, ranks, micro_batches);
    return detail::groups_end(micro_batches, chunks, each, (chunks - 1) * each, ranks - 1);
  }
  static constexpr bool in_flight_is_exact = true;
  static constexpr schedule_spec spec{.name = "interleaved_zb",
                                      .chunks = Chunks,
                                      .in_flight = &in_flight,
                                      .bubble = {&makespan_bubble, Chunks},
                                      .group = &group,
                                      .ends = &ends};
};

/// ZB-H1 (arXiv 2401.10241): 1F1B whose backward is split, with W where the pipeline would stand idle. Keeps p micro-batches on every rank.
struct zb_h1 {
  static constexpr std::int64_t in_flight(std::int64_t ranks, std::int64_t micro_batches, std::int64_t, std::int64_t) {
    return ranks < micro_batches ? ranks : micro_batches;
  }
  /// Until I: as 1F1B.
  static constexpr std::int64_t in_flight_until_input(std::int64_t ranks, std::int64_t micro_batches, std::int64_t, std::int64_t rank) {
    return ranks - rank < micro_batches ? ranks - rank : micro_batches;
  }
  /// The order of one rank.
  template <class Out>
  static constexpr void fill(Out& out, int ranks, int micro_batches, int rank) {
    detail::fill_split(out, micro_batches, 1, micro_batches, detail::least(micro_batches, ranks - 1 - rank), rank);
  }
  /// (p - 1) max(F, I + max(F - W, 0)) with m >= p (the paper's (p - 1) (F + I - W) needs W <= F); with m < p the largest of
  /// (p - m) F + (p - 1) I, (p - 1) F + (p - m) I and (p - 1) (F + I) - (m - 1) W
  static constexpr closed_form makespan_bubble(std::int64_t ranks, std::int64_t micro_batches, const stage_times& times) {
    return detail::split_bubble(ranks, micro_batches < ranks ? micro_batches : ranks, times);
  }
  static constexpr bool in_flight_is_exact = true;
  static constexpr schedule_spec spec{.name = "zb_h1", .in_flight = &in_flight, .bubble = {&makespan_bubble}};
};

/// Interleaving with groups smaller than p (zero-bubble group_interleaved_1f1b.py, PipeOffload arXiv 2503.01328): less memory, more bubble.
/// Ours is the interleaved order with a warm-up of min(p - 1 - r, 2 group) + (v - 1) group forwards and each W right behind its I. More
/// forwards would wait for ranks that wait for them.
template <int Chunks, int Group>
struct grouped_interleaved {
  static constexpr std::int64_t warm_up(std::int64_t ranks, std::int64_t micro_batches, std::int64_t chunks, std::int64_t rank) {
    const std::int64_t behind = ranks - 1 - rank < 2 * Group ? ranks - 1 - rank : 2 * Group;
    const std::int64_t forwards = behind + (chunks - 1) * Group;
    return forwards < micro_batches * chunks ? forwards : micro_batches * chunks;
  }
  static constexpr std::int64_t in_flight(std::int64_t ranks, std::int64_t micro_batches, std::int64_t chunks, std::int64_t rank) {
    const std::int64_t alive = warm_up(ranks, micro_batches, chunks, rank) + 1;
    return alive < micro_batches * chunks ? alive : micro_batches * chunks;
  }
  /// The order of one rank.
  template <class Out>
  static constexpr void fill(Out& out, int ranks, int micro_batches, int rank) {
    detail::fill_split(out, micro_batches, Chunks, Group, static_cast<int>(warm_up(ranks, micro_batches, Chunks, rank)), 0);
  }
  /// (p - 1) (F + I) / v with p <= group; with group < p <= 2 group, e = p - group, and F <= W <= I <= F + W: (p - 1 + (v - 1) e) F and the
  /// larger of (p - 1) I and (p - 1 + (v - 1) e) I - (v - 1) group W, / v. In full groups
  static constexpr closed_form makespan_bubble(std::int64_t ranks, std::int64_t micro_batches, const stage_times& times) {
    if (micro_batches % Group != 0 || ranks > 2 * Group) return {};
    const std::int64_t path = ranks - 1, more = path + (Chunks - 1) * (ranks - Group);
    const detail::path_ops narrow[] = {{path, path, 0}};
    if (ranks <= Group) return detail::longest(narrow, 1, times, Chunks);
    if (!detail::are_usual(times) || detail::is_input_above(times, 1, 2)) return {};
    const detail::path_ops wide[] = {{more, path, 0}, {more, more, (1 - Chunks) * Group}};
    return detail::longest(wide, 2, times, Chunks);
  }
  static constexpr std::int64_t group(std::int64_t, std::int64_t) { return Group; }
  static constexpr bool ends(std::int64_t ranks, std::int64_t micro_batches, std::int64_t chunks) {
    const std::int64_t behind = ranks - 1 < 2 * Group ? ranks - 1 : 2 * Group;
    return detail::groups_end(micro_batches, chunks, Group, (chunks - 1) * Group, behind);
  }
  static constexpr bool in_flight_is_exact = true;
  static constexpr schedule_spec spec{.name = "grouped_interleaved",
                                      .chunks = Chunks,
                                      .in_flight = &in_flight,
                                      .bubble = {&makespan_bubble, Chunks},
                                      .group = &group,
                                      .ends = &ends};
};

}  // namespace schedules

}  // namespace shardplan
