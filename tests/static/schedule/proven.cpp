// SPDX-License-Identifier: BSL-1.0
// Every built-in schedule is proven, its closed forms are what the tables say, and the laws between schedules hold.
#include <shardplan/shardplan.hpp>

using namespace shardplan;
namespace s = shardplan::schedules;

static_assert(proven<s::gpipe, 4, 8> && proven<s::one_f_one_b, 4, 8> && proven<s::one_f_one_b, 4, 3> && proven<s::eager_1f1b, 4, 8>);
static_assert(proven<s::interleaved<2>, 4, 8> && proven<s::interleaved<4>, 4, 8> && proven<s::interleaved<2, groups::torch>, 4, 10>);
static_assert(proven<s::interleaved<2, 3>, 2, 5> && proven<s::interleaved<2, groups::megatron, 1>, 4, 8> && proven<s::looped_bfs<3>, 3, 5>);
static_assert(proven<s::zb_h1, 4, 8> && proven<s::interleaved_zb<2>, 4, 8> && proven<s::zb_h2, 4, 8> && proven<s::zb_v, 4, 8> &&
              proven<s::zb_v, 4, 3>);
static_assert(proven<s::dual_pipe, 4, 8> && proven<s::dual_pipe, 2, 4> && proven<s::dual_pipe_v, 4, 10> && proven<s::chimera, 4, 8>);
static_assert(proven<s::seq_1f1b<2>, 4, 4> && proven<s::seq_1f1b<4>, 4, 8> && proven<s::hanayo<1>, 4, 4> && proven<s::hanayo<2>, 3, 3>);
static_assert(proven<s::grouped_interleaved<2, 2>, 4, 8> && proven<s::pipedream, 4, 8> && proven<s::pipedream_2bw, 4, 8>);
static_assert(proven<s::v_half, 4, 8> && proven<s::v_min, 4, 8> && proven<s::v_half, 3, 2> && proven<s::v_min, 5, 6>);
static_assert(proven<s::one_f_one_b, 1, 1> && proven<s::interleaved<2>, 1, 1> && proven<s::zb_h1, 1, 3>);

// A group that leaves a rest below p deadlocks: Megatron-LM refuses it, and so does the proof.
static_assert(!proven<s::interleaved<2>, 5, 7> && proof<s::interleaved<2>, 5, 7>[0].what == invariant::runs_before_its_input);

// The closed form of live activations is what each table keeps.
template <class Schedule, int Ranks, int MicroBatches>
constexpr bool keeps_what_it_says() {
  for (int rank = 0; rank < Ranks; ++rank)
    if (Schedule::spec.in_flight(Ranks, MicroBatches, Schedule::spec.chunks, rank) !=
        detail::static_rows<Schedule, Ranks, MicroBatches>::rows[rank].peak_until_weight)
      return false;
  return true;
}
template <class Schedule>
constexpr bool keeps_what_it_says_at_all_sizes() {
  return keeps_what_it_says<Schedule, 1, 4>() && keeps_what_it_says<Schedule, 2, 2>() && keeps_what_it_says<Schedule, 4, 4>() &&
         keeps_what_it_says<Schedule, 4, 8>() && keeps_what_it_says<Schedule, 3, 9>();
}
static_assert(keeps_what_it_says_at_all_sizes<s::gpipe>() && keeps_what_it_says_at_all_sizes<s::one_f_one_b>());
static_assert(keeps_what_it_says_at_all_sizes<s::eager_1f1b>() && keeps_what_it_says_at_all_sizes<s::interleaved<2>>());
static_assert(keeps_what_it_says_at_all_sizes<s::interleaved<2, groups::megatron, 1>>() &&
              keeps_what_it_says_at_all_sizes<s::looped_bfs<2>>());
static_assert(keeps_what_it_says_at_all_sizes<s::zb_h1>() && keeps_what_it_says_at_all_sizes<s::interleaved_zb<3>>());
static_assert(keeps_what_it_says_at_all_sizes<s::zb_h2>() && keeps_what_it_says_at_all_sizes<s::zb_v>());
static_assert(keeps_what_it_says_at_all_sizes<s::seq_1f1b<2>>() && keeps_what_it_says_at_all_sizes<s::hanayo<1>>());
static_assert(keeps_what_it_says_at_all_sizes<s::hanayo<2>>() && keeps_what_it_says_at_all_sizes<s::grouped_interleaved<2, 3>>());
static_assert(keeps_what_it_says<s::v_half, 4, 8>() && keeps_what_it_says<s::v_half, 3, 9>() && keeps_what_it_says<s::v_min, 4, 8>());
// V-Half and V-Min at p = 8, m = 16: bubbles of 8.5 and 13.5 are what the searched orders reach.
static_assert(bubble<s::v_half, 8, 16>(stage_times{}, bubble_kind::makespan) == fraction{17, 2} &&
              bubble<s::v_min, 8, 16>(stage_times{}, bubble_kind::makespan) <= fraction{27, 2});
