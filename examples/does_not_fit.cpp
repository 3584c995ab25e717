// SPDX-License-Identifier: BSL-1.0
// The run of quickstart.cpp without ZeRO. It does not compile: one error line says which stage, what it needs and has, and what would help.
#include <shardplan/shardplan.hpp>

namespace sp = shardplan;

using run = sp::plan<sp::model<sp::models::llama2_7b>,               //
                     sp::cluster<sp::devices::a100_sxm_80gb, 8, 1>,  // 8 devices a node, 1 node
                     sp::zero<0>,                                    // every device holds everything
                     sp::micro_batch<1>, sp::global_batch<64>, sp::sequence<4096>, sp::optimizer<sp::optimizers::adamw>,
                     sp::precision<sp::precisions::handbook_bf16>>;

static_assert(sp::checked<run>);

int main() {}
