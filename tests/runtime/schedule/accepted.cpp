// SPDX-License-Identifier: BSL-1.0
// What the generic rules accept is exactly what is proven: tables made and proven over a grid of sizes.
#include "catch.hpp"

#include <shardplan/plan/rules/order.hpp>
#include <shardplan/schedule/catalog.hpp>
#include <shardplan/schedule/prove_table.hpp>
#include <shardplan/schedule/zb_capped.hpp>

#include <cstdint>
#include <utility>

namespace sp = shardplan;
namespace s = sp::schedules;

namespace {

struct counting_sink {
  int count = 0;
  void add_pair(sp::rule, sp::measured, sp::measured) { ++count; }
};

template <class Schedule>
bool accepted(int ranks, int micro_batches) {
  sp::plan_spec spec{};
  spec.pp = ranks;
  spec.sequence = 4096;
  spec.schedule = Schedule::spec;
  counting_sink sink;
  sp::rule_facts facts{.micro_batches = micro_batches};
  sp::detail::check_order(spec, facts, sink);
  return sink.count == 0;
}
template <class Schedule>
bool proven(int ranks, int micro_batches) {
  return sp::prove<Schedule>(sp::op_table::of<Schedule>(ranks, micro_batches)).empty();
}

template <class Schedule>
void accepts_what_is_proven(int& refused) {
  for (int ranks = 1; ranks <= 8; ++ranks)
    for (int micro_batches = 1; micro_batches <= 24; ++micro_batches) {
      const bool says = accepted<Schedule>(ranks, micro_batches);
      if (!says) ++refused;
      if (says != proven<Schedule>(ranks, micro_batches)) {
        INFO(Schedule::spec.name.c_str() << ", v = " << Schedule::spec.chunks << ", group " << Schedule::spec.group(ranks, micro_batches)
                                         << ", p = " << ranks << ", m = " << micro_batches << (says ? " accepted" : " refused"));
        CHECK(false);
      }
    }
}

template <int Chunks, int... Group>
void in_groups(int& refused, std::integer_sequence<int, Group...>) {
  (accepts_what_is_proven<s::interleaved<Chunks, Group + 1>>(refused), ...);
}
template <int... Group>
void in_small_groups(int& refused, std::integer_sequence<int, Group...>) {
  (accepts_what_is_proven<s::grouped_interleaved<2, Group + 1>>(refused), ...);
  (accepts_what_is_proven<s::interleaved_zb<3, Group + 1>>(refused), ...);
}

}  // namespace

TEST_CASE("interleaving in groups is accepted where its table is proven, and only there") {
  using groups = std::make_integer_sequence<int, 12>;
  int refused = 0;
  in_groups<1>(refused, groups{});
  CHECK(refused == 0);
  in_groups<2>(refused, groups{});
  in_groups<3>(refused, groups{});
  in_groups<4>(refused, groups{});
  CHECK(refused > 1000);
  in_small_groups(refused, groups{});
  accepts_what_is_proven<s::interleaved<2>>(refused);
  accepts_what_is_proven<s::interleaved<4>>(refused);
  accepts_what_is_proven<s::interleaved<3, sp::groups::torch>>(refused);
  accepts_what_is_proven<s::interleaved<2, sp::groups::megatron, 1>>(refused);
  accepts_what_is_proven<s::interleaved<2, 1, 1>>(refused);
  accepts_what_is_proven<s::interleaved<3, 1, 1>>(refused);
  accepts_what_is_proven<s::interleaved<2, 2, 1>>(refused);
  accepts_what_is_proven<s::grouped_interleaved<4, 3>>(refused);
}

TEST_CASE("schedules without conditions are proven at every size") {
  int refused = 0;
  accepts_what_is_proven<s::gpipe>(refused);
  accepts_what_is_proven<s::one_f_one_b>(refused);
  accepts_what_is_proven<s::eager_1f1b>(refused);
  accepts_what_is_proven<s::looped_bfs<3>>(refused);
  accepts_what_is_proven<s::zb_h1>(refused);
  accepts_what_is_proven<s::interleaved_zb<2>>(refused);
  accepts_what_is_proven<s::zb_h2>(refused);
  accepts_what_is_proven<s::zb_v>(refused);
  accepts_what_is_proven<s::v_half>(refused);
  accepts_what_is_proven<s::v_min>(refused);
  accepts_what_is_proven<s::one_f_one_b_v>(refused);
  accepts_what_is_proven<s::seq_1f1b<2>>(refused);
  accepts_what_is_proven<s::hanayo<2>>(refused);
  accepts_what_is_proven<s::zb_capped<4>>(refused);
  CHECK(refused == 0);
}
