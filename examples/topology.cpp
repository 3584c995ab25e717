// SPDX-License-Identifier: BSL-1.0
// Which rank sits where: the handbook's 64 GPUs, 8 nodes of 8, tp 4, dp 4, pp 4. Prints the picture; with a file name, writes it as SVG.
#include <shardplan/report/topology.hpp>
#include <shardplan/report/topology_svg.hpp>
#include <shardplan/shardplan.hpp>

#include <fstream>
#include <iostream>

namespace sp = shardplan;

namespace {

template <class... Parts>
using run = sp::checked_plan<sp::model<sp::models::llama2_70b>, sp::cluster<sp::devices::h100_sxm_80gb, 8, 8>, sp::tp<4>, sp::pp<4>,
                             sp::zero<1>, sp::sequence<4096>, sp::micro_batch<1>, sp::global_batch<64>, Parts...>;

// Megatron-LM's default order puts a stage on neighbouring nodes; the handbook's own words put data parallelism outermost.
using drawn = run<>;
using in_words = run<sp::rank_order<sp::axis::tp, sp::axis::cp, sp::axis::ep, sp::axis::pp, sp::axis::dp>>;

static_assert(sp::stays_inside<drawn, sp::axis::tp, sp::domain::node> && !sp::stays_inside<drawn, sp::axis::dp, sp::domain::node>);
static_assert(sp::rank_groups<drawn, sp::axis::pp>.rank(0, 1) == 16 && sp::rank_groups<in_words, sp::axis::pp>.rank(0, 1) == 4);

}  // namespace

int main(int count, char** words) {
  if (count > 1) {
    std::ofstream{words[1]} << sp::report::topology_svg(drawn::spec);
    return 0;
  }
  std::cout << "As drawn, tp-dp-pp: " << sp::report::topology_text(drawn::spec)
            << "\nAs said, tp-pp-dp: " << sp::report::topology_text(in_words::spec);
}
