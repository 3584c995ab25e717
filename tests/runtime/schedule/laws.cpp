// SPDX-License-Identifier: BSL-1.0
// Laws that hold for every order: time reversed, equal work on equal ranks.
#include "catch.hpp"

#include <shardplan/hana.hpp>
#include <shardplan/schedule/catalog.hpp>
#include <shardplan/schedule/op_table.hpp>
#include <shardplan/schedule/simulate_table.hpp>

#include <boost/hana/for_each.hpp>

namespace sp = shardplan;
namespace s = sp::schedules;

namespace {

// Forward and backward swapped, and time reversed, on every rank. Of a table without I and W.
sp::op_table reflected(const sp::op_table& table) {
  sp::op_table mirror{table.shape};
  for (int rank = 0; rank < table.shape.ranks; ++rank)
    for (int at = table.size(rank) - 1; at >= 0; --at) {
      sp::op item = table.at(rank, at);
      item.kind = item.kind == sp::op_kind::forward ? sp::op_kind::backward : sp::op_kind::forward;
      mirror.rank(rank).add(item);
    }
  mirror.close();
  return mirror;
}

bool has_whole_backwards(const sp::op_table& table) {
  for (int rank = 0; rank < table.shape.ranks; ++rank)
    for (int at = 0; at < table.size(rank); ++at)
      if (table.at(rank, at).overlaps_next ||
          (table.at(rank, at).kind != sp::op_kind::forward && table.at(rank, at).kind != sp::op_kind::backward))
        return false;
  return true;
}

}  // namespace

TEST_CASE("a step takes as long backwards") {
  int reversed = 0;
  boost::hana::for_each(s::built_in{}, [&](auto type) {
    using schedule = decltype(type);
    for (const int micro_batches : {4, 8}) {
      INFO(schedule::spec.name.c_str() << ", m = " << micro_batches);
      const sp::op_table table = sp::op_table::of<schedule>(4, micro_batches);
      if (!table.ends || !has_whole_backwards(table)) continue;
      const sp::op_table mirror = reflected(table);
      REQUIRE(mirror.ends);
      ++reversed;
      for (const sp::fraction transfer : {sp::fraction{0}, sp::fraction{1, 4}}) {
        const sp::stage_times times{.forward = 3, .input_gradient = 4, .weight_gradient = 1, .transfer = transfer, .overlapped = 0};
        const sp::stage_times swapped{.forward = 5, .input_gradient = 3, .weight_gradient = 0, .transfer = transfer, .overlapped = 0};
        CHECK(sp::simulate(table, times).makespan == sp::simulate(mirror, swapped).makespan);
      }
    }
  });
  CHECK(reversed >= 16);
}

TEST_CASE("GPipe backwards is GPipe with backwards from the last micro-batch to the first") {
  const sp::op_table mirror = reflected(sp::op_table::of<s::gpipe>(4, 6));
  for (int rank = 0; rank < 4; ++rank)
    for (int at = 0; at < 6; ++at) {
      CHECK(mirror.at(rank, at) == sp::op{sp::op_kind::forward, static_cast<std::uint16_t>(5 - at), 0, 0, false});
      CHECK(mirror.at(rank, 6 + at) == sp::op{sp::op_kind::backward, static_cast<std::uint16_t>(5 - at), 0, 0, false});
    }
}

TEST_CASE("equal ranks work equally long") {
  boost::hana::for_each(s::built_in{}, [&](auto type) {
    using schedule = decltype(type);
    INFO(schedule::spec.name.c_str());
    const sp::op_table table = sp::op_table::of<schedule>(4, 8);
    REQUIRE(table.ends);
    const sp::simulation<0> result = sp::simulate(table, sp::stage_times{2, 3, 1, {1, 2}, 0});
    for (int rank = 0; rank < 4; ++rank) CHECK(result.busy[rank] == result.work);
  });
}
