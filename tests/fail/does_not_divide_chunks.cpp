// SPDX-License-Identifier: BSL-1.0
// A schedule with 3 chunks a rank on 4 ranks needs 12 equal stages; 32 layers have none, but counts that differ by one.
// EXPECT: 'shardplan::plan_rejected<shardplan::does_not_divide<shardplan::pp_x_chunks<12>, shardplan::layers<32>,
// EXPECT: shardplan::try_<shardplan::layer_split<2, 2, 3, 3, 3, 3, 3, 3, 3, 3, 2, 2> ?> ?> ?>'
#include <shardplan/shardplan.hpp>

namespace sp = shardplan;

struct three_chunks {
  static constexpr long in_flight(long p, long, long v, long) { return p * v; }
  static constexpr sp::schedule_spec spec{.name = "three_chunks", .chunks = 3, .in_flight = &in_flight};
};
struct two_chunks {
  static constexpr sp::schedule_spec spec{.name = "two_chunks", .chunks = 2, .in_flight = &three_chunks::in_flight};
};
template <class Schedule>
using run_of = sp::plan<sp::model<sp::models::llama2_7b>, sp::cluster<sp::devices::h100_sxm_80gb, 8, 1>, sp::pp<4>, sp::tp<2>,
                        sp::schedule<Schedule>, sp::micro_batch<1>, sp::global_batch<64>, sp::sequence<4096>>;

#ifdef SHARDPLAN_TWIN
using run = run_of<two_chunks>;
#else
using run = run_of<three_chunks>;
#endif

static_assert(sp::checked<run>);
