// SPDX-License-Identifier: BSL-1.0
// The best plan of Llama 2 70B on 64 and on 512 H100: at compile time as a type that can be insisted on, at run time the list.
#include <shardplan/report/search.hpp>
#include <shardplan/search/best.hpp>
#include <shardplan/search/best_of.hpp>
#include <shardplan/search/whole_space.hpp>
#include <shardplan/shardplan.hpp>

#include <cstdint>
#include <iostream>

namespace sp = shardplan;

namespace {

// What a part says is fixed, what a list says is tried: here ZeRO-1 and 1F1B in its forms, as many run it, and any other way of dividing.
template <std::int64_t Nodes>
using search =
    sp::best<sp::models::llama2_70b, sp::cluster<sp::devices::h100_sxm_80gb, 8, Nodes>, sp::sequence<4096>, sp::global_batch<1024>,
             sp::zero<1>, sp::among<sp::schedule<sp::schedules::one_f_one_b>, sp::schedule<sp::schedules::interleaved<2>>>>;

using on_64 = search<8>;
static_assert(sp::checked<on_64::plan> && on_64::plan::world_size == 64);
static_assert(
    on_64::plan::timing.step <=
    sp::plan<sp::model<sp::models::llama2_70b>, sp::cluster<sp::devices::h100_sxm_80gb, 8, 8>, sp::sequence<4096>, sp::global_batch<1024>,
             sp::zero<1>, sp::tp<8>, sp::pp<1>, sp::micro_batch<1>, sp::recompute<sp::recomputes::full>>::timing.step);

// Everything open, at run time.
void show(std::int64_t nodes) {
  sp::plan_spec asked{};
  asked.model = sp::models::llama2_70b::shape;
  asked.device = sp::devices::h100_sxm_80gb::spec;
  asked.devices_per_node = 8;
  asked.nodes = nodes;
  asked.sequence = 4096;
  asked.global_batch = 1024;
  std::cout << "== 70B on " << 8 * nodes << " H100\n" << sp::report::text_of(sp::best_of(asked)) << "\n";
  // All there is: every degree that divides, every micro-batch, every schedule.
  std::cout << "== the same, nothing left out\n" << sp::report::text_of(sp::best_of(asked, sp::whole_space_of(asked)), 5) << "\n";
}

}  // namespace

int main() {
  std::cout << "== 70B on 64 H100, ZeRO-1 and 1F1B\n" << sp::report::text_of(on_64::result, 5) << "\n";
  show(8);
  show(64);
}
