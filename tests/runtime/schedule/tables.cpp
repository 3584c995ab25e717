// SPDX-License-Identifier: BSL-1.0
// Tables made at run time: from a text, op by op, from a schedule; the same figures as at compile time.
#include "catch.hpp"

#include <shardplan/schedule/prove_table.hpp>
#include <shardplan/schedule/read_table.hpp>
#include <shardplan/schedule/simulate_table.hpp>
#include <shardplan/shardplan.hpp>

namespace sp = shardplan;
namespace s = sp::schedules;

namespace {

constexpr const char* text =
    "# p: 2\n# m: 3\n# v: 1\n# slices: 1\n# placement: loop\n"
    "rank 0: F0 F1 B0 F2 B1 B2\n"
    "rank 1: F0 B0 F1 B1 F2 B2\n";

constexpr sp::stage_times times{1, 1, 1};

template <class Schedule, int Ranks, int MicroBatches>
void same_at_run_time() {
  INFO(Schedule::spec.name.c_str());
  static constexpr auto constant = sp::simulate<Schedule, Ranks, MicroBatches>(times);
  const sp::op_table table = sp::op_table::of<Schedule>(Ranks, MicroBatches);
  const auto result = sp::simulate(table, times);
  CHECK(result.makespan == constant.makespan);
  CHECK(result.span == constant.span);
  for (int rank = 0; rank < Ranks; ++rank) {
    CHECK(result.busy[rank] == constant.busy[rank]);
    CHECK(result.peak_activations[rank] == constant.peak_activations[rank]);
    CHECK(table.size(rank) == sp::schedule_table<Schedule, Ranks, MicroBatches>::size(rank));
  }
  CHECK(sp::efficiency(table, times) == sp::efficiency<Schedule, Ranks, MicroBatches>(times));
  CHECK(sp::bubble(table, times, sp::bubble_kind::steady) == sp::bubble<Schedule, Ranks, MicroBatches>(times, sp::bubble_kind::steady));
}

}  // namespace

TEST_CASE("a text is a table") {
  const sp::op_table table = sp::read_table(text);
  CHECK(table.ends);
  CHECK(table.at(0, 2) == sp::op{.kind = sp::op_kind::backward, .micro_batch = 0});
  CHECK(sp::prove(table, s::one_f_one_b::spec, sp::closed_bubble<s::one_f_one_b>(2, 3, times)).empty());
  CHECK(sp::simulate(table, times).makespan == 12);
  CHECK_THROWS_AS(sp::read_table("# p: 2\n# m: 3\nrank 0: F0\n"), sp::arithmetic_error);
  CHECK_THROWS_AS(sp::read_table("# p: 1\n# m: 1\nrank 0: X0\n"), sp::arithmetic_error);
  CHECK_THROWS_AS(sp::read_table(""), sp::arithmetic_error);
  CHECK_THROWS_AS(sp::read_table("# p: 0\n# m: 1\nrank 0: F0 B0\n"), sp::arithmetic_error);
}

TEST_CASE("a table that never ends has no times") {
  const sp::op_table table = sp::op_table::of<s::interleaved<2>>(5, 7);
  CHECK(table.complete);
  CHECK(!table.ends);
  CHECK(sp::prove(table, s::interleaved<2>::spec)[0].what == sp::invariant::runs_before_its_input);
  CHECK_THROWS_AS(sp::simulate(table, times), sp::arithmetic_error);
  CHECK_THROWS_AS(sp::transfers_of(table), sp::arithmetic_error);
}

TEST_CASE("times that cannot be added are an error and never wrap") {
  const sp::op_table table = sp::op_table::of<s::gpipe>(2, 4);
  CHECK_THROWS_AS(sp::simulate(table, sp::stage_times{INT64_MAX / 2, 1, 1}), sp::arithmetic_error);
  CHECK_THROWS_AS(sp::simulate(table, sp::stage_times{-1, 1, 1}), sp::arithmetic_error);
  CHECK_THROWS_AS(sp::simulate(table, times, 2), sp::arithmetic_error);
  CHECK_THROWS_AS(sp::op_table::of<s::gpipe>(0, 4), sp::arithmetic_error);
  CHECK_THROWS_AS(sp::op_table::of<s::dual_pipe>(2, 5), sp::arithmetic_error);
  CHECK_THROWS_AS(sp::op_table::of<s::gpipe>(2, 70000), sp::arithmetic_error);
}

TEST_CASE("run time gives what compile time gives") {
  same_at_run_time<s::one_f_one_b, 4, 8>();
  same_at_run_time<s::interleaved<2>, 4, 8>();
  same_at_run_time<s::zb_h2, 4, 8>();
  same_at_run_time<s::zb_v, 3, 7>();
  same_at_run_time<s::dual_pipe, 4, 8>();
  same_at_run_time<s::dual_pipe_v, 3, 7>();
  same_at_run_time<s::seq_1f1b<2>, 3, 4>();
  same_at_run_time<s::hanayo<2>, 3, 3>();
}
