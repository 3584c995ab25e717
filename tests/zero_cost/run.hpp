// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <shardplan/shardplan.hpp>

namespace sp = shardplan;

using run = sp::plan<sp::model<sp::models::llama3_8b>, sp::cluster<sp::devices::h100_sxm_80gb, 8, 2>, sp::tp<2>, sp::pp<2>, sp::zero<1>,
                     sp::micro_batch<1>, sp::global_batch<64>, sp::sequence<4096>>;
