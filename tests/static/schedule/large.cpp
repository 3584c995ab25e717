// SPDX-License-Identifier: BSL-1.0
// Tables at which an evaluation of a constant once ran out of Clang's steps: blocks, and ranks that nearly all wait.
#include <shardplan/schedule/dual_pipe.hpp>
#include <shardplan/schedule/prove.hpp>
#include <shardplan/schedule/simulate.hpp>
#include <shardplan/schedule/zb_h1.hpp>

namespace sp = shardplan;
namespace s = sp::schedules;

namespace {

constexpr sp::stage_times usual{2, 3, 2};

// 24,576 ops, nearly all in blocks.
static_assert(sp::proven<s::dual_pipe_v, 16, 192>);
constexpr auto blocks = sp::simulate<s::dual_pipe_v, 16, 192>(usual);
static_assert(blocks.makespan > blocks.work);
static_assert(blocks.busy[0] == sp::fraction{7 * 192});
static_assert(blocks.busy[0] + blocks.idle[0] == blocks.makespan);

// 4,096 ops in groups of two through 64 ranks.
static_assert(sp::proven<s::grouped_interleaved<2, 2>, 64, 16>);
static_assert(sp::simulate<s::grouped_interleaved<2, 2>, 64, 16>(usual).work == sp::fraction{7 * 16});

// What a block saves is not worked: the same time as both halves saves nothing, less of it saves in each block.
constexpr sp::stage_times as_long{.forward = 2, .input_gradient = 3, .weight_gradient = 2, .overlapped = 7};
constexpr sp::stage_times shorter{.forward = 2, .input_gradient = 3, .weight_gradient = 2, .overlapped = 6};
constexpr auto alone = sp::simulate<s::dual_pipe_v, 4, 16>(usual);
constexpr auto together = sp::simulate<s::dual_pipe_v, 4, 16>(as_long);
constexpr auto saving = sp::simulate<s::dual_pipe_v, 4, 16>(shorter);
static_assert(together.makespan == alone.makespan && together.work == alone.work);
static_assert(saving.makespan < alone.makespan && saving.work < alone.work);
constexpr int blocks_of_rank(int rank) {
  using table = sp::schedule_table<s::dual_pipe_v, 4, 16>;
  int found = 0;
  for (int at = 0; at < table::size(rank); ++at) found += table::ops[rank][at].overlaps_next ? 1 : 0;
  return found;
}
static_assert(blocks_of_rank(1) > 0);
static_assert(alone.busy[1] - saving.busy[1] == sp::fraction{blocks_of_rank(1), 2});  // a chunk is half a stage

}  // namespace