static_assert(keeps_what_it_says<s::dual_pipe, 4, 8>() && keeps_what_it_says<s::dual_pipe_v, 3, 7>() &&
              keeps_what_it_says<s::chimera, 4, 8>());

// Closed forms of bubbles beside the simulation, also where W is longer or shorter than F and I.
template <class Schedule, int Ranks, int MicroBatches>
constexpr bool formula_is_right(const stage_times& times) {
  const closed_form says = closed_bubble<Schedule>(Ranks, MicroBatches, times);
  return says.known && says.value == bubble<Schedule, Ranks, MicroBatches>(times, bubble_kind::makespan) &&
         closed_efficiency<Schedule>(Ranks, MicroBatches, times).value == efficiency<Schedule, Ranks, MicroBatches>(times);
}
constexpr stage_times thirds{1, 1, 1};
constexpr stage_times real{2, 3, 1};
constexpr stage_times heavy{1, 1, 2};
template <class Schedule>
constexpr bool formula_is_right_at_all_times() {
  return formula_is_right<Schedule, 4, 8>(thirds) && formula_is_right<Schedule, 4, 8>(real) && formula_is_right<Schedule, 4, 8>(heavy) &&
         formula_is_right<Schedule, 2, 4>({fraction{1, 3}, fraction{1, 2}, fraction{1, 7}});
}
static_assert(formula_is_right_at_all_times<s::gpipe>() && formula_is_right_at_all_times<s::one_f_one_b>());
static_assert(formula_is_right_at_all_times<s::eager_1f1b>() && formula_is_right_at_all_times<s::interleaved<2>>());
static_assert(formula_is_right_at_all_times<s::looped_bfs<2>>() && formula_is_right_at_all_times<s::zb_h1>());
static_assert(formula_is_right_at_all_times<s::interleaved_zb<2>>() && formula_is_right_at_all_times<s::zb_h2>());
static_assert(formula_is_right_at_all_times<s::seq_1f1b<2>>() && formula_is_right<s::zb_v, 4, 8>(thirds) &&
              formula_is_right<s::chimera, 4, 8>(real));

// They alone cost nothing at sizes beyond any table: p = 64, m = 4096.
static_assert(closed_bubble<s::interleaved<2>>(64, 4096, thirds).value == fraction{189, 2});
static_assert(closed_efficiency<s::one_f_one_b>(64, 4096, thirds).value == fraction{4096, 4096 + 63});
static_assert(s::interleaved<2>::spec.in_flight(64, 4096, 2, 0) == 64 + 126 + 1);

// ZB-H2 takes as long as ZB-H1 at F = I = W: its bubble of zero is that of steps without a barrier, and costs 2 p - 1 activations instead
// of p.
static_assert(simulate<s::zb_h1, 4, 8>(thirds).makespan == 27 && simulate<s::zb_h2, 4, 8>(thirds).makespan == 27);
static_assert(bubble<s::zb_h2, 4, 8>(thirds, bubble_kind::steady) == 0 && bubble<s::zb_h1, 4, 8>(thirds, bubble_kind::steady) == 3);
static_assert(simulate<s::zb_h2, 4, 8>(thirds).peak_activations[3] == 7 && simulate<s::zb_h1, 4, 8>(thirds).peak_activations[3] == 4);
static_assert(bubble<s::zb_v, 4, 8>(thirds, bubble_kind::steady) == 0);
// PipeDream never drains, so it has no bubble, and weights of p - r steps.
static_assert(bubble<s::pipedream, 4, 8>(thirds, bubble_kind::steady) == 0 && s::pipedream::spec.weight_versions(4, 0) == 4);
static_assert(s::pipedream_2bw::spec.weight_versions(4, 0) == 2 && s::one_f_one_b::spec.weight_versions(4, 0) == 1);

