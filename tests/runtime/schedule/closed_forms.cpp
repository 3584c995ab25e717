// SPDX-License-Identifier: BSL-1.0
// Every closed form of a bubble against the simulation, over a grid of sizes and of times: wherever it says that it knows, it is equal.
#include "catch.hpp"

#include <shardplan/schedule/catalog.hpp>
#include <shardplan/schedule/simulate_table.hpp>
#include <shardplan/schedule/zb_capped.hpp>

namespace sp = shardplan;
namespace s = sp::schedules;

namespace {

// Equal times; those of layers, whose W is a little longer than F and whose I has what is recomputed beside; and any others.
constexpr sp::stage_times usual[] = {{1, 1, 1},    {10, 11, 11}, {10, 12, 11}, {4, 5, 5}, {10, 13, 12}, {10, 14, 10},
                                     {10, 15, 11}, {1, 2, 1},    {10, 21, 11}, {4, 9, 5}, {10, 17, 11}};
constexpr sp::stage_times any[] = {{2, 1, 1}, {1, 1, 2}, {1, 3, 1}, {3, 1, 2}, {1, 2, 3},
                                   {5, 4, 3}, {7, 2, 1}, {2, 7, 3}, {1, 1, 0}, {3, 7, 11}};

struct counted {
  int compared = 0;
  int known = 0;
};

template <class Schedule>
void compare(counted& count, const sp::op_table& table, const sp::stage_times& times) {
  const sp::closed_form says = sp::closed_bubble<Schedule>(table.shape.ranks, table.shape.micro_batches, times);
  ++count.compared;
  if (!says.known) {
    if (says.value > 0) CHECK(says.value <= sp::bubble(table, times, sp::bubble_kind::makespan));
    return;
  }
  ++count.known;
  const sp::fraction found = sp::bubble(table, times, sp::bubble_kind::makespan);
  if (says.value == found) return;
  INFO(Schedule::spec.name.c_str() << ", v = " << Schedule::spec.chunks << ", p = " << table.shape.ranks
                                   << ", m = " << table.shape.micro_batches << ", F, I, W = " << times.forward.numerator << ", "
                                   << times.input_gradient.numerator << ", " << times.weight_gradient.numerator);
  INFO("says " << says.value.numerator << "/" << says.value.denominator << ", is " << found.numerator << "/" << found.denominator);
  CHECK(false);
}

// How many of the usual times, and of any, are known, out of a hundred.
template <class Schedule>
void all_sizes(int most_ranks, int usual_known, int any_known) {
  counted often, all;
  const sp::schedule_spec& spec = Schedule::spec;
  for (int ranks = 1; ranks <= most_ranks; ++ranks)
    for (int micro_batches = 1; micro_batches <= 3 * ranks + 3; ++micro_batches) {
      if (ranks % spec.ranks_multiple != 0 || micro_batches % spec.micro_batches_multiple != 0) continue;
      if (spec.micro_batches_fill_ranks && micro_batches % ranks != 0) continue;
      if (micro_batches < ranks * spec.least_micro_batches_a_rank || !spec.ends(ranks, micro_batches, spec.chunks)) continue;
      const sp::op_table table = sp::op_table::of<Schedule>(ranks, micro_batches);
      for (const sp::stage_times& times : usual) compare<Schedule>(micro_batches < ranks ? all : often, table, times);
      for (const sp::stage_times& times : any) compare<Schedule>(all, table, times);
    }
  INFO(Schedule::spec.name.c_str() << ": of " << often.compared << " usual " << often.known << ", of " << all.compared << " others "
                                   << all.known);
  CHECK(often.known * 100 >= often.compared * usual_known);
  CHECK(all.known * 100 >= all.compared * any_known);
}

}  // namespace

TEST_CASE("closed forms of the bubble are what is simulated") {
  all_sizes<s::gpipe>(8, 100, 100);
  all_sizes<s::one_f_one_b>(8, 100, 100);
  all_sizes<s::eager_1f1b>(8, 100, 100);
  all_sizes<s::seq_1f1b<2>>(8, 100, 100);
  all_sizes<s::looped_bfs<2>>(8, 100, 100);
  all_sizes<s::looped_bfs<3>>(8, 100, 100);
  all_sizes<s::interleaved<2>>(8, 35, 60);
  all_sizes<s::interleaved<3, 5>>(8, 30, 30);
  all_sizes<s::interleaved<2, sp::groups::torch, 1>>(8, 60, 70);
  all_sizes<s::zb_h1>(8, 100, 100);
  all_sizes<s::interleaved_zb<2>>(8, 60, 30);
  all_sizes<s::interleaved_zb<3, 4>>(8, 10, 5);
  all_sizes<s::zb_h2>(8, 100, 50);
  all_sizes<s::zb_v>(8, 60, 60);
  all_sizes<s::zb_capped<1>>(8, 100, 90);
  all_sizes<s::zb_capped<4>>(8, 100, 60);
  all_sizes<s::zb_capped<7>>(8, 100, 50);
  all_sizes<s::dual_pipe>(12, 100, 100);
  all_sizes<s::dual_pipe_v>(10, 100, 100);
  all_sizes<s::chimera>(10, 100, 100);
  all_sizes<s::hanayo<1>>(8, 95, 40);
  all_sizes<s::hanayo<2>>(8, 20, 10);
  all_sizes<s::hanayo<3>>(6, 20, 10);
  all_sizes<s::grouped_interleaved<2, 2>>(6, 25, 8);
  all_sizes<s::grouped_interleaved<2, 3>>(8, 20, 8);
  all_sizes<s::grouped_interleaved<2, 5>>(10, 15, 5);
  all_sizes<s::grouped_interleaved<3, 3>>(8, 20, 8);
  all_sizes<s::grouped_interleaved<4, 4>>(8, 15, 5);
  all_sizes<s::pipedream>(6, 100, 100);
}

TEST_CASE("the forms that were read off searched orders hold at sizes of clusters") {
  all_sizes<s::v_min>(24, 95, 0);
  all_sizes<s::v_half>(24, 60, 3);
  all_sizes<s::one_f_one_b_v>(16, 40, 8);
}
