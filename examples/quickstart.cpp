// SPDX-License-Identifier: BSL-1.0
// Llama 2 7B on one node of eight A100 80 GB, AdamW in bf16 with 12 bytes a parameter. ZeRO-3 fits; does_not_fit.cpp is the same run
// without it.
#include <shardplan/report/text.hpp>
#include <shardplan/shardplan.hpp>

#include <iostream>

namespace sp = shardplan;

using run = sp::checked_plan<sp::model<sp::models::llama2_7b>,               //
                             sp::cluster<sp::devices::a100_sxm_80gb, 8, 1>,  // 8 devices a node, 1 node
                             sp::zero<3>,                                    // weights, gradients and optimizer state sharded
                             sp::micro_batch<1>, sp::global_batch<64>, sp::sequence<4096>, sp::optimizer<sp::optimizers::adamw>,
                             sp::precision<sp::precisions::handbook_bf16>>;

// Figures of the plan are constants: they can size an array, choose a branch, or be asserted.
static_assert(run::micro_batches == 8);
static_assert(run::memory[0].states() == sp::bytes{12 * sp::parameter_count<sp::models::llama2_7b> / 8});

int main() { sp::report::print<run>(std::cout); }
