// SPDX-License-Identifier: BSL-1.0
// Starts and ends of ops, and the critical path.
#include "catch.hpp"

#include <shardplan/schedule/catalog.hpp>
#include <shardplan/schedule/simulate_table.hpp>
#include <shardplan/schedule/timeline.hpp>

namespace sp = shardplan;
namespace s = sp::schedules;

namespace {

template <class Schedule>
void chain_is_whole(int ranks, int micro_batches, const sp::stage_times& times) {
  INFO(Schedule::spec.name.c_str());
  const sp::op_table table = sp::op_table::of<Schedule>(ranks, micro_batches);
  const sp::timeline when = sp::timeline_of(table, times);
  CHECK(when.makespan() == sp::simulate(table, times).makespan);
  for (int rank = 0; rank < ranks; ++rank)
    for (int at = 1; at < table.size(rank); ++at)
      if (!table.at(rank, at - 1).overlaps_next) CHECK(when.start(rank, at) >= when.end(rank, at - 1));
  const auto& path = when.critical_path();
  CHECK(when.start(path[0].rank, path[0].index) == 0);
  CHECK(when.end(path[path.size() - 1].rank, path[path.size() - 1].index) == when.makespan());
  // Nothing but transfers between two of them.
  for (std::size_t at = 1; at < path.size(); ++at) {
    const sp::op_place from = path[at - 1], to = path[at];
    const bool follows = when.start(to.rank, to.index) == when.end(from.rank, from.index);
    const bool arrives = from.rank != to.rank && when.start(to.rank, to.index) == when.arrival(from.rank, from.index);
    CHECK((follows || arrives));
  }
}

}  // namespace

TEST_CASE("the critical path has no holes") {
  const sp::stage_times even{1, 1, 1};
  const sp::stage_times late{2, 3, 1, {1, 4}};
  const sp::stage_times hidden{1, 1, 1, 0, 2};
  for (const sp::stage_times& times : {even, late, hidden}) {
    chain_is_whole<s::gpipe>(3, 4, times);
    chain_is_whole<s::one_f_one_b>(4, 8, times);
    chain_is_whole<s::interleaved<2>>(4, 8, times);
    chain_is_whole<s::zb_v>(4, 8, times);
    chain_is_whole<s::dual_pipe>(4, 8, times);
    chain_is_whole<s::dual_pipe_v>(3, 7, times);
    chain_is_whole<s::seq_1f1b<2>>(3, 4, times);
  }
}
