// SPDX-License-Identifier: BSL-1.0
// Times of each stage, critical paths and the searched schedules of our own, at compile time.
#include <shardplan/schedule/catalog.hpp>
#include <shardplan/schedule/critical_path.hpp>
#include <shardplan/schedule/prove.hpp>
#include <shardplan/schedule/simulate.hpp>
#include <shardplan/schedule/transfers.hpp>
#include <shardplan/schedule/zb_capped.hpp>

#include <cstddef>
#include <cstdint>

namespace sp = shardplan;
namespace s = sp::schedules;

// facts/pipeline.md, section 2: a last stage of double cost turns 1F1B at p = 8, m = 32 from 117 to 213 slots, 49.3 % idle.
constexpr sp::stage_times head[8] = {{}, {}, {}, {}, {}, {}, {}, {2, 2, 2}};
using table = s::one_f_one_b;
static_assert(sp::simulate<table, 8, 32>(sp::stage_times{}).makespan == 117 && sp::simulate<table, 8, 32>(head).makespan == 213);
static_assert(sp::bubble<table, 8, 32>(head, sp::bubble_kind::of_makespan) == sp::fraction{35, 71});
static_assert(sp::efficiency<table, 8, 32>(head) == sp::fraction{36, 71});
static_assert(sp::bubble<table, 8, 32>(head, sp::bubble_kind::steady) ==
              sp::steady_period<table, 8, 32>(head) - sp::simulate<table, 8, 32>(head).work);
// One entry for all stages and the same for each are the same.
constexpr sp::stage_times equal[4] = {{2, 3, 1}, {2, 3, 1}, {2, 3, 1}, {2, 3, 1}};
static_assert(sp::efficiency<s::zb_h1, 4, 8>(equal) == sp::efficiency<s::zb_h1, 4, 8>(equal[0]));
static_assert(sp::steady_period<s::pipedream, 4, 8>(equal) == sp::steady_period<s::pipedream, 4, 8>(equal[0]));

// The critical path of 1F1B: down the pipeline, m times F and B on the last rank, and up again.
constexpr auto path = sp::critical_path<s::one_f_one_b, 4, 8>(sp::stage_times{});
static_assert(path.size() == 2 * (4 - 1) + 2 * 8 && path[0] == sp::op_place{0, 0} && path[3] == sp::op_place{3, 0});
// A slow stage is where the path stays: all F and B of rank 1 of 3.
constexpr sp::stage_times slow[3] = {{}, {5, 5, 5}, {}};
constexpr auto slow_path = sp::critical_path<s::one_f_one_b, 3, 6>(slow);
constexpr int of_rank_1() {
  int found = 0;
  for (const sp::op_place& place : slow_path) found += place.rank == 1 ? 1 : 0;
  return found;
}
static_assert(of_rank_1() == 2 * 6);
// With blocks and with transfers the ops of the path fill the makespan.
template <class Schedule, int Ranks, int MicroBatches>
constexpr bool path_fills_makespan(const sp::stage_times& times) {
  using table_of = sp::schedule_table<Schedule, Ranks, MicroBatches>;
  const auto chain = sp::critical_path<Schedule, Ranks, MicroBatches>(times);
  sp::fraction sum = 0;
  for (std::size_t at = 0; at < chain.size(); ++at) {
    const sp::op_place place = chain[at];
    if (at > 0 && chain[at - 1].rank != place.rank) sum = sum + times.transfer;
    const auto cost = [&](const sp::op& item) {
      const sp::fraction whole = item.kind == sp::op_kind::forward           ? times.forward
                                 : item.kind == sp::op_kind::input_gradient  ? times.input_gradient
                                 : item.kind == sp::op_kind::weight_gradient ? times.weight_gradient
                                                                             : times.input_gradient + times.weight_gradient;
      return whole / table_of::shape.shares();
    };
    sum = sum + cost(table_of::ops[place.rank][place.index]);
    const bool first = table_of::ops[place.rank][place.index].overlaps_next;
    const bool second = place.index > 0 && table_of::ops[place.rank][place.index - 1].overlaps_next;
    if (first || second) sum = sum + cost(table_of::ops[place.rank][place.index + (first ? 1 : -1)]);
  }
  return sum == sp::simulate<Schedule, Ranks, MicroBatches>(times).makespan;
}
static_assert(path_fills_makespan<s::dual_pipe_v, 3, 7>({2, 3, 1}) && path_fills_makespan<s::zb_v, 3, 7>({2, 3, 1, sp::fraction{1, 4}}));
static_assert(path_fills_makespan<s::interleaved<2>, 4, 8>({2, 3, 1, sp::fraction{1, 4}}) && path_fills_makespan<s::seq_1f1b<2>, 3, 4>({}));

