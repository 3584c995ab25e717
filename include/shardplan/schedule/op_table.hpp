// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/core/owned_array.hpp>
#include <shardplan/schedule/order.hpp>
#include <shardplan/schedule/play.hpp>
#include <shardplan/schedule/recorder.hpp>
#include <shardplan/schedule/repeated_plan.hpp>
#include <shardplan/schedule/shape.hpp>
#include <shardplan/schedule/table.hpp>

#include <cstdint>

namespace shardplan {

namespace detail {

struct dynamic_rank_arrays {
  owned_array<int> ops, forward_at, backward_at, weight_at;
};
struct dynamic_waits {
  owned_array<int> of;
};
struct dynamic_plan {
  explicit constexpr dynamic_plan(std::size_t size) : of(size) {}
  owned_array<int> of;
};
struct dynamic_slice {
  owned_array<int> next, runs, turns, waiter, other;
};

/// What the functions of this folder read of a table.
struct dynamic_table {
  explicit constexpr dynamic_table(const table_shape& sizes) : shape(sizes), rows(static_cast<std::size_t>(sizes.ranks)) {}

  table_shape shape;        ///< its sizes
  bool complete = false;    ///< every rank has all its ops once, in an order that is right on the rank
  bool ends = false;        ///< and no rank waits for ever
  bool has_blocks = false;  ///< there are overlapped blocks
  int total_ops = 0;        ///< of all ranks

  owned_array<rank_recorder<dynamic_rank_arrays>> rows;
  owned_array<rank_waits<dynamic_waits>> waits;
  order_slice<dynamic_slice> slices[1];
  static constexpr int slice_count = 1;

  struct costs_type {
    owned_array<owned_array<std::int64_t>> of, transfer, together;
    std::int64_t longest = 0;
    bool immediate = true;
  };
  struct played_ends {
    owned_array<owned_array<std::int64_t>> of;
  };
  struct rank_times {
    owned_array<std::int64_t> clock, first, saved;
  };
  using played_type = played<rank_times>;
  struct next_type {
    owned_array<int> of;
  };
  constexpr costs_type new_costs() const {
    costs_type costs{};
    owned_array<owned_array<std::int64_t>>* const kinds[] = {&costs.of, &costs.transfer, &costs.together};
    for (auto* kind : kinds) {
      *kind = owned_array<owned_array<std::int64_t>>(rows.size());
      for (auto& each : *kind) each = owned_array<std::int64_t>(static_cast<std::size_t>(4 * shape.chunks));
    }
    return costs;
  }
  constexpr played_type new_played() const {
    played_type all{};
    all.clock = owned_array<std::int64_t>(rows.size());
    all.first = owned_array<std::int64_t>(rows.size());
    all.saved = owned_array<std::int64_t>(rows.size());
    return all;
  }
  constexpr played_ends new_ends() const {
    played_ends ends_of{owned_array<owned_array<std::int64_t>>(rows.size())};
    for (int at = 0; at < shape.ranks; ++at) ends_of.of[at] = owned_array<std::int64_t>(static_cast<std::size_t>(rows[at].size));
    return ends_of;
  }
  struct programs_type {
    owned_array<owned_array<int>> of;
  };
  constexpr programs_type new_programs() const {
    programs_type programs{owned_array<owned_array<int>>(rows.size())};
    for (int at = 0; at < shape.ranks; ++at) programs.of[at] = owned_array<int>(static_cast<std::size_t>(2 * rows[at].size));
    return programs;
  }
  constexpr next_type new_pairs() const { return {owned_array<int>(rows.size() * rows.size())}; }
  constexpr next_type new_next() const { return {owned_array<int>(rows.size())}; }
};

}  // namespace detail

/// What a schedule's function writes at run time: `.forward(micro_batch, chunk, slice)`, `.backward(...)`, `.input_gradient(...)`,
/// `.weight_gradient(...)`, `.overlapped(...)`, `.add(op)`.
using rank_ops = detail::rank_recorder<detail::dynamic_rank_arrays>;

/// A table of operations made at run time: from a schedule (`op_table::of<S>(p, m)`), from data, or op by op. Everything that is known of a
/// `schedule_table` is known of it, by the same functions: `simulate(table, times)` and so on. `.shape` are its sizes, `.complete` says
/// that every rank has all its ops once and in an order that is right on the rank, `.ends` that no rank waits for ever as well,
/// `.total_ops` counts the ops of all ranks.
class op_table : public detail::dynamic_table {
public:
  /// An empty table of that shape; fill each `rank(r)`, then call `close()`.
  explicit constexpr op_table(const table_shape& sizes) : detail::dynamic_table(sizes) {
    const int keys = shape.forwards();
    for (int at = 0; at < shape.ranks; ++at) {
      rows[at].begin(shape);
      rows[at].ops = owned_array<int>(static_cast<std::size_t>(3 * keys));
      rows[at].forward_at = owned_array<int>(static_cast<std::size_t>(keys));
      rows[at].backward_at = owned_array<int>(static_cast<std::size_t>(keys));
      rows[at].weight_at = owned_array<int>(static_cast<std::size_t>(keys));
    }
  }
  /// The table of a schedule. Error: `argument_out_of_range`.
  template <class Schedule>
  static constexpr op_table of(std::int64_t ranks, std::int64_t micro_batches) {
    return op_table(static_cast<const Schedule*>(nullptr), detail::shape_of(Schedule::spec, ranks, micro_batches));
  }

