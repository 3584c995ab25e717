// SPDX-License-Identifier: BSL-1.0
// What a plan's memory takes from a schedule: chunks, slices, two directions.
#include <shardplan/shardplan.hpp>

namespace sp = shardplan;
namespace s = sp::schedules;

template <class Schedule>
using run = sp::plan<sp::model<sp::models::llama2_7b>, sp::cluster<sp::devices::h100_sxm_80gb, 8, 1>, sp::pp<4>, sp::sequence<4096>,
                     sp::micro_batch<1>, sp::global_batch<32>, sp::schedule<Schedule>>;

static_assert(sp::valid<run<s::interleaved<2>>> && sp::valid<run<s::seq_1f1b<2>>> && sp::valid<run<s::zb_v>> && sp::valid<run<s::zb_h1>>);
static_assert(sp::valid<run<s::v_half>> && sp::valid<run<s::v_min>> && sp::valid<run<s::dual_pipe_v>>);

// p + (p - 1) / v = 5.5 micro-batches on the first rank, 1F1B keeps 4
static_assert(8 * run<s::interleaved<2>>::memory[0].activations == 11 * run<s::one_f_one_b>::memory[0].activations);
// (p - 1 + s) / s = 2.5 micro-batches
static_assert(8 * run<s::seq_1f1b<2>>::memory[0].activations == 5 * run<s::one_f_one_b>::memory[0].activations);
// p + 1/2
static_assert(8 * run<s::dual_pipe_v>::memory[0].activations == 9 * run<s::one_f_one_b>::memory[0].activations);
// Every rank of DualPipe holds a stage of each direction: twice the blocks, and p + 1 micro-batches of one stage.
static_assert(run<s::dual_pipe>::memory[1].weights == 2 * run<s::one_f_one_b>::memory[1].weights);
static_assert(4 * run<s::dual_pipe>::memory[0].activations == 5 * run<s::one_f_one_b>::memory[0].activations);
// The first and the last stage lie on one rank there.
static_assert(run<s::dual_pipe>::memory[0].weights == run<s::dual_pipe>::memory[3].weights);

// PipeDream keeps p - r versions of the weights, 2BW two on every rank; all else is 1F1B's.
template <class Schedule>
constexpr bool differs_by_versions(int first, int second, int third, int last) {
  using other = run<s::one_f_one_b>;
  const int versions[] = {first, second, third, last};
  for (int rank = 0; rank < 4; ++rank) {
    const sp::memory_report with = run<Schedule>::memory[rank];
    const sp::memory_report without = other::memory[rank];
    if (with.weights.count != versions[rank] * without.weights.count ||
        with.total().count - with.weights.count != without.total().count - without.weights.count)
      return false;
  }
  return true;
}
static_assert(differs_by_versions<s::pipedream>(4, 3, 2, 1) && differs_by_versions<s::pipedream_2bw>(2, 2, 2, 2));

// A user's: the most versions in the middle. The worst stage is found there.
struct middle {
  static constexpr std::int64_t in_flight(std::int64_t, std::int64_t, std::int64_t, std::int64_t) { return 1; }
  static constexpr std::int64_t weight_versions(std::int64_t, std::int64_t rank) { return rank == 2 ? 9 : 1; }
  static constexpr sp::schedule_spec spec{.name = "middle", .in_flight = &in_flight, .weight_versions = &weight_versions, .drains = false};
};
static_assert(run<middle>::peak_stage == 2 && run<middle>::memory[2].weights.count == 9 * run<s::one_f_one_b>::memory[2].weights.count);
static_assert(!sp::valid<run<middle>> == (run<middle>::peak_memory > sp::devices::h100_sxm_80gb::spec.memory));

struct forgetful : middle {
  static constexpr std::int64_t weight_versions(std::int64_t, std::int64_t) { return 0; }
  static constexpr sp::schedule_spec spec{
      .name = "forgetful", .in_flight = &in_flight, .weight_versions = &weight_versions, .drains = false};
};
static_assert(!sp::valid<run<forgetful>>);
