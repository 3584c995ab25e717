// SPDX-License-Identifier: BSL-1.0
#include <shardplan/shardplan.hpp>

namespace sp = shardplan;

using run = sp::checked_plan<sp::model<sp::models::llama3_8b>, sp::cluster<sp::devices::h100_sxm_80gb, 8, 2>, sp::tp<8>, sp::zero<1>,
                             sp::micro_batch<1>, sp::global_batch<64>, sp::sequence<4096>>;

int main() { return run::world_size == 16 && run::peak_memory.count > 0 ? 0 : 1; }