  /// The ops of a rank, to be filled.
  constexpr rank_ops& rank(int index) { return rows[index]; }
  /// Writes the order of a schedule into an empty table of its shape; `close()` it afterwards.
  template <class Schedule>
  constexpr void fill() {
    if constexpr (detail::fills_all_ranks<Schedule>) {
      Schedule::fill_all(*this, shape.ranks, shape.micro_batches);
    } else if constexpr (detail::squeezes_blocks<Schedule>) {
      using array = detail::dynamic_plan;
      const int planned = Schedule::planned(shape.ranks, shape.micro_batches);
      detail::squeezed_blocks<array, array, array, array> blocks{shape.ranks, planned, detail::last_slot_of<Schedule>(shape.ranks),
                                                                 Schedule::whole};
      detail::repeat_blocks<Schedule>(blocks, shape.ranks);
      blocks.squeeze(INT32_MAX);
      array plan(static_cast<std::size_t>(detail::ops_a_micro_batch<Schedule> * planned * shape.ranks));
      detail::write_plan<Schedule>(blocks, plan, shape.ranks, planned);
      for (int at = 0; at < shape.ranks; ++at) detail::fill_by_plan(rows[at], plan, shape.micro_batches, planned, at, Schedule::whole);
    } else {
      for (int at = 0; at < shape.ranks; ++at) Schedule::fill(rows[at], shape.ranks, shape.micro_batches, at);
    }
  }
  /// Ops of a rank; both halves of an overlapped block count.
  constexpr int size(int index) const { return rows[index].size; }
  /// An op of a rank.
  constexpr op at(int index, int position) const { return detail::packed_op::unpack(rows[index].ops[position]); }

  /// After the last op: finds what every op waits for and an order in which all can run.
  constexpr void close() {
    complete = true;
    total_ops = 0;
    has_blocks = false;
    for (auto& row : rows) {
      row.finish();
      total_ops += row.size;
      if (row.blocks > 0) has_blocks = true;
      if (row.broken != invariant::none) complete = false;
      if (row.size >= detail::wait_code::most_ops) argument_out_of_range();
    }
    ends = false;
    waits = owned_array<detail::rank_waits<detail::dynamic_waits>>(rows.size());
    if (!complete) return;
    owned_array<int> last(2 * rows.size() + 1);
    for (int at = 0; at < shape.ranks; ++at) {
      waits[at].of = owned_array<int>(static_cast<std::size_t>(rows[at].size));
      for (auto& number : last) number = 0;
      detail::fill_waits(*this, at, waits[at], last);
    }
    slices[0].next = owned_array<int>(rows.size());
    slices[0].turns = owned_array<int>(rows.size());
    slices[0].waiter = owned_array<int>(rows.size());
    slices[0].other = owned_array<int>(rows.size());
    slices[0].runs = owned_array<int>(static_cast<std::size_t>(total_ops));
    slices[0].count = 0;
    slices[0].done = 0;
    detail::advance(*this, slices[0], total_ops);
    ends = slices[0].done == total_ops;
  }

private:
  // No local of `of`: GCC 12 ends what a constant evaluation returns from a variable.
  template <class Schedule>
  constexpr op_table(const Schedule*, const table_shape& sizes) : op_table(sizes) {
    fill<Schedule>();
    close();
  }
};

}  // namespace shardplan
