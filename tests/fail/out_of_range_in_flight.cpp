// SPDX-License-Identifier: BSL-1.0
// A user's schedule says that 9 of 8 micro-batches are alive.
// EXPECT: 'shardplan::plan_rejected<shardplan::out_of_range<shardplan::in_flight<9>, shardplan::at_least<1>, shardplan::at_most<8> ?> ?>'
#include <shardplan/shardplan.hpp>

namespace sp = shardplan;

struct greedy {
  static constexpr long in_flight(long, long m, long, long) { return m + 1; }
  static constexpr sp::schedule_spec spec{.name = "greedy", .in_flight = &in_flight};
};
template <class Schedule>
using run_of = sp::plan<sp::model<sp::models::llama3_2_1b>, sp::cluster<sp::devices::h100_sxm_80gb, 8, 1>, sp::pp<4>,
                        sp::schedule<Schedule>, sp::micro_batch<1>, sp::global_batch<16>, sp::sequence<4096>>;

#ifdef SHARDPLAN_TWIN
using run = run_of<sp::schedules::gpipe>;
#else
using run = run_of<greedy>;
#endif

static_assert(sp::checked<run>);