// Reductions (op for op).
template <class First, class Second, int Ranks, int MicroBatches>
constexpr bool same_table() {
  using one = schedule_table<First, Ranks, MicroBatches>;
  using other = schedule_table<Second, Ranks, MicroBatches>;
  for (int rank = 0; rank < Ranks; ++rank) {
    if (one::size(rank) != other::size(rank)) return false;
    for (int at = 0; at < one::size(rank); ++at)
      if (one::ops[rank][at] != other::ops[rank][at]) return false;
  }
  return true;
}
static_assert(same_table<s::interleaved<1>, s::eager_1f1b, 4, 8>() && !same_table<s::interleaved<1>, s::one_f_one_b, 4, 8>());
static_assert(same_table<s::seq_1f1b<1>, s::one_f_one_b, 4, 8>() && same_table<s::interleaved_zb<1>, s::zb_h1, 4, 8>());
// DualPipe on p ranks is DualPipeV on p / 2, with the directions swapped on the second half.
template <int Ranks, int MicroBatches>
constexpr bool folds() {
  using whole = schedule_table<s::dual_pipe, Ranks, MicroBatches>;
  using folded = schedule_table<s::dual_pipe_v, Ranks / 2, MicroBatches / 2>;
  for (int rank = 0; rank < Ranks; ++rank)
    for (int at = 0; at < whole::size(rank); ++at) {
      op expected = folded::ops[rank < Ranks / 2 ? rank : Ranks - 1 - rank][at];
      if (rank >= Ranks / 2) expected.chunk = expected.chunk == 0 ? 1 : 0;
      if (whole::ops[rank][at] != expected) return false;
    }
  return true;
}
static_assert(folds<4, 8>() && folds<8, 20>());
// Without W, ZB-H1 takes the time of 1F1B.
constexpr stage_times no_weights{1, 1, 0};
static_assert(simulate<s::zb_h1, 4, 8>(no_weights).makespan == simulate<s::one_f_one_b, 4, 8>(no_weights).makespan);

// Larger m and v never raise the bubble's share; scaling all times scales everything; latency never helps.
template <class Less, class More, int Ranks, int Few, int Many>
constexpr bool never_raises() {
  return bubble<More, Ranks, Many>(thirds, bubble_kind::of_makespan) <= bubble<Less, Ranks, Few>(thirds, bubble_kind::of_makespan);
}
static_assert(never_raises<s::one_f_one_b, s::one_f_one_b, 4, 4, 8>() && never_raises<s::interleaved<2>, s::interleaved<4>, 4, 8, 8>());
static_assert(never_raises<s::zb_h1, s::zb_h1, 4, 8, 12>() && never_raises<s::dual_pipe_v, s::dual_pipe_v, 3, 6, 12>());
static_assert(simulate<s::zb_v, 4, 8>(stage_times{6, 9, 3}).makespan == simulate<s::zb_v, 4, 8>(real).makespan * 3);
constexpr stage_times late{1, 1, 1, fraction{1, 4}};
static_assert(simulate<s::gpipe, 4, 8>(late).makespan == simulate<s::gpipe, 4, 8>(thirds).makespan + fraction{3, 2});

// The four bubbles of one schedule differ.
static_assert(bubble<s::one_f_one_b, 4, 8>(thirds, bubble_kind::makespan) == 9 &&
              bubble<s::one_f_one_b, 4, 8>(thirds, bubble_kind::span) == 9);
static_assert(bubble<s::one_f_one_b, 4, 8>(thirds, bubble_kind::of_makespan) == fraction{3, 11});
static_assert(bubble<s::one_f_one_b, 4, 8>(thirds, bubble_kind::of_work) == fraction{3, 8});
static_assert(bubble<s::zb_h2, 4, 8>(thirds, bubble_kind::makespan) == 3 && bubble<s::zb_h2, 4, 8>(thirds, bubble_kind::span) == 0);

// A last stage of double cost (the LM head) takes 1F1B at p = 8, m = 32 from 117 to 213 slots.
constexpr stage_times head[8]{{1, 1, 1}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}, {2, 2, 2}};
static_assert(simulate<s::one_f_one_b, 8, 32>(thirds).makespan == 117 && simulate<s::one_f_one_b, 8, 32>(head).makespan == 213);

// The part of an activation that stays after I: ZB-H1 keeps p on every rank until W, p - r when all is freed at I.
static_assert(simulate<s::zb_h1, 4, 8>(thirds, 0).peak_activations[3] == 1 && simulate<s::zb_h1, 4, 8>(thirds, 1).peak_activations[3] == 4);

// The handbook's efficiencies m p / (m p + 2 p - 2) are those of interleaving with v = p / 2; plain 1F1B's stand beside them.
constexpr stage_times even{.forward = 1, .input_gradient = 1, .weight_gradient = 0};
static_assert(efficiency<s::interleaved<2>, 4, 8>(even) == fraction{32, 38} && efficiency<s::one_f_one_b, 4, 8>(even) == fraction{8, 11});
static_assert(efficiency<s::interleaved<4>, 8, 8>(even) == fraction{64, 78} && efficiency<s::one_f_one_b, 8, 8>(even) == fraction{8, 15});
static_assert(efficiency<s::interleaved<4>, 8, 32>(even) == fraction{256, 270} &&
              efficiency<s::one_f_one_b, 8, 32>(even) == fraction{32, 39});
