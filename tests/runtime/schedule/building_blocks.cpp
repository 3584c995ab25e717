// SPDX-License-Identifier: BSL-1.0
// Squeezed building blocks: orders that repeat the steady state of a short plan are those that are found in full, and more ranks, more
// micro-batches and more memory do what they should.
#include "catch.hpp"

#include <shardplan/schedule/one_f_one_b_v.hpp>
#include <shardplan/schedule/prove_table.hpp>
#include <shardplan/schedule/simulate_table.hpp>
#include <shardplan/schedule/squeezed_blocks.hpp>
#include <shardplan/schedule/v_half.hpp>

#include <cstddef>
#include <vector>

namespace sp = shardplan;
namespace s = sp::schedules;

namespace {

struct full_plan {
  int* of;
};

// `pieces`: how many slots are looked at before the search stops and goes on.
template <class Schedule>
bool same_as_in_full(int ranks, int micro_batches, int pieces) {
  constexpr int ops = sp::detail::ops_a_micro_batch<Schedule>;
  std::vector<int> codes(static_cast<std::size_t>(ops * ranks * micro_batches));
  full_plan plan{codes.data()};
  using array = sp::detail::dynamic_plan;
  sp::detail::squeezed_blocks<array, array, array, array> blocks{ranks, micro_batches, sp::detail::last_slot_of<Schedule>(ranks),
                                                                 Schedule::whole};
  sp::detail::repeat_blocks<Schedule>(blocks, ranks);
  while (!blocks.squeeze(pieces)) {
  }
  sp::detail::write_plan<Schedule>(blocks, plan, ranks, micro_batches);
  const sp::op_table table = sp::op_table::of<Schedule>(ranks, micro_batches);
  for (int rank = 0; rank < ranks; ++rank) {
    if (table.size(rank) != ops * micro_batches) return false;
    for (int at = 0; at < table.size(rank); ++at) {
      const sp::op item = table.at(rank, at);
      const int kind = item.kind == sp::op_kind::forward           ? item.chunk
                       : item.kind == sp::op_kind::weight_gradient ? 5 - item.chunk
                                                                   : 3 - item.chunk;
      if (kind != plan.of[rank * ops * micro_batches + at]) return false;
    }
  }
  return true;
}

}  // namespace

TEST_CASE("a plan for few micro-batches is that for many") {
  for (int ranks = 1; ranks <= 18; ++ranks)
    for (const int more : {0, 1, 2, 3, 5, 8, 13, 40}) {
      INFO("p = " << ranks << ", " << more << " beyond the plan");
      CHECK(same_as_in_full<s::v_half>(ranks, s::v_half::planned(ranks, 1 << 10) + more, more == 5 ? 1 : 1000));
      CHECK(same_as_in_full<s::v_min>(ranks, s::v_min::planned(ranks, 1 << 10) + more, more == 5 ? 1 : 1000));
      CHECK(same_as_in_full<s::one_f_one_b_v>(ranks, s::one_f_one_b_v::planned(ranks, 1 << 10) + more, more == 5 ? 1 : 1000));
    }
}

TEST_CASE("less memory takes longer, and none of them is below a bound") {
  const sp::stage_times unit{};
  for (int ranks = 3; ranks <= 16; ++ranks)
    for (int micro_batches = 2 * ranks; micro_batches <= 4 * ranks; micro_batches += 3) {
      INFO("p = " << ranks << ", m = " << micro_batches);
      const sp::op_table half = sp::op_table::of<s::v_half>(ranks, micro_batches), least = sp::op_table::of<s::v_min>(ranks, micro_batches),
                         whole = sp::op_table::of<s::one_f_one_b_v>(ranks, micro_batches);
      CHECK(sp::prove<s::v_half>(half).empty());
      CHECK(sp::prove<s::v_min>(least).empty());
      CHECK(sp::prove<s::one_f_one_b_v>(whole).empty());
      CHECK(sp::simulate(half, unit).makespan <= sp::simulate(least, unit).makespan);
      CHECK(sp::simulate(half, unit).makespan <= sp::simulate(whole, unit).makespan);
      CHECK(s::v_min::in_flight(ranks, micro_batches, 2, ranks - 1) <= s::v_half::in_flight(ranks, micro_batches, 2, ranks - 1));
    }
}
