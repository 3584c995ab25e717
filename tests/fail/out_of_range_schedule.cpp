// SPDX-License-Identifier: BSL-1.0
// A user's schedule for a multiple of 0 ranks, with half a micro-batch too few.
// EXPECT: 'shardplan::plan_rejected<shardplan::out_of_range<shardplan::ranks_multiple<0>, shardplan::at_least<1>, shardplan::at_most<1024>
// ?>, EXPECT: shardplan::out_of_range<shardplan::least_micro_batches<-1>, shardplan::at_least<0>, shardplan::at_most<4294967296> ?> ?>'
#include <shardplan/shardplan.hpp>

namespace sp = shardplan;

template <long Multiple, long Least>
struct own {
  static constexpr sp::schedule_spec spec{
      .name = "own", .in_flight = sp::schedules::gpipe::spec.in_flight, .ranks_multiple = Multiple, .least_micro_batches_a_rank = Least};
};
template <class Schedule>
using run_of = sp::plan<sp::model<sp::models::llama3_2_1b>, sp::cluster<sp::devices::h100_sxm_80gb, 8, 1>, sp::pp<4>,
                        sp::schedule<Schedule>, sp::micro_batch<1>, sp::global_batch<16>, sp::sequence<4096>>;

#ifdef SHARDPLAN_TWIN
using run = run_of<own<1, 0>>;
#else
using run = run_of<own<0, -1>>;
#endif

static_assert(sp::checked<run>);