// A constant the size of which its type does not say: at most p micro-batches with a cap of p, and the makespans of ZB-H1 and ZB-H2.
constexpr sp::stage_times skewed{.forward = 2, .input_gradient = 3, .weight_gradient = 1};
static_assert(sp::simulate<s::zb_capped<4>, 4, 8>(skewed).makespan == sp::simulate<s::zb_h1, 4, 8>(skewed).makespan);
static_assert(sp::simulate<s::zb_capped<7>, 4, 8>(skewed).makespan == sp::simulate<s::zb_h2, 4, 8>(skewed).makespan);
static_assert(sp::proven<s::zb_capped<1>, 4, 8> && sp::proven<s::zb_capped<2>, 4, 8> && sp::proven<s::zb_capped<5>, 4, 8> &&
              sp::proven<s::zb_capped<9>, 4, 8> && sp::proven<s::zb_capped<5>, 4, 3>);

// 1F1B-V at the sizes of the data, and at p = 8, m = 16: 16.5, where 1F1B has a bubble of 21 and keeps 8 micro-batches, not 6.
static_assert(sp::simulate<s::one_f_one_b_v, 4, 8>({}).makespan == sp::fraction{63, 2});
static_assert(sp::bubble<s::one_f_one_b_v, 8, 16>({}, sp::bubble_kind::makespan) == sp::fraction{33, 2});
static_assert(sp::simulate<s::one_f_one_b_v, 8, 16>({}).peak_activations[0] == 6);
static_assert(sp::proven<s::one_f_one_b_v, 1, 1> && sp::proven<s::one_f_one_b_v, 3, 6> && sp::proven<s::one_f_one_b_v, 8, 3> &&
              sp::proven<s::one_f_one_b_v, 6, 12> && sp::proven<s::one_f_one_b_v, 8, 32>);

// Hanayo at m = p: 1F1B idles 9 of these, and each further wave idles less.
template <int Waves, int MicroBatches>
inline constexpr sp::fraction idle = sp::bubble<s::hanayo<Waves>, 4, MicroBatches>({}, sp::bubble_kind::makespan);
static_assert(idle<1, 4> == 6 && idle<2, 4> == 3 && idle<3, 4> == 2 && idle<4, 4> == sp::fraction{3, 2} && idle<1, 8> == 9);
static_assert(sp::simulate<s::hanayo<2>, 4, 4>({}).peak_activations[3] == 4 && sp::proven<s::hanayo<3>, 5, 10>);

// Groups smaller than p: every p ends.
static_assert(sp::proven<s::grouped_interleaved<2, 2>, 8, 16> && sp::proven<s::grouped_interleaved<3, 4>, 12, 24>);

// A receive in the order of the senders never waits for itself: run, not argued.
static_assert(sp::transfers<s::one_f_one_b_v, 4, 8>.sender_driven && sp::transfers<s::dual_pipe, 4, 8>.sender_driven &&
              sp::transfers<s::interleaved<4>, 8, 32>.sender_driven);

// The formulas of live activations, freed at W and freed at I, are what the tables keep.
template <class Schedule, int Ranks, int MicroBatches>
constexpr bool peaks_are_right() {
  const auto until_weight = sp::simulate<Schedule, Ranks, MicroBatches>({}, 1);
  const auto until_input = sp::simulate<Schedule, Ranks, MicroBatches>({}, 0);
  for (int rank = 0; rank < Ranks; ++rank)
    if (sp::closed_peak<Schedule>(Ranks, MicroBatches, rank) != until_weight.peak_activations[rank] ||
        sp::closed_peak<Schedule>(Ranks, MicroBatches, rank, true) != until_input.peak_activations[rank])
      return false;
  return true;
}
template <class... Schedules>
constexpr bool all_peaks_are_right = (... && (peaks_are_right<Schedules, 4, 8>() && peaks_are_right<Schedules, 2, 8>()));
static_assert(all_peaks_are_right<s::gpipe, s::one_f_one_b, s::eager_1f1b, s::interleaved<2>, s::looped_bfs<2>, s::zb_h1>);
static_assert(all_peaks_are_right<s::interleaved_zb<2>, s::zb_h2, s::zb_v, s::seq_1f1b<2>, s::hanayo<1>, s::grouped_interleaved<2, 2>>);
static_assert(all_peaks_are_right<s::dual_pipe, s::dual_pipe_v, s::chimera>);
static_assert(peaks_are_right<s::v_half, 4, 8>() && peaks_are_right<s::v_min, 4, 8>() && peaks_are_right<s::one_f_one_b_v, 4, 8>());
static_assert(peaks_are_right<s::zb_h1, 4, 3>() && peaks_are_right<s::zb_h2, 4, 3>() && peaks_are_right<s::interleaved_zb<2>, 4, 2>());
