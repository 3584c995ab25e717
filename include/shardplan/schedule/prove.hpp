// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/size.hpp>
#include <shardplan/core/static_vector.hpp>
#include <shardplan/schedule/closed_form.hpp>
#include <shardplan/schedule/invariant.hpp>
#include <shardplan/schedule/play.hpp>
#include <shardplan/schedule/simulate.hpp>
#include <shardplan/schedule/table.hpp>

#include <cstdint>

namespace shardplan {

/// As many broken invariants as a proof lists; they come in tiers, and a later tier is looked at only when the earlier ones hold.
inline constexpr int most_broken_invariants = 8;
/// What a proof found: empty when the table is right.
using broken_invariants = static_vector<broken_invariant, most_broken_invariants>;

namespace detail {

template <class List>
constexpr void add_broken(List& found, const broken_invariant& item) {
  if (found.size() < found.capacity()) found.push_back(item);
}

/// Tier one: what each rank alone shows.
template <class Table, class List>
constexpr void find_on_ranks(const Table& table, List& found) {
  for (int rank = 0; rank < table.shape.ranks; ++rank)
    if (table.rows[rank].broken != invariant::none)
      add_broken(found, {table.rows[rank].broken, rank, packed_op::unpack(table.rows[rank].broken_op)});
}

/// What op `at` of a rank waits for and has not come after `next` ops of each rank, or -1.
template <class Table, class Next>
constexpr int missing_input(const Table& table, const Next& next, int rank, int at) {
  const int wait = table.waits[rank].of[at];
  if (wait >= 0 && next[wait >> wait_code::index_bits] <= (wait & wait_code::index_mask)) return wait;
  return wait_code::none;
}

/// Tier two: the circle of ranks that wait for each other, each with the op that stands before its input.
template <class Table, class Next, class List>
constexpr void find_circle(const Table& table, const Next& next, List& found) {
  int stuck = 0;
  while (next[stuck] == table.rows[stuck].size) ++stuck;
  int first = -1;
  // Following what each stuck rank waits for ends in the circle after as many steps as there are ranks.
  for (int step = 0; step < 2 * table.shape.ranks; ++step) {
    int at = next[stuck];
    int wait = missing_input(table, next, stuck, at);
    if (wait < 0) wait = missing_input(table, next, stuck, ++at);  // the other half of a block
    if (step >= table.shape.ranks) {
      if (stuck == first) return;
      if (first < 0) first = stuck;
      add_broken(found, {invariant::runs_before_its_input, stuck, packed_op::unpack(table.rows[stuck].ops[at])});
    }
    stuck = wait >> wait_code::index_bits;
  }
}

/// Tier three: transfers, gradients, live activations.
template <class Table, class List>
constexpr void find_across_ranks(const Table& table, const schedule_spec& spec, const peak_form& peaks, List& found) {
  const table_shape shape = table.shape;
  std::int64_t messages = 0;
  for (int rank = 0; rank < shape.ranks; ++rank) {
    messages += table.waits[rank].messages;
    if (table.waits[rank].out_of_order > 0)
      add_broken(found, {invariant::arrives_out_of_order, rank, packed_op::unpack(table.rows[rank].ops[table.waits[rank].out_of_order - 1]),
                         table.waits[rank].out_of_order_from});
    const std::int64_t says = spec.in_flight(shape.ranks, shape.micro_batches, shape.chunks, rank);
    if (table.rows[rank].peak_until_weight > says)
      add_broken(found, {invariant::keeps_more_than_it_says, rank, op{}, 0, says, table.rows[rank].peak_until_weight});
    if (peaks.exact && table.rows[rank].peak_until_weight < says)
      add_broken(found, {invariant::peak_differs_from_closed_form, rank, op{}, 0, says, table.rows[rank].peak_until_weight});
    const std::int64_t until_input = table.rows[rank].peak_until_input;
    const std::int64_t says_input = peaks.until_input ? peaks.value(shape.ranks, shape.micro_batches, shape.chunks, rank) : until_input;
    if (until_input != says_input) add_broken(found, {invariant::peak_differs_from_closed_form, rank, op{}, 0, says_input, until_input});
    if (shape.layout == placement::bidirectional) continue;
    for (int chunk = 1; chunk < shape.chunks; ++chunk)
      if (table.rows[rank].complete_at[chunk] > table.rows[rank].complete_at[chunk - 1])
        add_broken(found, {invariant::gradients_complete_out_of_order, rank,
                           packed_op::unpack(table.rows[rank].ops[table.rows[rank].complete_at[chunk] - 1])});
  }
  if (messages != shape.messages()) add_broken(found, {invariant::sends_more_or_less, 0, op{}, 0, shape.messages(), messages});
}

// What a makespan can never be below with uniform stages, in ticks at unit times (F, I and W cost one tick each, all ops of a table alike):
// the last rank cannot begin before p - 1 forwards, the first cannot end before the last I and p - 1 more came back.
constexpr std::int64_t least_ticks(const table_shape& shape) {
  const std::int64_t work = std::int64_t{3} * shape.forwards();
  if (shape.layout == placement::bidirectional) return work;
  const std::int64_t start = shape.ranks - 1 + work;
  const std::int64_t round_trip = 2 * (shape.ranks - 1) + std::int64_t{2} * shape.forwards() + 1;
  return later(start, round_trip);
}

inline constexpr stage_times unit_times{};

/// Tier four: the simulated time at F = I = W = 1.
template <class Table, class List>
constexpr void find_in_time(const Table& table, const closed_form& says, List& found) {
  const std::int64_t makespan = table.slices[0].makespan > 0 ? table.slices[0].makespan : play(table, &unit_times, true).makespan;
  if (makespan < least_ticks(table.shape))
    add_broken(found, {invariant::faster_than_possible, 0, op{}, 0, least_ticks(table.shape), makespan});
  if (!says.known) return;
  const std::int64_t work = std::int64_t{3} * table.shape.forwards();
  // says * shares ticks, compared without a division
  const fraction bubble = says.value * table.shape.shares();
  if (fraction{makespan - work} != bubble)
    add_broken(found, {invariant::bubble_differs_from_closed_form, 0, op{}, 0, bubble.numerator, makespan - work});
}

// Depends on a template argument, so that nobody pays for the vector who proves nothing.
template <class>
inline constexpr std::size_t most_named = most_broken_invariants;

template <class Schedule, std::int64_t Ranks, std::int64_t MicroBatches>
constexpr auto prove_static() {
  static_vector<broken_invariant, most_named<Schedule>> found{};
  using table = playable<Schedule, Ranks, MicroBatches>;
  if constexpr (!table::complete) {
    find_on_ranks(table{}, found);
  } else if constexpr (!table::ends) {
    find_circle(table{}, table::slices[table::slice_count - 1].next, found);
  } else {
    find_across_ranks(table{}, Schedule::spec, peak_form_of<Schedule>(), found);
    if (found.empty()) find_in_time(table{}, closed_bubble<Schedule>(Ranks, MicroBatches, unit_times), found);
  }
  return found;
}

}  // namespace detail

/// What is broken in the table of `Schedule` at p ranks and m micro-batches; empty when everything holds: each op once on its rank, F
/// before B or I before W, inputs before their users on all ranks together, messages paired and in order on each channel of a kind, live
/// activations within what the schedule says and equal to it where that is exact, gradients complete from the last chunk to the first,
/// makespan not below its lower bounds and equal to the closed form where there is one.
///
/// Laws of schedules that are no invariants of a table, and why (tests hold them): that equal ranks work equally long and that live
/// activations are never negative and none at the end follow from each op being there once, F before B or I before W; that a step takes as
/// long with time reversed, F and B swapped, holds of every table that ends, and so says something of the simulator only; that one schedule
/// is another at some size, and that more micro-batches or chunks never raise the share of the bubble, are about two tables. The transfer
/// models are not one answer but facts of their own (`transfers`).
template <class Schedule, std::int64_t Ranks, std::int64_t MicroBatches>
inline constexpr auto proof = detail::prove_static<Schedule, Ranks, MicroBatches>();

/// Whether every invariant holds.
template <class Schedule, std::int64_t Ranks, std::int64_t MicroBatches>
inline constexpr bool proven = proof<Schedule, Ranks, MicroBatches>.empty();

}  // namespace shardplan
