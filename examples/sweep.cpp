// SPDX-License-Identifier: BSL-1.0
// A grid as an autotuner walks it: which of these layouts trains a 13B model on two nodes, and how fast?
#include <shardplan/report/sweep.hpp>
#include <shardplan/search/sweep.hpp>
#include <shardplan/shardplan.hpp>

#include <iostream>

namespace sp = shardplan;

// What every row has is said once; the last list changes fastest.
using grid = sp::sweep<sp::model<sp::models::llama2_13b>, sp::cluster<sp::devices::a100_sxm_80gb, 8, 2>, sp::sequence<4096>,
                       sp::micro_batch<1>, sp::global_batch<256>,             //
                       sp::list<sp::tp<1>, sp::tp<2>, sp::tp<3>, sp::tp<4>>,  //
                       sp::list<sp::zero<0>, sp::zero<1>, sp::zero<3>>,       //
                       sp::list<sp::parts<>, sp::recompute<sp::recomputes::full>>>;
static_assert(grid::size == 4 * 3 * 2);

// A row is a plan, and the fastest one is a type like any other.
using fastest = grid::at<sp::fastest_row<grid>>;
static_assert(sp::checked<fastest>);

int main() {
  std::cout << sp::report::sweep_text<grid>();
  std::cout << "fastest: row " << sp::fastest_row<grid> << ", leanest: row " << sp::leanest_row<grid> << '\n';
}
