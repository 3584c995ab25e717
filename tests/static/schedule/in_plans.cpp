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
