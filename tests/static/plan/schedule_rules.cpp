// SPDX-License-Identifier: BSL-1.0
// The rules about the order in the pipeline, broken and just not broken.
#include "bare_violations.hpp"

#include <shardplan/shardplan.hpp>

#include <cstdint>
#include <type_traits>

namespace sp = shardplan;
namespace s = sp::schedules;

namespace {

template <int Stages, int MicroBatches, class Schedule, class... More>
using run =
    sp::plan<sp::model<sp::models::llama2_7b>, sp::cluster<sp::devices::h200_sxm_141gb, Stages, 1>, sp::pp<Stages>, sp::sequence<4096>,
             sp::micro_batch<1>, sp::global_batch<MicroBatches>, sp::schedule<Schedule>, sp::recompute<sp::recomputes::full>, More...>;

// Bare violations: legal values beside the numbers are another test's.
template <class List, class... Broken>
inline constexpr bool same_numbers = std::is_same_v<List, sp::violations<Broken...>>;
template <class Run, class... Broken>
inline constexpr bool breaks = same_numbers<violations_of_run<Run>, Broken...>&& sp::valid<Run> == (sizeof...(Broken) == 0);

// p even, m even, m >= 2 p
static_assert(breaks<run<4, 8, s::dual_pipe>>);
static_assert(breaks<run<4, 6, s::dual_pipe>, sp::micro_batches_fewer_than_stages<sp::micro_batches<6>, sp::pp_x_chunks<8>>>);
static_assert(breaks<run<4, 9, s::dual_pipe>, sp::does_not_divide<sp::micro_batches_multiple<2>, sp::micro_batches<9>>>);
// m >= 2 p, the number of stages
static_assert(breaks<run<4, 8, s::dual_pipe_v>>);
static_assert(breaks<run<4, 7, s::dual_pipe_v>, sp::micro_batches_fewer_than_stages<sp::micro_batches<7>, sp::pp_x_chunks<8>>>);
// p divides m
static_assert(breaks<run<4, 8, s::chimera>> && breaks<run<4, 10, s::chimera>, sp::does_not_divide<sp::pp<4>, sp::micro_batches<10>>>);
// groups of p: with two chunks every rest runs, with four a rest of 1 makes ranks wait for each other
static_assert(breaks<run<4, 8, s::interleaved<2>>> && breaks<run<4, 10, s::interleaved<2>>> && breaks<run<4, 9, s::interleaved<2>>>);
static_assert(breaks<run<4, 9, s::interleaved<4>>, sp::does_not_divide<sp::interleave_group<4>, sp::micro_batches<9>>>);
static_assert(breaks<run<4, 10, s::interleaved<4>>>);
// groups of p - 1 run, smaller ones do not, nor does any rest behind them
static_assert(breaks<run<4, 6, s::interleaved<2, 3>>>);
static_assert(breaks<run<4, 8, s::interleaved<2, 3>>, sp::does_not_divide<sp::interleave_group<3>, sp::micro_batches<8>>>);
static_assert(breaks<run<4, 8, s::interleaved<2, 2>>, sp::exceeds<sp::pp<4>, sp::interleave_group<2>>>);
static_assert(breaks<run<8, 8, s::grouped_interleaved<2, 2>>> &&
              breaks<run<8, 5, s::grouped_interleaved<2, 3>>, sp::does_not_divide<sp::interleave_group<3>, sp::micro_batches<5>>>);
// Megatron-LM: groups of at least p, and the rest is 0 or at least p
using megatron = sp::framework<sp::frameworks::megatron>;
static_assert(breaks<run<4, 10, s::interleaved<2>, megatron>, sp::does_not_divide<sp::interleave_group<4>, sp::micro_batches<10>>>);
static_assert(breaks<run<4, 10, s::interleaved<2, 5>, megatron>> && breaks<run<4, 9, s::interleaved<2, 5>, megatron>>);
static_assert(breaks<run<4, 8, s::interleaved<2, 3>, megatron>, sp::exceeds<sp::pp<4>, sp::interleave_group<3>>,
                     sp::does_not_divide<sp::interleave_group<3>, sp::micro_batches<8>>>);
// one group that is smaller than p: PyTorch runs it, Megatron-LM does not
static_assert(breaks<run<4, 3, s::interleaved<2, 3>>>);
static_assert(breaks<run<4, 3, s::interleaved<2, 3>, megatron>, sp::exceeds<sp::pp<4>, sp::interleave_group<3>>>);
static_assert(breaks<run<4, 3, s::interleaved<2>, megatron>, sp::exceeds<sp::interleave_group<4>, sp::micro_batches<3>>>);
// PyTorch's rounds: 10 micro-batches on 4 ranks are two of 5; 9 are two as well
static_assert(breaks<run<4, 10, s::interleaved<2, sp::groups::torch>, sp::framework<sp::frameworks::torchtitan>>>);
static_assert(breaks<run<4, 9, s::interleaved<2, sp::groups::torch>, sp::framework<sp::frameworks::torchtitan>>,
                     sp::does_not_divide<sp::interleave_rounds<2>, sp::micro_batches<9>>>);
// Fewer micro-batches than stages: only PyTorch's 1F1B refuses
static_assert(breaks<run<4, 3, s::one_f_one_b>> && breaks<run<4, 3, s::gpipe, sp::framework<sp::frameworks::torchtitan>>>);
static_assert(breaks<run<4, 3, s::one_f_one_b, sp::framework<sp::frameworks::torchtitan>>,
                     sp::micro_batches_fewer_than_stages<sp::micro_batches<3>, sp::pp<4>>>);
static_assert(breaks<run<4, 3, s::one_f_one_b, sp::framework<sp::frameworks::megatron>>>);
// slices divide the sequence
static_assert(breaks<run<4, 8, s::seq_1f1b<4>>> &&
              breaks<run<4, 8, s::seq_1f1b<3>>, sp::does_not_divide<sp::slices<3>, sp::sequence<4096>>>);

// The legal values near what was said, each checked.
static_assert(
    std::is_same_v<
        sp::violations_of<run<4, 6, s::dual_pipe>>,
        sp::violations<sp::micro_batches_fewer_than_stages<sp::micro_batches<6>, sp::pp_x_chunks<8>, sp::try_<sp::global_batch<8>>>>>);
static_assert(std::is_same_v<sp::violations_of<run<4, 10, s::chimera>>,
                             sp::violations<sp::does_not_divide<sp::pp<4>, sp::micro_batches<10>, sp::try_<sp::global_batch<8>>,
                                                                sp::try_<sp::global_batch<12>>>>>);

}  // namespace
